//! The JavaScript functions of `spikewire/cql` that are called from here.

use crate::js::{Failure, Function, Result, Value};

/// The JavaScript functions of `spikewire/cql` that are called from here.
#[derive(Debug)]
pub struct Hooks {
    /// `(kind, code, message, node, attempts, inDoubt, details, failedAttempts)`: creates an error.
    /// `details` has names and values, `failedAttempts` nodes and reasons, alternating.
    pub make_error: Function,
    /// `(names, types, keyspaces, tables, together, wide, conversion)`: creates the columns of a result and the functions that
    /// make its rows; see [`crate::environment::columns`].
    pub make_shape: Function,
    /// `(names)`: returns a function that makes objects with these properties.
    pub make_factory: Function,
    /// `(shape, rows, pagingState, nodeNumber, attempts, agreed, extras)`: creates a result; see
    /// [`crate::cql::rows`].
    pub make_rows: Function,
    /// `(number, text, id, names, types, partitionKey, warnings)`: creates a prepared statement.
    pub make_prepared: Function,
    /// `(value)`: the kind of an object; see [`crate::cql::value::sort`].
    pub classify: Function,
    /// `(value)`: the content of an object of a known kind.
    pub unwrap: Function,
    /// `(sort, content)`: the reverse of `unwrap`.
    pub wrap: Function,
    /// `(number, address)`: the number of a node's address in the arguments of the others.
    pub name_node: Function,
    /// `(nodeNumber, ...slots)`: resolves statements without rows.
    pub done: Function,
}

impl Hooks {
    /// The functions in the order of the fields.
    pub fn keep<'e>(mut functions: impl Iterator<Item = Value<'e>>) -> Result<Self> {
        let mut next = || {
            let function =
                functions.next().ok_or_else(|| Failure::of_type("a function is missing"))?;
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
            name_node: next()?,
            done: next()?,
        })
    }
}
