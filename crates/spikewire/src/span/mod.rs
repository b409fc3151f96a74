//! A span of the facade `tracing` around each verb, with the feature of that name. Without it, a
//! [`VerbSpan`] is empty and has no cost; neither has a `StatementSpan` of a Cassandra session.
//!
//! | module | contents |
//! |---|---|
//! | `on` | spans, with the feature |
//! | `end` | the end of spans |
//! | `off` | the same types without the feature |
//! | `statement` | spans of Cassandra sessions, with the feature |
//! | `statement_off` | the same types without the feature |

#[cfg(feature = "tracing")]
mod end;
#[cfg(not(feature = "tracing"))]
mod off;
#[cfg(feature = "tracing")]
mod on;
#[cfg(all(feature = "cassandra", feature = "tracing"))]
mod statement;
#[cfg(all(feature = "cassandra", not(feature = "tracing")))]
mod statement_off;

#[cfg(not(feature = "tracing"))]
pub(crate) use off::VerbSpan;
#[cfg(feature = "tracing")]
pub(crate) use on::VerbSpan;
#[cfg(all(feature = "cassandra", feature = "tracing"))]
pub(crate) use statement::StatementSpan;
#[cfg(all(feature = "cassandra", not(feature = "tracing")))]
pub(crate) use statement_off::StatementSpan;

use crate::Result;

/// The kind of call of a session.
#[cfg(feature = "cassandra")]
#[derive(Debug, Clone, Copy)]
#[cfg_attr(not(feature = "tracing"), expect(dead_code, reason = "only spans read it"))]
pub(crate) enum Asked<'a> {
    /// Prepare a text.
    Prepare(&'a str),
    /// Execute one, with separate values or without.
    Execute(&'a str, bool),
    /// Read its pages.
    Read(&'a str, bool),
    /// Run a batch of this many statements.
    Batch(usize),
}

#[cfg(feature = "cassandra")]
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

impl VerbSpan {
    /// It succeeded or failed.
    pub fn ended<T>(&self, outcome: &Result<T>) {
        match outcome {
            Ok(_) => self.done(),
            Err(error) => self.failed(error),
        }
    }
}
