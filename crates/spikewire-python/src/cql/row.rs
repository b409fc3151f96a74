//! One row, and the column names that rows share.

#![expect(unsafe_code, reason = "the usual look-up of attributes")]

use std::sync::Arc;

use pyo3::exceptions::{PyAttributeError, PyIndexError, PyKeyError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyList, PyString, PyTuple};
use spikewire_cassandra::statement::Shape;
use spikewire_cql::types::Udt;
use spikewire_sync::Mutex;

use crate::bridge::errors::{type_error, type_name};

/// Column names, prepared for lookups from Python.
#[derive(Debug)]
pub struct Names {
    /// All names, in order.
    pub all: Py<PyTuple>,
    /// The index of the first column with each name.
    index: Py<PyDict>,
    /// Like `index`, without the names that are attributes of the row class.
    attributes: Py<PyDict>,
}

/// The field names of the user-defined types seen so far.
static TYPES: Mutex<Vec<(Udt, Arc<Names>)>> = Mutex::new(Vec::new());
/// The maximum number of types whose names are cached.
const KEPT: usize = 64;

impl Names {
    /// The names of a shape, created once.
    pub fn of<'a>(py: Python<'_>, shape: &'a Arc<Shape>) -> PyResult<&'a Arc<Self>> {
        let names = if let Some(names) = shape.extension.get() {
            names
        } else {
            let names = shape.columns.iter().map(|column| &*column.name);
            let names: Box<dyn std::any::Any + Send + Sync> = Box::new(Self::new(py, names)?);
            shape.extension.get_or_init(|| names)
        };
        // Nothing else is stored there.
        names.downcast_ref().ok_or_else(|| type_error("the columns of another language"))
    }

    /// The names of these columns.
    pub fn new<'a>(py: Python<'_>, names: impl Iterator<Item = &'a str>) -> PyResult<Arc<Self>> {
        let names: Vec<_> = names.map(|name| PyString::intern(py, name)).collect();
        let (index, attributes) = (PyDict::new(py), PyDict::new(py));
        let row = py.get_type::<Row>();
        for (at, name) in names.iter().enumerate().rev() {
            index.set_item(name, at)?;
            if !row.hasattr(name)? {
                attributes.set_item(name, at)?;
            }
        }
        let all = PyTuple::new(py, names)?.unbind();
        Ok(Arc::new(Self { all, index: index.unbind(), attributes: attributes.unbind() }))
    }

    /// The names of a type's fields.
    pub fn of_type(py: Python<'_>, udt: &Udt) -> PyResult<Arc<Self>> {
        let known = |types: &[(Udt, Arc<Self>)]| {
            types.iter().find(|(known, _)| known == udt).map(|(_, names)| names.clone())
        };
        if let Some(names) = known(&TYPES.lock()) {
            return Ok(names);
        }
        // Created without holding the lock, because that runs Python code.
        let names = Self::new(py, udt.fields.iter().map(|(name, _)| name.as_str()))?;
        let mut dropped = Vec::new();
        let mut types = TYPES.lock();
        if types.len() >= KEPT {
            dropped = std::mem::take(&mut *types);
        }
        types.push((udt.clone(), names.clone()));
        drop(types);
        drop(dropped);
        Ok(names)
    }

    fn find(&self, name: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
        let at = self.index.bind(name.py()).get_item(name)?;
        at.map(|at| at.extract()).transpose()
    }

    fn list_names(&self, py: Python<'_>) -> String {
        let names: Vec<String> = self.all.bind(py).iter().map(|name| name.to_string()).collect();
        names.join(", ")
    }
}

/// A row: its values by index, by name, and as attributes.
///
/// `row[0]`, `row["name"]` and `row.name` are the same value; use `row["keys"]` for a column
/// with the name of a method (`keys`, `values`, `items`, `get`, `as_dict`, `as_tuple`).
/// Iteration and `len` are those of a tuple of the values; `dict(row)` is a dictionary. Values
/// of a user-defined type are rows, too.
#[pyclass(frozen, module = "spikewire.cql")]
pub struct Row {
    names: Arc<Names>,
    values: Py<PyTuple>,
}

impl Row {
    /// A row with these values.
    pub fn make(names: Arc<Names>, values: Bound<'_, PyTuple>) -> Self {
        Self { names, values: values.unbind() }
    }

    /// The row's values.
    #[inline]
    pub fn tuple<'a, 'py>(&'a self, py: Python<'py>) -> &'a Bound<'py, PyTuple> {
        self.values.bind(py)
    }

    /// The names of the columns, in order.
    pub fn names<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        self.names.all.bind(py).to_list()
    }

    /// The same row with these values.
    pub fn with(&self, values: Bound<'_, PyTuple>) -> Self {
        Self::make(self.names.clone(), values)
    }

    /// The value of the column with this name.
    pub fn field<'py>(&self, name: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let at = self.names.find(name)?;
        at.map(|at| self.values.bind(name.py()).get_item(at)).transpose()
    }
}

