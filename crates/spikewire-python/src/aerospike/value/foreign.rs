//! Values of other types that represent a plain one: enum members, NumPy scalars, buffers.
//!
//! They are only considered if a value has none of the types that bins support, so supporting them
//! costs other values nothing.

#![expect(unsafe_code, reason = "Python's buffer protocol")]

use pyo3::buffer::PyUntypedBuffer;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyMemoryView};

use super::Place;
use crate::bridge::cached::Cached;
use crate::errors::{type_error, type_name};

/// The plain value of an enum member or a NumPy scalar.
pub fn plain<'py>(
    value: &Bound<'py, PyAny>,
    place: &Place<'_>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    static ENUM: Cached<Py<PyAny>> = Cached::new();
    let py = value.py();
    let members = ENUM.import(py, "enum", "Enum")?;
    if value.is_instance(members)? {
        let inner = value.getattr("value")?;
        // A member whose value is a member could go on without end.
        if inner.is_instance(members)? {
            return Err(type_error(format!(
                "{place}: the value of {} is an enum member itself",
                type_name(value)
            )));
        }
        return Ok(Some(inner));
    }
    let Some(generic) = numpy(py, "generic")? else { return Ok(None) };
    if !value.is_instance(&generic)? {
        return Ok(None);
    }
    let kind = value.getattr("dtype")?;
    let letter: String = kind.getattr("kind")?.extract()?;
    let size: usize = kind.getattr("itemsize")?.extract()?;
    match letter.as_str() {
        "b" | "i" | "u" => value.call_method0("item").map(Some),
        "f" if size <= 8 => value.call_method0("item").map(Some),
        "f" => Err(type_error(format!(
            "{place}: {} has more digits than a bin's float; use float(value) to round it",
            type_name(value)
        ))),
        "M" | "m" => Err(type_error(format!(
            "{place}: cannot store a value of type {}; use value.astype('int64') to store its \
             count of units",
            type_name(value)
        ))),
        _ => Ok(None),
    }
}

/// An attribute of NumPy, if the program has imported it.
fn numpy<'py>(py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    static GENERIC: Cached<Py<PyAny>> = Cached::new();
    static ARRAY: Cached<Py<PyAny>> = Cached::new();
    let known = if name == "generic" { &GENERIC } else { &ARRAY };
    if let Some(attribute) = known.get(py) {
        return Ok(Some(attribute.bind(py).clone()));
    }
    // No value can be a NumPy scalar before NumPy is imported.
    let modules = py.import("sys")?.getattr("modules")?;
    let module = modules.call_method1("get", ("numpy",))?;
    // Another thread may be in the middle of importing it.
    if module.is_none() || !module.hasattr(name)? {
        return Ok(None);
    }
    let attribute = module.getattr(name)?;
    known.get_or_set(py, attribute.clone().unbind());
    Ok(Some(attribute))
}

/// Whether this is a NumPy array.
pub fn is_array(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(array) = numpy(value.py(), "ndarray")? else { return Ok(false) };
    value.is_instance(&array)
}

/// Passes the bytes of a bytearray, a memoryview or another buffer of bytes to `take`. `None` if
/// the value is not a buffer. Buffers with wider elements are rejected, because there are two ways
/// to store them.
pub fn bytes<R>(
    value: &Bound<'_, PyAny>,
    place: &Place<'_>,
    take: impl FnOnce(&[u8]) -> R,
) -> PyResult<Option<R>> {
    if let Ok(array) = value.cast::<PyByteArray>() {
        return Ok(Some(take(&array.to_vec())));
    }
    // A memoryview describes shape and strides even if the buffer itself leaves them out.
    let buffer = PyMemoryView::from(value).and_then(|view| PyUntypedBuffer::get(&view));
    let Ok(buffer) = buffer else {
        if is_array(value)? {
            return Err(wide(value, place, "objects"));
        }
        return Ok(None);
    };
    let explicit = value.is_instance_of::<PyMemoryView>();
    let format = buffer.format().to_str().unwrap_or("?");
    if !explicit && (is_array(value)? || !matches!(format, "B" | "b" | "c" | "<B" | "<b" | "<c")) {
        return Err(wide(value, place, &format!("format {format:?}")));
    }
    // Copied without ever creating a slice, because the owner may write to the buffer at any time.
    // Without a GIL another thread may do so during the copy, which then has some bytes of both.
    let copy: Vec<u8> = if buffer.is_c_contiguous() && !buffer.buf_ptr().is_null() {
        let mut copy = Vec::with_capacity(buffer.len_bytes());
        // SAFETY: the buffer is held, contiguous and of the stated length, and the copy has room
        // for that.
        unsafe {
            let from = buffer.buf_ptr().cast::<u8>();
            from.copy_to_nonoverlapping(copy.as_mut_ptr(), buffer.len_bytes());
            copy.set_len(buffer.len_bytes());
        }
        copy
    } else if buffer.len_bytes() == 0 {
        Vec::new()
    } else {
        let view = PyMemoryView::from(value)?;
        view.call_method0("tobytes")?.extract()?
    };
    Ok(Some(take(&copy)))
}

fn wide(value: &Bound<'_, PyAny>, place: &Place<'_>, what: &str) -> PyErr {
    type_error(format!(
        "{place}: cannot store a {} of {what} as it is: use value.tolist() for a list, or \
         value.tobytes() or memoryview(value) for its bytes",
        type_name(value)
    ))
}
