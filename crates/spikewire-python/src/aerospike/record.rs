//! The result of a read.

use std::sync::{Arc, OnceLock};

use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyMemoryView, PyTuple, PyType};
use pyo3::{PyTraverseError, PyVisit};
use spikewire_sync::Mutex;

use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::message::ops_in;
use spikewire_aerospike_protocol::value::particle::NULL;

use crate::aerospike::key::Key;
use crate::aerospike::record_type::{self, annotation};
use crate::aerospike::space::Space;
use crate::aerospike::value::{Codec, bin, pairs, particle};
use crate::errors::repr_of;

/// Operations in their wire form, and the codec for their values.
type PackedOperations = (Arc<[u8]>, Option<Arc<Codec>>);

/// Bins that were read: a dict, or what is converted to one on first access.
pub struct Bins {
    /// A cell of the standard library, because the garbage collector visits it.
    dict: OnceLock<Py<PyDict>>,
    /// Operations in their wire form, until they have been converted to a dict.
    packed: Mutex<Option<PackedOperations>>,
}

impl From<Bound<'_, PyDict>> for Bins {
    fn from(dict: Bound<'_, PyDict>) -> Self {
        Self { dict: OnceLock::from(dict.unbind()), packed: Mutex::default() }
    }
}

impl Bins {
    /// From complete operations in their wire form, which are copied.
    pub fn packed(ops: &[u8], codec: Option<Arc<Codec>>) -> Self {
        Self { dict: OnceLock::new(), packed: Mutex::new(Some((ops.into(), codec))) }
    }

    /// The dict. Fails if a value cannot be decoded.
    pub fn get<'py>(&self, py: Python<'py>) -> PyResult<&Bound<'py, PyDict>> {
        if let Some(dict) = self.dict.get() {
            return Ok(dict.bind(py));
        }
        // Cloned rather than taken, because another thread may be doing the same.
        let packed = self.packed.lock().clone();
        let dict = PyDict::new(py);
        for op in packed.iter().flat_map(|(ops, _)| ops_in(ops)) {
            // A requested bin that the record does not have.
            if op.particle == NULL {
                continue;
            }
            let mut value = particle(py, op.particle, op.value)?;
            if let Some((_, Some(codec))) = &packed {
                value = codec.decode(op.name, value)?;
            }
            dict.set_item(bin(py, op.name)?, value)?;
        }
        // If another thread was faster, both return its dict.
        let _ = self.dict.set(dict.unbind());
        let dict = self.dict.get().expect("full from here on");
        *self.packed.lock() = None;
        Ok(dict.bind(py))
    }
}

/// The error for a bin that a record does not have, or that was not read.
#[cold]
fn no_bin(name: &Bound<'_, PyAny>, bins: &Bound<'_, PyDict>) -> PyErr {
    let names: Vec<String> = bins.keys().iter().take(20).map(|name| repr_of(&name)).collect();
    let more = if bins.len() > names.len() { ", …" } else { "" };
    let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    PyKeyError::new_err(format!("no bin {}; the bins read are: {there}{more}", repr_of(name)))
}

/// The same bins, with bytes in place of views of a reply, because a view cannot be pickled.
fn without_views<'py>(bins: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let is_view = |value: &Bound<'py, PyAny>| value.is_instance_of::<PyMemoryView>();
    if !bins.values().iter().any(|value| is_view(&value)) {
        return Ok(bins.clone());
    }
    let copy = bins.copy()?;
    for pair in pairs(&copy) {
        let (name, value) = pair?;
        if is_view(&value) {
            copy.set_item(name, value.call_method0("tobytes")?)?;
        }
    }
    Ok(copy)
}

/// A record as read: its bins by name, its generation, its time to live and its key.
///
/// `record["name"]` is a bin's value, `dict(record)` all of them. Records are equal if key,
/// generation and bins are.
#[pyclass(frozen, module = "spikewire")]
pub struct Record {
    pub bins: Bins,
    pub generation: u32,
    pub ttl: Option<u32>,
    pub space: Arc<Space>,
    pub user: Py<PyAny>,
    pub digest: Digest,
    /// Results of `operate`, one per operation.
    pub results: Option<Py<PyTuple>>,
}

