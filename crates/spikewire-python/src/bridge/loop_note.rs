//! What asyncio notes about the event loop that runs in a thread.
//!
//! Up to Python 3.11, `asyncio.get_running_loop` asks the system in which process it is, each time.
//! That costs more than anything else that a command does in Python. So a client looks at the note
//! itself: an entry of the thread's dictionary, made anew whenever a loop begins or ends to run
//! there. As long as it is the object that it was when asyncio named the loop, and the process is the
//! same, the loop is the same. Where there is no such entry, asyncio is asked.

#![expect(unsafe_code, reason = "nothing safe leads to the dictionary of a thread")]

use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{ffi, intern};

/// The note of this thread, if there is one; that of a loop that ended is one, too.
#[inline]
pub fn loop_note(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    // SAFETY: this thread holds the interpreter; its dictionary, if it has one, is borrowed.
    let all = unsafe { Bound::from_borrowed_ptr_or_opt(py, ffi::PyThreadState_GetDict()) }?;
    let all = all.cast_into::<PyDict>().ok()?;
    all.get_item(intern!(py, "__asyncio_running_event_loop__")).ok().flatten()
}
