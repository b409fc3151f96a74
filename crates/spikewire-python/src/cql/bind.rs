//! The values of a statement, by position or by name.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyTuple};
use spikewire_cassandra::statement::Prepared;
use spikewire_cql::response::{Column, NamedValues, bind_by_name, check_count, check_names};
use spikewire_cql::value::encode_bound;

use super::errors::BoxedPyErr;
use super::row::Row;
use super::table_row::TableRow;
use super::value::HostValue;
use crate::bridge::cached::intern;
use crate::bridge::errors::{type_error, type_name, utf8, value_error};

/// Appends the values of a prepared statement in the order of its parameters.
pub fn bind(
    prepared: &Prepared,
    parameters: Option<&Bound<'_, PyAny>>,
    out: &mut Vec<u8>,
) -> Result<(), BoxedPyErr> {
    let columns = &*prepared.parameters;
    let Some(parameters) = parameters.filter(|parameters| !parameters.is_none()) else {
        return check_count(columns, 0).map_err(|why| value_error(why).into());
    };
    if let Ok(values) = parameters.cast::<PyTuple>() {
        return by_position(columns, values.len(), values.iter(), out);
    }
    if let Ok(values) = parameters.cast::<PyList>() {
        return by_position(columns, values.len(), values.iter(), out);
    }
    if let Ok(values) = parameters.cast::<PyDict>() {
        let names = || Ok(values.keys());
        return by_name(prepared, parameters, out, true, |name| values.get_item(name), names);
    }
    if let Ok(row) = parameters.cast::<TableRow>() {
        return Ok(row.get().bind(prepared, out)?);
    }
    let py = parameters.py();
    if let Ok(row) = parameters.cast::<Row>() {
        let (row, names) = (row.get(), || Ok(row.get().names(py)));
        return by_name(prepared, parameters, out, false, |name| row.field(name), names);
    }
    if let Some(fields) = parameters.getattr_opt(intern!(py, "__dataclass_fields__"))? {
        let names = || fields.cast::<PyDict>().map(PyDictMethods::keys).map_err(PyErr::from);
        return by_name(
            prepared,
            parameters,
            out,
            false,
            |name| parameters.getattr_opt(name),
            names,
        );
    }
    if let Ok(mapping) = parameters.cast::<PyMapping>() {
        let names = || mapping.keys();
        return by_name(
            prepared,
            parameters,
            out,
            true,
            |name| {
                if mapping.contains(name)? { mapping.get_item(name).map(Some) } else { Ok(None) }
            },
            names,
        );
    }
    Err(type_error(format!(
        "parameters must be a tuple, a list, a dict or a dataclass, not {}",
        type_name(parameters)
    ))
    .into())
}

fn by_position<'py>(
    columns: &[Column],
    count: usize,
    values: impl Iterator<Item = Bound<'py, PyAny>>,
    out: &mut Vec<u8>,
) -> Result<(), BoxedPyErr> {
    check_count(columns, count).map_err(value_error)?;
    for (column, value) in columns.iter().zip(values) {
        encode_bound(&column.name, &column.ty, &HostValue(&value), out)?;
    }
    Ok(())
}

/// Values by name, from what gets one and from what lists all names.
struct ByName<'py, G, N> {
    py: Python<'py>,
    get: G,
    names: N,
}

impl<'py, G, N> NamedValues for ByName<'py, G, N>
where
    G: Fn(&Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>>,
    N: Fn() -> PyResult<Bound<'py, PyList>>,
{
    type Value = Bound<'py, PyAny>;
    type Error = BoxedPyErr;

    #[inline]
    fn get(&self, name: &str) -> Result<Option<Bound<'py, PyAny>>, BoxedPyErr> {
        Ok((self.get)(&PyString::intern(self.py, name))?)
    }

    #[inline]
    fn each_name(
        &self,
        mut visit: impl FnMut(&str) -> Result<(), BoxedPyErr>,
    ) -> Result<(), BoxedPyErr> {
        (self.names)()?.iter().try_for_each(|name| {
            let name = name.cast::<PyString>().map_err(|_| {
                type_error(format!("names of parameters must be str, not {}", type_name(&name)))
            })?;
            visit(utf8("the name of a parameter", name)?)
        })
    }

    fn invalid(message: String) -> BoxedPyErr {
        value_error(message).into()
    }
}

/// Binds by name; `is_strict` says whether each name must be that of a parameter.
#[inline]
fn by_name<'py>(
    prepared: &Prepared,
    parameters: &Bound<'py, PyAny>,
    out: &mut Vec<u8>,
    is_strict: bool,
    get: impl Fn(&Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>>,
    names: impl Fn() -> PyResult<Bound<'py, PyList>>,
) -> Result<(), BoxedPyErr> {
    let values = ByName { py: parameters.py(), get, names };
    if is_strict {
        check_names(&prepared.parameters, &values)?;
    }
    bind_by_name(&prepared.parameters, &values, |column, value| {
        encode_bound(&column.name, &column.ty, &HostValue(&value), out)
    })
}

/// Whether an error may mean that values do not fit the types of their parameters.
pub fn is_input_error(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyTypeError>(py)
        || error.is_instance_of::<PyValueError>(py)
        || error.is_instance_of::<PyOverflowError>(py)
}

/// A copy of the parameters, for a statement that is sent later: the caller may change them.
pub fn copy_of_parameters(parameters: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    let py = parameters.py();
    if let Ok(list) = parameters.cast::<PyList>() {
        return Ok(list.to_tuple().into_any().unbind());
    }
    if let Ok(dict) = parameters.cast::<PyDict>() {
        return Ok(dict.copy()?.into_any().unbind());
    }
    if parameters.is_instance_of::<PyTuple>() || parameters.is_instance_of::<Row>() {
        return Ok(parameters.clone().unbind());
    }
    let copy = py.import("copy")?.call_method1("copy", (parameters,));
    Ok(copy.unwrap_or_else(|_| parameters.clone()).unbind())
}
