//! The nodes of a cluster and their tokens.

use std::sync::Arc;

/// A node and what the ring has to know of it.
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
    /// The datacenter and the rack of each node, as numbers.
    pub(super) places: Vec<Place>,
    pub(super) dcs: Vec<String>,
    /// In ascending order, each once.
    pub(super) tokens: Arc<[i64]>,
    /// The index of the node that owns the token at the same place.
    pub(super) owners: Box<[u32]>,
}

/// Where a node stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// The index of its datacenter.
    pub dc: u32,
    /// The index of its rack among all of its datacenter.
    pub rack: u32,
}

impl<N> Ring<N> {
    /// A ring of these nodes. A token that several claim belongs to the first of them.
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

    /// The nodes, in the order in which they were given. Replicas are indexes into this.
    pub fn nodes(&self) -> &[N] {
        &self.nodes
    }

    /// The name of a node's datacenter.
    pub fn dc(&self, node: u32) -> Option<&str> {
        let place = self.places.get(node as usize)?;
        self.dcs.get(place.dc as usize).map(String::as_str)
    }

    /// The node that owns a token, whatever the replication.
    pub fn owner(&self, token: i64) -> Option<u32> {
        self.owners.get(entry_of(&self.tokens, token)?).copied()
    }
}

/// The entry that a token belongs to: the first one that is not less, around the ring.
pub(super) fn entry_of(tokens: &[i64], token: i64) -> Option<usize> {
    let at = tokens.partition_point(|entry| *entry < token);
    match tokens.len() {
        0 => None,
        len if at == len => Some(0),
        _ => Some(at),
    }
}

/// The number of a name, which is added if it is new.
fn number(names: &mut Vec<String>, name: String) -> usize {
    names.iter().position(|known| *known == name).unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}
