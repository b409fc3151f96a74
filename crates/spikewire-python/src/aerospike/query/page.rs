//! The contents of a page of a query.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyList, PyType};
use spikewire_aerospike::transport::stream::QueryPage;

use super::reading::Reading;
use crate::aerospike::record_type::annotation;

/// Some records of a query, and the position of the next ones: `records`, a list; `cursor`,
/// bytes for the `resume` of `query`, in any process; `done`, whether there are no more.
#[pyclass(frozen, module = "spikewire")]
pub struct Page {
    records: Py<PyList>,
    cursor: Py<PyBytes>,
    done: bool,
}

impl Page {
    /// A page of all records that are ready.
    pub fn of(py: Python<'_>, reading: &Reading) -> PyResult<Self> {
        let QueryPage { records, cursor, done } = reading.page()?;
        let (records, cursor) = (PyList::new(py, records)?, PyBytes::new(py, &cursor));
        Ok(Self { records: records.unbind(), cursor: cursor.unbind(), done })
    }
}

#[pymethods]
impl Page {
    /// `Page[User]` is one of records of that type, for annotations.
    #[classmethod]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        annotation(class, item)
    }

    /// The records.
    #[getter]
    fn records(&self, py: Python<'_>) -> Py<PyList> {
        self.records.clone_ref(py)
    }

    /// The start of the next page, as bytes to keep or to hand to another process.
    #[getter]
    fn cursor(&self, py: Python<'_>) -> Py<PyBytes> {
        self.cursor.clone_ref(py)
    }

    /// Whether this is the last page. A full page may be followed by an empty one.
    #[getter]
    fn done(&self) -> bool {
        self.done
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.records.bind(py).len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.records.bind(py).try_iter()
    }

    #[expect(clippy::unused_self, reason = "a page is always true, also one without records")]
    fn __bool__(&self) -> bool {
        true
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let count = self.records.bind(py).len();
        format!("Page({count} records, done={})", if self.done { "True" } else { "False" })
    }
}
