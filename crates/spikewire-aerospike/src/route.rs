//! Chooses the node for a command.

use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use spikewire_aerospike_protocol::key::Digest;
use spikewire_transport::OrderKey;

use crate::cluster::{NamespaceMap, Node, Snapshot};
use crate::model::Hedge;
use crate::model::ReplicaPolicy;
use crate::model::{Error, Kind, Result};

/// The routing information of a command.
#[derive(Debug, Clone)]
pub struct Target {
    /// Its destination.
    pub aim: Aim,
    /// Whether the command writes.
    pub write: bool,
    /// The replica for the first attempt, counted from 1 (0: by policy). Set in advance if a hedge
    /// request must go to another one.
    column: u8,
    /// Whether this is a hedge request.
    second: bool,
    /// When to send a hedge request to another replica.
    hedge: Hedge,
    /// The record it is about.
    key: OrderKey,
}

/// The destination of a command.
#[derive(Debug, Clone)]
pub enum Aim {
    /// A node that holds this partition of this namespace.
    Partition(Arc<str>, u16),
    /// This node only.
    Node(Arc<Node>),
}

impl Target {
    /// The target of a command on one record.
    #[inline]
    pub fn record(namespace: Arc<str>, digest: &Digest, write: bool) -> Self {
        // Other bytes than those of the partition.
        let key = OrderKey::of(u16::from_le_bytes([digest.0[4], digest.0[5]]));
        Self { key, ..Self::partition(namespace, digest.partition(), write) }
    }

    /// The target of a command for a holder of this partition.
    pub fn partition(namespace: Arc<str>, partition: u16, write: bool) -> Self {
        let (hedge, key) = (Hedge::NEVER, OrderKey::NONE);
        let aim = Aim::Partition(namespace, partition);
        Self { aim, write, column: 0, second: false, hedge, key }
    }

    /// The target of a command for one node.
    pub fn node(node: Arc<Node>, write: bool) -> Self {
        let (hedge, key) = (Hedge::NEVER, OrderKey::NONE);
        Self { aim: Aim::Node(node), write, column: 0, second: false, hedge, key }
    }

    /// The same with hedging.
    #[must_use]
    #[inline]
    pub fn with_hedge(self, hedge: Hedge) -> Self {
        Self { hedge, ..self }
    }

    /// Whether it may be hedged, or is a hedge request.
    #[inline(always)]
    pub fn is_hedged(&self) -> bool {
        !self.hedge.is_never()
    }

    /// The record it is about; none for a hedge request, whose order is not kept.
    #[inline(always)]
    pub fn key(&self) -> OrderKey {
        if self.second { OrderKey::NONE } else { self.key }
    }

    /// Whether this is a hedge request.
    pub fn is_second(&self) -> bool {
        self.second
    }
}

/// Chooses nodes; holds the state that the choice depends on besides the command.
#[derive(Debug, Default)]
pub struct Router {
    racks: Vec<u32>,
    /// Spreads the reads of [`ReplicaPolicy::Any`].
    turn: AtomicU32,
}

impl Router {
    /// A router for a client with these racks, preferred first.
    pub fn new(racks: Vec<u32>) -> Self {
        Self { racks, turn: AtomicU32::new(0) }
    }

    /// The node for a command whose earlier attempts advanced by `step` replicas.
    pub fn choose(
        &self,
        snapshot: &Snapshot,
        target: &Target,
        policy: ReplicaPolicy,
        step: u32,
    ) -> Result<Arc<Node>> {
        let (namespace, partition) = match &target.aim {
            Aim::Partition(namespace, partition) => (namespace, *partition),
            Aim::Node(node) if node.is_active() => return Ok(node.clone()),
            Aim::Node(node) => {
                let error = Error::new(Kind::NoNode, format!("node {node} left the cluster"));
                return Err(error.on(node.to_string()));
            }
        };
        let map = snapshot.map(namespace)?;
        let node = match target.column {
            0 => self.holder(map, partition, target.write, policy, step),
            column => in_turn(map, partition, u32::from(column) - 1 + step),
        };
        node.cloned().ok_or_else(|| snapshot.no_holder(namespace, partition))
    }

