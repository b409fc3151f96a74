//! Which node a request goes to.
//!
//! A request has a plan: the replicas of its token in the local datacenter, those of the local rack
//! first; then the other nodes of the local datacenter; then, where that is allowed, those of the
//! others. Nodes that are thought to be down come at the very end, for one may be wrong about them.
//! Requests begin at different replicas in turn. Lightweight transactions begin at the first
//! replica, so that those on one row meet on one node.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use spikewire_transport::topology::{Preference, Target as Addressed};

use crate::cluster::{Node, Snapshot};
use crate::error::{Error, Kind, Result};

/// What a request is about, as far as routing needs it.
#[derive(Debug, Clone)]
pub struct Target {
    /// Where it goes.
    pub aim: Aim,
    /// Whether a second execution may make a difference.
    pub writes: bool,
}

/// Where a request goes.
#[derive(Debug, Clone)]
pub enum Aim {
    /// To any node.
    Any,
    /// To a replica of this token in this keyspace.
    Token {
        /// The keyspace.
        keyspace: Arc<str>,
        /// The token of its partition key.
        token: i64,
        /// Whether it has a condition.
        conditional: bool,
    },
    /// To this node and no other.
    Node(Arc<Node>),
}

impl Addressed for Target {
    fn writes(&self) -> bool {
        self.writes
    }
}

/// How a request chooses among nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Replica {
    /// Another attempt goes to the next node of the plan.
    #[default]
    Next,
    /// It goes to the same one.
    Same,
}

impl Preference for Replica {
    fn moves_on(self) -> bool {
        self == Self::Next
    }
}

/// Chooses nodes for one driver.
#[derive(Debug, Default)]
pub struct Router {
    turn: AtomicU32,
}

/// How far a node is from a request; less is better.
type Distance = (bool, bool, bool, bool);

impl Router {
    /// The node for a request whose earlier attempts moved on `step` times.
    pub fn choose(&self, snapshot: &Snapshot, target: &Target, step: u32) -> Result<Arc<Node>> {
        let (replicas, conditional) = match &target.aim {
            Aim::Node(node) if node.is_active() => return Ok(node.clone()),
            Aim::Node(node) => {
                let error = Error::new(Kind::NoNode, format!("node {node} left the cluster"));
                return Err(error.on(node.to_string()));
            }
            Aim::Any => (&[][..], false),
            Aim::Token { keyspace, token, conditional } => {
                (snapshot.replicas(keyspace, *token).unwrap_or_default(), *conditional)
            }
        };
        let turn = if conditional { 0 } else { self.turn.fetch_add(1, Relaxed) };
        if step == 0
            && let Some(node) = nearest(snapshot, replicas, turn)
        {
            return Ok(node.clone());
        }
        plan(snapshot, replicas, turn, step).ok_or_else(|| none(snapshot))
    }
}

/// A replica that is as near as can be: up, in the local rack or else in the local datacenter.
fn nearest<'a>(snapshot: &'a Snapshot, replicas: &[u32], turn: u32) -> Option<&'a Arc<Node>> {
    let count = replicas.len();
    let in_turn = |at: usize| {
        let index = replicas[(turn as usize).wrapping_add(at) % count];
        let node = &snapshot.nodes[index as usize];
        (node.is_up() && snapshot.is_local(node)).then_some(node)
    };
    let mut local = (0..count).filter_map(in_turn);
    if !snapshot.prefers_rack() {
        return local.next();
    }
    let first = local.next()?;
    let mut all = std::iter::once(first).chain(local);
    Some(all.find(|node| snapshot.is_in_rack(node)).unwrap_or(first))
}

/// The node at this step of the plan, which begins anew behind its end.
fn plan(snapshot: &Snapshot, replicas: &[u32], turn: u32, step: u32) -> Option<Arc<Node>> {
    let distance = |index: u32| -> Distance {
        let node = &snapshot.nodes[index as usize];
        let rack = snapshot.prefers_rack() && snapshot.is_in_rack(node);
        (!node.is_up(), !snapshot.is_local(node), !replicas.contains(&index), !rack)
    };
    let count = snapshot.nodes.len();
    let mut order: Vec<u32> = (0..count as u32)
        .map(|at| turn.wrapping_add(at) % count as u32)
        .filter(|index| {
            let node = &snapshot.nodes[*index as usize];
            node.is_active() && (snapshot.is_local(node) || snapshot.goes_abroad())
        })
        .collect();
    // The order of the replicas is that of the ring, so that all clients agree on the first.
    let rank = |index: u32| {
        let at = replicas.iter().position(|replica| *replica == index)?;
        Some((at + replicas.len() - turn as usize % replicas.len()) % replicas.len())
    };
    order.sort_by_key(|index| (distance(*index), rank(*index)));
    let at = step as usize % order.len().max(1);
    order.get(at).map(|index| snapshot.nodes[*index as usize].clone())
}

fn none(snapshot: &Snapshot) -> Error {
    let message = if snapshot.nodes.is_empty() {
        "no node of the cluster is known".to_owned()
    } else {
        format!(
            "none of the {} nodes is in the local datacenter {:?} (remote_datacenters allows others)",
            snapshot.nodes.len(),
            snapshot.local_datacenter().unwrap_or_default(),
        )
    };
    Error::new(Kind::NoNode, message)
}
