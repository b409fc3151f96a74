//! Which node a request goes to.
//!
//! A request has a plan: the replicas of its token in the local datacenter, those of the local rack
//! first; then the other nodes of the local datacenter; then, if allowed, those of other
//! datacenters. If the tablet of a row is known, its replicas are those. Nodes believed to be down come last, since that belief may be wrong. Requests start
//! at different replicas in turn; one that has just returned gets its turns little by little. Lightweight transactions start at the first replica, so that
//! those on the same row meet on one node.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use spikewire_cql::response::Retry;
use spikewire_cql::tablet::Tablet;
use spikewire_transport::topology::{Preference, Target as Addressed};
use spikewire_transport::{OrderKey, Tick};

use crate::cluster::{MOST_REPLICAS, Node, Snapshot};
use crate::error::{Error, Kind, Result};
use crate::speculation::Contender;

/// What a request targets, as far as routing needs it.
#[derive(Debug, Clone)]
pub struct Target {
    /// Where it goes.
    pub aim: Aim,
    /// Whether executing it twice may make a difference.
    pub writes: bool,
    /// A number that differs from request to request, so that they start at different nodes.
    pub turn: u32,
    /// The node to try first, whatever the plan says.
    pub first: Option<Arc<Node>>,
    /// Whether its latency is recorded with the node.
    pub is_measured: bool,
    /// Failed attempts so far, if any. Boxed because it is rare.
    past: Option<Box<FailedAttempts>>,
    /// Which copy of its statement it is, if there may be several.
    pub(crate) contender: Option<Box<Contender>>,
}

/// Failed attempts.
#[derive(Debug, Clone, Default)]
struct FailedAttempts {
    /// Their errors.
    failed: Vec<Error>,
    /// Nodes that are not asked again before all others were.
    tried: Vec<SocketAddr>,
}

impl Target {
    /// The target of a request that was not attempted yet.
    pub fn new(aim: Aim, writes: bool, turn: u32) -> Self {
        Self { aim, writes, turn, first: None, is_measured: false, past: None, contender: None }
    }

    /// The errors of its attempts so far.
    pub(crate) fn failed(&self) -> &[Error] {
        self.past.as_ref().map_or(&[], |past| &past.failed)
    }

    /// Takes the errors of its attempts so far.
    pub(crate) fn take_failed(&mut self) -> Vec<Error> {
        self.past.as_mut().map(|past| std::mem::take(&mut past.failed)).unwrap_or_default()
    }

    /// Nodes that are not asked again before all others were.
    fn tried(&self) -> &[SocketAddr] {
        self.past.as_ref().map_or(&[], |past| &past.tried)
    }

    /// Whether the node of this error was tried before.
    pub(crate) fn was_tried(&self, error: &Error) -> bool {
        let node = error.node().and_then(|node| node.parse().ok());
        node.is_some_and(|node| self.tried().contains(&node))
    }

    /// Records that an attempt failed and another one follows.
    pub(crate) fn note(&mut self, error: &Error) {
        let stays = error.server().is_some_and(|server| {
            matches!(server.retry(), Retry::SameNode | Retry::SameNodeIfIdempotent)
        });
        if !stays && let Some(node) = error.node().and_then(|node| node.parse().ok()) {
            self.first = self.first.take().filter(|first| first.address != node);
            self.past.get_or_insert_default().tried.push(node);
        }
        match &self.contender {
            None => self.past.get_or_insert_default().failed.extend(error.alone()),
            Some(contender) => contender.note(error),
        }
    }

    /// The target of a copy that was not attempted yet.
    pub(crate) fn of(&self, contender: Contender) -> Self {
        let fresh = Self::new(self.aim.clone(), self.writes, self.turn);
        let is_measured = self.is_measured;
        Self { contender: Some(Box::new(contender)), is_measured, ..fresh }
    }
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
        /// The tablet with its rows, if that is known.
        tablet: Option<Arc<Tablet>>,
        /// Whether it is a lightweight transaction.
        conditional: bool,
    },
    /// To this node only.
    Node(Arc<Node>),
}

impl Addressed for Target {
    fn writes(&self) -> bool {
        self.writes
    }

    #[inline(always)]
    fn order(&self) -> OrderKey {
        if self.contender.as_ref().is_some_and(|contender| contender.follows()) {
            return OrderKey::NONE;
        }
        match &self.aim {
            Aim::Token { token, .. } => OrderKey::of((*token >> 48) as u16 ^ *token as u16),
            Aim::Any => OrderKey::UNKNOWN,
            Aim::Node(_) => OrderKey::NONE,
        }
    }

    #[inline(always)]
    fn is_measured(&self) -> bool {
        self.is_measured
    }

    #[inline(always)]
    fn begins(&mut self) -> Option<(Duration, Self)> {
        let (delay, next) = self.contender.as_mut()?.begin()?;
        Some((delay, self.of(next)))
    }
}

/// How a request chooses among nodes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Replica {
    /// A retry goes to the next node of the plan.
    #[default]
    Next,
    /// A retry goes to the same node.
    Same,
}

impl Preference for Replica {
    fn moves_on(self) -> bool {
        self == Self::Next
    }
}

/// How far a node is from a request; smaller is better.
type Distance = (bool, bool, bool, bool);

