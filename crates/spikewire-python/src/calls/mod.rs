//! List, map, bit and sketch operations by their Python names, made from the arguments of
//! `spikewire.op` and of `spikewire.exp` alike.
//!
//! Python passes the name and the arguments in a fixed order; what an argument becomes is up to a
//! [`Source`]: bytes for an operation, a part of the tree for an expression.
//!
//! | module | what it holds |
//! |---|---|
//! | [`cdt`] | lists and maps |
//! | [`bytes`] | bits and sketches |
//! | [`context`] | the path to a nested list or map |

pub mod bytes;
pub mod cdt;
pub mod context;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString, PyTuple};

use spikewire_protocol::cdt::Argument;

use crate::errors::{shown, type_error, type_name, value_error};

/// Arguments, taken in order.
pub struct Cursor<'py> {
    arguments: Bound<'py, PyTuple>,
    at: usize,
    /// The names of what was taken and whether it is an option, when somebody asks.
    names: Option<Vec<(&'static str, bool)>>,
}

impl<'py> Cursor<'py> {
    pub fn new(arguments: &Bound<'py, PyTuple>) -> Self {
        Self { arguments: arguments.clone(), at: 0, names: None }
    }

    /// One that keeps the names of what is taken.
    pub fn naming(arguments: &Bound<'py, PyTuple>) -> Self {
        Self { names: Some(Vec::new()), ..Self::new(arguments) }
    }

    pub fn names(self) -> Vec<(&'static str, bool)> {
        self.names.unwrap_or_default()
    }

    /// Takes an argument that must be given.
    pub fn take(&mut self, name: &'static str) -> PyResult<Bound<'py, PyAny>> {
        self.next(name, false)
    }

    fn next(&mut self, name: &'static str, option: bool) -> PyResult<Bound<'py, PyAny>> {
        if let Some(names) = &mut self.names {
            names.push((name, option));
        }
        self.at += 1;
        let missing = |_| type_error(format!("the argument {name} is missing"));
        self.arguments.get_item(self.at - 1).map_err(missing)
    }

    /// Takes an argument that may be `None`.
    fn optional(&mut self, name: &'static str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(Some(self.next(name, true)?).filter(|value| !value.is_none()))
    }

    fn end(&self) -> PyResult<()> {
        let (taken, given) = (self.at, self.arguments.len());
        if taken == given {
            return Ok(());
        }
        Err(type_error(format!("{taken} arguments are wanted and {given} were given")))
    }
}

/// What arguments become.
pub trait Source<'py> {
    /// What values become.
    type Value: Argument;
    /// What indexes, ranks, counts and other numbers become.
    type Number: Argument;

    fn cursor(&mut self) -> &mut Cursor<'py>;
    fn make_value(&mut self, name: &str, value: &Bound<'py, PyAny>) -> PyResult<Self::Value>;
    fn make_key(&mut self, name: &str, key: &Bound<'py, PyAny>) -> PyResult<Self::Value>;
    fn make_list(&mut self, name: &str, items: &Bound<'py, PyAny>) -> PyResult<Self::Value>;
    fn make_map(&mut self, name: &str, pairs: &Bound<'py, PyAny>) -> PyResult<Self::Value>;
    fn make_bytes(&mut self, name: &str, bytes: &Bound<'py, PyAny>) -> PyResult<Self::Value>;
    fn make_sketches(&mut self, name: &str, all: &Bound<'py, PyAny>) -> PyResult<Self::Value>;
    fn make_number(&mut self, name: &str, number: &Bound<'py, PyAny>) -> PyResult<Self::Number>;

    fn value(&mut self, name: &'static str) -> PyResult<Self::Value> {
        let value = self.cursor().take(name)?;
        self.make_value(name, &value)
    }

    fn optional_value(&mut self, name: &'static str) -> PyResult<Option<Self::Value>> {
        let value = self.cursor().optional(name)?;
        value.map(|value| self.make_value(name, &value)).transpose()
    }

    fn key(&mut self, name: &'static str) -> PyResult<Self::Value> {
        let key = self.cursor().take(name)?;
        self.make_key(name, &key)
    }

    fn list(&mut self, name: &'static str) -> PyResult<Self::Value> {
        let items = self.cursor().take(name)?;
        self.make_list(name, &items)
    }

    fn map(&mut self, name: &'static str) -> PyResult<Self::Value> {
        let pairs = self.cursor().take(name)?;
        self.make_map(name, &pairs)
    }

    fn bytes(&mut self, name: &'static str) -> PyResult<Self::Value> {
        let bytes = self.cursor().take(name)?;
        self.make_bytes(name, &bytes)
    }

    fn sketches(&mut self, name: &'static str) -> PyResult<Self::Value> {
        let all = self.cursor().take(name)?;
        self.make_sketches(name, &all)
    }

    fn number(&mut self, name: &'static str) -> PyResult<Self::Number> {
        let number = self.cursor().take(name)?;
        self.make_number(name, &number)
    }

    fn optional_number(&mut self, name: &'static str) -> PyResult<Option<Self::Number>> {
        let number = self.cursor().optional(name)?;
        number.map(|number| self.make_number(name, &number)).transpose()
    }

    /// True or false.
    fn flag(&mut self, name: &'static str) -> PyResult<bool> {
        let flag = self.cursor().next(name, true)?;
        match flag.cast::<PyBool>() {
            Ok(flag) => Ok(flag.is_true()),
            Err(_) => Err(type_error(format!("{name} must be bool, not {}", type_name(&flag)))),
        }
    }

    /// Flags of these names, as the sum of their numbers.
    fn flags(&mut self, known: &[(&'static str, i64)]) -> PyResult<i64> {
        known
            .iter()
            .try_fold(0, |sum, (name, number)| Ok(sum | if self.flag(name)? { *number } else { 0 }))
    }

    /// The number of a word; `None` stands for 0 where it is allowed.
    fn word(&mut self, name: &'static str, known: &[(&str, i64)], none: bool) -> PyResult<i64> {
        self.word_but(name, known, none, |_| false)
    }

    /// The same, without the words whose number is refused.
    fn word_but(
        &mut self,
        name: &'static str,
        known: &[(&str, i64)],
        none: bool,
        refused: impl Fn(i64) -> bool,
    ) -> PyResult<i64> {
        let known = known.iter().filter(|(_, number)| !refused(*number));
        let word = self.cursor().next(name, true)?;
        if none && word.is_none() {
            return Ok(0);
        }
        let found = match word.cast::<PyString>() {
            Ok(text) => {
                let text = text.to_str()?;
                known.clone().find(|(known, _)| *known == text)
            }
            Err(_) => {
                return Err(type_error(format!("{name} must be str, not {}", type_name(&word))));
            }
        };
        found.map(|(_, number)| *number).ok_or_else(|| {
            let known: Vec<_> = known.map(|(known, _)| format!("'{known}'")).collect();
            value_error(format!("{name} must be {}, got {}", one_of(&known), shown(&word)))
        })
    }

    /// Refuses arguments that nobody asked for.
    fn end(&mut self) -> PyResult<()> {
        self.cursor().end()
    }
}

/// `a, b or c`.
fn one_of(words: &[String]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    }
}