    /// The node for a record whose earlier attempts advanced by `step` replicas.
    pub fn holder<'a>(
        &self,
        map: &'a NamespaceMap,
        partition: u16,
        write: bool,
        policy: ReplicaPolicy,
        step: u32,
    ) -> Option<&'a Arc<Node>> {
        match policy {
            ReplicaPolicy::Master => usable(map, 0, partition),
            ReplicaPolicy::Any if !write => {
                let start = self.turn.fetch_add(1, Relaxed);
                in_turn(map, partition, start.wrapping_add(step))
            }
            ReplicaPolicy::PreferRack if !write => self.on_rack(map, partition, step),
            // Any other node proxies a write to the master.
            _ => in_turn(map, partition, step),
        }
    }

    /// The hedge request for a read that starts, which goes to another node, and the delay before
    /// it is sent. This also fixes the node of the read itself.
    #[cold]
    pub fn second(
        &self,
        snapshot: &Snapshot,
        target: &mut Target,
        policy: ReplicaPolicy,
    ) -> Option<(Duration, Target)> {
        let Aim::Partition(namespace, partition) = &target.aim else { return None };
        let partition = *partition;
        if target.write || target.second || policy == ReplicaPolicy::Master {
            return None;
        }
        let map = snapshot.map(namespace).ok()?;
        let columns = map.replicas();
        let begins = match policy {
            ReplicaPolicy::Any => self.turn.fetch_add(1, Relaxed) as usize,
            ReplicaPolicy::PreferRack => self.preferred(map, partition).unwrap_or(0),
            _ => 0,
        };
        let usable = |on: &usize| usable(map, (begins + on) % columns.max(1), partition);
        let mut columns_in_use = (0..columns).filter_map(|on| usable(&on).map(|node| (on, node)));
        let (first, node) = columns_in_use.next()?;
        let (other, second) = columns_in_use.find(|(_, other)| other.slot != node.slot)?;
        let delay = target.hedge.delay(|share| second.latencies().quantile(share))?;
        let column = |on| u8::try_from((begins + on) % columns + 1).ok();
        let second = Target { column: column(other)?, second: true, ..target.clone() };
        target.column = column(first)?;
        Some((delay, second))
    }

    fn preferred(&self, map: &NamespaceMap, pid: u16) -> Option<usize> {
        self.racks.iter().find_map(|rack| {
            (0..map.replicas()).find(|column| {
                map.holder(*column, pid)
                    .is_some_and(|(node, at)| at == Some(*rack) && node.is_active())
            })
        })
    }

    /// The first attempt goes to the most preferred rack with a replica; retries move on from
    /// there.
    fn on_rack<'a>(&self, map: &'a NamespaceMap, pid: u16, step: u32) -> Option<&'a Arc<Node>> {
        in_turn(map, pid, self.preferred(map, pid).unwrap_or(0) as u32 + step)
    }
}

fn usable(map: &NamespaceMap, column: usize, pid: u16) -> Option<&Arc<Node>> {
    map.holder(column, pid).map(|(node, _)| node).filter(|node| node.is_active())
}

/// The replica `start` columns further, or the next existing one.
fn in_turn(map: &NamespaceMap, pid: u16, start: u32) -> Option<&Arc<Node>> {
    let replicas = map.replicas().max(1);
    (0..replicas).find_map(|on| usable(map, (start as usize + on) % replicas, pid))
}

/// How many unreachable nodes an error names.
const NAMED: usize = 3;

impl Snapshot {
    /// The error for a partition without a holder.
    pub fn no_holder(&self, namespace: &str, partition: u16) -> Error {
        let mut message =
            format!("no reachable node holds partition {partition} of namespace {namespace:?} now");
        if !self.unreachable.is_empty() {
            let named = self.unreachable.iter().take(NAMED);
            let named: Vec<_> = named.map(|peer| format!("{} ({})", peer.name, peer.why)).collect();
            let more = match self.unreachable.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let _ = write!(
                message,
                "; nodes of the cluster that cannot be reached from here: {}{more}; if they announce \
                 internal addresses, use ip_map or use_services_alternate",
                named.join(", ")
            );
        } else if self.alternate {
            message.push_str(
                "; with use_services_alternate, nodes without an alternate address are not known",
            );
        }
        Error::new(Kind::NoNode, message)
    }

    /// The partition map of a namespace.
    pub fn map(&self, namespace: &str) -> Result<&NamespaceMap> {
        let known = self.namespaces.get(namespace).map(|map| &**map);
        known.ok_or_else(|| unknown_namespace(self, namespace))
    }
}

