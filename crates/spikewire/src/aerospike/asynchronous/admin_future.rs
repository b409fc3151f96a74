//! The future of rare commands.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::Result;

/// The future of a command for indexes, modules and background jobs, of an info command, or of an
/// aggregation, which is the only one that needs a thread of its own.
///
/// Works on any executor. The command is sent when the future is first polled; dropping the future
/// discards the outcome.
#[must_use = "a command is sent when its future is polled"]
pub struct AdminFuture<T>(Pin<Box<dyn Future<Output = Result<T>> + Send>>);

impl<T> AdminFuture<T> {
    pub(super) fn new(work: impl Future<Output = Result<T>> + Send + 'static) -> Self {
        Self(Box::pin(work))
    }
}

impl<T> Future for AdminFuture<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Result<T>> {
        self.0.as_mut().poll(context)
    }
}

impl<T> fmt::Debug for AdminFuture<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("AdminFuture").finish_non_exhaustive()
    }
}