#[pymethods]
impl Record {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(self.bins.dict.get())?;
        visit.call(&self.user)?;
        visit.call(&self.results)
    }

    /// All bins that were read, by name. A new dict, which may be modified.
    #[getter]
    fn bins<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.bins.get(py).cloned()
    }

    /// The record as an instance of the type that its dataset was opened with. It is made anew
    /// each time. Without a type: a dict of the bins.
    ///
    /// Raises `ValueError`, naming key and bin, if the bins do not fit the type.
    #[getter]
    fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let key = || Ok(format!("{}", Bound::new(py, self.key(py))?.repr()?));
        record_type::value(&self.space, self.bins.get(py)?, key)
    }

    /// `Record[User]` is a record whose `value` has that type, for annotations.
    #[classmethod]
    fn __class_getitem__<'py>(
        class: &Bound<'py, PyType>,
        item: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        annotation(class, item)
    }

    /// How often the record was written, modulo the server's 16 bits; starts at 1.
    #[getter]
    fn generation(&self) -> u32 {
        self.generation
    }

    /// Remaining seconds to live when the record was read; `None` if it never expires.
    #[getter]
    fn ttl(&self) -> Option<u32> {
        self.ttl
    }

    /// The key it was read by.
    #[getter]
    fn key(&self, py: Python<'_>) -> Key {
        Key { space: self.space.clone(), user: self.user.clone_ref(py), digest: self.digest }
    }

    /// After `operate`: one result per operation, in order; `None` if an operation returns
    /// nothing.
    #[getter]
    fn results<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        match &self.results {
            Some(results) => results.bind(py).clone(),
            None => PyTuple::empty(py),
        }
    }

    fn __getitem__<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let bins = self.bins.get(py)?;
        bins.get_item(name)?.ok_or_else(|| no_bin(name, bins))
    }

    /// The value of a bin, or `default`.
    #[pyo3(signature = (name, default=None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.bins.get(py)?.get_item(name)?.or(default))
    }

    /// The names of the bins that were read.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        Ok(self.bins.get(py)?.keys())
    }

    /// The values of the bins that were read.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        Ok(self.bins.get(py)?.values())
    }

    /// Name and value of every bin that was read.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        Ok(self.bins.get(py)?.items())
    }

    fn __contains__(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.bins.get(py)?.contains(name)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.bins.get(py)?.len())
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.bins.get(py)?.as_any().try_iter()
    }

    #[expect(clippy::unused_self, reason = "a record is always true, also one without bins")]
    fn __bool__(&self) -> bool {
        true
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        Ok(self.digest == other.digest
            && self.generation == other.generation
            && self.space.same_as(&other.space)
            && self.bins.get(py)?.eq(other.bins.get(py)?)?)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let key = Bound::new(py, self.key(py))?;
        let ttl = self.ttl.map_or("None".to_owned(), |ttl| ttl.to_string());
        Ok(format!(
            "Record({}, {}, generation={}, ttl={ttl})",
            key.repr()?,
            self.bins.get(py)?.repr()?,
            self.generation
        ))
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let class: Bound<'py, PyType> = py.get_type::<Self>();
        let results = self.results.as_ref().map(|results| results.bind(py).clone());
        let bins = without_views(self.bins.get(py)?)?;
        let parts = (self.key(py), bins, self.generation, self.ttl, results);
        Ok((class.getattr("_rebuild")?, parts.into_pyobject(py)?))
    }

    /// For unpickling.
    #[staticmethod]
    fn _rebuild(
        py: Python<'_>,
        key: &Bound<'_, Key>,
        bins: Bound<'_, PyDict>,
        generation: u32,
        ttl: Option<u32>,
        results: Option<Bound<'_, PyTuple>>,
    ) -> Self {
        let key = key.get();
        Self {
            bins: bins.into(),
            generation,
            ttl,
            space: key.space.clone(),
            user: key.user.clone_ref(py),
            digest: key.digest,
            results: results.map(Bound::unbind),
        }
    }
}
