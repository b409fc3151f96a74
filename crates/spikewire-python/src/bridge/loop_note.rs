//! What asyncio records about the event loop that is running in a thread.
//!
//! Up to Python 3.11, `asyncio.get_running_loop` asks the operating system for the process id on
//! every call. That costs more than anything else that a command does in Python. So a client looks
//! at asyncio's record itself: an entry of the thread's dictionary that is replaced whenever a loop
//! starts or stops running in the thread. As long as the entry is the same object as when asyncio
//! returned the loop, and the process is the same, the loop is the same. If there is no such entry,
//! asyncio is asked.

#![expect(unsafe_code, reason = "nothing safe leads to the dictionary of a thread")]

use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{ffi, intern};

/// asyncio's entry for this thread, if there is one. It may be that of a loop that has stopped.
#[inline]
pub fn loop_note(py: Python<'_>) -> Option<Bound<'_, PyAny>> {
    // SAFETY: this thread is attached to the interpreter. Its dictionary, if it has one, is
    // borrowed.
    let all = unsafe { Bound::from_borrowed_ptr_or_opt(py, ffi::PyThreadState_GetDict()) }?;
    let all = all.cast_into::<PyDict>().ok()?;
    all.get_item(intern!(py, "__asyncio_running_event_loop__")).ok().flatten()
}
