//! Filters and operations from expressions and from text.

use std::cell::RefCell;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use spikewire_aerospike::query::FilterSource;
use spikewire_aerospike_protocol::expression::text::{self, TextError};
use spikewire_aerospike_protocol::expression::{Expression as Tree, Fault};

use super::Expression;
use super::constant::operand;
use crate::errors::{about, invalid_argument, type_error, type_name, utf8, value_error};

/// The encoded filter of the keyword `where`.
#[inline]
pub fn filter(value: &Bound<'_, PyAny>) -> PyResult<Arc<[u8]>> {
    match filter_bytes(value) {
        Ok(bytes) => Ok(bytes.into()),
        Err(error) => Err(about(value.py(), error, "where")),
    }
}

/// The encoded filter of an `Expression`, a text, or a tuple of a text and its parameters.
fn filter_bytes(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    if let Ok(expression) = value.cast::<Expression>() {
        let expression = expression.get();
        if let Some(bytes) = expression.filter.get() {
            return Ok(bytes.clone());
        }
        let bytes = expression.tree.filter().map_err(invalid_argument)?;
        return Ok(expression.filter.get_or_init(|| bytes).clone());
    }
    if let Ok(source) = value.cast::<PyString>() {
        let source = utf8("the text", source)?;
        return remembered(source, || {
            read(source, &[], text::parse_filter)?.filter().map_err(invalid_argument)
        });
    }
    tree_of(value, true)?.filter().map_err(invalid_argument)
}

/// The encoded filter of a query, and what it was made from.
pub fn query_filter(value: &Bound<'_, PyAny>) -> PyResult<(Vec<u8>, FilterSource)> {
    if value.is_instance_of::<Expression>() {
        return Ok((filter(value)?.to_vec(), FilterSource::Compiled));
    }
    let read = || {
        let tree = tree_of(value, true)?;
        Ok((tree.filter().map_err(invalid_argument)?, FilterSource::of_text(&tree)))
    };
    read().map_err(|error| about(value.py(), error, "where"))
}

/// The encoded operation that reads or writes the value of an expression. Accepts what
/// [`filter_bytes`] accepts.
pub fn operation_bytes(value: &Bound<'_, PyAny>, flags: i64) -> PyResult<Vec<u8>> {
    tree_of(value, false)?.operation(flags).map_err(invalid_argument)
}

/// The encoded expression by itself, by which an index on it is identified.
pub fn plain_bytes(expression: &Bound<'_, Expression>) -> PyResult<Vec<u8>> {
    expression.get().tree.of_record().map_err(invalid_argument)
}

/// A filter of the elements of a path. Accepts what [`filter_bytes`] accepts.
pub fn element_filter(value: &Bound<'_, PyAny>) -> PyResult<Tree> {
    tree(value, text::parse_element_filter)
}

/// The new value of an element of a path. Accepts what [`filter_bytes`] accepts.
pub fn element_value(value: &Bound<'_, PyAny>) -> PyResult<Tree> {
    tree(value, text::parse_element)
}

/// Parses a text with its parameters.
type Parse = fn(&str, &[Tree]) -> Result<Tree, TextError>;

fn tree_of(value: &Bound<'_, PyAny>, filter: bool) -> PyResult<Tree> {
    tree(value, if filter { text::parse_filter } else { text::parse })
}

fn tree(value: &Bound<'_, PyAny>, parse: Parse) -> PyResult<Tree> {
    if let Ok(expression) = value.cast::<Expression>() {
        return Ok(expression.get().tree.clone());
    }
    if let Ok(source) = value.cast::<PyString>() {
        return read(utf8("the text", source)?, &[], parse);
    }
    if let Ok(parts) = value.cast::<PyTuple>()
        && let Ok(first) = parts.get_item(0)
        && let Ok(source) = first.cast::<PyString>()
    {
        let parameters: Vec<_> = parts.iter().skip(1).collect();
        return read(utf8("the text", source)?, &parameters, parse);
    }
    Err(type_error(format!(
        "an expression is an Expression, a str, or a tuple of a str and its parameters, not {}",
        type_name(value)
    )))
}

/// Parses a text that may be about an element of a path.
pub fn read_text(source: &str, parameters: &[Bound<'_, PyAny>]) -> PyResult<Tree> {
    read(source, parameters, text::parse_element)
}

fn read(source: &str, parameters: &[Bound<'_, PyAny>], parse: Parse) -> PyResult<Tree> {
    let parameters: Vec<Tree> = parameters.iter().map(operand).collect::<PyResult<_>>()?;
    parse(source, &parameters).map_err(|error| misread(source, error))
}

fn misread(source: &str, error: TextError) -> PyErr {
    let place = format!("\n{}", error.excerpt(source)).replace('\n', "\n    ");
    let message = |why: &str| format!("{why} ({}){place}", error.place(source));
    match &error.fault {
        Fault::Type(why) => type_error(message(why)),
        Fault::Value(why) => value_error(message(why)),
    }
}

/// The number of texts cached per thread.
const SLOTS: usize = 64;
/// Longer texts are parsed every time.
const LONGEST: usize = 1024;

/// A text and its encoded form.
type CachedText = Option<(String, Vec<u8>)>;

thread_local! {
    static TEXTS: RefCell<Vec<CachedText>> =
        RefCell::new(std::iter::repeat_with(|| None).take(SLOTS).collect());
}

/// The encoded form of a text that is used repeatedly. `parse` creates it on first use.
fn remembered(source: &str, parse: impl FnOnce() -> PyResult<Vec<u8>>) -> PyResult<Vec<u8>> {
    if source.len() > LONGEST {
        return parse();
    }
    let slot = BuildHasherDefault::<DefaultHasher>::default().hash_one(source) as usize % SLOTS;
    let known = TEXTS.with_borrow(|texts| match &texts[slot] {
        Some((known, bytes)) if known == source => Some(bytes.clone()),
        _ => None,
    });
    if let Some(bytes) = known {
        return Ok(bytes);
    }
    let bytes = parse()?;
    TEXTS.with_borrow_mut(|texts| texts[slot] = Some((source.to_owned(), bytes.clone())));
    Ok(bytes)
}