/// The node for the next attempt at a request, after earlier ones moved on `step` times.
pub fn choose(snapshot: &Snapshot, target: &Target, step: u32) -> Result<Arc<Node>> {
    let mut of_tablet = [0; MOST_REPLICAS];
    let (replicas, conditional) = match &target.aim {
        Aim::Node(node) if node.is_active() => return Ok(node.clone()),
        Aim::Node(node) => {
            let error = Error::new(Kind::NoNode, format!("node {node} left the cluster"));
            return Err(error.on(node.to_string()));
        }
        Aim::Any => (&[][..], false),
        Aim::Token { keyspace, token, tablet, conditional } => {
            let tablet = tablet.as_ref();
            let replicas = tablet
                .and_then(|tablet| snapshot.replicas_of(tablet, &mut of_tablet))
                .or_else(|| snapshot.replicas(keyspace, *token));
            (replicas.unwrap_or_default(), *conditional)
        }
    };
    if let Some(first) = target.first.as_ref().filter(|first| first.is_active()) {
        if let Some(contender) = &target.contender {
            contender.goes_to(first.address);
        }
        return Ok(first.clone());
    }
    let turn = if conditional { 0 } else { target.turn };
    if let Some(contender) = &target.contender {
        return choose_for(contender, snapshot, replicas, turn, target, step);
    }
    if target.tried().is_empty()
        && let Some(node) = nearest(snapshot, replicas, turn)
        && (node.health.is_full() || conditional)
    {
        return Ok(node.clone());
    }
    let node = plan(snapshot, replicas, turn, target.tried()).pick(step, conditional);
    node.ok_or_else(|| none(snapshot))
}

/// The node for one of several copies: no two use the same node while others remain.
#[cold]
fn choose_for(
    contender: &Contender,
    snapshot: &Snapshot,
    replicas: &[u32],
    turn: u32,
    target: &Target,
    step: u32,
) -> Result<Arc<Node>> {
    let used = [&contender.nodes_of_others(), target.tried()].concat();
    let plan = plan(snapshot, replicas, turn, &used);
    if plan.fresh.is_empty() && contender.is_accompanied() {
        let message = "a copy of the statement was sent to each node that may be asked";
        return Err(Error::new(Kind::NoNode, message));
    }
    let node = plan.pick(step, false).ok_or_else(|| none(snapshot))?;
    contender.goes_to(node.address);
    Ok(node)
}

/// The nearest replica, where the plan starts: up, in the local rack or else in the local
/// datacenter.
fn nearest<'a>(snapshot: &'a Snapshot, replicas: &[u32], turn: u32) -> Option<&'a Arc<Node>> {
    let node = |index: &u32| &snapshot.nodes[*index as usize];
    let local = || replicas.iter().map(node).filter(|node| node.is_up() && snapshot.is_local(node));
    let in_rack = || local().filter(|node| snapshot.is_in_rack(node));
    match in_rack().count() {
        0 => {
            let count = local().count();
            local().nth((turn as usize).checked_rem(count)?)
        }
        count => in_rack().nth(turn as usize % count),
    }
}

/// Nodes in the order in which they are asked.
struct Plan<'a> {
    all: Vec<&'a Arc<Node>>,
    /// Those not asked yet.
    fresh: Vec<&'a Arc<Node>>,
    /// How many of them are as good as the first, apart from racks.
    alike: usize,
}

impl Plan<'_> {
    /// The next node not asked yet; once all were, the plan starts over. A node that has just
    /// returned is passed over now and then, unless this is `fixed`.
    fn pick(&self, step: u32, fixed: bool) -> Option<Arc<Node>> {
        let anew = || self.all.get((step as usize).checked_rem(self.all.len())?);
        let first = self.fresh.first().or_else(anew)?;
        let mut others = self.fresh.iter().take(self.alike).skip(1);
        let other = if first.health.is_full() || fixed || first.health.admits(Tick::now()) {
            None
        } else {
            others.find(|node| node.health.is_full())
        };
        Some((*other.unwrap_or(first)).clone())
    }
}

fn plan<'a>(snapshot: &'a Snapshot, replicas: &[u32], turn: u32, tried: &[SocketAddr]) -> Plan<'a> {
    let distance = |index: u32| -> Distance {
        let node = &snapshot.nodes[index as usize];
        let rack = snapshot.prefers_rack() && snapshot.is_in_rack(node);
        (!node.is_up(), !snapshot.is_local(node), !replicas.contains(&index), !rack)
    };
    let mut order: Vec<u32> = (0..snapshot.nodes.len() as u32)
        .filter(|index| {
            let node = &snapshot.nodes[*index as usize];
            node.is_active() && (snapshot.is_local(node) || snapshot.goes_abroad())
        })
        .collect();
    // Replicas are in ring order, so that all clients agree on the first one.
    let rank = |index: u32| replicas.iter().position(|replica| *replica == index);
    order.sort_by_key(|index| (distance(*index), rank(*index)));
    for alike in order.chunk_by_mut(|one, other| distance(*one) == distance(*other)) {
        alike.rotate_left(turn as usize % alike.len());
    }
    let all: Vec<_> = order.iter().map(|index| &snapshot.nodes[*index as usize]).collect();
    let is_fresh = |index: &&u32| !tried.contains(&snapshot.nodes[**index as usize].address);
    let fresh: Vec<_> = order.iter().filter(is_fresh).collect();
    let standing = |index: u32| {
        let (is_down, is_remote, is_no_replica, _) = distance(index);
        (is_down, is_remote, is_no_replica)
    };
    let best = fresh.first().map(|index| standing(**index));
    let alike = fresh.iter().take_while(|index| Some(standing(***index)) == best).count();
    let fresh = fresh.into_iter().map(|index| &snapshot.nodes[*index as usize]).collect();
    Plan { all, fresh, alike }
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

#[cfg(test)]
mod tests;
