//! What asyncio records about the event loop that is running in a thread.
//!
//! Up to Python 3.11, `asyncio.get_running_loop` asks the operating system for the process id on
//! every call. That costs more than anything else that a command does in Python. So a client looks
//! at asyncio's record itself: an entry of the thread's dictionary that is replaced whenever a loop
//! starts or stops running in the thread. As long as the entry is the same object as when asyncio
//! returned the loop, and the process is the same, the loop is the same. If there is no such entry,
//! asyncio is asked.
//!
//! An entry is the same object only if somebody refers to it in the meantime. It refers to the loop
//! and is unknown to the garbage collector, so whoever refers to it must not outlive the loop, and
//! tells the collector in its place ([`LoopEntry::traverse`]).

#![expect(unsafe_code, reason = "nothing safe leads to the dictionary of a thread")]

use std::sync::atomic::{AtomicPtr, Ordering::Relaxed};

use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTraverseError, PyVisit, ffi};
use spikewire_sync::Mutex;

use crate::bridge::cached::intern;

/// asyncio's entry for this thread, if there is one. It may be that of a loop that has stopped.
#[inline]
pub fn loop_entry(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    // SAFETY: this thread is attached to the interpreter. Its dictionary, if it has one, is
    // borrowed.
    let all = unsafe { Bound::from_borrowed_ptr_or_opt(py, ffi::PyThreadState_GetDict()) }?;
    let all = all.cast_into::<PyDict>().ok()?;
    all.get_item(intern!(py, "__asyncio_running_event_loop__")).ok().flatten()
}

/// asyncio's entry for a loop when it was last seen running. Belongs to what the loop owns.
pub struct LoopEntry {
    entry: AtomicPtr<ffi::PyObject>,
    /// Keeps the entry. `None` if that is the loop itself, as it is from Python 3.12 on.
    holder: Mutex<Option<Py<PyAny>>>,
}

impl LoopEntry {
    pub const fn new() -> Self {
        Self { entry: AtomicPtr::new(std::ptr::null_mut()), holder: Mutex::new(None) }
    }

    /// Whether this is the entry.
    #[inline]
    pub fn is(&self, entry: &Bound<'_, PyAny>) -> bool {
        self.entry.load(Relaxed) == entry.as_ptr()
    }

    /// Notes the entry of this loop, unless it is of a kind that is not known here: then asyncio is
    /// asked every time.
    #[cold]
    pub fn set(&self, entry: Bound<'_, PyAny>, event_loop: &Bound<'_, PyAny>) {
        let kind = entry.get_type();
        let holds = kind.name().is_ok_and(|name| name == "_RunningLoopHolder");
        // SAFETY: the type is alive.
        let is_collected = unsafe { ffi::PyType_IS_GC(kind.as_type_ptr()) } != 0;
        let at = entry.as_ptr();
        let holder = match entry.is(event_loop) {
            true => None,
            false if holds && !is_collected => Some(entry.unbind()),
            false => return,
        };
        self.entry.store(at, Relaxed);
        let before = std::mem::replace(&mut *self.holder.lock(), holder);
        // The last reference to a loop may go with it, which runs Python code.
        drop(before);
    }

    /// For the garbage collector.
    pub fn traverse(
        &self,
        visit: &PyVisit<'_>,
        event_loop: &Py<PyAny>,
    ) -> Result<(), PyTraverseError> {
        let holder = self.holder.try_lock();
        let Some(holder) = holder.as_deref().and_then(Option::as_ref) else { return Ok(()) };
        // SAFETY: the holder is alive, and nothing changes while the collector is at work.
        if unsafe { ffi::Py_REFCNT(holder.as_ptr()) } == 1 {
            // The holder's reference to the loop is as good as one of this object.
            visit.call(event_loop)?;
        }
        Ok(())
    }
}
