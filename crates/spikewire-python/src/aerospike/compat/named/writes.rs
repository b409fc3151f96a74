//! The rows of a batch write, as they were when the call began.

#![expect(unsafe_code, reason = "the names of a dict are compared without a reference to each")]

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::aerospike::value::pairs;

/// The keys of rows that are written, and the names of their bins, whatever becomes of the bins
/// afterwards. `records` are tuples of key and bins.
#[pyclass(frozen, module = "spikewire._native")]
pub struct NamedWrites {
    keys: Vec<Py<PyAny>>,
    /// The bins of rows, all with the value `None`. Neighbouring rows usually have the same bins.
    shapes: Vec<Py<PyDict>>,
    /// For each shape, the first row that does not have it.
    ends: Vec<usize>,
}

#[pymethods]
impl NamedWrites {
    #[new]
    fn new(records: &Bound<'_, PyList>) -> PyResult<Self> {
        let mut builder = WritesBuilder::new(records);
        for record in records.iter() {
            let record = record.cast::<PyTuple>()?;
            builder.add(&record.get_item(0)?, record.get_item(1)?.cast()?)?;
        }
        Ok(builder.finish())
    }

    /// The same, where every row is a tuple of a key, which is not one of bytes, and a dict of
    /// bins; else `None`.
    #[staticmethod]
    fn plain(records: &Bound<'_, PyList>) -> PyResult<Option<Self>> {
        let mut builder = WritesBuilder::new(records);
        for record in records.iter() {
            let Some((key, bins)) = plain(&record) else { return Ok(None) };
            builder.add(key, bins)?;
        }
        Ok(Some(builder.finish()))
    }
}

/// Key and bins of a row that can be passed to the engine unchanged.
fn plain<'a, 'py>(
    row: &'a Bound<'py, PyAny>,
) -> Option<(&'a Bound<'py, PyAny>, &'a Bound<'py, PyDict>)> {
    let [key, bins] = row.cast_exact::<PyTuple>().ok()?.as_slice() else { return None };
    let [_, _, user] = key.cast_exact::<PyTuple>().ok()?.as_slice() else { return None };
    let bins = bins.cast_exact::<PyDict>().ok()?;
    let fits = !user.is_exact_instance_of::<PyBytes>() && !bins.is_empty();
    fits.then_some((key, bins))
}

/// Rows that are being recorded.
struct WritesBuilder {
    writes: NamedWrites,
    /// The bin names of the latest shape.
    names: Vec<Py<PyAny>>,
}

impl WritesBuilder {
    fn new(records: &Bound<'_, PyList>) -> Self {
        let keys = Vec::with_capacity(records.len());
        Self { writes: NamedWrites { keys, shapes: vec![], ends: vec![] }, names: vec![] }
    }

    #[inline]
    fn add(&mut self, key: &Bound<'_, PyAny>, bins: &Bound<'_, PyDict>) -> PyResult<()> {
        let NamedWrites { keys, shapes, ends } = &mut self.writes;
        let at = keys.len();
        keys.push(key.clone().unbind());
        if !shapes.is_empty() && has_names(bins, &self.names) {
            return Ok(());
        }
        self.names.clear();
        let shape = PyDict::new(key.py());
        for pair in pairs(bins) {
            let (name, _) = pair?;
            shape.set_item(&name, key.py().None())?;
            self.names.push(name.unbind());
        }
        if !shapes.is_empty() {
            ends.push(at);
        }
        shapes.push(shape.unbind());
        Ok(())
    }

    fn finish(mut self) -> NamedWrites {
        self.writes.ends.push(self.writes.keys.len());
        self.writes
    }
}

impl NamedWrites {
    /// The key of a row.
    pub fn key<'a, 'py>(&'a self, py: Python<'py>, at: usize) -> &'a Bound<'py, PyAny> {
        self.keys[at].bind(py)
    }

    /// The bins of a row, all with the value `None`.
    pub fn bins<'py>(&self, py: Python<'py>, at: usize) -> PyResult<Bound<'py, PyAny>> {
        let shape = self.ends.partition_point(|end| *end <= at);
        Ok(self.shapes[shape].bind(py).copy()?.into_any())
    }
}

/// Whether a dict has these keys in this order, compared by identity: neighbouring rows usually use
/// the same string objects.
fn has_names(bins: &Bound<'_, PyDict>, names: &[Py<PyAny>]) -> bool {
    if bins.len() != names.len() {
        return false;
    }
    with_critical_section(bins.as_any(), || {
        let mut at = 0;
        names.iter().all(|name| {
            let mut key = std::ptr::null_mut();
            // SAFETY: the dict is live, and nothing can change it in here. Only the address of the
            // borrowed key is used.
            let more = unsafe {
                ffi::PyDict_Next(bins.as_ptr(), &raw mut at, &raw mut key, std::ptr::null_mut())
            };
            more != 0 && key == name.as_ptr()
        })
    })
}
