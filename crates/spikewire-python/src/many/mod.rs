//! The verbs on many records: one call, one result, in input order. Those that mix reads and
//! writes are in [`mixed`].

pub mod mixed;

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt, PyIterator, PyMapping, PyString, PyTuple};

use spikewire_engine::Policy;
use spikewire_engine::clock::Tick;
use spikewire_engine::command::batch::{Batch as Rows, RowKind};
use spikewire_protocol::batch;
use spikewire_protocol::digests::Digests;
use spikewire_protocol::key::Digest;
use spikewire_protocol::message::{field, info2, op};

use crate::call::Answers;
use crate::columns::Filling;
use crate::columns::source::{self, Choice, Table, Windows};
use crate::errors::{about, type_error, type_name, value_error};
use crate::key::Key;
use crate::space::{Address, Space, with_user_key};
use crate::value::Codec;
use crate::verbs::options::{Defaults, Outline, ReadOptions, ReadRules, WriteOptions};
use crate::verbs::single::{looking, reading};
use crate::verbs::{Function, Operations, Steps, write_bins};

/// A composed batch: what is sent, and what its answers become.
pub struct ManyCall {
    pub rows: Rows,
    pub plan: ManyPlan,
}

impl ManyCall {
    /// Whether bytes are to come as views of the replies.
    pub fn with_buffers(mut self, buffers: bool) -> Self {
        self.plan.buffers = buffers;
        self
    }
}

/// What the answers become.
pub struct ManyPlan {
    pub keys: Vec<Key>,
    pub answered: Answered,
    /// What reads the bins.
    pub codec: Option<Arc<Codec>>,
    /// Whether bytes come as views of the replies.
    pub buffers: bool,
    /// For tables: the rows that are still to be sent.
    pub more: Option<Box<Windows>>,
    /// The outcomes of those that were.
    pub done: Option<Rows>,
    /// For `get_numpy`: the array that the records go to.
    pub array: Option<Box<Filling>>,
}

/// Which operations of a row have an answer of their own, for rows that are made of operations.
pub enum Answered {
    /// No row is.
    None,
    /// All rows are, of the same ones.
    Same(Answers),
    /// Each as it says.
    Each(Vec<Option<Answers>>),
}

impl Answered {
    pub fn of(&self, row: usize) -> Option<&Answers> {
        match self {
            Self::None => None,
            Self::Same(answers) => Some(answers),
            Self::Each(rows) => rows[row].as_ref(),
        }
    }
}

/// Rows being gathered.
struct Gather<'a> {
    resolve: &'a dyn Fn(&Bound<'_, PyAny>) -> PyResult<Key>,
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
    fn new(resolve: &'a dyn Fn(&Bound<'_, PyAny>) -> PyResult<Key>) -> Self {
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

    /// A key whose digest may still be to come: user keys are hashed several at a time.
    fn key(&mut self, key: &Bound<'_, PyAny>) -> PyResult<Key> {
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
    fn add(
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
    fn like_the_last(&mut self, key: Key, kind: RowKind) {
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
    fn own(&mut self, key: Key, kind: RowKind) {
        self.numbers.push(self.kinds.len() as u32);
        self.kinds.push(kind);
        self.keys.push(key);
    }

    fn finish(mut self, policy: Policy, codec: Option<Arc<Codec>>, answered: Answered) -> ManyCall {
        self.hash();
        let rows = self.keys.iter().map(|key| key.digest).zip(self.numbers);
        let rows = Rows::new(self.kinds, rows, policy, Tick::now());
        let plan = ManyPlan { answered, codec, ..ManyPlan::of(self.keys) };
        ManyCall { rows, plan }
    }
}

/// Says which row an error is about.
fn at_row(py: Python<'_>, error: PyErr, row: usize) -> PyErr {
    about(py, error, &format!("row {row}"))
}

fn kind(
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
    row.finish();
    let (namespace, replica) = (space.namespace.clone(), outline.policy.replica);
    Ok(RowKind { row, namespace, write: outline.write, replica })
}

/// Walks a list, tuple, generator or any other iterable, but not text.
fn each<'py>(
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

pub type Resolve<'a> = &'a dyn Fn(&Bound<'_, PyAny>) -> PyResult<Key>;

pub fn get<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    bins: Option<&Bound<'py, PyAny>>,
    options: &ReadOptions<'py>,
) -> PyResult<ManyCall> {
    let (header, names) = reading(bins)?;
    let outline = options.outline(defaults, header)?;
    let mut rows = Gather::new(resolve);
    each("keys", keys, |key| {
        rows.add(&key, &outline, |out| {
            names.iter().for_each(|name| Operations::op(out, op::READ, name.as_bytes()));
            Ok(())
        })
    })?;
    Ok(rows.finish(outline.policy, outline.codec.clone(), Answered::None))
}

pub fn exists<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    options: &ReadOptions<'py>,
) -> PyResult<ManyCall> {
    let outline = options.outline(defaults, looking())?;
    alike(resolve, keys, &outline)
}

pub fn delete<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
) -> PyResult<ManyCall> {
    let mut outline = options.outline(defaults)?;
    outline.header.info2 |= info2::DELETE;
    alike(resolve, keys, &outline)
}

/// Rows that are all of one kind and need no operations.
fn alike(resolve: Resolve<'_>, keys: &Bound<'_, PyAny>, outline: &Outline) -> PyResult<ManyCall> {
    let mut rows = Gather::new(resolve);
    each("keys", keys, |key| rows.add(&key, outline, |_| Ok(())))?;
    Ok(rows.finish(outline.policy, outline.codec.clone(), Answered::None))
}

/// Calls a function on many records.
pub fn apply<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    function: &Function,
    options: &WriteOptions<'py>,
) -> PyResult<ManyCall> {
    let mut outline = options.outline(defaults)?;
    outline.header.info2 |= info2::RESPOND_ALL_OPS;
    let mut rows = Gather::new(resolve);
    each("keys", keys, |key| {
        rows.add(&key, &outline, |out| {
            function.fields(|id, data| out.field(id, data));
            Ok(())
        })
    })?;
    Ok(rows.finish(outline.policy, None, Answered::Same(Answers::of_a_function())))
}

