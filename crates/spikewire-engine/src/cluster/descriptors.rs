//! The descriptors the cluster holds, so that a forked child can close what it inherited.

use std::os::fd::{AsRawFd as _, RawFd};
use std::sync::Arc;

use rustc_hash::FxHashSet;
use socket2::Socket;
use spikewire_sync::Mutex;

/// Every open descriptor of one cluster.
#[derive(Debug, Default)]
pub(super) struct Descriptors(Mutex<FxHashSet<RawFd>>);

impl Descriptors {
    /// Closes all of them in a forked child. Their owners lived on threads that the fork did not
    /// copy, so nothing else will. If such a thread held the lock, they stay open: a leak is better
    /// than a child that waits for ever.
    pub fn close_inherited(&self) {
        let Some(mut all) = self.0.try_lock() else { return };
        for descriptor in all.drain() {
            // SAFETY: the descriptor is open, and its owner does not exist in this process.
            unsafe { libc::close(descriptor) };
        }
    }
}

/// A socket that is on the list for as long as it is open.
#[derive(Debug)]
pub(super) struct Listed {
    socket: Socket,
    list: Arc<Descriptors>,
}

impl Listed {
    pub fn new(socket: Socket, list: Arc<Descriptors>) -> Self {
        list.0.lock().insert(socket.as_raw_fd());
        Self { socket, list }
    }
}

impl std::ops::Deref for Listed {
    type Target = Socket;

    fn deref(&self) -> &Socket {
        &self.socket
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.list.0.lock().remove(&self.socket.as_raw_fd());
    }
}
