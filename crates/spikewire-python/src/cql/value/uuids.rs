//! Creates `uuid.UUID` objects without their constructor, which is written in Python and handles
//! all the ways to specify a UUID.

#![expect(unsafe_code, reason = "an object of a Python class is made without calling it")]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyType};

use super::library;
use crate::bridge::cached::{Cached, intern};

/// What is needed to create an object.
struct UuidParts {
    class: Py<PyType>,
    /// `SafeUUID.unknown`.
    unknown: Py<PyAny>,
    /// Whether objects created here equal those created by the constructor.
    short: bool,
}

/// The UUID with these bytes.
pub fn uuid(py: Python<'_>, bytes: [u8; 16]) -> PyResult<Bound<'_, PyAny>> {
    static PARTS: Cached<UuidParts> = Cached::new();
    let parts = PARTS.get_or_try_init(py, || UuidParts::new(py))?;
    if parts.short { parts.make(py, bytes) } else { usual(py, bytes) }
}

fn usual(py: Python<'_>, bytes: [u8; 16]) -> PyResult<Bound<'_, PyAny>> {
    let arguments = PyDict::new(py);
    arguments.set_item(intern!(py, "bytes"), PyBytes::new(py, &bytes))?;
    library::uuid(py)?.call((), Some(&arguments))
}

impl UuidParts {
    fn new(py: Python<'_>) -> PyResult<Self> {
        let class = library::uuid(py)?.clone().unbind();
        let unknown = py.import("uuid")?.getattr("SafeUUID")?.getattr("unknown")?.unbind();
        let mut parts = Self { class, unknown, short: false };
        let bytes = *b"0123456789abcdef";
        let expected = usual(py, bytes)?;
        // If the class is implemented differently in this version of Python, its constructor is
        // called.
        parts.short = parts.make(py, bytes).is_ok_and(|short| {
            let same = |name| {
                let both = short.getattr(name).and_then(|a| Ok((a, expected.getattr(name)?)));
                both.and_then(|(a, b)| a.eq(b)).unwrap_or(false)
            };
            !short.hasattr("__dict__").unwrap_or(true)
                && short.eq(&expected).unwrap_or(false)
                && ["int", "is_safe", "bytes", "hex"].into_iter().all(same)
        });
        Ok(parts)
    }

    fn make<'py>(&self, py: Python<'py>, bytes: [u8; 16]) -> PyResult<Bound<'py, PyAny>> {
        let number = u128::from_be_bytes(bytes).into_pyobject(py)?;
        // SAFETY: the class is a live heap type without variable-size items, and uses the default
        // allocation.
        let object = unsafe {
            let class = self.class.as_ptr().cast();
            Bound::from_owned_ptr_or_err(py, ffi::PyType_GenericAlloc(class, 0))?
        };
        set(&object, intern!(py, "int"), &number)?;
        set(&object, intern!(py, "is_safe"), self.unknown.bind(py))?;
        Ok(object)
    }
}

/// Sets an attribute of an object whose class rejects assignments.
fn set(
    of: &Bound<'_, PyAny>,
    name: &Bound<'_, PyString>,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    // SAFETY: all three are live objects, and the name is a string.
    let done = unsafe { ffi::PyObject_GenericSetAttr(of.as_ptr(), name.as_ptr(), value.as_ptr()) };
    if done == 0 { Ok(()) } else { Err(PyErr::fetch(of.py())) }
}
