//! Batch rows of the official client: a request and its result. Programs create and read very many,
//! so their attributes are of type `Field`.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering::Relaxed};

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};

use super::field::Field;
use crate::bridge::cached::intern;

/// A row: `record` and `result` (0, or the code of its failure) are set by the batch.
#[pyclass(
    frozen,
    subclass,
    dict,
    weakref,
    name = "BatchRecord",
    module = "spikewire.compat.aerospike_helpers.batch.records"
)]
#[derive(Default)]
pub struct OfficialRow {
    /// The record's key.
    #[pyo3(get)]
    pub key: Field,
    /// Key, metadata and bins, once there are such.
    #[pyo3(get)]
    pub record: Field,
    /// The error code; 0 for success.
    pub result: AtomicI32,
    /// What the failure says.
    #[pyo3(get)]
    pub message: Field,
    /// The detailed error code.
    pub subcode: AtomicI32,
    /// Whether the write may have been applied although it failed.
    pub in_doubt: AtomicBool,
}

/// Operations of which at least one writes.
#[pyclass(
    frozen,
    extends = OfficialRow,
    subclass,
    name = "Write",
    module = "spikewire.compat.aerospike_helpers.batch.records"
)]
#[derive(Default)]
pub struct OfficialWrite {
    /// Dictionaries of operations.
    #[pyo3(get)]
    pub ops: Field,
    /// Metadata of its own.
    #[pyo3(get)]
    pub meta: Field,
    /// A policy of its own.
    #[pyo3(get)]
    pub policy: Field,
}

/// `copyreg.__newobj__`, its argument (the class), and the state.
type RowReduction<'py> = (Bound<'py, PyAny>, (Bound<'py, PyType>,), PickleState<'py>);
/// Attributes in the row's `__dict__`, and those in its fields.
type PickleState<'py> = (Bound<'py, PyAny>, Bound<'py, PyDict>);

impl OfficialRow {
    /// A row for this key, without a result.
    pub fn of(key: Py<PyAny>) -> Self {
        Self { key: Field::of(key), ..Self::default() }
    }

    /// Resets this to a row for this key, without a result.
    fn begin(&self, py: Python<'_>, key: Py<PyAny>) {
        self.key.set(py, Some(key));
        self.record.set(py, None);
        self.result.store(0, Relaxed);
        self.message.set(py, None);
        self.subcode.store(0, Relaxed);
        self.in_doubt.store(false, Relaxed);
    }

    /// How a row is pickled and copied. `more`: additional fields of its class.
    fn reduced<'py>(row: &Bound<'py, Self>, more: &[&str]) -> PyResult<RowReduction<'py>> {
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
    // Subclasses may take other arguments, so all of them are left to `__init__`.
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        Self::default()
    }

    fn __init__(&self, py: Python<'_>, key: Py<PyAny>) {
        self.begin(py, key);
    }

    #[setter]
    fn set_key(&self, py: Python<'_>, key: Option<Py<PyAny>>) {
        self.key.set(py, key);
    }

    #[setter]
    fn set_record(&self, py: Python<'_>, record: Option<Py<PyAny>>) {
        self.record.set(py, record);
    }

    /// The code of its failure; 0 for none.
    #[getter]
    fn result(&self) -> i32 {
        self.result.load(Relaxed)
    }

    #[setter]
    fn set_result(&self, result: i32) {
        self.result.store(result, Relaxed);
    }

    #[setter]
    fn set_message(&self, py: Python<'_>, message: Option<Py<PyAny>>) {
        self.message.set(py, message);
    }

    /// What the failure is in detail.
    #[getter]
    fn subcode(&self) -> i32 {
        self.subcode.load(Relaxed)
    }

    #[setter]
    fn set_subcode(&self, subcode: i32) {
        self.subcode.store(subcode, Relaxed);
    }

    /// Whether it may have been written although it failed.
    #[getter]
    fn in_doubt(&self) -> bool {
        self.in_doubt.load(Relaxed)
    }

    #[setter]
    fn set_in_doubt(&self, in_doubt: bool) {
        self.in_doubt.store(in_doubt, Relaxed);
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        [&self.key, &self.record, &self.message].iter().try_for_each(|field| field.traverse(&visit))
    }

    fn __clear__(&self, py: Python<'_>) {
        [&self.key, &self.record, &self.message].iter().for_each(|field| field.set(py, None));
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<RowReduction<'py>> {
        if slf.is_instance_of::<OfficialWrite>() {
            return Self::reduced(slf, &["ops", "meta", "policy"]);
        }
        Self::reduced(slf, &[])
    }
}

#[pymethods]
impl OfficialWrite {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyClassInitializer<Self> {
        PyClassInitializer::from(OfficialRow::default()).add_subclass(Self::default())
    }

    #[pyo3(signature = (key, ops, meta=None, policy=None))]
    fn __init__(
        slf: &Bound<'_, Self>,
        key: Py<PyAny>,
        ops: Py<PyAny>,
        meta: Option<Py<PyAny>>,
        policy: Option<Py<PyAny>>,
    ) {
        let (py, this) = (slf.py(), slf.get());
        this.ops.set(py, Some(ops));
        this.meta.set(py, meta);
        this.policy.set(py, policy);
        slf.as_super().get().begin(py, key);
    }

    #[setter]
    fn set_ops(&self, py: Python<'_>, ops: Option<Py<PyAny>>) {
        self.ops.set(py, ops);
    }

    #[setter]
    fn set_meta(&self, py: Python<'_>, meta: Option<Py<PyAny>>) {
        self.meta.set(py, meta);
    }

    #[setter]
    fn set_policy(&self, py: Python<'_>, policy: Option<Py<PyAny>>) {
        self.policy.set(py, policy);
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        [&self.ops, &self.meta, &self.policy].iter().try_for_each(|field| field.traverse(&visit))
    }

    fn __clear__(&self, py: Python<'_>) {
        [&self.ops, &self.meta, &self.policy].iter().for_each(|field| field.set(py, None));
    }
}