#[pymethods]
impl Row {
    fn __getattribute__<'py>(
        slf: &Bound<'py, Self>,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let row = slf.get();
        if let Some(at) = row.names.attributes.bind(slf.py()).get_item(name)? {
            return row.values.bind(slf.py()).get_item(at.extract()?);
        }
        attribute(slf, name)
    }

    fn __getattr__<'py>(&self, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        let py = name.py();
        match self.names.find(name)? {
            Some(at) => self.values.bind(py).get_item(at),
            None => Err(PyAttributeError::new_err(format!(
                "no column {name}; there are: {}",
                self.names.list_names(py)
            ))),
        }
    }

    fn __getitem__<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = key.py();
        let values = self.values.bind(py);
        if key.is_instance_of::<PyString>() {
            return match self.names.find(key)? {
                Some(at) => values.get_item(at),
                None => Err(PyKeyError::new_err(format!(
                    "no column {key}; there are: {}",
                    self.names.list_names(py)
                ))),
            };
        }
        if key.is_instance_of::<pyo3::types::PySlice>() {
            return values.as_any().get_item(key);
        }
        let at: isize = key.extract().map_err(|_| {
            type_error(format!("a row takes an index or a name, not {}", type_name(key)))
        })?;
        let index = if at < 0 { at + values.len() as isize } else { at };
        let value = usize::try_from(index).ok().and_then(|index| values.get_item(index).ok());
        value.ok_or_else(|| {
            PyIndexError::new_err(format!("no column {at}: there are {}", values.len()))
        })
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.values.bind(py).len()
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.values.bind(py).try_iter()
    }

    fn __contains__(&self, value: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.values.bind(value.py()).contains(value)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let values = self.values.bind(other.py());
        match other.cast::<Self>() {
            Ok(row) => {
                let row = row.get();
                let py = other.py();
                Ok(values.eq(row.values.bind(py))?
                    && self.names.all.bind(py).eq(row.names.all.bind(py))?)
            }
            Err(_) => values.eq(other),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self.values.bind(py).hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let values = self.values.bind(py);
        let pairs = self.names.all.bind(py).iter().zip(values.iter());
        let pairs: Vec<String> = pairs
            .map(|(name, value)| Ok(format!("{name}={}", value.repr()?)))
            .collect::<PyResult<_>>()?;
        Ok(format!("Row({})", pairs.join(", ")))
    }

    fn __dir__(slf: &Bound<'_, Self>) -> PyResult<Vec<String>> {
        let py = slf.py();
        let own = py.import("builtins")?.getattr("object")?.call_method1("__dir__", (slf,))?;
        let mut all: Vec<String> = own.extract()?;
        all.extend(slf.get().names.all.bind(py).iter().map(|name| name.to_string()));
        Ok(all)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let make = slf.get_type().getattr("_make")?;
        let row = slf.get();
        let arguments = PyTuple::new(py, [row.names.all.bind(py), row.values.bind(py)])?;
        Ok((make, arguments))
    }

    #[staticmethod]
    fn _make(names: &Bound<'_, PyTuple>, values: Bound<'_, PyTuple>) -> PyResult<Self> {
        let py = names.py();
        let names: Vec<String> = names.extract()?;
        Ok(Self::make(Names::new(py, names.iter().map(String::as_str))?, values))
    }

    /// The names of the columns, in order.
    fn keys<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        self.names(py)
    }

    /// The values, in order.
    fn values<'py>(&self, py: Python<'py>) -> Bound<'py, PyList> {
        self.values.bind(py).to_list()
    }

    /// Pairs of name and value.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let pairs: Vec<_> =
            self.names.all.bind(py).iter().zip(self.values.bind(py).iter()).collect();
        PyList::new(py, pairs)
    }

    /// The value of a column, or `default` if there is no such column.
    #[pyo3(signature = (name, default=None))]
    fn get<'py>(
        &self,
        name: &Bound<'py, PyString>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.names.find(name)? {
            Some(at) => self.values.bind(name.py()).get_item(at).map(Some),
            None => Ok(default),
        }
    }

    /// The values by name. For columns with the same name, the last one's value.
    fn as_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        for (name, value) in self.names.all.bind(py).iter().zip(self.values.bind(py).iter()) {
            dict.set_item(name, value)?;
        }
        Ok(dict)
    }

    /// The values as a tuple.
    fn as_tuple<'py>(&self, py: Python<'py>) -> Bound<'py, PyTuple> {
        self.values.bind(py).clone()
    }
}

/// An attribute of the object itself or of its class.
fn attribute<'py>(
    of: &Bound<'py, Row>,
    name: &Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: both are live objects, and the name is a string.
    unsafe {
        let value = ffi::PyObject_GenericGetAttr(of.as_ptr(), name.as_ptr());
        Bound::from_owned_ptr_or_err(of.py(), value)
    }
}
