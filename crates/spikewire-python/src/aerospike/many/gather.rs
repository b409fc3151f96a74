//! Collects rows and their keys from Python objects.

use std::sync::Arc;

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyInt, PyIterator, PyList, PyString, PyTuple};

use spikewire_aerospike::Policy;
use spikewire_aerospike::command::batch::BatchBuilder;
use spikewire_aerospike::command::{CommandSpec, InvalidArgument};
use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::digests::Digests;
use spikewire_aerospike_protocol::key::Digest;

use super::plan::BatchCall;
use crate::aerospike::batch::{RowAnswers, RowReader};
use crate::aerospike::columns::source;
use crate::aerospike::key::{Address, Key, stored_key, with_user_key};
use crate::aerospike::space::Space;
use crate::aerospike::value::Codec;
use crate::bridge::python_code::PythonCode;
use crate::errors::{RequestError, about, invalid_argument, type_error, type_name};

/// Resolves a Python object to a key.
pub type Resolve<'a> = &'a dyn Fn(&Bound<'_, PyAny>) -> PyResult<Key>;

/// The full key from an address, for classes with a method `address`.
pub fn whole(address: PyResult<Address<'_>>) -> PyResult<Key> {
    address.map(Key::from)
}

/// The full keys for many user keys of one set, hashed several at a time.
pub fn keys(space: &Arc<Space>, keys: &Bound<'_, PyAny>) -> PyResult<Vec<Key>> {
    let mut all: Vec<Key> = Vec::new();
    let mut digests = Digests::default();
    each("keys", keys, |key| {
        let row = all.len();
        let full = if is_plain(&key) {
            if digests.is_full() {
                digests.flush(|row, digest| all[row].digest = digest);
            }
            with_user_key(&key, |user, _| {
                let digest = digests.add(&space.set, &user, row).unwrap_or(Digest([0; 20]));
                Key { space: space.clone(), user: key.clone().unbind(), digest }
            })
        } else {
            whole(Address::within(space, &key))
        };
        all.push(full.map_err(|error| at_row(key.py(), error, row))?);
        Ok(())
    })?;
    digests.flush(|row, digest| all[row].digest = digest);
    Ok(all)
}

/// Whether a key has one of the two types that most user keys have.
fn is_plain(key: &Bound<'_, PyAny>) -> bool {
    key.is_exact_instance_of::<PyInt>() || key.is_exact_instance_of::<PyString>()
}

/// Whether a key is bytes, of a type whose objects are read without running Python code.
fn is_bytes(key: &Bound<'_, PyAny>) -> bool {
    key.is_exact_instance_of::<PyBytes>() || key.is_exact_instance_of::<PyByteArray>()
}

/// Rows that are being collected.
pub(super) struct RowBuilder<'a> {
    resolve: Resolve<'a>,
    rows: BatchBuilder,
    keys: Vec<Key>,
    /// Namespace and set of plain user keys, once one has been resolved.
    home: Option<Arc<Space>>,
    /// Namespace and set of the latest key tuple.
    latest: Option<Arc<Space>>,
}

impl<'a> RowBuilder<'a> {
    pub fn new(resolve: Resolve<'a>) -> Self {
        Self { resolve, rows: BatchBuilder::default(), keys: Vec::new(), home: None, latest: None }
    }

    /// Reserves room for a row per key, if the number of keys is known.
    pub fn reserve(&mut self, keys: &Bound<'_, PyAny>) {
        let list = keys.cast_exact::<PyList>().map(PyListMethods::len);
        if let Ok(rows) = list.or_else(|_| keys.cast_exact::<PyTuple>().map(PyTupleMethods::len)) {
            self.keys.reserve(rows);
            self.rows.reserve(rows);
        }
    }

    /// The number of rows so far.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Records the key of the next row. Its digest may be computed later, because user keys are
    /// hashed several at a time.
    pub fn key(&mut self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let row = self.keys.len();
        self.key_of_row(key).map_err(|error| at_row(key.py(), error, row))
    }

    /// Like `key`, for callers that add the row's number to errors themselves.
    pub fn key_of_row(&mut self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let full = self.resolve_key(key)?;
        self.keys.push(full);
        Ok(())
    }

    fn resolve_key(&mut self, key: &Bound<'_, PyAny>) -> PyResult<Key> {
        if let Some(full) = self.named_alike(key)? {
            return Ok(full);
        }
        let alone =
            is_plain(key) || !key.is_instance_of::<Key>() && !key.is_instance_of::<PyTuple>();
        if alone && let Some(space) = &self.home {
            let user = with_user_key(key, |user, key| {
                self.rows.user_key(space, &user);
                key.clone().unbind()
            })?;
            return Ok(Key { space: space.clone(), user, digest: Digest([0; 20]) });
        }
        let full = (self.resolve)(key)?;
        self.rows.digest(full.digest);
        if alone {
            self.home = Some(full.space.clone());
        } else if key.is_instance_of::<PyTuple>() {
            self.latest = Some(full.space.clone());
        }
        Ok(full)
    }

