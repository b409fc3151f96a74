//! Runs the steps of a transaction on the calling thread.

use super::{Step, Steps};
use crate::command::blocking::{BlockingExecutor, Interrupted};
use crate::model::Result;

/// Runs steps, from the first one on. Fails only if the caller was interrupted.
pub fn run<S: Steps>(
    executor: &BlockingExecutor,
    steps: &mut S,
    mut step: Step<S::Output>,
    interrupted: Interrupted<'_>,
) -> Result<S::Output> {
    loop {
        match step {
            Step::Send(mut rows) => {
                executor.run_batch(&mut rows, interrupted)?;
                step = steps.next(rows);
            }
            Step::Done(output) => return Ok(output),
        }
    }
}
