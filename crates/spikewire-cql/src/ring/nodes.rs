//! The nodes of a cluster and their tokens.

use std::sync::Arc;

/// A node with its properties on the ring.
#[derive(Debug, Clone)]
pub struct Member<N> {
    /// The node.
    pub node: N,
    /// Its datacenter.
    pub dc: String,
    /// Its rack.
    pub rack: String,
    /// Its tokens.
    pub tokens: Vec<i64>,
}

/// The nodes of a cluster and their tokens.
#[derive(Debug, Clone)]
pub struct Ring<N> {
    nodes: Vec<N>,
    /// Datacenter and rack of each node, as numbers.
    pub(super) places: Vec<Place>,
    pub(super) dcs: Vec<String>,
    /// Ascending and unique.
    pub(super) tokens: Arc<[i64]>,
    /// Index of the node that owns the token at the same index.
    pub(super) owners: Box<[u32]>,
}

/// The location of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Index of its datacenter.
    pub dc: u32,
    /// Index of its rack within the datacenter.
    pub rack: u32,
}

impl<N> Ring<N> {
    /// A ring of these nodes. A token claimed by several belongs to the first of them.
    pub fn new(members: impl IntoIterator<Item = Member<N>>) -> Self {
        let mut nodes = Vec::new();
        let mut places = Vec::new();
        let mut dcs = Vec::new();
        let mut racks: Vec<Vec<String>> = Vec::new();
        let mut entries = Vec::new();
        for member in members {
            let index = nodes.len() as u32;
            let dc = number(&mut dcs, member.dc);
            racks.resize_with(dcs.len(), Vec::new);
            let rack = number(&mut racks[dc], member.rack);
            places.push(Place { dc: dc as u32, rack: rack as u32 });
            entries.extend(member.tokens.iter().map(|token| (*token, index)));
            nodes.push(member.node);
        }
        entries.sort_unstable();
        entries.dedup_by_key(|(token, _)| *token);
        let (tokens, owners): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        Self { nodes, places, dcs, tokens: tokens.into(), owners: owners.into() }
    }

    /// The nodes, in the order given. Replicas are indexes into this.
    pub fn nodes(&self) -> &[N] {
        &self.nodes
    }

    /// The name of a node's datacenter.
    pub fn dc(&self, node: u32) -> Option<&str> {
        let place = self.places.get(node as usize)?;
        self.dcs.get(place.dc as usize).map(String::as_str)
    }

    /// The node that owns a token, regardless of replication.
    pub fn owner(&self, token: i64) -> Option<u32> {
        self.owners.get(entry_of(&self.tokens, token)?).copied()
    }
}

/// The entry that a token belongs to: the first one not less than it, around the ring.
pub(super) fn entry_of(tokens: &[i64], token: i64) -> Option<usize> {
    let at = tokens.partition_point(|entry| *entry < token);
    match tokens.len() {
        0 => None,
        len if at == len => Some(0),
        _ => Some(at),
    }
}

/// The number of a name, which is added if new.
fn number(names: &mut Vec<String>, name: String) -> usize {
    names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}
