//! What verbs return, as the named tuples of `spikewire.compat.aerospike_py`.
//!
//! | module | what it holds |
//! |---|---|
//! | here | records and batches become named tuples |
//! | [`class`] | instances of such a class |
//! | [`results`] | results of operations, by bin |
//! | [`writes`] | rows that are written |
//! | [`checks`] | whether arguments are what the engine takes as it is |

mod checks;
mod class;
mod results;
mod writes;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{
    PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyNone, PyString, PyTuple, PyType,
};

use spikewire_aerospike_protocol::key::Digest;

pub use self::checks::{_plain_keys, _plain_rows, _plain_steps};
use self::class::NamedTuple;
use self::results::Results;
pub use self::writes::NamedWrites;
use crate::batch::Batch;
use crate::compat::plain;
use crate::errors::{type_error, type_name, value_error};
use crate::record::Record;
use crate::value::{ordered_class, pairs};

/// The time to live of records that never expire.
const FOREVER: u32 = u32::MAX;
/// Generations of such records whose metadata are kept.
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
    /// Key, code, record, whether it is in doubt.
    row: NamedTuple<4>,
    /// What is made of a value that does not come as it is.
    incoming: Py<PyAny>,
    /// The code of an error, of which the engine has another one.
    code: Py<PyAny>,
    forever: Py<PyInt>,
    /// Metadata of records that never expire, by their generations: most are one of few.
    lasting: [PyOnceLock<Py<PyAny>>; LASTING],
}

