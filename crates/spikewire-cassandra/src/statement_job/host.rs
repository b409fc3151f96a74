//! What a host language does for its statements.

use std::borrow::Cow;

use spikewire_cql::request::RequestError;

use super::result::JobResult;
use crate::error::Error;
use crate::statement::Prepared;

/// How parameters of a host become values of a statement.
pub trait ParameterEncoder {
    /// Parameters, borrowed from the caller.
    type Parameters<'a>: Copy;

    /// Errors of the host.
    type Error: From<Error> + From<RequestError>;

    /// Whether parameters can be encoded after a node has prepared their statement. If not, errors
    /// tell the caller to have that done and to try again.
    const CAN_WAIT: bool = true;

    /// Appends the values of a statement in the order of its parameters.
    fn encode(
        prepared: &Prepared,
        parameters: Option<Self::Parameters<'_>>,
        out: &mut Vec<u8>,
    ) -> Result<(), Self::Error>;

    /// Whether an error of encoding may mean that the parameters of a statement are other ones by
    /// now than those that the values do not fit.
    fn may_be_outdated(error: &Self::Error) -> bool;

    /// The error of one statement of a batch.
    fn in_batch(error: Self::Error, at: usize) -> Self::Error {
        let _ = at;
        error
    }
}

/// A host whose statements are jobs.
pub trait StatementHost: ParameterEncoder {
    /// What has to be at hand while objects of the host are created, such as proof that its
    /// interpreter is held.
    type Access<'a>: Copy;

    /// Parameters that are kept while a node prepares the statement.
    type OwnedParameters;

    /// The cells of the rows of one reply.
    type Cells;

    /// The result of a job.
    type Output<'a>;

    /// Text to prepare, with the markers of CQL.
    fn markers(text: &str) -> Result<Cow<'_, str>, Self::Error> {
        Ok(Cow::Borrowed(text))
    }

    /// Parameters to keep, as they are now. Not called if they cannot wait.
    fn copy_parameters(
        parameters: Self::Parameters<'_>,
    ) -> Result<Self::OwnedParameters, Self::Error>;

    /// Parameters that were kept.
    fn borrow_parameters<'k, 'a: 'k>(
        access: Self::Access<'a>,
        owned: &'k Self::OwnedParameters,
    ) -> Self::Parameters<'k>;

    /// A copy of the cells of a reply.
    fn copy_cells(access: Self::Access<'_>, cells: &[u8]) -> Self::Cells;

    /// The result as the host has it.
    fn output<'a>(
        &self,
        access: Self::Access<'a>,
        result: JobResult<Self::Cells>,
    ) -> Result<Self::Output<'a>, Self::Error>;
}
