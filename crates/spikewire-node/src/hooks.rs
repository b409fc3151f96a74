//! The package's own JavaScript functions that are called from here.

use std::cell::OnceCell;

use crate::cql::hooks as cql;
use crate::js::{Failure, Function, Result, Value};

/// The package's own JavaScript functions that are called from here.
#[derive(Debug)]
pub struct Hooks {
    /// `(slot, value)`: a call has succeeded.
    pub settle: Function,
    /// `(slot, error)`: a call has failed.
    pub fail: Function,
    /// `(...slots)`: these calls have succeeded without a value.
    pub done: Function,
    /// `(kind, code, message, node, attempts, inDoubt)`: an error of the package.
    pub make_error: Function,
    /// `(names)`: what makes records of these bins, `(generation, ttl, ...values)`.
    pub make_factory: Function,
    /// `(generation, ttl, names, values, results)`: a record of any bins.
    pub make_record: Function,
    /// `(codes, inDoubt)`: a batch; `null` where no row is in doubt. See [`crate::batch`].
    pub make_batch: Function,
    /// `(names, results, most)`: what makes so many records of a batch at once, of these bins, with
    /// so many results, or `null`:
    /// `(batch, found, from, count, ...values)`.
    pub make_rows: Function,
    /// `(batch, row, error)`: a row of a batch has failed.
    pub fail_row: Function,
    /// `(value)`: what sort of object it is; see [`crate::value::classify`].
    pub classify: Function,
    /// `(value)`: the content of what was classified.
    pub unwrap: Function,
    /// `(sort, content)`: the reverse.
    pub wrap: Function,
    /// Those of `spikewire/cql`, once that is loaded.
    pub cql: OnceCell<cql::Hooks>,
}

impl Hooks {
    /// The functions of `spikewire/cql`.
    #[inline]
    pub fn cql(&self) -> Result<&cql::Hooks> {
        self.cql.get().ok_or_else(|| Failure::of_type("spikewire/cql is not set up"))
    }

    /// The functions in the order of the fields.
    pub fn keep<'e>(mut given: impl Iterator<Item = Value<'e>>) -> Result<Self> {
        let mut next = || {
            let function = given.next().ok_or_else(|| Failure::of_type("a function is missing"))?;
            Function::keep(function)
        };
        Ok(Self {
            settle: next()?,
            fail: next()?,
            done: next()?,
            make_error: next()?,
            make_factory: next()?,
            make_record: next()?,
            make_batch: next()?,
            make_rows: next()?,
            fail_row: next()?,
            classify: next()?,
            unwrap: next()?,
            wrap: next()?,
            cql: OnceCell::new(),
        })
    }
}
