//! The file descriptors of a client's background thread, so that a forked child can close the ones
//! it inherited.

use std::collections::HashSet;
use std::os::fd::RawFd;
use std::sync::Arc;

use spikewire_sync::Mutex;

/// The open file descriptors of a background thread.
#[derive(Debug, Default)]
pub struct Descriptors(Mutex<HashSet<RawFd>>);

impl Descriptors {
    /// Registers open descriptors until the returned guard is dropped, which must happen before
    /// they are closed.
    pub fn list(self: &Arc<Self>, open: impl IntoIterator<Item = RawFd>) -> Listed {
        let open: Vec<RawFd> = open.into_iter().collect();
        self.0.lock().extend(&open);
        Listed { open, list: self.clone() }
    }

    /// Closes all of them in a forked child. Their owner lived on a thread that the fork did not
    /// copy, so nothing else will. If that thread held the lock, they stay open: a leak is better
    /// than a deadlock in the child.
    #[expect(unsafe_code, reason = "an inherited descriptor has no owner to drop")]
    pub fn close_inherited(&self) {
        let Some(mut all) = self.0.try_lock() else { return };
        for descriptor in all.drain() {
            // SAFETY: the descriptor is open, and its owner does not exist in this process.
            unsafe { rustix::io::close(descriptor) };
        }
    }
}

/// Registered descriptors; they are removed when this is dropped.
#[derive(Debug)]
pub struct Listed {
    open: Vec<RawFd>,
    list: Arc<Descriptors>,
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut all = self.list.0.lock();
        self.open.iter().for_each(|descriptor| {
            all.remove(descriptor);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_listed_until_dropped() {
        let all = Arc::new(Descriptors::default());
        let first = all.list([3, 4]);
        let second = all.list([5]);
        drop(first);
        assert_eq!(all.0.lock().iter().collect::<Vec<_>>(), [&5]);
        drop(second);
        assert!(all.0.lock().is_empty());
    }
}
