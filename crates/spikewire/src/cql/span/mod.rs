//! A span of the facade `tracing` around each verb of a session, with the feature of that name.
//! Without it, a [`StatementSpan`] is empty and has no cost.
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
pub(crate) use off::StatementSpan;
#[cfg(feature = "tracing")]
pub(crate) use on::StatementSpan;

/// The kind of call of a session.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "tracing"), expect(dead_code, reason = "only spans read it"))]
pub(crate) enum SessionCall<'a> {
    /// Prepare a text.
    Prepare(&'a str),
    /// Execute one, with separate values or without.
    Execute(&'a str, bool),
    /// Read its pages.
    Read(&'a str, bool),
    /// Run a batch of this many statements.
    Batch(usize),
}

impl StatementSpan {
    /// It succeeded or failed.
    pub fn ended(&self, outcome: &crate::cql::Result<crate::cql::QueryResult>) {
        match outcome {
            Ok(result) => {
                self.answered(result);
                self.done();
            }
            Err(error) => self.failed(error),
        }
    }

    /// A page arrived, possibly the last one, or the read failed.
    pub fn read(&self, page: &crate::cql::Result<crate::cql::QueryResult>, is_last: bool) {
        match page {
            Ok(page) if !is_last => self.answered(page),
            _ => self.ended(page),
        }
    }
}