    /// The key of a tuple `(namespace, set, key)` with the same names as the one before, so that
    /// only the user key needs checking. `None` if more is needed.
    fn named_alike(&mut self, key: &Bound<'_, PyAny>) -> PyResult<Option<Key>> {
        let Some(space) = &self.latest else { return Ok(None) };
        let Ok(parts) = key.cast::<PyTuple>() else { return Ok(None) };
        if parts.len() != 3 {
            return Ok(None);
        }
        let is = |at, name: &str| -> PyResult<bool> {
            let part = parts.get_borrowed_item(at)?;
            Ok(part.cast::<PyString>().is_ok_and(|part| part.to_str().is_ok_and(|it| it == name)))
        };
        let user = parts.get_item(2)?;
        let fits = is_plain(&user) || is_bytes(&user);
        if !fits || !is(0, &space.namespace)? || !is(1, &space.set)? {
            return Ok(None);
        }
        let user = with_user_key(&user, |user, constant| {
            self.rows.user_key(space, &user);
            constant.clone().unbind()
        })?;
        Ok(Some(Key { space: space.clone(), user, digest: Digest([0; 20]) }))
    }

    /// The set of the row whose key was recorded last.
    pub fn space(&self) -> Option<&Arc<Space>> {
        self.keys.last().map(|key| &key.space)
    }

    /// Adds a row that is treated like the others.
    pub fn alike(
        &mut self,
        key: &Bound<'_, PyAny>,
        spec: &CommandSpec,
        write: impl FnOnce(&mut Kind) -> Result<(), InvalidArgument>,
    ) -> PyResult<()> {
        self.key(key)?;
        let (space, stored) = place(key.py(), &self.keys, spec.send_key)?;
        self.rows.alike(spec, space, stored.as_deref(), write).map_err(invalid_argument)
    }

    /// Adds a row that does this to the record whose key was recorded. If `likely`, equal
    /// neighbours share the description.
    pub fn row<E: From<InvalidArgument>>(
        &mut self,
        py: Python<'_>,
        spec: &CommandSpec,
        likely: bool,
        write: impl FnOnce(&mut Kind) -> Result<(), E>,
    ) -> PyResult<()>
    where
        RequestError: From<E>,
    {
        let (space, stored) = place(py, &self.keys, spec.send_key)?;
        let row = self.rows.row(spec, space, stored.as_deref(), likely, write);
        Ok(row.map_err(RequestError::from)?)
    }

    pub fn finish(
        self,
        policy: Policy,
        codec: Option<Arc<Codec>>,
        answers: RowAnswers,
    ) -> BatchCall {
        let mut keys = self.keys;
        let rows = self.rows.finish(policy, |row, digest| keys[row].digest = *digest);
        let reader = RowReader { keys, answers, codec, buffers: false };
        BatchCall { rows, plan: reader.into() }
    }
}

/// The set of the row whose key was recorded last, and its user key if that is sent.
fn place<'k>(
    py: Python<'_>,
    keys: &'k [Key],
    send_key: bool,
) -> PyResult<(&'k Arc<Space>, Option<Vec<u8>>)> {
    let key = keys.last().expect("a row begins with its key");
    let stored = if send_key { stored_key(key.user.bind(py))? } else { None };
    Ok((&key.space, stored))
}

/// Adds the number of a row to an error.
pub(super) fn at_row(py: Python<'_>, error: PyErr, row: usize) -> PyErr {
    about(py, error, &format!("row {row}"))
}

/// Calls a function for each item of a list, tuple, generator or other iterable. A `str` is
/// refused.
pub(super) fn each<'py>(
    what: &str,
    items: &Bound<'py, PyAny>,
    mut visit: impl FnMut(Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    let _code = PythonCode::enter(items.py());
    let column = source::keys(items)?;
    let items = column.as_ref().map_or(items, Bound::as_any);
    let text = items.is_instance_of::<PyString>() || items.is_instance_of::<PyBytes>();
    let items: Bound<'py, PyIterator> = match items.try_iter() {
        Ok(items) if !text => items,
        _ => {
            return Err(type_error(format!(
                "{what} must be an iterable, such as a list, not {}",
                type_name(items)
            )));
        }
    };
    for (number, item) in items.enumerate() {
        if number >= ROWS_BEFORE_CHECK && number.is_power_of_two() {
            check_memory(number)?;
        }
        visit(item?)?;
    }
    Ok(())
}

/// From how many rows on it is checked whether there is memory for as many again.
const ROWS_BEFORE_CHECK: usize = 1 << 16;
/// The memory that a row takes at most while vectors grow, unless its values are large.
const ROW_SIZE: usize = 1024;

/// Fails if there is no memory for so many further rows, for example with an endless iterator: a
/// vector that cannot grow would end the process.
#[cold]
fn check_memory(rows: usize) -> PyResult<()> {
    let room = rows.checked_mul(ROW_SIZE).map(|size| Vec::<u8>::new().try_reserve_exact(size));
    match room {
        Some(Ok(())) => Ok(()),
        _ => Err(PyMemoryError::new_err(format!(
            "no memory for more than {rows} rows in one call: does the iterator end?"
        ))),
    }
}
