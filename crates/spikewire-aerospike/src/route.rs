//! Chooses the node for a command, for the transport: [`Topology`].

use std::fmt::{self, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use spikewire_aerospike_protocol::features::{DeepPlace, Features};
use spikewire_aerospike_protocol::key::Digest;
use spikewire_transport::topology::{
    CopyPlan, Preference, Settings, Target as Addressed, dedicated_callers,
};
use spikewire_transport::{
    Metrics, OrderKey, RetryBudget, ShareReads, SharedReads, Tick, Topology,
};

use crate::cluster::{Cluster, NamespaceMap, Node, Snapshot};
use crate::model::Hedge;
use crate::model::ReplicaPolicy;
use crate::model::{Error, Kind, Result};
use crate::near_cache::NearTicket;

/// The routing information of a command.
#[derive(Debug, Clone)]
pub struct Target {
    /// Its destination.
    pub aim: Aim,
    /// Whether the command writes.
    pub write: bool,
    /// The replica for the first attempt, counted from 1 (0: by policy), set in advance if a hedge
    /// request must go to another one; and [`CHECKED`], so that other commands check neither.
    column: u8,
    /// What its node must be able to do.
    pub needs: Features,
    /// Where a value is nested too deep for newer servers.
    deep_place: Option<Arc<str>>,
    /// Whether this is a hedge request.
    second: bool,
    /// When to send a hedge request to another replica.
    hedge: Hedge,
    /// Which requests it may share.
    share: ShareReads,
    /// The record it is about.
    key: OrderKey,
    /// Whether what it is about is sent to other nodes if this one does not answer.
    regroups: bool,
}

/// A partition, and what the near cache has to do with one of its records until the command ends.
#[derive(Debug)]
pub struct NearAim {
    namespace: Arc<str>,
    partition: u16,
    ticket: NearTicket,
}

/// What is told of the reply to a command before its caller.
pub trait ReplyListener: fmt::Debug + Send + Sync {
    /// The reply, complete and not to be tried again. Not called if there is none.
    fn answered(&self, body: &[u8]);
}

/// A partition, and who is told of the reply. Whoever listens is dropped when the command ends.
#[derive(Debug)]
pub struct ListenerAim {
    namespace: Arc<str>,
    partition: u16,
    listener: Box<dyn ReplyListener>,
}

impl Aim {
    /// The namespace and its partition, unless it is a node.
    #[inline(always)]
    pub fn partition(&self) -> std::result::Result<(&Arc<str>, u16), &Arc<Node>> {
        match self {
            Self::Partition(namespace, partition) => Ok((namespace, *partition)),
            Self::Near(near) => Ok((&near.namespace, near.partition)),
            Self::Listener(of) => Ok((&of.namespace, of.partition)),
            Self::Node(node) => Err(node),
        }
    }
}

/// In [`Target::column`]: the command needs features of its node.
const CHECKED: u8 = 0x80;

/// The destination of a command.
#[derive(Debug, Clone)]
pub enum Aim {
    /// A node that holds this partition of this namespace.
    Partition(Arc<str>, u16),
    /// The same for a record with which the near cache has something to do.
    Near(Arc<NearAim>),
    /// The same with somebody who is told of the reply.
    Listener(Arc<ListenerAim>),
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
        Self::aimed(Aim::Partition(namespace, partition), write)
    }

    #[inline(always)]
    fn aimed(aim: Aim, write: bool) -> Self {
        let (hedge, share, key) = (Hedge::NEVER, ShareReads::Off, OrderKey::NONE);
        let (column, second, regroups, needs) = (0, false, false, Features::NONE);
        Self { aim, write, column, needs, deep_place: None, second, hedge, share, key, regroups }
    }

    /// The target of a command for one node.
    pub fn node(node: Arc<Node>, write: bool) -> Self {
        Self::aimed(Aim::Node(node), write)
    }

    /// The same for a part of a batch, whose rows can be sent to other nodes.
    #[must_use]
    pub fn regrouping(self, regroups: bool) -> Self {
        Self { regroups, ..self }
    }

    /// The same with hedging.
    #[must_use]
    #[inline]
    pub fn with_hedge(self, hedge: Hedge) -> Self {
        Self { hedge, ..self }
    }

    /// The same for a read that may share requests.
    #[must_use]
    #[inline]
    pub fn with_share(self, share: ShareReads) -> Self {
        Self { share, ..self }
    }

    /// The same for a command that needs these features of its node.
    #[must_use]
    #[inline]
    pub fn with_needs(self, needs: Features) -> Self {
        if needs.is_empty() { self } else { self.checked_for(needs) }
    }

    #[cold]
    fn checked_for(self, needs: Features) -> Self {
        Self { column: self.column | CHECKED, needs: self.needs | needs, ..self }
    }

    /// The same for a command with a value in this place that is nested too deep for newer servers.
    #[must_use]
    #[cold]
    pub fn nested_deep(self, place: DeepPlace<'_>) -> Self {
        let deep_place = Some(Arc::from(place.to_string()));
        Self { deep_place, ..self.checked_for(Features::DEEP_NESTING) }
    }

    /// What the near cache has to do with it, until it ends.
    pub(crate) fn set_near(&mut self, ticket: NearTicket) {
        if let Aim::Partition(namespace, partition) = &self.aim {
            let (namespace, partition) = (namespace.clone(), *partition);
            self.aim = Aim::Near(Arc::new(NearAim { namespace, partition, ticket }));
        }
    }

    /// The same for a read of which somebody is told the reply. It is sent by itself, once at a
    /// time.
    pub(crate) fn with_listener(self, listener: Box<dyn ReplyListener>) -> Self {
        let aim = match self.aim.partition() {
            Ok((namespace, partition)) => {
                let namespace = namespace.clone();
                Aim::Listener(Arc::new(ListenerAim { namespace, partition, listener }))
            }
            Err(_) => self.aim,
        };
        Self { aim, hedge: Hedge::NEVER, share: ShareReads::Off, ..self }
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
        let (namespace, partition) = match target.aim.partition() {
            Ok(partition) => partition,
            Err(node) if node.is_active() => return Ok(node.clone()),
            Err(node) => {
                let error = Error::new(Kind::NoNode, format!("node {node} left the cluster"));
                return Err(error.on(node.to_string()));
            }
        };
        let map = snapshot.map(namespace)?;
        let node = match target.column {
            0 => self.holder(map, partition, target.write, policy, step),
            column if column & CHECKED == 0 => {
                readable(map, partition, u32::from(column) - 1, step)
            }
            column => {
                let node = match column & !CHECKED {
                    0 => self.holder(map, partition, target.write, policy, step),
                    column => readable(map, partition, u32::from(column) - 1, step),
                };
                node.map_or(Ok(()), |node| {
                    node.check_request(target.needs, || target.deep_place.as_deref())
                })?;
                node
            }
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
                readable(map, partition, start, step)
            }
            ReplicaPolicy::PreferRack if !write => self.on_rack(map, partition, step),
            // Any other node proxies a write to the master.
            _ if write => in_turn(map, partition, step),
            _ => readable(map, partition, 0, step),
        }
    }

    /// Another node for a read whose own does not answer: one that `fits`, not the one that readers
    /// would take only if there were no other.
    pub fn other_reader<'a>(
        &self,
        map: &'a NamespaceMap,
        partition: u16,
        policy: ReplicaPolicy,
        fits: impl Fn(&Node) -> bool,
    ) -> Option<&'a Arc<Node>> {
        if policy == ReplicaPolicy::Master {
            return None;
        }
        let begins = match policy {
            ReplicaPolicy::PreferRack => self.preferred(map, partition).unwrap_or(0),
            _ => 0,
        };
        let columns = map.replicas();
        let mut holders =
            (0..columns).filter_map(|on| usable(map, (begins + on) % columns.max(1), partition));
        holders.find(|node| !node.health.is_suspected() && fits(node))
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
        let (namespace, partition) = target.aim.partition().ok()?;
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
        let differs = |other: &Node| other.slot != node.slot && other.features.has(target.needs);
        let (other, second) = columns_in_use.find(|(_, other)| differs(other))?;
        let delay = target.hedge.delay(|share| second.latencies().quantile(share))?;
        let checked = target.column & CHECKED;
        let column = |on| {
            let column = u8::try_from((begins + on) % columns + 1).ok();
            column.filter(|column| column & CHECKED == 0).map(|column| column | checked)
        };
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
        readable(map, pid, self.preferred(map, pid).unwrap_or(0) as u32, step)
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

