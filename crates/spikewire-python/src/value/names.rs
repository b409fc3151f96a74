//! Bin names that were seen before cost no new string.

use std::cell::RefCell;

use pyo3::prelude::*;
use pyo3::types::PyString;

use spikewire_protocol::limits::BIN_NAME;

const SLOTS: usize = 256;

struct Seen {
    len: u8,
    bytes: [u8; BIN_NAME],
    name: Py<PyString>,
}

thread_local! {
    static NAMES: RefCell<Vec<Option<Seen>>> =
        RefCell::new(std::iter::repeat_with(|| None).take(SLOTS).collect());
}

/// The Python string for a bin name from the wire. Bytes that are no UTF-8 come as surrogate
/// escapes, so that no name is lost.
pub fn bin<'py>(py: Python<'py>, name: &[u8]) -> PyResult<Bound<'py, PyString>> {
    let fresh = || crate::value::decode::text(py, name);
    if name.len() > BIN_NAME {
        return fresh();
    }
    let hash = name
        .iter()
        .fold(name.len(), |hash, byte| (hash ^ usize::from(*byte)).wrapping_mul(0x0100_0193));
    NAMES.with(|names| {
        let Ok(mut names) = names.try_borrow_mut() else { return fresh() };
        let slot = &mut names[hash % SLOTS];
        if let Some(seen) = slot
            && seen.bytes[..usize::from(seen.len)] == *name
        {
            return Ok(seen.name.bind(py).clone());
        }
        let text = fresh()?;
        let mut bytes = [0; BIN_NAME];
        bytes[..name.len()].copy_from_slice(name);
        *slot = Some(Seen { len: name.len() as u8, bytes, name: text.clone().unbind() });
        Ok(text)
    })
}
