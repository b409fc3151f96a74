//! Transactions over several records of one strongly consistent namespace, on clusters of the
//! Enterprise Edition.
//!
//! Nothing here does I/O. A call of a transaction, and its end, are [`Steps`]: batches that are to
//! be sent one after the other, as those of a table. Whoever runs batches runs these too: a calling
//! thread by [`run()`], a driver as the owner of a batch.
//!
//! | module | what it holds |
//! |---|---|
//! | here | what steps are |
//! | [`state`] | what a client knows of a transaction: reads, writes, deadline |
//! | [`call`] | a command of a transaction: the monitor first, then the command |
//! | [`read`] | a read of one record, which needs nothing before it |
//! | [`ending`] | commit and abort: verify, mark, roll, close |
//! | [`retry`] | which transactions are tried again as a whole |
//! | [`mod@outside`] | what is no part of transactions |
//! | [`mod@run`] | steps on the calling thread |

pub mod call;
pub mod ending;
pub mod outside;
pub mod read;
pub mod retry;
pub mod run;
pub mod state;

pub use call::TransactionCall;
pub use ending::{CommitError, EndOutcome, EndStatus, Ending, EndingPart, RecordError};
pub use outside::{Outsider, outside};
pub use retry::{Failure, Retries, RetryOptions};
pub use run::run;
pub use state::{Transaction, TransactionOptions, TransactionState};

use crate::command::batch::Batch;

/// What follows.
#[derive(Debug)]
pub enum Step<T> {
    /// These rows are to be sent.
    Send(Batch),
    /// Nothing, this is the result.
    Done(T),
}

/// Batches that are sent one after the other.
pub trait Steps {
    /// What comes of them.
    type Output;

    /// The next step, once the rows of the last one are complete.
    fn next(&mut self, done: Batch) -> Step<Self::Output>;
}
