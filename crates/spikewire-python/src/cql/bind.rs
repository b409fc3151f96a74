//! The values of a statement, by position or by name.

use std::borrow::Cow;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyMapping, PyString, PyTuple};
use spikewire_cassandra::statement::Prepared;
use spikewire_cql::response::Column;
use spikewire_cql::value::encode_bound;

use super::errors::Raised;
use super::row::Row;
use super::table_row::TableRow;
use super::value::Given;
use crate::bridge::errors::{type_error, type_name, utf8, value_error};

/// Appends the values of a prepared statement in the order of its parameters.
pub fn bind(
    prepared: &Prepared,
    given: Option<&Bound<'_, PyAny>>,
    out: &mut Vec<u8>,
) -> Result<(), Raised> {
    let columns = &*prepared.parameters;
    let Some(given) = given.filter(|given| !given.is_none()) else {
        return if columns.is_empty() { Ok(()) } else { Err(count_error(columns, 0).into()) };
    };
    if let Ok(values) = given.cast::<PyTuple>() {
        return by_position(columns, values.len(), values.iter(), out);
    }
    if let Ok(values) = given.cast::<PyList>() {
        return by_position(columns, values.len(), values.iter(), out);
    }
    let py = given.py();
    if let Ok(values) = given.cast::<PyDict>() {
        known_names(columns, values.keys().iter())?;
        return by_name(py, columns, out, |name| values.get_item(name));
    }
    if let Ok(row) = given.cast::<TableRow>() {
        return Ok(row.get().bind(prepared, out)?);
    }
    if let Ok(row) = given.cast::<Row>() {
        return by_name(py, columns, out, |name| row.get().field(name));
    }
    if given.hasattr(intern!(py, "__dataclass_fields__"))? {
        return by_name(py, columns, out, |name| given.getattr_opt(name));
    }
    if let Ok(mapping) = given.cast::<PyMapping>() {
        known_names(columns, mapping.keys()?.iter())?;
        return by_name(py, columns, out, |name| {
            if mapping.contains(name)? { mapping.get_item(name).map(Some) } else { Ok(None) }
        });
    }
    Err(type_error(format!(
        "parameters must be a tuple, a list, a dict or a dataclass, not {}",
        type_name(given)
    ))
    .into())
}

fn by_position<'py>(
    columns: &[Column],
    count: usize,
    values: impl Iterator<Item = Bound<'py, PyAny>>,
    out: &mut Vec<u8>,
) -> Result<(), Raised> {
    if count != columns.len() {
        return Err(count_error(columns, count).into());
    }
    for (column, value) in columns.iter().zip(values) {
        encode_bound(&column.name, &column.ty, &Given(&value), out)?;
    }
    Ok(())
}

fn by_name<'py>(
    py: Python<'py>,
    columns: &[Column],
    out: &mut Vec<u8>,
    get: impl Fn(&Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>>,
) -> Result<(), Raised> {
    for column in columns {
        let name = PyString::intern(py, &column.name);
        let Some(value) = get(&name)? else {
            return Err(value_error(format!("no value for parameter {:?}", &*column.name)).into());
        };
        encode_bound(&column.name, &column.ty, &Given(&value), out)?;
    }
    Ok(())
}

fn known_names<'py>(
    columns: &[Column],
    mut names: impl Iterator<Item = Bound<'py, PyAny>>,
) -> PyResult<()> {
    names.try_for_each(|name| {
        let name = name.cast::<PyString>().map_err(|_| {
            type_error(format!("names of parameters must be str, not {}", type_name(&name)))
        })?;
        let name = utf8("the name of a parameter", name)?;
        if columns.iter().any(|column| *column.name == *name) {
            return Ok(());
        }
        let known: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
        Err(value_error(format!("no parameter {name:?}; there are: {}", known.join(", "))))
    })
}

#[cold]
fn count_error(columns: &[Column], count: usize) -> PyErr {
    let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
    value_error(format!(
        "the statement takes {} values ({}), not {count}",
        columns.len(),
        names.join(", ")
    ))
}

/// Converts the markers in a statement's text to those of CQL: `%s` becomes `?`, `%(name)s` becomes
/// `:name`, and `%%` a percent sign. Quoted text and comments are left unchanged.
pub fn markers(text: &str) -> PyResult<Cow<'_, str>> {
    if !text.contains('%') {
        return Ok(Cow::Borrowed(text));
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let taken = match first {
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
        let (same, behind) = rest.split_at(taken);
        out.push_str(same);
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
            out.push(':');
            out.push_str(name);
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
            ("SELECT a FROM t WHERE k = %(key)s", "SELECT a FROM t WHERE k = :key"),
            ("SELECT '%s' FROM t -- %s\n WHERE k = %s", "SELECT '%s' FROM t -- %s\n WHERE k = ?"),
            ("SELECT 5 %% 2 /* % */", "SELECT 5 % 2 /* % */"),
        ] {
            assert_eq!(markers(text).unwrap(), becomes);
        }
    }
}