/// The same for a read, which any replica answers: one that is suspected to be mute only if all are,
/// and one that has just returned gets its reads little by little.
fn readable(map: &NamespaceMap, pid: u16, start: u32, step: u32) -> Option<&Arc<Node>> {
    let start = start.wrapping_add(step);
    match in_turn(map, pid, start) {
        Some(first) if !first.health.is_full() => Some(spared(map, pid, start, step, first)),
        first => first,
    }
}

/// The node for a read that `first` should perhaps not get.
#[cold]
fn spared<'a>(
    map: &'a NamespaceMap,
    pid: u16,
    start: u32,
    step: u32,
    first: &'a Arc<Node>,
) -> &'a Arc<Node> {
    // A retry would go back to where it came from.
    let admits =
        if step > 0 { !first.health.is_suspected() } else { first.health.admits(Tick::now()) };
    if admits {
        return first;
    }
    let others = || {
        let columns = (0..map.replicas()).map(|on| start.wrapping_add(on as u32));
        columns.filter_map(|start| in_turn(map, pid, start))
    };
    let full = others().find(|node| node.health.is_full());
    full.or_else(|| others().find(|node| !node.health.is_suspected())).unwrap_or(first)
}

impl Topology for Cluster {
    type Node = Node;
    type Target = Target;
    type Preference = ReplicaPolicy;
    type Error = Error;
    type Router = Router;

