//! Waiting for many requests at once.

use std::io;
use std::os::fd::AsRawFd as _;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use super::info_request::InfoRequest;
use crate::clock::Tick;

/// How long a wait goes on before it looks whether the client was closed.
pub(super) const SLICE: Duration = Duration::from_millis(20);

/// Waits until a socket is ready, a deadline passes or `until` comes, and moves on every request
/// that can be. May return earlier: call it in a loop. When `closed` is set they all end.
pub(super) fn turn(requests: &mut [&mut InfoRequest], until: Tick, closed: &AtomicBool) {
    let now = Tick::now();
    let wake = requests.iter().filter(|e| !e.is_over()).map(|e| e.deadline()).min();
    let pause = wake.map_or(until, |wake| wake.min(until)).since(now).min(SLICE);
    let mut waited = Vec::with_capacity(requests.len());
    let mut sockets = Vec::with_capacity(requests.len());
    for (at, request) in requests.iter().enumerate() {
        if let Some((socket, to_write)) = request.awaits() {
            let events = if to_write { libc::POLLOUT } else { libc::POLLIN };
            sockets.push(libc::pollfd { fd: socket.as_raw_fd(), events, revents: 0 });
            waited.push(at);
        }
    }
    if poll(&mut sockets, pause).is_ok_and(|ready| ready > 0) {
        for (socket, at) in sockets.iter().zip(waited) {
            if socket.revents != 0 {
                requests[at].advance();
            }
        }
    }
    let now = Tick::now();
    for request in requests {
        request.expire(now);
        if closed.load(Relaxed) {
            request.stop();
        }
    }
}

fn poll(sockets: &mut [libc::pollfd], pause: Duration) -> io::Result<usize> {
    // Rounded up: a wait that ends a moment early would spin.
    let millis = pause.as_micros().div_ceil(1000) as libc::c_int;
    // SAFETY: the pointer and the count describe the slice, which outlives the call.
    let ready = unsafe { libc::poll(sockets.as_mut_ptr(), sockets.len() as libc::nfds_t, millis) };
    usize::try_from(ready).map_err(|_| io::Error::last_os_error())
}
