//! Rows of a batch that mixes reads, writes, deletes and function calls: the arguments of `batch`.
//!
//! A row keeps what it was given. `batch` checks it, and names the row in errors.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::aerospike::arguments::flags;

/// What `batch` takes: a `Read`, a `Write`, a `Delete` or an `Apply`.
#[pyclass(frozen, subclass, module = "spikewire")]
pub struct Row;

/// Reads a record in a batch: all bins, the named ones, or the results of operations.
///
/// `bins`, `where`, `read_touch` and `read_mode` as in `get`; `ops` are read-only operations
/// from `spikewire.op`, instead of `bins`.
#[pyclass(frozen, get_all, extends = Row, module = "spikewire")]
#[allow(clippy::struct_field_names)] // they are the keywords
pub struct Read {
    /// The record's key.
    pub key: Py<PyAny>,
    /// The names of the bins to read; `None` for all.
    pub bins: Option<Py<PyAny>>,
    /// Read-only operations.
    pub ops: Option<Py<PyAny>>,
    /// The filter.
    pub r#where: Option<Py<PyAny>>,
    /// The percentage of the time to live below which it is renewed.
    pub read_touch: Option<Py<PyAny>>,
    /// The consistency of the read.
    pub read_mode: Option<Py<PyAny>>,
}

/// Writes a record in a batch: bins from a dict of names to values, or operations from
/// `spikewire.op` of which at least one writes. Keywords as in `put`.
#[pyclass(frozen, get_all, extends = Row, module = "spikewire")]
pub struct Write {
    /// The record's key.
    pub key: Py<PyAny>,
    /// A dict of bins, or operations in a list or tuple.
    pub what: Py<PyAny>,
    /// The time to live; `None`: the batch's.
    pub ttl: Option<Py<PyAny>>,
    /// The rule about the generation.
    pub generation: Option<Py<PyAny>>,
    /// The rule about records that exist.
    pub exists: Option<Py<PyAny>>,
    /// Whether removing the last bin leaves a tombstone; `None`: the batch's setting.
    pub durable: Option<bool>,
    /// Whether the user key is stored; `None`: the client's `send_key`.
    pub send_key: Option<bool>,
    /// The filter.
    pub r#where: Option<Py<PyAny>>,
    /// When it is answered; `None`: the batch's setting.
    pub commit_level: Option<Py<PyAny>>,
    /// Whether it fails if its transaction has written the record already; `None`: the batch's
    /// setting.
    pub on_locking_only: Option<bool>,
}

/// Deletes a record in a batch. Keywords as in `delete`.
#[pyclass(frozen, get_all, extends = Row, module = "spikewire")]
pub struct Delete {
    /// The record's key.
    pub key: Py<PyAny>,
    /// The rule about the generation.
    pub generation: Option<Py<PyAny>>,
    /// Whether it leaves a tombstone; `None`: the batch's setting.
    pub durable: Option<bool>,
    /// Whether the user key is compared with the stored one.
    pub send_key: bool,
    /// The filter.
    pub r#where: Option<Py<PyAny>>,
    /// When it is answered; `None`: the batch's setting.
    pub commit_level: Option<Py<PyAny>>,
    /// Whether it fails if its transaction has written the record already; `None`: the batch's
    /// setting.
    pub on_locking_only: Option<bool>,
}

/// Runs a function of a registered module on a record in a batch. The `results` of its row hold
/// the function's result. Arguments and keywords as in `apply`.
#[pyclass(frozen, get_all, extends = Row, module = "spikewire")]
pub struct Apply {
    /// The record's key.
    pub key: Py<PyAny>,
    /// The module's name, without its extension.
    pub module: Py<PyAny>,
    /// The function's name.
    pub function: Py<PyAny>,
    /// The arguments, in a list or tuple; `None` for none.
    pub arguments: Option<Py<PyAny>>,
    /// The time to live; `None`: the batch's.
    pub ttl: Option<Py<PyAny>>,
    /// Whether removing the last bin leaves a tombstone; `None`: the batch's setting.
    pub durable: Option<bool>,
    /// Whether the user key is stored; `None`: the client's `send_key`.
    pub send_key: Option<bool>,
    /// The filter.
    pub r#where: Option<Py<PyAny>>,
    /// When it is answered; `None`: the batch's setting.
    pub commit_level: Option<Py<PyAny>>,
    /// Whether it fails if its transaction has written the record already; `None`: the batch's
    /// setting.
    pub on_locking_only: Option<bool>,
}

