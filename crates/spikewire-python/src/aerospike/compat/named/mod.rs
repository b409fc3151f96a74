//! The results of verbs, as the named tuples of `spikewire.compat.aerospike_py`.
//!
//! | module | contents |
//! |---|---|
//! | here | converting records and batches to named tuples |
//! | [`rows`] | the results of the rows of a batch |
//! | [`class`] | creating instances of a named tuple class |
//! | [`results`] | results of operations, by bin |
//! | [`writes`], [`lazy_rows`] | the rows of a batch write |
//! | [`checks`] | whether arguments can be passed to the engine unchanged |

mod checks;
mod class;
pub mod lazy_rows;
mod results;
mod rows;
mod writes;

use std::convert::Infallible;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};

use spikewire_aerospike_protocol::key::Digest;

pub use self::checks::{_plain_keys, _plain_steps};
use self::class::NamedTuple;
pub use self::lazy_rows::_make_whole;
use self::lazy_rows::LazyRows;
use self::results::NamedResults;
pub use self::writes::NamedWrites;
use crate::aerospike::batch::Batch;
use crate::aerospike::compat::plain;
use crate::aerospike::record::Record;
use crate::aerospike::value::{ordered_class, pairs};
use crate::bridge::cached::Cached;
use crate::errors::{type_error, type_name, value_error};

/// The time to live of records that never expire.
const FOREVER: u32 = u32::MAX;
/// The number of generations for which the metadata of such records is cached.
const LASTING: usize = 256;

/// Makes named tuples of what verbs return: those of `spikewire.compat.aerospike_py`.
#[pyclass(frozen, module = "spikewire._native")]
pub struct NamedRecords {
    /// Namespace, set, user key, digest.
    key: NamedTuple<4>,
    /// Generation, time to live.
    meta: NamedTuple<2>,
    /// Key, metadata, bins.
    record: NamedTuple<3>,
    /// Key, code, record, whether the result is in doubt.
    row: NamedTuple<4>,
    /// Like `row`, for rows that have not been accessed yet.
    late: NamedTuple<4>,
    /// Converts a value that cannot be returned unchanged.
    incoming: Py<PyAny>,
    /// The drop-in's code for an error whose code in the engine is different.
    code: Py<PyAny>,
    forever: Py<PyInt>,
    /// Cached metadata of records that never expire, by generation: most have one of few
    /// generations.
    lasting: [Cached<Py<PyAny>>; LASTING],
}

#[pymethods]
impl NamedRecords {
    #[new]
    #[pyo3(signature = (*, key, meta, record, row, late, incoming, code))]
    fn new(
        key: &Bound<'_, PyType>,
        meta: &Bound<'_, PyType>,
        record: &Bound<'_, PyType>,
        row: &Bound<'_, PyType>,
        late: &Bound<'_, PyType>,
        incoming: Py<PyAny>,
        code: Py<PyAny>,
    ) -> PyResult<Self> {
        let forever = FOREVER.into_pyobject(key.py())?.unbind();
        Ok(Self {
            key: NamedTuple::new(key)?,
            meta: NamedTuple::new(meta)?,
            record: NamedTuple::new(record)?,
            row: NamedTuple::new(row)?,
            late: NamedTuple::new(late)?,
            incoming,
            code,
            forever,
            lasting: std::array::from_fn(|_| Cached::new()),
        })
    }