    fn router(&self) -> Router {
        Router::new(self.options().racks.clone())
    }

    fn route(
        &self,
        router: &Router,
        target: &Target,
        policy: ReplicaPolicy,
        step: u32,
    ) -> Result<Arc<Node>> {
        router.choose(&self.snapshot(), target, policy, step)
    }

    fn settings(&self) -> Settings {
        let options = self.options();
        Settings {
            connections_per_node: options.connections_per_node(),
            depth: options.depth,
            queue: options.queue,
            in_flight: options.in_flight,
            connect_timeout: options.connect_timeout,
            idle: options.idle,
        }
    }

    /// Nodes work on the requests of one connection one after the other, so a thread is answered
    /// sooner on its own; but with many nodes those would be many connections.
    fn dedicated_callers(&self) -> usize {
        let options = self.options();
        options.connections_per_node.unwrap_or_else(|| {
            dedicated_callers(self.snapshot().nodes.len(), options.connections_per_node())
        })
    }

    #[inline]
    fn is_closed(&self) -> bool {
        Self::is_closed(self)
    }

    #[inline]
    fn metrics(&self) -> Option<&Metrics> {
        Some(Self::metrics(self))
    }

    #[inline(always)]
    fn shared_reads(&self) -> Option<&SharedReads> {
        Some(Self::shared_reads(self))
    }

    #[inline(always)]
    fn copy_of(
        &self,
        router: &Router,
        target: &mut Target,
        policy: ReplicaPolicy,
    ) -> Option<CopyPlan<Target>> {
        if target.is_hedged() { second(self, router, target, policy) } else { None }
    }

    fn admits_copy(&self, _: &Target) -> bool {
        self.hedging().spend()
    }

    #[cold]
    fn measured(&self, target: &Target, node: &Node, took: Duration, counts: bool) {
        if !target.is_hedged() {
            return;
        }
        node.latencies().record(took);
        if counts && target.is_second() {
            self.hedging().win();
        }
    }

    fn retry_budget(&self) -> Option<&RetryBudget> {
        Some(Self::retry_budget(self))
    }

    #[cold]
    fn answered(&self, target: &Target, node: &Arc<Node>, body: &[u8]) {
        match &target.aim {
            Aim::Near(near) => {
                if let NearTicket::Fill(claim) = &near.ticket
                    && let Some(cache) = self.near_cache()
                {
                    cache.fill(claim, body, node);
                }
            }
            Aim::Listener(of) => of.listener.answered(body),
            Aim::Partition(..) | Aim::Node(_) => {}
        }
    }

    fn refresh_soon(&self) {
        self.tend_soon();
    }

    fn has_alternative(&self, target: &Target, policy: ReplicaPolicy, node: &Node) -> bool {
        // Others would proxy a write to this node.
        policy.moves_on() && !target.write && has_alternative(&self.snapshot(), target, node)
    }

    fn suspects(&self, _: &Arc<Node>) {
        self.tend_soon();
    }
}

fn has_alternative(snapshot: &Snapshot, target: &Target, node: &Node) -> bool {
    let answers = |other: &Arc<Node>| other.slot != node.slot && other.health.is_trusted();
    match target.aim.partition() {
        Ok((namespace, partition)) => snapshot.map(namespace).is_ok_and(|map| {
            let mut holders = (0..map.replicas()).filter_map(|on| usable(map, on, partition));
            holders.any(answers)
        }),
        Err(_) => target.regroups && snapshot.nodes.iter().any(answers),
    }
}

/// The hedge request for a read, if it has one.
#[cold]
fn second(
    cluster: &Cluster,
    router: &Router,
    target: &mut Target,
    policy: ReplicaPolicy,
) -> Option<CopyPlan<Target>> {
    let (delay, target) = router.second(&cluster.snapshot(), target, policy)?;
    cluster.hedging().earn();
    Some(CopyPlan { delay, target, shares: true })
}

impl Addressed for Target {
    fn writes(&self) -> bool {
        self.write
    }

    fn regroups(&self) -> bool {
        self.regroups
    }

    #[inline(always)]
    fn order(&self) -> OrderKey {
        self.key()
    }

    #[inline(always)]
    fn is_measured(&self) -> bool {
        self.is_hedged() | matches!(self.aim, Aim::Near(_) | Aim::Listener(_))
    }

    #[inline(always)]
    fn shares(&self) -> ShareReads {
        self.share
    }

    fn is_sent_like(&self, other: &Self) -> bool {
        self.hedge == other.hedge
    }
}

impl Preference for ReplicaPolicy {
    fn moves_on(self) -> bool {
        self != Self::Master
    }
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
    let mut known: Vec<&str> = snapshot.namespaces.iter().map(|(name, _)| name).collect();
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
#[path = "route_tests.rs"]
mod tests;