impl Read {
    /// The same row for this key.
    pub fn with_key(&self, py: Python<'_>, key: Py<PyAny>) -> PyClassInitializer<Self> {
        let of = |value: &Option<Py<PyAny>>| value.as_ref().map(|value| value.clone_ref(py));
        let Self { bins, ops, r#where, read_touch, read_mode, .. } = self;
        let (bins, ops, r#where) = (of(bins), of(ops), of(r#where));
        Self::new(key, bins, ops, r#where, of(read_touch), of(read_mode))
    }
}

impl Write {
    /// The same row for this key.
    pub fn with_key(&self, py: Python<'_>, key: Py<PyAny>) -> PyClassInitializer<Self> {
        let of = |value: &Option<Py<PyAny>>| value.as_ref().map(|value| value.clone_ref(py));
        let Self { what, ttl, generation, exists, durable, send_key, r#where, .. } = self;
        let (what, ttl, generation) = (what.clone_ref(py), of(ttl), of(generation));
        let (exists, r#where, level) = (of(exists), of(r#where), of(&self.commit_level));
        let locking = self.on_locking_only;
        Self::new(key, what, ttl, generation, exists, *durable, *send_key, r#where, level, locking)
    }
}

impl Delete {
    /// The same row for this key.
    pub fn with_key(&self, py: Python<'_>, key: Py<PyAny>) -> PyClassInitializer<Self> {
        let of = |value: &Option<Py<PyAny>>| value.as_ref().map(|value| value.clone_ref(py));
        let Self { generation, durable, send_key, r#where, commit_level, on_locking_only, .. } =
            self;
        let (generation, r#where, level) = (of(generation), of(r#where), of(commit_level));
        Self::new(key, generation, *durable, *send_key, r#where, level, *on_locking_only)
    }
}

#[pymethods]
impl Read {
    #[new]
    #[pyo3(signature = (key, bins=None, *, ops=None, r#where=None, read_touch=None, read_mode=None))]
    fn new(
        key: Py<PyAny>,
        bins: Option<Py<PyAny>>,
        ops: Option<Py<PyAny>>,
        r#where: Option<Py<PyAny>>,
        read_touch: Option<Py<PyAny>>,
        read_mode: Option<Py<PyAny>>,
    ) -> PyClassInitializer<Self> {
        let row = Self { key, bins, ops, r#where, read_touch, read_mode };
        PyClassInitializer::from(Row).add_subclass(row)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        row_repr(slf.as_any(), &["key"], &["bins", "ops", "where", "read_touch", "read_mode"], &[])
    }

    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<bool> {
        equal(
            slf.as_any(),
            other.as_any(),
            &["key", "bins", "ops", "where", "read_touch", "read_mode"],
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduction<'py>> {
        let names = ["ops", "where", "read_touch", "read_mode"];
        reduced(slf.as_any(), &["key", "bins"], &names)
    }
}

#[pymethods]
impl Write {
    #[new]
    #[pyo3(signature = (key, what, *, ttl=None, generation=None, exists=None, durable=None, send_key=None, r#where=None, commit_level=None, on_locking_only=None))]
    #[allow(clippy::too_many_arguments)] // a keyword is an argument
    fn new(
        key: Py<PyAny>,
        what: Py<PyAny>,
        ttl: Option<Py<PyAny>>,
        generation: Option<Py<PyAny>>,
        exists: Option<Py<PyAny>>,
        #[pyo3(from_py_with = flags::durable)] durable: Option<bool>,
        #[pyo3(from_py_with = flags::send_key)] send_key: Option<bool>,
        r#where: Option<Py<PyAny>>,
        commit_level: Option<Py<PyAny>>,
        #[pyo3(from_py_with = flags::on_locking_only)] on_locking_only: Option<bool>,
    ) -> PyClassInitializer<Self> {
        let row = Self {
            key,
            what,
            ttl,
            generation,
            exists,
            durable,
            send_key,
            r#where,
            commit_level,
            on_locking_only,
        };
        PyClassInitializer::from(Row).add_subclass(row)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let names = ["ttl", "generation", "exists", "send_key", "where", "commit_level"];
        row_repr(slf.as_any(), &["key", "what"], &names, &["durable", "on_locking_only"])
    }

    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<bool> {
        let names = [
            "key",
            "what",
            "ttl",
            "generation",
            "exists",
            "durable",
            "send_key",
            "where",
            "commit_level",
            "on_locking_only",
        ];
        equal(slf.as_any(), other.as_any(), &names)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduction<'py>> {
        let names = [
            "ttl",
            "generation",
            "exists",
            "durable",
            "send_key",
            "where",
            "commit_level",
            "on_locking_only",
        ];
        reduced(slf.as_any(), &["key", "what"], &names)
    }
}

#[pymethods]
impl Delete {
    #[new]
    #[pyo3(signature = (key, *, generation=None, durable=None, send_key=false, r#where=None, commit_level=None, on_locking_only=None))]
    fn new(
        key: Py<PyAny>,
        generation: Option<Py<PyAny>>,
        #[pyo3(from_py_with = flags::durable)] durable: Option<bool>,
        #[pyo3(from_py_with = flags::send_key)] send_key: bool,
        r#where: Option<Py<PyAny>>,
        commit_level: Option<Py<PyAny>>,
        #[pyo3(from_py_with = flags::on_locking_only)] on_locking_only: Option<bool>,
    ) -> PyClassInitializer<Self> {
        let row =
            Self { key, generation, durable, send_key, r#where, commit_level, on_locking_only };
        PyClassInitializer::from(Row).add_subclass(row)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let names = ["generation", "where", "commit_level"];
        let flags = ["durable", "send_key", "on_locking_only"];
        row_repr(slf.as_any(), &["key"], &names, &flags)
    }

    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<bool> {
        let names = [
            "key",
            "generation",
            "durable",
            "send_key",
            "where",
            "commit_level",
            "on_locking_only",
        ];
        equal(slf.as_any(), other.as_any(), &names)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduction<'py>> {
        reduced(
            slf.as_any(),
            &["key"],
            &["generation", "durable", "send_key", "where", "commit_level", "on_locking_only"],
        )
    }
}

#[pymethods]
impl Apply {
    #[new]
    #[pyo3(signature = (key, module, function, arguments=None, *, ttl=None, durable=None, send_key=None, r#where=None, commit_level=None, on_locking_only=None))]
    #[allow(clippy::too_many_arguments)] // a keyword is an argument
    fn new(
        key: Py<PyAny>,
        module: Py<PyAny>,
        function: Py<PyAny>,
        arguments: Option<Py<PyAny>>,
        ttl: Option<Py<PyAny>>,
        #[pyo3(from_py_with = flags::durable)] durable: Option<bool>,
        #[pyo3(from_py_with = flags::send_key)] send_key: Option<bool>,
        r#where: Option<Py<PyAny>>,
        commit_level: Option<Py<PyAny>>,
        #[pyo3(from_py_with = flags::on_locking_only)] on_locking_only: Option<bool>,
    ) -> PyClassInitializer<Self> {
        let row = Self {
            key,
            module,
            function,
            arguments,
            ttl,
            durable,
            send_key,
            r#where,
            commit_level,
            on_locking_only,
        };
        PyClassInitializer::from(Row).add_subclass(row)
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let names = ["arguments", "ttl", "send_key", "where", "commit_level"];
        let flags = ["durable", "on_locking_only"];
        row_repr(slf.as_any(), &["key", "module", "function"], &names, &flags)
    }

    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, Self>) -> PyResult<bool> {
        let places = ["key", "module", "function", "arguments"];
        let names = ["ttl", "durable", "send_key", "where", "commit_level", "on_locking_only"];
        Ok(equal(slf.as_any(), other.as_any(), &places)?
            && equal(slf.as_any(), other.as_any(), &names)?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduction<'py>> {
        let names = ["ttl", "durable", "send_key", "where", "commit_level", "on_locking_only"];
        reduced(slf.as_any(), &["key", "module", "function", "arguments"], &names)
    }
}

/// `copyreg.__newobj_ex__` and its arguments.
type Reduction<'py> =
    (Bound<'py, PyAny>, (Bound<'py, PyType>, Bound<'py, PyTuple>, Bound<'py, PyDict>));

/// The `repr` of a row. Arguments with their default value are left out: `None` for `names`, False
/// for `flags`.
fn row_repr(
    row: &Bound<'_, PyAny>,
    always: &[&str],
    names: &[&str],
    flags: &[&str],
) -> PyResult<String> {
    let mut parts = Vec::new();
    for name in always {
        parts.push(row.getattr(*name)?.repr()?.to_string());
    }
    for name in names {
        let value = row.getattr(*name)?;
        if !value.is_none() {
            parts.push(format!("{name}={}", value.repr()?));
        }
    }
    for name in flags {
        if row.getattr(*name)?.is_truthy()? {
            parts.push(format!("{name}=True"));
        }
    }
    Ok(format!("{}({})", row.get_type().name()?, parts.join(", ")))
}

fn equal(row: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>, names: &[&str]) -> PyResult<bool> {
    for name in names {
        if !row.getattr(*name)?.eq(other.getattr(*name)?)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn reduced<'py>(
    row: &Bound<'py, PyAny>,
    places: &[&str],
    names: &[&str],
) -> PyResult<Reduction<'py>> {
    let py = row.py();
    let places: Vec<_> = places.iter().map(|name| row.getattr(*name)).collect::<PyResult<_>>()?;
    let keywords = PyDict::new(py);
    for name in names {
        keywords.set_item(*name, row.getattr(*name)?)?;
    }
    let make = py.import("copyreg")?.getattr("__newobj_ex__")?;
    Ok((make, (row.get_type(), PyTuple::new(py, places)?, keywords)))
}
