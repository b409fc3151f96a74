//! Results in the shapes of the official client, for the drop-in's Python code.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PyTuple};

use super::operations::OfficialOperations;
use super::shapes::{Plan, Shapes, meta, named, results};
use super::{plain, rows, single};
use crate::aerospike::api::blocking::Client;
use crate::aerospike::batch::Batch;
use crate::aerospike::record::Record;
use crate::aerospike::value::pairs;

/// Makes results in the shapes of the vendor's client: key tuples, metadata, bins.
///
/// `incoming` makes a value that was read and is not plain, given its deserializer, and `expected`
/// the result of an operation, given its return type too. `serializers` have a `deserializer`, and
/// the first that is not `None` counts. `quiet` are the codes of operations whose result says
/// nothing.
#[pyclass(frozen, module = "spikewire._native")]
pub struct OfficialResults {
    pub(super) shapes: Shapes,
}

#[pymethods]
impl OfficialResults {
    #[new]
    fn new(
        incoming: Py<PyAny>,
        expected: Py<PyAny>,
        serializers: Py<PyTuple>,
        quiet: Py<PyFrozenSet>,
    ) -> Self {
        Self { shapes: Shapes { incoming, expected, serializers, quiet } }
    }

    /// Whether bins go out as they are: the values are plain, and booleans among them where
    /// `bools` says so.
    #[staticmethod]
    fn sends(bins: &Bound<'_, PyDict>, bools: bool) -> bool {
        pairs(bins).all(|pair| pair.is_ok_and(|(_, value)| plain::outgoing(&value, bools)))
    }

    /// Whether all keys go out as they are.
    #[staticmethod]
    fn plain_keys(keys: &Bound<'_, PyList>) -> bool {
        keys.iter().all(|key| plain::key(&key))
    }

    /// A record: key, metadata and bins. `keeps`: whether the user key is in the former.
    fn record<'py>(
        &self,
        key: &Bound<'py, PyTuple>,
        record: &Bound<'py, Record>,
        keeps: bool,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (py, record) = (key.py(), record.get());
        let bins = record.bins.get(py)?;
        self.shapes.values(py)?.bins(bins)?;
        let key = named(key, &record.digest, keeps)?;
        (key, meta(py, record)?, bins).into_pyobject(py)
    }

    /// A record without bins: key and metadata.
    #[staticmethod]
    #[pyo3(name = "found")]
    fn without_bins<'py>(
        key: &Bound<'py, PyTuple>,
        record: &Bound<'py, Record>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (py, record) = (key.py(), record.get());
        (named(key, &record.digest, true)?, meta(py, record)?).into_pyobject(py)
    }

    /// Makes the call of operations on whole bins with plain values, which `known` takes. Key,
    /// metadata, and the latest result of each bin; `None` where the key or an operation needs
    /// more than a look.
    fn operate<'py>(
        &self,
        client: &Bound<'py, Client>,
        known: &OfficialOperations,
        key: &Bound<'py, PyAny>,
        ops: &Bound<'py, PyAny>,
    ) -> PyResult<Option<Bound<'py, PyTuple>>> {
        single::operate(&self.shapes, known, client.get(), key, ops)
    }

    /// A record and the results of operations: the latest of each bin.
    fn operated<'py>(
        &self,
        key: &Bound<'py, PyTuple>,
        record: &Bound<'py, Record>,
        plan: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (py, record) = (key.py(), record.get());
        let plan = Plan::of(plan, &self.shapes)?;
        let bins = self.shapes.values(py)?.by_bin(&plan, results(py, record))?;
        (named(key, &record.digest, true)?, meta(py, record)?, bins).into_pyobject(py)
    }

    /// The same, with a list of pairs.
    fn operated_in_order<'py>(
        &self,
        key: &Bound<'py, PyTuple>,
        record: &Bound<'py, Record>,
        plan: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (py, record) = (key.py(), record.get());
        let bins = PyList::empty(py);
        let each = |name: &Bound<'py, PyAny>, value| bins.append((name, value));
        let plan = Plan::of(plan, &self.shapes)?;
        self.shapes.values(py)?.results(&plan, results(py, record), each)?;
        (named(key, &record.digest, true)?, meta(py, record)?, bins).into_pyobject(py)
    }

    /// New rows for a batch of these keys, all of one shape, and the result of the batch.
    fn rows<'py>(
        &self,
        batch: &Bound<'py, Batch>,
        keys: &Bound<'py, PyList>,
        shape: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyList>, i32)> {
        let (values, batch) = (self.shapes.values(batch.py())?, batch.get());
        let shape = rows::Shape::of(shape, &self.shapes)?;
        batch.reads_all(|| rows::new_rows(&values, batch, keys, &shape))
    }
}
