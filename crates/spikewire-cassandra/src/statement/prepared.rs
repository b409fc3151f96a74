//! A prepared statement: its metadata, and which nodes know it.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use arc_swap::{ArcSwap, ArcSwapOption};
use rustc_hash::FxHashMap;
use spikewire_cql::response::Column;
use spikewire_cql::types::Type;
use spikewire_cql::value::has_order;
use spikewire_sync::Mutex;
use spikewire_transport::Tick;

use super::lease::Lease;
use super::routing_key::{token_in_order, token_of};
use crate::cluster::{HostId, Node};
use crate::error::{Error, Result};
use crate::text::Traits;

/// The columns of a result, shared by all results that have them.
#[derive(Debug)]
pub struct Shape {
    /// The server's id for it (protocol version 5); empty if there is none.
    pub id: Vec<u8>,
    /// The columns.
    pub columns: Arc<[Column]>,
    /// Data that a host keeps about them, such as a class for the rows.
    pub extension: OnceLock<Box<dyn Any + Send + Sync>>,
}

impl Shape {
    /// A shape with these columns.
    pub fn new(id: &[u8], columns: Arc<[Column]>) -> Arc<Self> {
        Arc::new(Self { id: id.to_owned(), columns, extension: OnceLock::new() })
    }
}

/// The key of a prepared statement: its keyspace, if that was given, and its text.
pub(crate) type Name = (Option<Arc<str>>, Arc<str>);

/// A prepared statement. Any node can execute it: one that does not know it is asked to prepare it
/// first.
#[derive(Debug)]
pub struct Prepared {
    /// The statement.
    pub text: Arc<str>,
    /// The keyspace that it was prepared in, if that was given.
    pub keyspace: Option<Arc<str>>,
    /// What its text tells.
    pub traits: Traits,
    /// The server's id for it.
    pub id: Vec<u8>,
    /// Its parameters, in order.
    pub parameters: Arc<[Column]>,
    /// Which parameters are the columns of the partition key, in the key's order; empty if the
    /// statement does not determine a partition.
    pub key: Vec<u16>,
    /// The server's warnings when it was prepared.
    pub warnings: Vec<String>,
    /// Whether its key has sets or maps.
    key_has_order: bool,
    /// The keyspace of its table, and the table.
    pub(crate) table: Option<(Arc<str>, Arc<str>)>,
    result: ArcSwap<Shape>,
    nodes: Mutex<FxHashMap<HostId, NodeState>>,
    /// Changes of the schema that may concern it.
    changes: AtomicU64,
    /// How many of them were there when a node was last asked.
    confirmed: AtomicU64,
    /// Which request asks a node what it is now.
    renewal: Lease,
    /// What it is now, if its parameters have changed.
    successor: ArcSwapOption<Self>,
}

/// How long it matters when a statement was prepared on a node: a request that was sent before
/// fails on the node and finds that it was prepared since. Later it is prepared once more.
const MATTERS: Duration = Duration::from_secs(60);

/// How many times the parameters of a statement change before the latest is not looked for.
const MOST_CHANGES: usize = 1000;

/// The state of a statement on a node.
#[derive(Debug, Clone, Copy, Default)]
struct NodeState {
    /// Whether it is being prepared there.
    preparing: bool,
    /// When it was last prepared there.
    prepared: Option<Tick>,
}

/// What a request does if its node did not know the statement.
#[derive(Debug)]
pub(crate) enum Turn {
    /// Prepare it.
    Prepare(Preparing),
    /// Wait, because another request is preparing it.
    Wait,
    /// Send again, because another request has prepared it since.
    Again,
}

/// The right to prepare a statement on a node, until it is dropped.
#[derive(Debug)]
pub(crate) struct Preparing {
    pub prepared: Arc<Prepared>,
    pub node: Arc<Node>,
}

impl Drop for Preparing {
    fn drop(&mut self) {
        let mut nodes = self.prepared.nodes.lock();
        nodes.entry(self.node.host_id).or_default().preparing = false;
        let now = Tick::now();
        nodes.retain(|_, on| on.preparing || on.prepared.is_some_and(|at| now.since(at) < MATTERS));
    }
}

