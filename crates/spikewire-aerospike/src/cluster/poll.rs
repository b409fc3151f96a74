//! Waiting for many requests at once.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::info_request::InfoRequest;
use crate::clock::Tick;

/// How often a wait checks whether the client was closed.
pub(super) const SLICE: Duration = Duration::from_millis(20);

/// Waits until a socket is ready, a deadline passes or `until` is reached, and advances every
/// request that can be. May return early: call it in a loop. When `closed` is set, all requests
/// end.
pub(super) fn turn(requests: &mut [&mut InfoRequest], until: Tick, closed: &AtomicBool) {
    let now = Tick::now();
    let wake = requests.iter().filter(|e| !e.is_over()).map(|e| e.deadline()).min();
    let pause = wake.map_or(until, |wake| wake.min(until)).since(now).min(SLICE);
    let mut waited = Vec::with_capacity(requests.len());
    let mut sockets = Vec::with_capacity(requests.len());
    for (at, request) in requests.iter().enumerate() {
        if let Some((socket, to_write)) = request.awaits() {
            sockets
                .push(PollFd::new(socket, if to_write { PollFlags::OUT } else { PollFlags::IN }));
            waited.push(at);
        }
    }
    // At most a fraction of a second. A wait interrupted by a signal finds nothing ready.
    let pause = Timespec { tv_sec: 0, tv_nsec: pause.subsec_nanos().into() };
    let _ = poll(&mut sockets, Some(&pause));
    let ready: Vec<usize> = (waited.into_iter().zip(&sockets))
        .filter(|(_, socket)| !socket.revents().is_empty())
        .map(|(at, _)| at)
        .collect();
    for at in ready {
        requests[at].advance();
    }
    let now = Tick::now();
    for request in requests {
        request.expire(now);
        if closed.load(Relaxed) {
            request.stop();
        }
    }
}
