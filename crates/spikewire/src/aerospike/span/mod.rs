//! A span of the facade `tracing` around each verb, with the feature of that name. Without it, a
//! [`VerbSpan`] is empty and has no cost.
//!
//! | module | contents |
//! |---|---|
//! | `on` | spans, with the feature |
//! | `off` | the same type without the feature |

#[cfg(not(feature = "tracing"))]
mod off;
#[cfg(feature = "tracing")]
mod on;

#[cfg(not(feature = "tracing"))]
pub(crate) use off::VerbSpan;
#[cfg(feature = "tracing")]
pub(crate) use on::VerbSpan;

use crate::Result;

impl VerbSpan {
    /// It succeeded or failed.
    pub fn ended<T>(&self, outcome: &Result<T>) {
        match outcome {
            Ok(_) => self.done(),
            Err(error) => self.failed(error),
        }
    }
}
