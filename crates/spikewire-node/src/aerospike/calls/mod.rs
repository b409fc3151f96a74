//! The arguments of list, map, bit and HyperLogLog operations, passed in an array in the order of
//! the operation's signature. Both that order and the encoding come from the table in
//! `tools/verbs`, by way of [`spikewire_aerospike_protocol::operation`].
//!
//! | module | what it holds |
//! |---|---|
//! | here | flags, words and other common arguments |
//! | [`values`] | the values of operations |
//! | [`context`] | the path to a nested list or map |
//! | [`encoded`] | the encoded bytes of `Operation`, `Expression` and `Step` |

pub mod context;
pub mod encoded;
pub mod values;

use std::borrow::Cow;

use spikewire_aerospike_protocol::expression::Fault;
use spikewire_aerospike_protocol::operation::{Arguments, Words, number_of};

use crate::arguments::{count, flag, text};
use crate::hooks::Hooks;
use crate::js::failure::camel;
use crate::js::{Failure, Result, Value};

/// The arguments of one operation.
#[derive(Debug)]
pub struct OperationArguments<'e, 'a> {
    pub hooks: &'a Hooks,
    values: Vec<Value<'e>>,
}

impl<'e, 'a> OperationArguments<'e, 'a> {
    /// The arguments in an array.
    pub fn new(hooks: &'a Hooks, values: Value<'e>) -> Result<Self> {
        Ok(Self { hooks, values: elements(values)? })
    }

    /// The argument at an index.
    pub fn get(&self, at: usize) -> Result<Value<'e>> {
        let missing = || Fault::Type(format!("there is no argument {at}"));
        Ok(*self.values.get(at).ok_or_else(missing)?)
    }
}

impl Arguments for OperationArguments<'_, '_> {
    type Error = Failure;

    fn count(&self) -> usize {
        self.values.len()
    }

    fn is_absent(&self, at: usize) -> bool {
        self.values.get(at).is_none_or(|value| value.is_absent())
    }

    fn bits(&self, at: usize, name: &'static str, bounds: (i64, i64)) -> Result<i64> {
        let bounds = (bounds.0 as u64, bounds.1 as u64);
        Ok(count(&spelled(name), self.get(at)?, bounds)? as i64)
    }

    fn flag(&self, at: usize, name: &'static str) -> Result<bool> {
        let value = self.get(at)?;
        value.boolean().map_or_else(|| flag(&spelled(name), value), Ok)
    }

    fn word(&self, at: usize, name: &'static str, known: &Words) -> Result<i64> {
        let word = text(&spelled(name), self.get(at)?)?;
        Ok(number_of(known, name, &word)?)
    }
}

/// A name of the table in camelCase.
fn spelled(name: &str) -> Cow<'_, str> {
    if name.contains('_') { camel(name).into() } else { name.into() }
}

/// The elements of an array.
pub fn elements(array: Value<'_>) -> Result<Vec<Value<'_>>> {
    (0..array.len()?).map(|at| array.element(at)).collect()
}
