//! The functions of `spikewire/cql` that are called from here.

use crate::js::{Failure, Function, Result, Value};

/// The functions of `spikewire/cql` that are called from here.
#[derive(Debug)]
pub struct Hooks {
    /// `(kind, code, message, node, attempts, inDoubt, details, failedAttempts)`: an error; details are
    /// names and values in turns, failed attempts nodes and reasons.
    pub make_error: Function,
    /// `(names, types, keyspaces, tables)`: the columns of a result, and what makes its rows; see
    /// [`super::shapes`].
    pub make_shape: Function,
    /// `(names)`: what makes objects of these properties.
    pub make_factory: Function,
    /// `(shape, rows, pagingState, node, attempts, agreed, extras)`: a result; see [`super::rows`].
    pub make_rows: Function,
    /// `(number, text, id, names, types, partitionKey, warnings)`: a prepared statement.
    pub make_prepared: Function,
    /// `(value)`: what sort of object it is; see [`super::value::sort`].
    pub classify: Function,
    /// `(value)`: the content of what was classified.
    pub unwrap: Function,
    /// `(sort, content)`: the reverse.
    pub wrap: Function,
}

impl Hooks {
    /// The functions in the order of the fields.
    pub fn keep<'e>(mut given: impl Iterator<Item = Value<'e>>) -> Result<Self> {
        let mut next = || {
            let function = given.next().ok_or_else(|| Failure::of_type("a function is missing"))?;
            Function::keep(function)
        };
        Ok(Self {
            make_error: next()?,
            make_shape: next()?,
            make_factory: next()?,
            make_rows: next()?,
            make_prepared: next()?,
            classify: next()?,
            unwrap: next()?,
            wrap: next()?,
        })
    }
}
