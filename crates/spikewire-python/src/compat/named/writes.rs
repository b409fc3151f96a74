//! Rows that are written, as they were when the call began.

#![expect(unsafe_code, reason = "the names of a dict are compared without a reference to each")]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::value::pairs;

/// The keys of rows that are written, and the names of their bins, whatever becomes of the bins
/// afterwards. `records` are tuples of key and bins.
#[pyclass(frozen, module = "spikewire._native")]
pub struct NamedWrites {
    keys: Vec<Py<PyAny>>,
    /// Bins of rows, all of them `None`. Neighbours mostly have the same.
    shapes: Vec<Py<PyDict>>,
    /// For each shape the first row that does not have it.
    ends: Vec<usize>,
}

#[pymethods]
impl NamedWrites {
    #[new]
    fn new(records: &Bound<'_, PyList>) -> PyResult<Self> {
        let py = records.py();
        let mut keys = Vec::with_capacity(records.len());
        let (mut shapes, mut ends) = (Vec::new(), Vec::new());
        // Those of the latest shape.
        let mut names: Vec<Py<PyAny>> = Vec::new();
        for (at, record) in records.iter().enumerate() {
            let record = record.cast::<PyTuple>()?;
            keys.push(record.get_item(0)?.unbind());
            let bins = record.get_item(1)?;
            let bins = bins.cast::<PyDict>()?;
            if !shapes.is_empty() && has_names(bins, &names) {
                continue;
            }
            names.clear();
            let shape = PyDict::new(py);
            for pair in pairs(bins) {
                let (name, _) = pair?;
                shape.set_item(&name, py.None())?;
                names.push(name.unbind());
            }
            if !shapes.is_empty() {
                ends.push(at);
            }
            shapes.push(shape.unbind());
        }
        ends.push(keys.len());
        Ok(Self { keys, shapes, ends })
    }
}

impl NamedWrites {
    /// The key of a row.
    pub fn key<'a, 'py>(&'a self, py: Python<'py>, at: usize) -> &'a Bound<'py, PyAny> {
        self.keys[at].bind(py)
    }

    /// The bins of a row, all of them `None`.
    pub fn bins<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Bound<'py, PyAny>> {
        let shape = self.ends.partition_point(|end| *end <= at);
        Ok(self.shapes[shape].bind(py).copy()?.into_any())
    }
}

/// Whether a dict has these names in this order, by identity: those of neighbours mostly are the
/// same objects.
fn has_names(bins: &Bound<'_, PyDict>, names: &[Py<PyAny>]) -> bool {
    if bins.len() != names.len() {
        return false;
    }
    with_critical_section(bins.as_any(), || {
        let mut at = 0;
        names.iter().all(|name| {
            let mut key = std::ptr::null_mut();
            // SAFETY: the dict is live, and nothing can change it in here. Of the key that it lends
            // only the address is looked at.
            let more = unsafe {
                ffi::PyDict_Next(bins.as_ptr(), &raw mut at, &raw mut key, std::ptr::null_mut())
            };
            more != 0 && key == name.as_ptr()
        })
    })
}
