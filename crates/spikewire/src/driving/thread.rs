//! Blocking functions on threads of their own.

use std::sync::Arc;
use std::task::{Poll, Waker};

use spikewire_sync::Mutex;

/// Runs a blocking function on a thread of its own: connecting and other rare calls. It receives a
/// function that tells whether its future still exists. `failed` converts a message to an error.
pub(crate) fn on_a_thread<T: Send + 'static, E: Send + 'static>(
    work: impl FnOnce(&dyn Fn() -> bool) -> Result<T, E> + Send + 'static,
    failed: impl Fn(String) -> E + Send + 'static,
) -> impl Future<Output = Result<T, E>> + Send + 'static {
    let shared = Arc::new(Mutex::new((None, None::<Waker>)));
    let mut work = Some(work);
    std::future::poll_fn(move |context| {
        if let Some(work) = work.take() {
            let shared = shared.clone();
            let started =
                std::thread::Builder::new().name("spikewire-start".into()).spawn(move || {
                    let outcome = work(&|| Arc::strong_count(&shared) > 1);
                    let mut shared = shared.lock();
                    shared.0 = Some(outcome);
                    let waker = shared.1.take();
                    drop(shared);
                    waker.map(Waker::wake)
                });
            if let Err(error) = started {
                return Poll::Ready(Err(failed(format!("no thread to do it on: {error}"))));
            }
        }
        let mut shared = shared.lock();
        let Some(outcome) = shared.0.take() else {
            shared.1 = Some(context.waker().clone());
            return Poll::Pending;
        };
        Poll::Ready(outcome)
    })
}