pub fn operate<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    keys: &Bound<'py, PyAny>,
    operations: &Bound<'py, PyAny>,
    options: &WriteOptions<'py>,
    rules: &ReadRules<'py>,
) -> PyResult<ManyCall> {
    let steps = Steps::new(operations, options, rules, defaults)?;
    let outline = &steps.outline;
    let mut rows = Gather::new(resolve);
    each("keys", keys, |key| rows.add(&key, outline, |out| steps.write(out)))?;
    let (policy, codec) = (outline.policy, outline.codec.clone());
    Ok(rows.finish(policy, codec, Answered::Same(steps.answers())))
}

/// `records`: a mapping of keys to bins, pairs of them, or a table.
pub fn put<'py>(
    defaults: &Defaults,
    resolve: Resolve<'_>,
    records: &Bound<'py, PyAny>,
    choice: &Choice<'py>,
    options: &WriteOptions<'py>,
) -> PyResult<ManyCall> {
    let outline = options.outline(defaults)?;
    if let Some(table) = source::open(records, choice)? {
        return put_table(resolve, table, outline, records.py());
    }
    let mut rows = Gather::new(resolve);
    let mut row = |key: &Bound<'py, PyAny>, bins: &Bound<'py, PyAny>| {
        let number = rows.keys.len();
        let key = rows.key(key)?;
        let made = kind(bins.py(), &key, &outline, |out| {
            write_bins(out, bins, op::WRITE, outline.codec.as_deref())
        });
        let kind = made.map_err(|error| at_row(bins.py(), error, number))?;
        rows.own(key, kind);
        Ok(())
    };
    if let Ok(records) = records.cast::<PyDict>() {
        for (key, bins) in records.iter() {
            row(&key, &bins)?;
        }
    } else if let Ok(records) = records.cast::<PyMapping>() {
        for pair in records.items()?.iter() {
            let (key, bins): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            row(&key, &bins)?;
        }
    } else {
        let mut number = 0;
        each("records", records, |pair| {
            let parts: Result<(Bound<'_, PyAny>, Bound<'_, PyAny>), _> = pair.extract();
            let Ok((key, bins)) = parts else {
                return Err(value_error(format!(
                    "row {number}: records must be pairs of key and bins, not {}",
                    type_name(&pair)
                )));
            };
            number += 1;
            row(&key, &bins)
        })?;
    }
    Ok(rows.finish(outline.policy, outline.codec.clone(), Answered::None))
}

fn put_table(
    resolve: Resolve<'_>,
    table: Table,
    outline: Outline,
    py: Python<'_>,
) -> PyResult<ManyCall> {
    // A dataset takes any user key; a client, which does not, has no set to write a table to.
    let Ok(Key { space, .. }) = resolve(0_i64.into_pyobject(py)?.as_any()) else {
        return Err(type_error(
            "a table goes to a dataset: client.dataset(namespace, set).put_many(table, key=...)",
        ));
    };
    let policy = outline.policy;
    let mut more = Box::new(Windows::new(table, space, outline));
    let none = || (Rows::new(vec![], std::iter::empty(), policy, Tick::now()), vec![]);
    let (rows, keys) = more.next(py)?.unwrap_or_else(none);
    Ok(ManyCall { rows, plan: ManyPlan { more: Some(more), ..ManyPlan::of(keys) } })
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

/// How it goes on when the rows that were sent are through.
pub enum Next {
    /// More rows of the table.
    Send(Rows),
    /// All of them are through.
    Finish(Rows),
}

impl ManyPlan {
    /// What becomes of rows with these keys, unless more is said.
    fn of(keys: Vec<Key>) -> Self {
        Self {
            keys,
            answered: Answered::None,
            codec: None,
            buffers: false,
            more: None,
            done: None,
            array: None,
        }
    }

    /// Takes rows that are through, and says what is next.
    pub fn go_on(&mut self, py: Python<'_>, rows: Rows) -> PyResult<Next> {
        let next = self.more.as_mut().map(|more| more.next(py)).transpose()?.flatten();
        let mut all = self.done.take();
        match &mut all {
            Some(done) => done.absorb(rows),
            None => all = Some(rows),
        }
        let Some((rows, keys)) = next else {
            return Ok(Next::Finish(all.expect("just put there")));
        };
        self.keys.extend(keys);
        self.done = all;
        Ok(Next::Send(rows))
    }

    /// The result that Python holds.
    pub fn finish(mut self, py: Python<'_>, rows: Rows) -> PyResult<Bound<'_, PyAny>> {
        if let Some(array) = self.array.take() {
            return array.finish(py, rows, &self.keys);
        }
        Ok(Bound::new(py, crate::batch::Batch::new(rows, self))?.into_any())
    }
}

/// A whole key from an address, for the classes that offer `address`.
pub fn whole(address: PyResult<Address<'_>>) -> PyResult<Key> {
    address.map(Key::from)
}
