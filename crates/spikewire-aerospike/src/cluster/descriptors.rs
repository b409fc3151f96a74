//! The descriptors the cluster holds, so that a forked child can close what it inherited.

use std::os::fd::{AsRawFd as _, RawFd};
use std::sync::Arc;

use rustc_hash::FxHashSet;
use spikewire_sync::Mutex;
use spikewire_transport::wire::Wire;

/// Every open descriptor of one cluster.
#[derive(Debug, Default)]
pub(super) struct Descriptors(Mutex<FxHashSet<RawFd>>);

impl Descriptors {
    /// Closes all of them in a forked child. Their owners lived on threads that the fork did not
    /// copy, so nothing else will. If such a thread held the lock, they stay open: a leak is better
    /// than a child that waits for ever.
    #[expect(unsafe_code, reason = "an inherited descriptor has no owner to drop")]
    pub fn close_inherited(&self) {
        let Some(mut all) = self.0.try_lock() else { return };
        for descriptor in all.drain() {
            // SAFETY: the descriptor is open, and its owner does not exist in this process.
            unsafe { rustix::io::close(descriptor) };
        }
    }
}

/// A connection that is on the list for as long as it is open.
#[derive(Debug)]
pub(super) struct Listed {
    wire: Wire,
    list: Arc<Descriptors>,
}

impl Listed {
    pub fn new(wire: Wire, list: Arc<Descriptors>) -> Self {
        list.0.lock().insert(wire.as_raw_fd());
        Self { wire, list }
    }
}

impl std::ops::Deref for Listed {
    type Target = Wire;

    fn deref(&self) -> &Wire {
        &self.wire
    }
}

impl std::ops::DerefMut for Listed {
    fn deref_mut(&mut self) -> &mut Wire {
        &mut self.wire
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.list.0.lock().remove(&self.wire.as_raw_fd());
    }
}
