//! Rows being gathered: keys and their digests, and which rows are of the same kind.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyIterator, PyString, PyTuple};

use spikewire_engine::Policy;
use spikewire_engine::clock::Tick;
use spikewire_engine::command::batch::{Batch as Rows, RowKind};
use spikewire_protocol::batch;
use spikewire_protocol::digests::Digests;
use spikewire_protocol::key::Digest;
use spikewire_protocol::message::field;

use super::plan::{Answered, ManyCall, ManyPlan};
use crate::columns::source;
use crate::errors::{about, too_large, type_error, type_name};
use crate::key::Key;
use crate::space::{Address, Space, with_user_key};
use crate::value::Codec;
use crate::verbs::options::Outline;

/// Makes a key of what Python gives.
pub type Resolve<'a> = &'a dyn Fn(&Bound<'_, PyAny>) -> PyResult<Key>;

/// A whole key from an address, for the classes that offer `address`.
pub fn whole(address: PyResult<Address<'_>>) -> PyResult<Key> {
    address.map(Key::from)
}

/// Rows being gathered.
pub(super) struct Gather<'a> {
    resolve: Resolve<'a>,
    kinds: Vec<RowKind>,
    /// The space of each kind, as long as kinds are shared by the rows of a space.
    spaces: Vec<Arc<Space>>,
    keys: Vec<Key>,
    numbers: Vec<u32>,
    /// Where user keys by themselves belong, once one of them was resolved.
    home: Option<Arc<Space>>,
    /// Those of them that wait for their digests.
    digests: Digests,
}

impl<'a> Gather<'a> {
    pub fn new(resolve: Resolve<'a>) -> Self {
        Self {
            resolve,
            kinds: vec![],
            spaces: vec![],
            keys: vec![],
            numbers: vec![],
            home: None,
            digests: Digests::default(),
        }
    }

    /// Rows so far.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// A key whose digest may still be to come: user keys are hashed several at a time.
    pub fn key(&mut self, key: &Bound<'_, PyAny>) -> PyResult<Key> {
        if self.digests.is_full() {
            self.hash();
        }
        let row = self.keys.len();
        // What most keys are is told at a glance.
        let plain = key.is_exact_instance_of::<PyInt>() || key.is_exact_instance_of::<PyString>();
        let alone = plain || !key.is_instance_of::<Key>() && !key.is_instance_of::<PyTuple>();
        let found = match &self.home {
            Some(space) if alone => {
                with_user_key(key, |user| self.digests.add(&space.set, &user, row)).map(|digest| {
                    let digest = digest.unwrap_or(Digest([0; 20]));
                    Key { space: space.clone(), user: key.clone().unbind(), digest }
                })
            }
            _ => (self.resolve)(key),
        };
        let found = found.map_err(|error| at_row(key.py(), error, row))?;
        if alone && self.home.is_none() {
            self.home = Some(found.space.clone());
        }
        Ok(found)
    }

    fn hash(&mut self) {
        let Self { digests, keys, .. } = self;
        digests.flush(|row, digest| keys[row].digest = digest);
    }

    /// Adds a row that is treated like the others: it shares its kind with those of its space,
    /// unless its user key goes along.
    pub fn add(
        &mut self,
        key: &Bound<'_, PyAny>,
        outline: &Outline,
        compose: impl FnOnce(&mut batch::Kind) -> PyResult<()>,
    ) -> PyResult<()> {
        let py = key.py();
        let key = self.key(key)?;
        if outline.send_key {
            let made = kind(py, &key, outline, compose)?;
            self.own(key, made);
            return Ok(());
        }
        let known = self
            .spaces
            .iter()
            .rposition(|space| Arc::ptr_eq(space, &key.space) || space.same_as(&key.space));
        let number = if let Some(number) = known {
            number
        } else {
            self.kinds.push(kind(py, &key, outline, compose)?);
            self.spaces.push(key.space.clone());
            self.kinds.len() - 1
        };
        self.numbers.push(number as u32);
        self.keys.push(key);
        Ok(())
    }

    /// Adds a row that shares the kind of the row before where they are equal.
    pub fn like_the_last(&mut self, key: Key, kind: RowKind) {
        let same = self.kinds.last().is_some_and(|last| {
            last.row == kind.row && last.write == kind.write && last.replica == kind.replica
        });
        if same {
            self.numbers.push(self.kinds.len() as u32 - 1);
            self.keys.push(key);
        } else {
            self.own(key, kind);
        }
    }

    /// Adds a row with a kind of its own.
    pub fn own(&mut self, key: Key, kind: RowKind) {
        self.numbers.push(self.kinds.len() as u32);
        self.kinds.push(kind);
        self.keys.push(key);
    }

    pub fn finish(
        mut self,
        policy: Policy,
        codec: Option<Arc<Codec>>,
        answered: Answered,
    ) -> ManyCall {
        self.hash();
        let rows = self.keys.iter().map(|key| key.digest).zip(self.numbers);
        let rows = Rows::new(self.kinds, rows, policy, Tick::now());
        let plan = ManyPlan { answered, codec, ..ManyPlan::of(self.keys) };
        ManyCall { rows, plan }
    }
}

/// Says which row an error is about.
pub(super) fn at_row(py: Python<'_>, error: PyErr, row: usize) -> PyErr {
    about(py, error, &format!("row {row}"))
}

pub(super) fn kind(
    py: Python<'_>,
    key: &Key,
    outline: &Outline,
    compose: impl FnOnce(&mut batch::Kind) -> PyResult<()>,
) -> PyResult<RowKind> {
    let space = &key.space;
    let mut row = batch::Kind::new(&outline.header, &space.fields);
    if let Some(filter) = &outline.filter {
        row.field(field::FILTER, filter);
    }
    if outline.send_key {
        stored_key(py, key, &mut row)?;
    }
    compose(&mut row)?;
    row.finish().map_err(too_large)?;
    let (namespace, replica) = (space.namespace.clone(), outline.policy.replica);
    Ok(RowKind { row, namespace, write: outline.write, replica })
}

/// Walks a list, tuple, generator or any other iterable, but not text.
pub(super) fn each<'py>(
    what: &str,
    items: &Bound<'py, PyAny>,
    mut visit: impl FnMut(Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
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
    for item in items {
        visit(item?)?;
    }
    Ok(())
}

fn stored_key(py: Python<'_>, key: &Key, out: &mut batch::Kind) -> PyResult<()> {
    let user = key.user.bind(py);
    if user.is_none() {
        return Ok(());
    }
    let mut data = Vec::with_capacity(16);
    with_user_key(user, |user| user.encode(&mut data))?;
    out.field(field::KEY, &data);
    Ok(())
}
