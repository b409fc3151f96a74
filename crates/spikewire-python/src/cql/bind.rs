//! The values of a statement, by position or by name.

use std::borrow::Cow;

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyTuple};
use spikewire_cassandra::statement::Prepared;
use spikewire_cql::response::{Column, check_count};
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
    let py = parameters.py();
    if let Ok(values) = parameters.cast::<PyDict>() {
        let names = || Ok(values.keys());
        known_names(columns, &names()?, |name| values.contains(name))?;
        return by_name(py, columns, out, |name| values.get_item(name), names);
    }
    if let Ok(row) = parameters.cast::<TableRow>() {
        return Ok(row.get().bind(prepared, out)?);
    }
    if let Ok(row) = parameters.cast::<Row>() {
        return by_name(py, columns, out, |name| row.get().field(name), || Ok(row.get().names(py)));
    }
    if let Some(fields) = parameters.getattr_opt(intern!(py, "__dataclass_fields__"))? {
        let names = || fields.cast::<PyDict>().map(PyDictMethods::keys).map_err(PyErr::from);
        return by_name(py, columns, out, |name| parameters.getattr_opt(name), names);
    }
    if let Ok(mapping) = parameters.cast::<PyMapping>() {
        let names = || mapping.keys();
        known_names(columns, &names()?, |name| mapping.contains(name))?;
        return by_name(
            py,
            columns,
            out,
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

/// Binds by name: exactly, or else without regard to case, as CQL takes names without quotes.
fn by_name<'py>(
    py: Python<'py>,
    columns: &[Column],
    out: &mut Vec<u8>,
    get: impl Fn(&Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>>,
    names: impl Fn() -> PyResult<Bound<'py, PyList>>,
) -> Result<(), BoxedPyErr> {
    for column in columns {
        let name = PyString::intern(py, &column.name);
        let value = match get(&name)? {
            Some(value) => value,
            None => match written_otherwise(column, &names()?)? {
                Some(name) => get(&name)?,
                None => None,
            }
            .ok_or_else(|| value_error(format!("no value for parameter {:?}", &*column.name)))?,
        };
        encode_bound(&column.name, &column.ty, &HostValue(&value), out)?;
    }
    Ok(())
}

/// The one name that is a parameter's apart from upper and lower case.
#[cold]
fn written_otherwise<'py>(
    column: &Column,
    names: &Bound<'py, PyList>,
) -> PyResult<Option<Bound<'py, PyString>>> {
    let mut same: Option<Bound<'py, PyString>> = None;
    for name in names.iter() {
        let Ok(name) = name.cast_into::<PyString>() else { continue };
        if !name.to_str()?.eq_ignore_ascii_case(&column.name) {
            continue;
        }
        if let Some(other) = same {
            return Err(value_error(format!(
                "{other} and {name} both name the parameter {:?}",
                &*column.name
            )));
        }
        same = Some(name);
    }
    Ok(same)
}

/// Checks that each name is that of a parameter.
fn known_names(
    columns: &[Column],
    names: &Bound<'_, PyList>,
    contains: impl Fn(&str) -> PyResult<bool>,
) -> PyResult<()> {
    names.iter().try_for_each(|name| {
        let name = name.cast::<PyString>().map_err(|_| {
            type_error(format!("names of parameters must be str, not {}", type_name(&name)))
        })?;
        let name = utf8("the name of a parameter", name)?;
        if columns.iter().any(|column| *column.name == *name) {
            return Ok(());
        }
        let otherwise = columns.iter().find(|column| column.name.eq_ignore_ascii_case(name));
        match otherwise {
            Some(column) if !contains(&column.name)? => Ok(()),
            _ => Err(value_error(no_parameter(columns, name))),
        }
    })
}

#[cold]
fn no_parameter(columns: &[Column], name: &str) -> String {
    let known: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    if known.is_empty() {
        return format!("no parameter {name:?}: the statement takes no values");
    }
    format!("no parameter {name:?}; there are: {}", known.join(", "))
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

/// Converts the markers in a statement's text to those of CQL: `%s` becomes `?`, `%(name)s` becomes
/// `:"name"`, and `%%` a percent sign. Quoted text and comments are left unchanged.
pub fn markers(text: &str) -> PyResult<Cow<'_, str>> {
    if !text.contains('%') {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' | '"' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            _ if rest.starts_with("--") || rest.starts_with("//") => {
                rest.find('\n').unwrap_or(rest.len())
            }
            _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '%' => {
                rest = marker(rest, &mut out)?;
                continue;
            }
            _ => first.len_utf8(),
        };
        let (unchanged, behind) = rest.split_at(length);
        out.push_str(unchanged);
        rest = behind;
    }
    Ok(Cow::Owned(out))
}

/// Converts the marker at the start of `rest` into `out`. Returns what follows it.
fn marker<'a>(rest: &'a str, out: &mut String) -> PyResult<&'a str> {
    if let Some(behind) = rest.strip_prefix("%s") {
        out.push('?');
        return Ok(behind);
    }
    if let Some(behind) = rest.strip_prefix("%%") {
        out.push('%');
        return Ok(behind);
    }
    let named = rest.strip_prefix("%(").and_then(|named| named.split_once(")s"));
    match named {
        Some((name, behind)) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => {
            // In quotes, so that capitals are kept and reserved words are names.
            out.push_str(":\"");
            out.push_str(name);
            out.push('"');
            Ok(behind)
        }
        _ => Err(value_error(
            "a percent sign in a statement with parameters must be part of %s or %(name)s, or \
             doubled (%%); the markers of CQL, ? and :name, do as well",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::markers;

    #[test]
    fn markers_of_python_become_those_of_cql() {
        for (text, becomes) in [
            ("SELECT a FROM t WHERE k = ?", "SELECT a FROM t WHERE k = ?"),
            ("SELECT a FROM t WHERE k = %s AND c > %s", "SELECT a FROM t WHERE k = ? AND c > ?"),
            ("SELECT a FROM t WHERE k = %(key)s", "SELECT a FROM t WHERE k = :\"key\""),
            ("SELECT a FROM t WHERE k = %(userId)s", "SELECT a FROM t WHERE k = :\"userId\""),
            ("SELECT a FROM t WHERE k = %(from)s", "SELECT a FROM t WHERE k = :\"from\""),
            ("SELECT '%s' FROM t -- %s\n WHERE k = %s", "SELECT '%s' FROM t -- %s\n WHERE k = ?"),
            ("SELECT 5 %% 2 /* % */", "SELECT 5 % 2 /* % */"),
        ] {
            assert_eq!(markers(text).unwrap(), becomes);
        }
    }
}