impl Preparing {
    /// Records that it is prepared there.
    pub fn done(self) {
        let now = Tick::now();
        self.prepared.nodes.lock().entry(self.node.host_id).or_default().prepared = Some(now);
    }
}

/// Whether values of the type `before` are valid for the type `now`, as for a user-defined type to
/// which fields were added.
fn takes(now: &Type, before: &Type) -> bool {
    match (now, before) {
        (Type::Udt(now), Type::Udt(before)) => {
            let same = |(now, before): (&(String, Type), &(String, Type))| takes(&now.1, &before.1);
            before.fields.len() <= now.fields.len()
                && now.fields.iter().zip(&before.fields).all(same)
        }
        (Type::List(now), Type::List(before)) | (Type::Set(now), Type::Set(before)) => {
            takes(now, before)
        }
        (Type::Map(now), Type::Map(before)) => takes(&now.0, &before.0) && takes(&now.1, &before.1),
        (Type::Tuple(now), Type::Tuple(before)) => {
            let mut pairs = now.iter().zip(before.iter());
            now.len() == before.len() && pairs.all(|(now, before)| takes(now, before))
        }
        (Type::Vector(now), Type::Vector(before)) => {
            now.dimension == before.dimension && takes(&now.element, &before.element)
        }
        (now, before) => now == before,
    }
}

impl Prepared {
    /// A prepared statement as described by the server.
    pub(crate) fn new(
        text: Arc<str>,
        keyspace: Option<Arc<str>>,
        id: &[u8],
        parameters: Arc<[Column]>,
        key: Vec<u16>,
        result: Arc<Shape>,
        warnings: Vec<String>,
    ) -> Self {
        let table = key
            .first()
            .and_then(|at| parameters.get(usize::from(*at)))
            .map(|column| (column.keyspace.clone(), column.table.clone()));
        let mut in_key = key.iter().filter_map(|at| parameters.get(usize::from(*at)));
        Self {
            key_has_order: in_key.any(|column| has_order(&column.ty)),
            traits: Traits::of(&text),
            text,
            keyspace,
            id: id.to_owned(),
            parameters,
            key,
            warnings,
            table,
            result: ArcSwap::new(result),
            nodes: Mutex::default(),
            changes: AtomicU64::new(0),
            confirmed: AtomicU64::new(0),
            renewal: Lease::default(),
            successor: ArcSwapOption::empty(),
        }
    }

    /// The same, if the server says that it is conditional whatever its text says.
    #[must_use]
    pub(crate) fn with_mark(mut self, is_conditional: bool) -> Self {
        self.traits.conditional |= is_conditional;
        self
    }

    /// The token of the partition that these encoded values belong to; `None` if the statement does
    /// not determine one, or a value of the key is missing.
    #[inline]
    pub fn token(&self, values: &[u8]) -> Option<i64> {
        if self.key_has_order {
            token_in_order(values, &self.key, &self.parameters)
        } else {
            token_of(values, &self.key)
        }
    }

    /// Whether it has to be prepared again before it is executed, because its parameters may have
    /// changed: values would be misinterpreted ([`Session::renew`](crate::Session::renew)).
    #[inline]
    pub fn is_stale(&self) -> bool {
        self.changes.load(Relaxed) != self.confirmed.load(Relaxed)
    }

    /// Takes it on to find out what it is now; `false` if another request does.
    pub(super) fn begin_renewal(&self, now: Tick) -> bool {
        self.renewal.take(now).is_some()
    }

    /// Forgets the request that finds out what it is now.
    #[cfg(test)]
    pub(crate) fn give_up_renewal(&self) {
        self.renewal.end();
    }

    /// What it is now, as far as known.
    pub fn latest(self: &Arc<Self>) -> Arc<Self> {
        let mut latest = self.clone();
        for _ in 0..MOST_CHANGES {
            let Some(next) = latest.successor.load_full() else { break };
            latest = next;
        }
        latest
    }

