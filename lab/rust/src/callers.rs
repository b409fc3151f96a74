//! Closed loops as tasks on tokio, or as threads of blocking calls.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

/// Runs all loops as tasks until the time is up and each has finished its last call.
pub async fn tasks<T: Send + 'static>(
    loops: impl Iterator<Item = impl Future<Output = T> + Send + 'static>,
    lasts: Duration,
    stop: &AtomicBool,
) -> Result<Vec<T>, String> {
    let tasks: Vec<_> = loops.map(tokio::spawn).collect();
    tokio::time::sleep(lasts).await;
    stop.store(true, Ordering::Relaxed);
    let mut finished = Vec::with_capacity(tasks.len());
    for task in tasks {
        finished.push(task.await.map_err(|error| error.to_string())?);
    }
    Ok(finished)
}

/// The same with a thread for each loop, whose calls block.
pub fn threads<T: Send + 'static>(
    loops: impl Iterator<Item = impl Future<Output = T> + Send + 'static>,
    lasts: Duration,
    stop: &AtomicBool,
) -> Result<Vec<T>, String> {
    let threads: Vec<_> = loops.map(|one| thread::spawn(move || at_once(one))).collect();
    thread::sleep(lasts);
    stop.store(true, Ordering::Relaxed);
    let finished = threads.into_iter().map(thread::JoinHandle::join);
    finished.collect::<Result<_, _>>().map_err(|_| "a thread of the client panicked".to_owned())
}

/// The value of a future that is always ready, such as those of a blocking client.
pub fn at_once<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("a blocking client waits inside its calls"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use super::*;

    #[test]
    fn each_loop_has_a_thread_and_ends_when_it_is_stopped() {
        let stop = Arc::new(AtomicBool::new(false));
        let loops = (0..4).map(|_| {
            let stop = stop.clone();
            async move {
                while !stop.load(Ordering::Relaxed) {
                    thread::yield_now();
                }
                thread::current().id()
            }
        });
        let ran = threads(loops, Duration::from_millis(1), &stop).unwrap();
        assert_eq!(ran.iter().collect::<HashSet<_>>().len(), 4);
        assert!(!ran.contains(&thread::current().id()));
    }
}
