//! A span of the facade `tracing` around each verb, with the feature of that name. Without it a
//! [`VerbSpan`] is nothing, and costs nothing.
//!
//! | file | what it holds |
//! |---|---|
//! | `on` | spans, with the feature |
//! | `off` | the same without it |

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
    /// It came to its end, or failed.
    pub fn ended<T>(&self, outcome: &Result<T>) {
        match outcome {
            Ok(_) => self.done(),
            Err(error) => self.failed(error),
        }
    }
}
