//! Bytes that are read without copying: views of the memory of a reply.

#![expect(unsafe_code, reason = "Python's buffer protocol")]

use std::cell::OnceCell;
use std::ffi::c_int;
use std::sync::Arc;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyMemoryView, PySlice};

use spikewire_aerospike::command::batch::{Answer, Batch as Rows};

/// A reply whose memory is lent to memoryviews. It lives as long as one of them does.
#[pyclass(frozen, module = "spikewire._native")]
pub struct Buffer {
    memory: BufferMemory,
}

enum BufferMemory {
    /// The reply to one call.
    Reply(Vec<u8>),
    /// A row's part of the replies to a batch. Refers to the rows and not to the Python batch: that
    /// keeps the records it created, so together with their views it would form a reference cycle.
    Row(Arc<Rows>, usize),
}

impl Buffer {
    /// The memory of the reply to one call.
    pub fn reply(mut body: Vec<u8>) -> Self {
        // Shrunk if mostly unused, so that a small view does not keep a large buffer alive.
        if body.capacity() / 2 > body.len() {
            body.shrink_to_fit();
        }
        Self { memory: BufferMemory::Reply(body) }
    }

    /// The memory of row `index` of a finished batch.
    pub fn row(rows: Arc<Rows>, index: usize) -> Self {
        Self { memory: BufferMemory::Row(rows, index) }
    }

    /// The whole message.
    pub fn bytes(&self) -> &[u8] {
        match &self.memory {
            BufferMemory::Reply(body) => body,
            BufferMemory::Row(rows, index) => match rows.answer(*index) {
                Ok(Answer::Reply(message)) => message,
                _ => &[],
            },
        }
    }
}

#[pymethods]
impl Buffer {
    // SAFETY: called by Python, with a view to be filled in.
    unsafe fn __getbuffer__(
        slf: Bound<'_, Self>,
        view: *mut ffi::Py_buffer,
        flags: c_int,
    ) -> PyResult<()> {
        let bytes = slf.get().bytes();
        let (start, len) = (bytes.as_ptr().cast_mut().cast(), bytes.len() as ffi::Py_ssize_t);
        // SAFETY: the bytes neither move nor change while the object is alive, and the view keeps
        // it alive. The view is read-only; a request for more is an error.
        let filled = unsafe { ffi::PyBuffer_FillInfo(view, slf.as_ptr(), start, len, 1, flags) };
        if filled == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}

/// Creates the views of one reply: slices of one memoryview.
pub struct Views<'a, 'py> {
    buffer: &'a Bound<'py, Buffer>,
    whole: OnceCell<Bound<'py, PyMemoryView>>,
}

impl<'a, 'py> Views<'a, 'py> {
    pub fn new(buffer: &'a Bound<'py, Buffer>) -> Self {
        Self { buffer, whole: OnceCell::new() }
    }

    /// A view of `value`, which is a part of the reply.
    pub fn of(&self, value: &[u8]) -> PyResult<Bound<'py, PyAny>> {
        let py = self.buffer.py();
        let whole = if let Some(whole) = self.whole.get() {
            whole
        } else {
            let view = PyMemoryView::from(self.buffer.as_any())?;
            self.whole.get_or_init(|| view)
        };
        let start = value.as_ptr().addr() - self.buffer.get().bytes().as_ptr().addr();
        let (from, to) = (start.cast_signed(), (start + value.len()).cast_signed());
        whole.as_any().get_item(PySlice::new(py, from, to, 1))
    }
}