    /// A record that was asked for by a key tuple.
    #[pyo3(signature = (key, record))]
    fn record<'py>(
        &self,
        key: &Bound<'py, PyAny>,
        record: &Bound<'py, Record>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, record) = (key.py(), record.get());
        let bins = record.bins.get(py)?;
        self.read(bins)?;
        let name = self.name(key, &record.digest)?;
        let meta = self.meta(py, record.generation, record.ttl)?;
        self.record.make(py, [name, meta, bins.clone().into_any()])
    }

    /// The bins of each row of a batch that was read; `None` where there is no record, and where
    /// the row failed.
    #[pyo3(signature = (batch))]
    fn bins<'py>(&self, batch: &Bound<'py, Batch>) -> PyResult<Bound<'py, PyList>> {
        let (py, batch) = (batch.py(), batch.get());
        let all = PyList::empty(py);
        batch.reads_all(|| {
            for at in 0..batch.len() {
                all.append(self.bins_of(py, batch, at)?)?;
            }
            Ok(all)
        })
    }

    /// The bins of the records that were found, by user key.
    #[pyo3(signature = (keys, batch))]
    fn bins_by_key<'py>(
        &self,
        keys: &Bound<'py, PyList>,
        batch: &Bound<'py, Batch>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (py, batch) = (batch.py(), batch.get());
        let records = PyDict::new(py);
        batch.reads_all(|| {
            for at in 0..batch.len() {
                let user = tuple(&keys.get_item(at)?)?.get_item(2)?;
                if !user.is_none()
                    && let Some(bins) = self.bins_of(py, batch, at)?
                {
                    records.set_item(user, bins)?;
                }
            }
            Ok(records)
        })
    }

    /// A record that was asked for by a key tuple, with the results of operations: `names` are
    /// their bins, and the results of a bin with several are a list. `None` is no result.
    #[pyo3(signature = (key, record, names))]
    fn stepped<'py>(
        &self,
        key: &Bound<'py, PyAny>,
        record: &Bound<'py, Record>,
        names: &Bound<'py, PyList>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, record) = (key.py(), record.get());
        let plan = NamedResults::new(names, false)?;
        let bins = plan.by_bin(py, record, |value| self.incoming(value))?;
        let name = self.name(key, &record.digest)?;
        let meta = self.meta(py, record.generation, record.ttl)?;
        self.record.make(py, [name, meta, bins])
    }

    /// What became of each row of a batch of writes. Of those that were written only the code is
    /// there until more is looked at.
    #[pyo3(signature = (records, batch))]
    fn written<'py>(
        slf: &Bound<'py, Self>,
        records: &Bound<'py, NamedWrites>,
        batch: &Bound<'py, Batch>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (py, this, rows) = (slf.py(), slf.get(), batch.get());
        let lazy = LazyRows {
            records: slf.clone().unbind(),
            writes: records.clone().unbind(),
            batch: batch.clone().unbind(),
        };
        let lazy = Bound::new(py, lazy)?.into_any();
        let no = PyBool::new(py, false).to_owned().into_any();
        let row = |at| match rows.code(at) {
            0 => this.late.make(py, [lazy.clone(), number(py, 0)?, number(py, at)?, no.clone()]),
            _ => this.row.make(py, this.written_row(py, records.get(), rows, at)?),
        };
        let rows: Vec<_> = rows.reads_all(|| (0..rows.len()).map(row).collect::<PyResult<_>>())?;
        PyList::new(py, rows)
    }

    /// What became of each row of a batch of operations: `names` are their bins, and the results
    /// of a bin with several are a list. Those that are `None` are left out unless `silent` says
    /// that they are results, too.
    #[pyo3(signature = (keys, batch, names, silent))]
    fn operated<'py>(
        &self,
        keys: &Bound<'py, PyList>,
        batch: &Bound<'py, Batch>,
        names: &Bound<'py, PyList>,
        silent: bool,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = batch.py();
        let plan = NamedResults::new(names, silent)?;
        self.rows(batch, |at| {
            let plan = &plan;
            let bins = move |batch: &Batch| match batch.read(py, at)? {
                Some(record) => plan.by_bin(py, &record, |value| self.incoming(value)),
                None => Ok(PyDict::new(py).into_any()),
            };
            Ok((keys.get_item(at)?, bins))
        })
    }

    /// What became of each row of a batch: `bins` gives the bins of a record, by what was read
    /// of it; without it there are none.
    #[pyo3(signature = (keys, batch, bins=None))]
    fn outcomes<'py>(
        &self,
        keys: &Bound<'py, PyList>,
        batch: &Bound<'py, Batch>,
        bins: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = batch.py();
        self.rows(batch, |at| {
            let read = move |batch: &Batch| match bins {
                Some(bins) => bins.call1((batch.row(py, at)?,)),
                None => Ok(PyDict::new(py).into_any()),
            };
            Ok((keys.get_item(at)?, read))
        })
    }
}

impl NamedRecords {
    /// The bins of a row. `None` if there is no record or the row failed.
    fn bins_of<'py>(
        &self,
        py: Python<'py>,
        batch: &Batch,
        at: usize,
    ) -> PyResult<Option<Bound<'py, PyDict>>> {
        if batch.code(at) != 0 {
            return Ok(None);
        }
        let Some(record) = batch.read(py, at)? else { return Ok(None) };
        let bins = record.bins.get(py)?.clone();
        self.read(&bins)?;
        Ok(Some(bins))
    }

    /// Converts decoded bins, in place, to what programs expect.
    #[inline]
    fn read(&self, bins: &Bound<'_, PyDict>) -> PyResult<()> {
        for pair in pairs(bins) {
            let (name, value) = pair?;
            if !is_plain(&value) {
                bins.set_item(name, self.incoming(value)?)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn incoming<'py>(&self, value: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if is_plain(&value) {
            return Ok(value);
        }
        self.incoming.bind(value.py()).call1((value,))
    }

    /// A requested key.
    #[inline]
    fn name<'py>(&self, key: &Bound<'py, PyAny>, digest: &Digest) -> PyResult<Bound<'py, PyAny>> {
        let (py, key) = (key.py(), tuple(key)?);
        let digest = PyBytes::new(py, &digest.0).into_any();
        match key.as_slice() {
            [namespace, set, user, ..] => {
                self.key.make(py, [namespace.clone(), set.clone(), user.clone(), digest])
            }
            _ => Err(value_error(format!("a key has 3 or 4 items, not {}", key.len()))),
        }
    }

    /// Generation and time to live.
    #[inline]
    fn meta<'py>(
        &self,
        py: Python<'py>,
        generation: u32,
        ttl: Option<u32>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let new_meta = |ttl: Bound<'py, PyInt>| {
            self.meta.make(py, [generation.into_pyobject(py)?.into_any(), ttl.into_any()])
        };
        if let Some(ttl) = ttl {
            return new_meta(ttl.into_pyobject(py)?);
        }
        let forever = || new_meta(self.forever.bind(py).clone());
        match self.lasting.get(generation as usize) {
            Some(cell) => {
                let meta = cell.get_or_try_init(py, || forever().map(Bound::unbind))?;
                Ok(meta.bind(py).clone())
            }
            None => forever(),
        }
    }
}

/// Whether a value can be returned unchanged. Strips the marker of ordered maps.
#[inline]
fn is_plain(value: &Bound<'_, PyAny>) -> bool {
    is_scalar(value) || ordered_class(value.py()).is_none() && plain::incoming(value, true)
}

#[inline]
fn is_scalar(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyBytes>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_none()
}

fn number<'py>(
    py: Python<'py>,
    number: impl IntoPyObject<'py, Target = PyInt, Output = Bound<'py, PyInt>, Error = Infallible>,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(number.into_pyobject(py)?.into_any())
}

fn tuple<'a, 'py>(key: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyTuple>> {
    key.cast::<PyTuple>()
        .map_err(|_| type_error(format!("a key must be a tuple, not {}", type_name(key))))
}