fn unknown_namespace(snapshot: &Snapshot, name: &str) -> Error {
    let mut known: Vec<&str> = snapshot.namespaces.keys().map(String::as_str).collect();
    if known.is_empty() {
        // Every cluster has one, so this snapshot must be incomplete.
        return Error::new(Kind::NoNode, "no node has reported yet which partitions it holds");
    }
    known.sort_unstable();
    let known = known.join(", ");
    Error::new(
        Kind::NoNamespace,
        format!("namespace {name:?} is not in the cluster; it has: {known}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster() -> (Vec<Arc<Node>>, Snapshot) {
        let nodes: Vec<_> = (0..3)
            .map(|i| {
                let address = format!("127.0.0.1:{}", 3000 + i).parse().unwrap();
                Arc::new(Node::new(i, format!("N{i}"), address, None))
            })
            .collect();
        let with_racks = nodes.iter().map(|node| (node.clone(), Some(node.slot))).collect();
        let mut map = NamespaceMap::new(with_racks, 2);
        map.assign(0, 7, 0);
        map.assign(1, 7, 2);
        let namespaces = [("test".to_owned(), Arc::new(map))].into_iter().collect();
        (nodes.clone(), Snapshot { nodes, namespaces, ..Snapshot::default() })
    }

    fn names(policy: ReplicaPolicy, write: bool, racks: &[u32]) -> Vec<String> {
        let (_, snapshot) = cluster();
        let router = Router::new(racks.to_vec());
        let target = Target::partition("test".into(), 7, write);
        (0..3)
            .map(|step| match router.choose(&snapshot, &target, policy, step) {
                Ok(node) => node.name.clone(),
                Err(error) => format!("{:?}", error.kind()),
            })
            .collect()
    }

    #[test]
    fn policies() {
        assert_eq!(names(ReplicaPolicy::Master, false, &[]), ["N0", "N0", "N0"]);
        assert_eq!(names(ReplicaPolicy::Sequence, false, &[]), ["N0", "N2", "N0"]);
        assert_eq!(names(ReplicaPolicy::Any, true, &[]), ["N0", "N2", "N0"]);
        assert_eq!(names(ReplicaPolicy::PreferRack, false, &[2]), ["N2", "N0", "N2"]);
        assert_eq!(names(ReplicaPolicy::PreferRack, false, &[9, 0]), ["N0", "N2", "N0"]);
        assert_eq!(names(ReplicaPolicy::PreferRack, false, &[1]), ["N0", "N2", "N0"]);
    }

    #[test]
    fn any_spreads_reads() {
        let (_, snapshot) = cluster();
        let router = Router::default();
        let target = Target::partition("test".into(), 7, false);
        let next = || router.choose(&snapshot, &target, ReplicaPolicy::Any, 0).unwrap().slot;
        assert_eq!([next(), next(), next()], [0, 2, 0]);
    }

    fn second(policy: ReplicaPolicy, target: &mut Target) -> Option<(Duration, String, String)> {
        let (_, snapshot) = cluster();
        let router = Router::new(vec![2]);
        let (delay, second) = router.second(&snapshot, target, policy)?;
        let name = |target| router.choose(&snapshot, target, policy, 0).unwrap().name.clone();
        Some((delay, name(target), name(&second)))
    }

    #[test]
    fn a_second_request_goes_to_another_node() {
        let delay = Duration::from_millis(5);
        let hedge = Hedge::after(delay).unwrap();
        let read = || Target::partition("test".into(), 7, false).with_hedge(hedge);
        let pair = |first: &str, other: &str| Some((delay, first.into(), other.into()));
        assert_eq!(second(ReplicaPolicy::Sequence, &mut read()), pair("N0", "N2"));
        assert_eq!(second(ReplicaPolicy::PreferRack, &mut read()), pair("N2", "N0"));
        assert_eq!(second(ReplicaPolicy::Any, &mut read()), pair("N0", "N2"));
        assert_eq!(second(ReplicaPolicy::Master, &mut read()), None);
        let write = Target::partition("test".into(), 7, true).with_hedge(hedge);
        assert_eq!(second(ReplicaPolicy::Sequence, &mut write.clone()), None);
        let (nodes, snapshot) = cluster();
        nodes[2].retire();
        let router = Router::default();
        let seconds = router.second(&snapshot, &mut read(), ReplicaPolicy::Sequence);
        assert!(seconds.is_none(), "one node is left");
    }

    #[test]
    fn a_percentile_is_that_of_the_other_node() {
        let hedge = Hedge::percentile(90.0).unwrap();
        let read = || Target::partition("test".into(), 7, false).with_hedge(hedge);
        let (nodes, snapshot) = cluster();
        let router = Router::default();
        let policy = ReplicaPolicy::Sequence;
        assert!(router.second(&snapshot, &mut read(), policy).is_none(), "nothing is known");
        for _ in 0..100 {
            nodes[0].latencies().record(Duration::from_secs(1));
            nodes[2].latencies().record(Duration::from_millis(3));
        }
        let (delay, _) = router.second(&snapshot, &mut read(), policy).unwrap();
        assert!(delay < Duration::from_millis(4), "{delay:?}");
    }

    #[test]
    fn nodes_that_left_are_passed_over() {
        let (nodes, snapshot) = cluster();
        nodes[0].retire();
        let target = Target::partition("test".into(), 7, true);
        let router = Router::default();
        let choose = |policy| router.choose(&snapshot, &target, policy, 0);
        assert_eq!(choose(ReplicaPolicy::Sequence).unwrap().name, "N2");
        assert_eq!(choose(ReplicaPolicy::Master).unwrap_err().kind(), Kind::NoNode);
        nodes[2].retire();
        assert_eq!(choose(ReplicaPolicy::Sequence).unwrap_err().kind(), Kind::NoNode);
    }

    #[test]
    fn an_unknown_namespace_is_named() {
        let (_, snapshot) = cluster();
        let target = Target::partition("tset".into(), 0, false);
        let error =
            Router::default().choose(&snapshot, &target, ReplicaPolicy::Master, 0).unwrap_err();
        assert_eq!(error.kind(), Kind::NoNamespace);
        assert!(error.message().contains("\"tset\"") && error.message().contains("test"));
    }

    #[test]
    fn a_cluster_without_namespaces_is_not_known_yet() {
        let snapshot = Snapshot::default();
        let target = Target::partition("test".into(), 0, false);
        let error =
            Router::default().choose(&snapshot, &target, ReplicaPolicy::Any, 0).unwrap_err();
        assert_eq!(error.kind(), Kind::NoNode);
    }
}
