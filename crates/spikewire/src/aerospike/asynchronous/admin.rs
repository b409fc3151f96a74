//! Futures of administrative commands: requests to nodes are sent together with the client's other
//! commands, on connections of their own, and no thread blocks.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::{Context, Poll, Waker};

use spikewire_sync::Mutex;

use spikewire_aerospike::Result;
use spikewire_aerospike::admin::{self, AdminWaiter, Procedure};
use spikewire_aerospike::transport::Next;

use super::AsyncCore;

/// Holds the outcome for its future.
struct AdminCell<T> {
    state: Mutex<(Option<Result<T>>, Waker)>,
    is_gone: AtomicBool,
}

/// Shared by the future and the procedure.
struct CellWaiter<T>(Arc<AdminCell<T>>);

impl<T: Send + 'static> AdminWaiter<T> for CellWaiter<T> {
    fn done(&self, outcome: Result<T>) {
        let waker = {
            let mut state = self.0.state.lock();
            state.0 = Some(outcome);
            state.1.clone()
        };
        waker.wake();
    }

    fn is_gone(&self) -> bool {
        self.0.is_gone.load(Relaxed)
    }
}

/// The future's side.
struct CellFuture<T>(Arc<AdminCell<T>>);

impl<T> CellFuture<T> {
    fn poll(&self, context: &Context<'_>) -> Poll<Result<T>> {
        let mut state = self.0.state.lock();
        state.1.clone_from(context.waker());
        state.0.take().map_or(Poll::Pending, Poll::Ready)
    }
}

impl<T> Drop for CellFuture<T> {
    fn drop(&mut self) {
        self.0.is_gone.store(true, Relaxed);
    }
}

/// Runs a procedure, which starts when the future is first polled.
pub(super) fn run<P: Procedure + Send + 'static>(
    core: Arc<AsyncCore>,
    procedure: Result<P>,
) -> impl Future<Output = Result<P::Output>> + Send
where
    P::Output: Send + 'static,
{
    let mut procedure = Some(procedure);
    let mut pending = None::<CellFuture<P::Output>>;
    std::future::poll_fn(move |context| {
        if let Some(procedure) = procedure.take() {
            let procedure = match procedure {
                Ok(procedure) => procedure,
                Err(error) => return Poll::Ready(Err(error)),
            };
            let state = Mutex::new((None, context.waker().clone()));
            let waiting = Arc::new(AdminCell { state, is_gone: AtomicBool::new(false) });
            pending = Some(CellFuture(waiting.clone()));
            let mut next = Next::default();
            admin::start(core.context.cluster.clone(), procedure, CellWaiter(waiting), &mut next);
            if !next.is_empty() {
                core.transport.submit_all(next);
            }
        }
        pending.as_ref().expect("it was started").poll(context)
    })
}
