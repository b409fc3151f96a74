//! The arguments of list, map, bit and sketch operations. Python passes them in a tuple, in the
//! order of the operation's signature. That order, and how the arguments are converted, come from
//! the table in `tools/verbs` by way of [`spikewire_aerospike_protocol::operation`].
//!
//! | module | contents |
//! |---|---|
//! | [`context`] | the path to a nested list or map |
//! | `packer` | values of arguments, encoded |

pub mod context;
mod packer;

pub use packer::integer;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};

use spikewire_aerospike_protocol::operation::{Arguments, Words, number_of};

use crate::aerospike::arguments::count;
use crate::arguments::text;
use crate::errors::{RequestError, type_error, type_name};

/// The arguments of one operation.
pub struct CallArguments<'a, 'py>(pub &'a Bound<'py, PyTuple>);

impl<'py> CallArguments<'_, 'py> {
    /// The argument at this position.
    pub fn get(&self, at: usize) -> PyResult<Bound<'py, PyAny>> {
        self.0.get_item(at)
    }
}

impl Arguments for CallArguments<'_, '_> {
    type Error = RequestError;

    fn count(&self) -> usize {
        self.0.len()
    }

    fn is_absent(&self, at: usize) -> bool {
        self.0.get_borrowed_item(at).is_ok_and(|value| value.is_none())
    }

    fn bits(&self, at: usize, name: &'static str, bounds: (i64, i64)) -> Result<i64, RequestError> {
        Ok(count(name, &self.get(at)?, bounds.0 as u64, bounds.1 as u64)? as i64)
    }

    fn flag(&self, at: usize, name: &'static str) -> Result<bool, RequestError> {
        let flag = self.0.get_borrowed_item(at)?;
        match flag.cast::<PyBool>() {
            Ok(flag) => Ok(flag.is_true()),
            Err(_) => {
                Err(type_error(format!("{name} must be bool, not {}", type_name(&flag))).into())
            }
        }
    }

    fn word(&self, at: usize, name: &'static str, known: &Words) -> Result<i64, RequestError> {
        let word = self.0.get_borrowed_item(at)?;
        Ok(number_of(known, name, text(name, &word)?)?)
    }
}
