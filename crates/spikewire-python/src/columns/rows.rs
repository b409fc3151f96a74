//! The rows of a batch as columns walk them: what every kind of column has in common.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyString};

use spikewire_engine::command::batch::{Answer, Batch as Rows};
use spikewire_protocol::message::{Header, Walk};
use spikewire_protocol::result_code::ResultCode;

use super::item::Item;
use super::trouble::Trouble;
use crate::errors::{shown, type_error, type_name, value_error};
use crate::key::Key;

/// Why columns were not made.
#[derive(Debug)]
pub enum Stop {
    /// The row failed; its error is the batch's to tell.
    Failed(usize),
    /// There is no such record, and that was not to be masked.
    NoRecord(usize),
    /// A column got no value, and that was not to be masked.
    NoValue(usize, String),
    /// A value that does not go into its column.
    Bad(usize, String, Trouble),
}

/// What is in a row.
pub enum Found<'a> {
    Record(Header, Walk<'a>),
    NoRecord,
    Failed,
}

/// Looks at a row.
#[inline]
pub fn look(rows: &Rows, row: usize) -> Found<'_> {
    let Ok(Answer::Reply(message)) = rows.answer(row) else { return Found::Failed };
    match Header::result_of(message) {
        ResultCode::OK => match Walk::begin(message) {
            Ok((header, walk)) => Found::Record(header, walk),
            Err(_) => Found::Failed,
        },
        ResultCode::NOT_FOUND | ResultCode::FILTERED_OUT => Found::NoRecord,
        _ => Found::Failed,
    }
}

/// Shows a user key as a value; nothing where only the digest is known.
pub fn with_key<T>(
    user: &Bound<'_, PyAny>,
    take: impl FnOnce(Option<Item<'_>>) -> T,
) -> PyResult<T> {
    Ok(if let Ok(text) = user.cast::<PyString>() {
        take(Some(Item::Text(text.to_str()?.as_bytes())))
    } else if let Ok(bytes) = user.cast::<PyBytes>() {
        take(Some(Item::Bytes(bytes.as_bytes())))
    } else if user.is_instance_of::<PyInt>() {
        take(Some(Item::Int(user.extract()?)))
    } else if user.is_none() {
        take(None)
    } else {
        // Other buffers that keys may come in.
        take(Some(Item::Bytes(&user.extract::<Vec<u8>>()?)))
    })
}

/// The keyword `missing`.
pub fn missing(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    word("missing", ["mask", "raise"], value)
}

/// The keyword `errors`.
pub fn errors(value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    word("errors", ["raise", "mask"], value)
}

fn word(what: &str, words: [&'static str; 2], value: &Bound<'_, PyAny>) -> PyResult<&'static str> {
    let [first, second] = words;
    let known = |given: &str| words.into_iter().find(|word| *word == given);
    match value.cast::<PyString>().map(|given| given.to_str().ok().and_then(known)) {
        Ok(Some(word)) => Ok(word),
        Ok(None) => Err(value_error(format!(
            "{what} must be {first:?} or {second:?}, not {}",
            shown(value)
        ))),
        Err(_) => Err(type_error(format!(
            "{what} must be {first:?} or {second:?}, not {}",
            type_name(value)
        ))),
    }
}

impl Stop {
    /// The row it is about.
    pub fn row(&self) -> usize {
        let (Self::Failed(row) | Self::NoRecord(row) | Self::NoValue(row, _) | Self::Bad(row, ..)) =
            self;
        *row
    }

    /// The exception for a row of a query's batch.
    pub fn in_batch(&self) -> PyErr {
        let place = |row: usize, column: &str| {
            let column = if column.is_empty() { String::new() } else { format!(", {column:?}") };
            format!("row {row} of the batch{column}")
        };
        match self {
            Self::Failed(row) | Self::NoRecord(row) => {
                value_error(format!("{}: there is no record", place(*row, "")))
            }
            Self::NoValue(row, column) => {
                value_error(format!("{}: there is no value", place(*row, column)))
            }
            Self::Bad(row, column, trouble) => trouble.raise(&place(*row, column)),
        }
    }

    /// The exception; `failure` makes the error of a row without a record.
    pub fn raise(
        &self,
        py: Python<'_>,
        keys: &[Key],
        failure: impl FnOnce(usize) -> PyErr,
    ) -> PyErr {
        let place = |row: usize, column: &str| {
            let user = keys[row].user.bind(py);
            let key =
                if user.is_none() { String::new() } else { format!(" (key {})", shown(user)) };
            let column = if column.is_empty() { String::new() } else { format!(", {column:?}") };
            format!("row {row}{key}{column}")
        };
        match self {
            Self::Failed(row) | Self::NoRecord(row) => failure(*row),
            Self::NoValue(row, column) => {
                value_error(format!("{}: there is no value", place(*row, column)))
            }
            Self::Bad(row, column, trouble) => trouble.raise(&place(*row, column)),
        }
    }
}

/// Columns that do not come from bins, by the name the caller gave them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Extra {
    pub key: Option<String>,
    pub generation: Option<String>,
    pub ttl: Option<String>,
}

impl Extra {
    pub fn new(
        key: Option<&Bound<'_, PyAny>>,
        generation: Option<&Bound<'_, PyAny>>,
        ttl: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let name = |what: &str, value: Option<&Bound<'_, PyAny>>| -> PyResult<Option<String>> {
            let Some(value) = value else { return Ok(None) };
            match value.cast::<PyString>() {
                Ok(name) => Ok(Some(name.to_str()?.to_owned())),
                Err(_) => Err(type_error(format!(
                    "{what} must be the name of a column, not {}",
                    type_name(value)
                ))),
            }
        };
        let extra = Self {
            key: name("key", key)?,
            generation: name("generation", generation)?,
            ttl: name("ttl", ttl)?,
        };
        let names: Vec<&String> = extra.all().into_iter().filter_map(|(_, name)| name).collect();
        for (at, name) in names.iter().enumerate() {
            if names[..at].contains(name) {
                return Err(value_error(format!(
                    "key, generation and ttl must be different columns, not {name:?} twice"
                )));
            }
        }
        Ok(extra)
    }

    /// The names alone.
    pub fn names(&self) -> (Option<&String>, Option<&String>, Option<&String>) {
        (self.key.as_ref(), self.generation.as_ref(), self.ttl.as_ref())
    }

    /// Each with the keyword it came from.
    pub fn all(&self) -> [(&'static str, Option<&String>); 3] {
        [
            ("key", self.key.as_ref()),
            ("generation", self.generation.as_ref()),
            ("ttl", self.ttl.as_ref()),
        ]
    }
}