    /// The statement to execute with values that were bound to this one: the latest, unless they
    /// would be misinterpreted.
    pub fn for_bound_values(self: &Arc<Self>) -> Result<Arc<Self>> {
        let latest = self.latest();
        if self.takes_as_before(&latest.parameters) { Ok(latest) } else { Err(self.outdated()) }
    }

    pub(super) fn changes(&self) -> u64 {
        self.changes.load(Relaxed)
    }

    /// A change of the schema may concern it.
    pub(super) fn note_change(&self) {
        self.changes.fetch_add(1, Relaxed);
    }

    /// A node was asked when there were so many changes, and its parameters are as before.
    pub(super) fn confirm(&self, changes: u64) {
        if self.successor.load().is_none() {
            self.confirmed.fetch_max(changes, Relaxed);
        }
        self.renewal.end();
    }

    /// This is what it is now.
    pub(super) fn supersede(&self, by: &Arc<Self>) {
        self.successor.store(Some(by.clone()));
        self.note_change();
    }

    /// Whether a node describes it as before, apart from its result.
    pub(super) fn is_same(&self, fresh: &Self) -> bool {
        self.successor.load().is_none()
            && self.id == fresh.id
            && self.parameters == fresh.parameters
            && self.key == fresh.key
    }

    /// Takes over the columns of its result from what is otherwise the same.
    pub(super) fn refresh(&self, fresh: &Self) {
        let (own, now) = (self.result(), fresh.result());
        if own.id != now.id || own.columns != now.columns {
            self.set_result(now);
        }
    }

    /// The error of values that were bound to it before its parameters changed.
    pub fn outdated(&self) -> Error {
        Error::invalid(format!(
            "the schema was changed, and with it the statement's parameters; its values were not \
             sent, for they are of the former types: bind them again, or execute it again; it is \
             {:?}",
            self.text
        ))
    }

    /// Whether values for its parameters are valid for these.
    pub(crate) fn takes_as_before(&self, parameters: &[Column]) -> bool {
        let pairs = self.parameters.iter().zip(parameters);
        self.parameters.len() == parameters.len()
            && pairs.into_iter().all(|(before, now)| takes(&now.ty, &before.ty))
    }

    /// The columns of its result, as currently known.
    pub fn result(&self) -> Arc<Shape> {
        self.result.load_full()
    }

    /// Sets the new columns of its result.
    pub(crate) fn set_result(&self, shape: Arc<Shape>) {
        self.result.store(shape);
    }

    /// What to do about a node that did not know it when asked at `since`.
    pub(crate) fn turn(self: &Arc<Self>, node: &Arc<Node>, since: Tick) -> Turn {
        let mut nodes = self.nodes.lock();
        let here = nodes.entry(node.host_id).or_default();
        if here.preparing {
            Turn::Wait
        } else if here.prepared.is_some_and(|at| at > since) {
            Turn::Again
        } else {
            here.preparing = true;
            Turn::Prepare(Preparing { prepared: self.clone(), node: node.clone() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_with_more_fields_takes_the_values_of_before() {
        let udt = |fields: &[(&str, Type)]| {
            let fields = fields.iter().map(|(name, ty)| ((*name).to_owned(), ty.clone())).collect();
            let (keyspace, name) = ("k".to_owned(), "u".to_owned());
            Type::Udt(Arc::new(spikewire_cql::types::Udt { keyspace, name, fields }))
        };
        let (one, two) = (udt(&[("a", Type::Int)]), udt(&[("a", Type::Int), ("b", Type::Text)]));
        assert!(takes(&two, &one) && !takes(&one, &two));
        assert!(takes(&Type::list(two.clone()), &Type::list(one.clone())));
        assert!(takes(&Type::map(Type::Int, two), &Type::map(Type::Int, one.clone())));
        assert!(!takes(&udt(&[("a", Type::Bigint)]), &one));
        assert!(takes(&Type::Int, &Type::Int) && !takes(&Type::Text, &Type::Int));
    }
}
