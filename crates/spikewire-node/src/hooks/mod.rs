//! The package's own JavaScript functions that are called from here.

pub mod cql;

use std::cell::OnceCell;

use crate::js::{Failure, Function, Result, Value};

/// The package's own JavaScript functions that are called from here.
#[derive(Debug)]
pub struct Hooks {
    /// `(slot, value)`: resolves a call.
    pub settle: Function,
    /// `(slot, error)`: rejects a call.
    pub fail: Function,
    /// `(...slots)`: resolves calls that have no value.
    pub done: Function,
    /// `(kind, code, message, node, attempts, inDoubt)`: creates an error of the package.
    pub make_error: Function,
    /// `(names)`: returns a function that makes records with these bins, `(generation, ttl,
    /// ...values)`.
    pub make_factory: Function,
    /// `(generation, ttl, names, values, results)`: creates a record with any bins.
    pub make_record: Function,
    /// `(codes, inDoubt)`: creates a batch; `null` if no row is in doubt. See
    /// [`crate::aerospike::batch`].
    pub make_batch: Function,
    /// `(names, results, most)`: returns a function that makes up to `most` records of a batch with
    /// these bins and this number of results (or `null`): `(batch, found, from, count, ...values)`.
    pub make_rows: Function,
    /// `(batch, row, error)`: marks a row of a batch as failed.
    pub fail_row: Function,
    /// `(value)`: the kind of an object; see [`crate::aerospike::value::classify`].
    pub classify: Function,
    /// `(value)`: the content of an object of a known kind.
    pub unwrap: Function,
    /// `(sort, content)`: the reverse of `unwrap`.
    pub wrap: Function,
    /// `(slot)`: a call is settled in the next turn of the event loop.
    pub postpone: Function,
    /// `(number)`: `handedOver(number)` is to be called where tasks continue that wait for the call
    /// that is settled next.
    pub hand_over: Function,
    /// The functions of `spikewire/cql`, once that is loaded.
    pub cql: OnceCell<cql::Hooks>,
}

impl Hooks {
    /// The functions of `spikewire/cql`.
    #[inline]
    pub fn cql(&self) -> Result<&cql::Hooks> {
        self.cql.get().ok_or_else(|| Failure::of_type("spikewire/cql is not set up"))
    }

    /// The functions in the order of the fields.
    pub fn keep<'e>(mut functions: impl Iterator<Item = Value<'e>>) -> Result<Self> {
        let mut next = || {
            let function =
                functions.next().ok_or_else(|| Failure::of_type("a function is missing"))?;
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
            postpone: next()?,
            hand_over: next()?,
            cql: OnceCell::new(),
        })
    }
}
