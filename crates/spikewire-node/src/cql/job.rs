//! JavaScript's side of statement jobs. Replies may arrive where no JavaScript value can be read or
//! made, so values are encoded at once, and results become values when they are delivered.

use std::convert::Infallible;

use spikewire_cassandra::statement::Prepared;
use spikewire_cassandra::statement_job::{self, ParameterEncoder, StatementHost};

use super::bind::bind;
use crate::binding::Call;
use crate::hooks::cql::Hooks;
use crate::js::{Failure, Result, Value};

/// What statement jobs need of JavaScript.
#[derive(Debug)]
pub struct NodeHost;

/// A statement in progress.
pub type StatementJob = statement_job::StatementJob<NodeHost>;

/// The start of a job.
pub type Start = statement_job::Start<'static, NodeHost>;

/// A statement to execute.
pub type Statement = statement_job::Statement<Infallible>;

/// The result of a job.
pub type StatementResult = statement_job::JobResult<Vec<u8>>;

/// Values of a statement, in the order of its parameters.
#[derive(Debug, Clone, Copy)]
pub struct Values<'a> {
    pub hooks: &'a Hooks,
    pub source: Source<'a>,
}

/// Where values are.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// The arguments of a call from an index on.
    Arguments(&'a Call<'a>, usize),
    /// So many elements of an array from an index on.
    Elements(Value<'a>, u32, u32),
}

impl ParameterEncoder for NodeHost {
    type Parameters<'a> = Values<'a>;
    type Error = Failure;

    const CAN_WAIT: bool = false;

    #[inline]
    fn encode(prepared: &Prepared, values: Option<Values<'_>>, out: &mut Vec<u8>) -> Result<()> {
        let Some(Values { hooks, source }) = values else { return Ok(()) };
        match source {
            Source::Arguments(call, from) => bind(hooks, prepared, call.rest(from).map(Ok), out),
            Source::Elements(array, from, count) => {
                // Not a range of u32, which is not an ExactSizeIterator on every platform.
                let each = (0..count as usize).map(|at| array.element(from + at as u32));
                bind(hooks, prepared, each, out)
            }
        }
    }

    fn may_be_outdated(_: &Failure) -> bool {
        // JavaScript has it prepared again, and tries once more.
        false
    }

    fn in_batch(failure: Failure, at: usize) -> Failure {
        failure.about(format_args!("statement {at}"))
    }
}

impl StatementHost for NodeHost {
    type Access<'a> = ();
    type OwnedParameters = Infallible;
    type Cells = Vec<u8>;
    type Output<'a> = StatementResult;

    fn copy_parameters(_: Values<'_>) -> Result<Infallible> {
        Err(Failure::of_range("values of text are encoded once it is prepared"))
    }

    fn borrow_parameters<'k, 'a: 'k>((): Self::Access<'a>, owned: &'k Infallible) -> Values<'k> {
        match *owned {}
    }

    fn copy_cells((): (), cells: &[u8]) -> Vec<u8> {
        cells.to_vec()
    }

    fn output<'a>(
        &self,
        (): Self::Access<'a>,
        result: StatementResult,
    ) -> Result<Self::Output<'a>> {
        Ok(result)
    }
}
