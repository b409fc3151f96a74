//! A prepared statement: its metadata, and which nodes know it.

use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use rustc_hash::FxHashMap;
use spikewire_cql::response::Column;
use spikewire_cql::types::Type;
use spikewire_sync::Mutex;
use spikewire_transport::Tick;

use super::routing_key::token_of;
use crate::cluster::Node;
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
    /// The keyspace of its table.
    pub(crate) table_keyspace: Option<Arc<str>>,
    result: ArcSwap<Shape>,
    nodes: Mutex<FxHashMap<u32, OnNode>>,
    is_outdated: AtomicBool,
}

/// The state of a statement on a node.
#[derive(Debug, Clone, Copy, Default)]
struct OnNode {
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
        self.prepared.nodes.lock().entry(self.node.number).or_default().preparing = false;
    }
}

impl Preparing {
    /// Records that it is prepared there.
    pub fn done(self) {
        let now = Tick::now();
        self.prepared.nodes.lock().entry(self.node.number).or_default().prepared = Some(now);
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
        let table_keyspace = key
            .first()
            .and_then(|at| parameters.get(usize::from(*at)))
            .map(|column| column.keyspace.clone());
        Self {
            traits: Traits::of(&text),
            text,
            keyspace,
            id: id.to_owned(),
            parameters,
            key,
            warnings,
            table_keyspace,
            result: ArcSwap::new(result),
            nodes: Mutex::default(),
            is_outdated: AtomicBool::new(false),
        }
    }

    /// The token of the partition that these encoded values belong to; `None` if the statement does
    /// not determine one, or a value of the key is missing.
    pub fn token(&self, values: &[u8]) -> Option<i64> {
        token_of(values, &self.key)
    }

    /// Fails if its parameters have changed, because its values would be misinterpreted. To be
    /// called before it is executed.
    #[inline]
    pub fn check(&self) -> Result<()> {
        if self.is_outdated.load(Relaxed) { Err(self.outdated()) } else { Ok(()) }
    }

    pub(crate) fn outdate(&self) {
        self.is_outdated.store(true, Relaxed);
    }

    /// The error of executing it once it is outdated.
    pub(crate) fn outdated(&self) -> Error {
        Error::invalid(format!(
            "the schema was changed, and with it the statement's parameters: prepare it again; it \
             is {:?}",
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
        let here = nodes.entry(node.number).or_default();
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
