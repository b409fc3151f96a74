//! The arguments of list, map, bit and sketch operations, as Python passes them: in a tuple, in
//! the order of the operation's signature. Both that order and what is made of the arguments come
//! from the table in `tools/verbs`, by way of [`spikewire_protocol::operation`].
//!
//! | module | what it holds |
//! |---|---|
//! | [`context`] | the path to a nested list or map |

pub mod context;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyString, PyTuple};

use spikewire_protocol::operation::{self, Words};

use crate::arguments::count;
use crate::errors::{shown, type_error, type_name, value_error};

/// The arguments of one operation.
pub struct Arguments<'a, 'py>(pub &'a Bound<'py, PyTuple>);

impl<'py> Arguments<'_, 'py> {
    pub fn count(&self) -> usize {
        self.0.len()
    }

    pub fn get(&self, at: usize) -> PyResult<Bound<'py, PyAny>> {
        self.0.get_item(at)
    }

    pub fn is_absent(&self, at: usize) -> bool {
        self.0.get_borrowed_item(at).is_ok_and(|value| value.is_none())
    }

    pub fn bits(&self, at: usize, name: &str, bounds: (i64, i64)) -> PyResult<i64> {
        Ok(count(name, &self.get(at)?, bounds.0 as u64, bounds.1 as u64)? as i64)
    }

    pub fn flag(&self, at: usize, name: &str) -> PyResult<bool> {
        let flag = self.0.get_borrowed_item(at)?;
        match flag.cast::<PyBool>() {
            Ok(flag) => Ok(flag.is_true()),
            Err(_) => Err(type_error(format!("{name} must be bool, not {}", type_name(&flag)))),
        }
    }

    pub fn word(&self, at: usize, name: &str, known: &Words) -> PyResult<i64> {
        let word = self.0.get_borrowed_item(at)?;
        let Ok(text) = word.cast::<PyString>() else {
            return Err(type_error(format!("{name} must be str, not {}", type_name(&word))));
        };
        operation::word(known, text.to_str()?).ok_or_else(|| {
            let known = operation::one_of(known);
            value_error(format!("{name} must be {known}, got {}", shown(&word)))
        })
    }
}
