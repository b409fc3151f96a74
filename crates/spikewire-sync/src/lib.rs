//! The locks of Spikewire: those of the standard library, without poisoning.
//!
//! Why not a lock crate: implementations that park threads in a process-wide table (such as
//! `parking_lot`) break in a forked child. If another thread was inside that table at the moment of
//! the fork, its part of the table stays locked in the child forever, and the next lock that has to
//! wait there hangs, whichever lock it is. The standard library's locks share nothing: after a fork
//! only the locks held at that moment stay locked, and the child does not touch what its parent's
//! threads may have held.
//!
//! Why without poisoning: a panic while a lock is held is a bug that is reported where it happens.
//! It must not cause another panic in every thread that takes the lock later.
//!
//! Compiled with `--cfg loom`, everything here is loom's instead, which runs a test in every order
//! in which its threads can take turns. Code that should be tested like that takes its locks,
//! atomics and parked threads from here (`make test-loom`).

#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
#![forbid(unsafe_code)]

use std::sync::{PoisonError, TryLockError};
use std::time::Instant;

#[cfg(loom)]
use loom::sync;
#[cfg(not(loom))]
use std::sync;

pub use sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard, atomic};

/// Threads that park until they are woken.
#[cfg(not(loom))]
pub mod thread {
    pub use std::thread::{Builder, JoinHandle, Thread, current, park, park_timeout};
}

#[cfg(loom)]
pub mod thread;

/// A value that one thread at a time may access.
#[derive(Debug, Default)]
pub struct Mutex<T: ?Sized>(sync::Mutex<T>);

impl<T> Mutex<T> {
    /// An unlocked mutex.
    #[cfg(not(loom))]
    pub const fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    /// An unlocked mutex.
    #[cfg(loom)]
    pub fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    /// Consumes the mutex and returns its value.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Locks it, waiting until it is free.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks it if it is free.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The value, through exclusive access.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A value that many threads may read or one may change.
#[derive(Debug, Default)]
pub struct RwLock<T: ?Sized>(sync::RwLock<T>);

impl<T> RwLock<T> {
    /// An unlocked lock.
    #[cfg(not(loom))]
    pub const fn new(value: T) -> Self {
        Self(sync::RwLock::new(value))
    }

    /// An unlocked lock.
    #[cfg(loom)]
    pub fn new(value: T) -> Self {
        Self(sync::RwLock::new(value))
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Locks it for reading, waiting until no writer holds it. Must not be called by a thread that
    /// already holds it for reading: a writer that waits in between has priority.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks it for writing, waiting until no reader or writer holds it.
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value, through exclusive access.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets threads wait for a condition that a [`Mutex`] guards.
#[derive(Debug, Default)]
pub struct Condvar(sync::Condvar);

impl Condvar {
    /// A condition variable without waiters.
    #[cfg(not(loom))]
    pub const fn new() -> Self {
        Self(sync::Condvar::new())
    }

    /// A condition variable without waiters.
    #[cfg(loom)]
    pub fn new() -> Self {
        Self(sync::Condvar::new())
    }

    /// Waits until notified. May wake up spuriously.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    /// Like [`Condvar::wait`], at most until `due`; returns whether that has passed.
    pub fn wait_until<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        due: Instant,
    ) -> (MutexGuard<'a, T>, bool) {
        let left = due.saturating_duration_since(Instant::now());
        let (guard, end) = self.0.wait_timeout(guard, left).unwrap_or_else(PoisonError::into_inner);
        (guard, end.timed_out())
    }

    /// Wakes all waiters.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Arc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_panic_leaves_the_lock_usable() {
        let (mutex, lock) = (Mutex::new(1), RwLock::new(1));
        let broke = catch_unwind(AssertUnwindSafe(|| {
            let (_held, _changed) = (mutex.lock(), lock.write());
            panic!("with both locks held");
        }));
        assert!(broke.is_err());
        *mutex.lock() += 1;
        *lock.write() += 1;
        assert_eq!(mutex.try_lock().as_deref(), Some(&2));
        assert_eq!((*lock.read(), mutex.into_inner()), (2, 2));
    }

    #[test]
    fn try_lock_fails_while_another_holds_it() {
        let mutex = Mutex::new(());
        let held = mutex.lock();
        assert!(mutex.try_lock().is_none());
        drop(held);
        assert!(mutex.try_lock().is_some());
    }

    #[test]
    fn waits_end_by_notice_or_by_time() {
        let shared = Arc::new((Mutex::new(false), Condvar::new()));
        let other = thread::spawn({
            let shared = shared.clone();
            move || {
                *shared.0.lock() = true;
                shared.1.notify_all();
            }
        });
        let mut guard = shared.0.lock();
        while !*guard {
            guard = shared.1.wait(guard);
        }
        let due = Instant::now() + Duration::from_millis(1);
        loop {
            let (again, over) = shared.1.wait_until(guard, due);
            guard = again;
            if over {
                break;
            }
        }
        assert!(Instant::now() >= due && *guard);
        drop(guard);
        other.join().expect("the other thread");
    }
}
