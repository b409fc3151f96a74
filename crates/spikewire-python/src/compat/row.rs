//! Rows of the vendor's batches: what a program asks for, and what became of it. Programs make and
//! look at very many, so their attributes are fields.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

/// A row: `record` and `result` (0, or the code of its failure) are set by the batch.
// Like the rows of `spikewire.batch`, it is unknown to the garbage collector.
#[pyclass(
    subclass,
    dict,
    weakref,
    get_all,
    set_all,
    name = "BatchRecord",
    module = "spikewire.compat.aerospike_helpers.batch.records"
)]
#[derive(Default)]
pub struct OfficialRow {
    /// The record's key.
    pub key: Option<Py<PyAny>>,
    /// Key, metadata and bins, once there are such.
    pub record: Option<Py<PyAny>>,
    /// The code of its failure; 0 for none.
    pub result: i32,
    /// What the failure says.
    pub message: Option<Py<PyAny>>,
    /// What the failure is in detail.
    pub subcode: i32,
    /// Whether it may have been written although it failed.
    pub in_doubt: bool,
}

/// Operations of which at least one writes.
#[pyclass(
    extends = OfficialRow,
    subclass,
    get_all,
    set_all,
    name = "Write",
    module = "spikewire.compat.aerospike_helpers.batch.records"
)]
#[derive(Default)]
pub struct OfficialWrite {
    /// Dictionaries of operations.
    pub ops: Option<Py<PyAny>>,
    /// Metadata of its own.
    pub meta: Option<Py<PyAny>>,
    /// A policy of its own.
    pub policy: Option<Py<PyAny>>,
}

/// `copyreg.__newobj__`, the class, and the state.
type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyType>,), State<'py>);
/// Attributes in the row's dict, and those in its fields.
type State<'py> = (Bound<'py, PyAny>, Bound<'py, PyDict>);

impl OfficialRow {
    /// A row for this key, of which nothing is known yet.
    pub fn of(key: Py<PyAny>) -> Self {
        Self { key: Some(key), ..Self::default() }
    }

    /// How a row is pickled and copied: `more` are fields of its class.
    fn reduced<'py>(row: &Bound<'py, Self>, more: &[&str]) -> PyResult<Reduced<'py>> {
        let py = row.py();
        let fields = PyDict::new(py);
        let of_all = ["key", "record", "result", "message", "subcode", "in_doubt"];
        for name in of_all.iter().chain(more) {
            fields.set_item(name, row.getattr(*name)?)?;
        }
        let own = row.getattr(intern!(py, "__dict__"))?;
        let make = py.import("copyreg")?.getattr("__newobj__")?;
        Ok((make, (row.get_type(),), (own, fields)))
    }
}

#[pymethods]
impl OfficialRow {
    // Classes that extend it may take other arguments: what it is given is for `__init__`.
    #[new]
    #[pyo3(signature = (*_given, **_named))]
    fn new(_given: &Bound<'_, PyTuple>, _named: Option<&Bound<'_, PyDict>>) -> Self {
        Self::default()
    }

    fn __init__(&mut self, key: Py<PyAny>) {
        *self = Self::of(key);
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py>> {
        if slf.is_instance_of::<OfficialWrite>() {
            return Self::reduced(slf, &["ops", "meta", "policy"]);
        }
        Self::reduced(slf, &[])
    }
}

#[pymethods]
impl OfficialWrite {
    #[new]
    #[pyo3(signature = (*_given, **_named))]
    fn new(
        _given: &Bound<'_, PyTuple>,
        _named: Option<&Bound<'_, PyDict>>,
    ) -> PyClassInitializer<Self> {
        PyClassInitializer::from(OfficialRow::default()).add_subclass(Self::default())
    }

    #[pyo3(signature = (key, ops, meta=None, policy=None))]
    fn __init__(
        mut slf: PyRefMut<'_, Self>,
        key: Py<PyAny>,
        ops: Py<PyAny>,
        meta: Option<Py<PyAny>>,
        policy: Option<Py<PyAny>>,
    ) {
        *slf = Self { ops: Some(ops), meta, policy };
        **slf.as_super() = OfficialRow::of(key);
    }
}