#[pymethods]
impl NamedRecords {
    #[new]
    #[pyo3(signature = (*, key, meta, record, row, incoming, code))]
    fn new(
        key: &Bound<'_, PyType>,
        meta: &Bound<'_, PyType>,
        record: &Bound<'_, PyType>,
        row: &Bound<'_, PyType>,
        incoming: Py<PyAny>,
        code: Py<PyAny>,
    ) -> PyResult<Self> {
        let forever = FOREVER.into_pyobject(key.py())?.unbind();
        Ok(Self {
            key: NamedTuple::new(key)?,
            meta: NamedTuple::new(meta)?,
            record: NamedTuple::new(record)?,
            row: NamedTuple::new(row)?,
            incoming,
            code,
            forever,
            lasting: std::array::from_fn(|_| PyOnceLock::new()),
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
        let made = PyList::empty(py);
        batch.reads_all(|| {
            for at in 0..batch.len() {
                made.append(self.bins_of(py, batch, at)?)?;
            }
            Ok(made)
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
        let made = PyDict::new(py);
        batch.reads_all(|| {
            for at in 0..batch.len() {
                let user = tuple(&keys.get_item(at)?)?.get_item(2)?;
                if !user.is_none()
                    && let Some(bins) = self.bins_of(py, batch, at)?
                {
                    made.set_item(user, bins)?;
                }
            }
            Ok(made)
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
        let plan = Results::new(names, false)?;
        let bins = plan.by_bin(py, record, |value| self.incoming(value))?;
        let name = self.name(key, &record.digest)?;
        let meta = self.meta(py, record.generation, record.ttl)?;
        self.record.make(py, [name, meta, bins])
    }

    /// What became of each row of a batch of writes.
    #[pyo3(signature = (records, batch))]
    fn written<'py>(
        &self,
        records: &Bound<'py, NamedWrites>,
        batch: &Bound<'py, Batch>,
    ) -> PyResult<Bound<'py, PyList>> {
        let (py, records) = (batch.py(), records.get());
        self.rows(batch, |at| {
            Ok((records.key(py, at).clone(), move |_: &Batch| records.bins(py, at)))
        })
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
        let plan = Results::new(names, silent)?;
        self.rows(batch, |at| {
            let plan = &plan;
            let made = move |batch: &Batch| match batch.read(py, at)? {
                Some(record) => plan.by_bin(py, &record, |value| self.incoming(value)),
                None => Ok(PyDict::new(py).into_any()),
            };
            Ok((keys.get_item(at)?, made))
        })
    }

    /// What became of each row of a batch: `bins` gives the bins of a record, by what was read
    /// of it; without it there are none.
    #[pyo3(signature = (keys, batch, bins=None))]
    fn made<'py>(
        &self,
        keys: &Bound<'py, PyList>,
        batch: &Bound<'py, Batch>,
        bins: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = batch.py();
        self.rows(batch, |at| {
            let made = move |batch: &Batch| match bins {
                Some(bins) => bins.call1((batch.row(py, at)?,)),
                None => Ok(PyDict::new(py).into_any()),
            };
            Ok((keys.get_item(at)?, made))
        })
    }
}

impl NamedRecords {
    /// The rows of a batch: `of` gives the key of a row, and what makes the bins of its record.
    fn rows<'py, B>(
        &self,
        batch: &Bound<'py, Batch>,
        of: impl Fn(usize) -> PyResult<(Bound<'py, PyAny>, B)>,
    ) -> PyResult<Bound<'py, PyList>>
    where
        B: FnOnce(&Batch) -> PyResult<Bound<'py, PyAny>>,
    {
        let rows = batch.get();
        rows.reads_all(|| self.rows_of(batch.py(), rows, of))
    }

    fn rows_of<'py, B>(
        &self,
        py: Python<'py>,
        batch: &Batch,
        of: impl Fn(usize) -> PyResult<(Bound<'py, PyAny>, B)>,
    ) -> PyResult<Bound<'py, PyList>>
    where
        B: FnOnce(&Batch) -> PyResult<Bound<'py, PyAny>>,
    {
        let no = || PyBool::new(py, false).to_owned().into_any();
        let none = || PyNone::get(py).to_owned().into_any();
        let mut made = Vec::with_capacity(batch.len());
        // The rows of a batch are mostly alike in this.
        let mut latest = None;
        for at in 0..batch.len() {
            let (key, bins) = of(at)?;
            let name = self.name(&key, &batch.key_of(at).digest)?;
            let items = match batch.meta(py, at) {
                Err(error) => {
                    let error = error.into_value(py).into_bound(py).into_any();
                    let doubt = error.getattr(intern!(py, "in_doubt"))?;
                    let code = self.code.bind(py).call1((error, batch.code(at)))?;
                    [name, code, none(), doubt]
                }
                Ok(None) => [name, number(py, batch.code(at))?, none(), no()],
                Ok(Some(found)) => {
                    let meta = match &latest {
                        Some((same, meta)) if *same == found => Bound::clone(meta),
                        _ => self.meta(py, found.0, found.1)?,
                    };
                    latest = Some((found, meta.clone()));
                    let record = self.record.make(py, [name.clone(), meta, bins(batch)?])?;
                    [name, number(py, 0)?, record, no()]
                }
            };
            made.push(self.row.make(py, items)?);
        }
        PyList::new(py, made)
    }

    /// The bins of a row; none where there is no record, and where the row failed.
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

    /// Makes of bins that were read what programs expect, in place.
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

    /// A key that was asked for.
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
        let made = |ttl: Bound<'py, PyInt>| {
            self.meta.make(py, [generation.into_pyobject(py)?.into_any(), ttl.into_any()])
        };
        if let Some(ttl) = ttl {
            return made(ttl.into_pyobject(py)?);
        }
        let forever = || made(self.forever.bind(py).clone());
        match self.lasting.get(generation as usize) {
            Some(kept) => {
                let kept = kept.get_or_try_init(py, || forever().map(Bound::unbind))?;
                Ok(kept.bind(py).clone())
            }
            None => forever(),
        }
    }
}

/// Whether a value comes as it is. Where maps tell that they are in order, that is taken off.
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

fn number(py: Python<'_>, code: i32) -> PyResult<Bound<'_, PyAny>> {
    Ok(code.into_pyobject(py)?.into_any())
}

fn tuple<'a, 'py>(key: &'a Bound<'py, PyAny>) -> PyResult<&'a Bound<'py, PyTuple>> {
    key.cast::<PyTuple>()
        .map_err(|_| type_error(format!("a key must be a tuple, not {}", type_name(key))))
}
