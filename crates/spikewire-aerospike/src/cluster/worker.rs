//! The cluster worker: polls the nodes and publishes what it finds, one pass at a time.

use std::sync::{Arc, Weak};
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use spikewire_aerospike_protocol::host::Host;
use spikewire_transport::node_stats::report_breaker;

use super::member::{Member, ask_all, counter_commands};
use super::net::Net;
use super::node_info::Requirements;
use super::partition_table::PartitionTable;
use super::peers::Candidates;
use super::probe::ProbedHost;
use super::rules;
use super::shared::Shared;
use super::{NamespaceMap, Node, Snapshot, UnreachablePeer, seeds};
use crate::clock::Tick;
use crate::model::{Kind, Result};

/// How long the cluster worker polls more often after a node started to fail, joined or left.
const UNSETTLED_FOR: Duration = Duration::from_secs(10);

/// The cluster worker's state; lives on its thread.
#[derive(Debug)]
pub(super) struct ClusterWorker {
    pub(super) shared: Arc<Shared>,
    seeds: Vec<Host>,
    pub(super) members: Vec<Member>,
    pub(super) partitions: PartitionTable,
    pub(super) candidates: Candidates,
    pub(super) unreachable: Vec<UnreachablePeer>,
    /// The nodes by slot, the last one that had each.
    slots: Vec<Weak<Node>>,
    is_first: bool,
    /// Whether the set of nodes changed since the last snapshot.
    pub(super) changed: bool,
    unsettled_until: Tick,
    /// Regular passes since the error windows were reset.
    window: u32,
}

impl ClusterWorker {
    /// Runs the first pass.
    pub fn start(shared: Arc<Shared>) -> Result<Self> {
        let mut worker = Self {
            seeds: shared.options.seeds.clone(),
            shared,
            members: Vec::new(),
            partitions: PartitionTable::default(),
            candidates: Candidates::default(),
            unreachable: Vec::new(),
            slots: Vec::new(),
            is_first: true,
            changed: false,
            unsettled_until: Tick::default(),
            window: 0,
        };
        let first = worker.pass(true);
        worker.shared.tends.note(first.is_ok());
        if let Err(error) = first {
            let may_wait = error.kind() == Kind::Connection;
            if worker.shared.options.fail_if_not_connected || !may_wait {
                return Err(error);
            }
            worker.is_first = false;
            return Ok(worker);
        }
        let hosts = worker.members.iter().map(|member| seed(&member.node));
        let hosts: Vec<_> = hosts.filter(|host| !worker.seeds.contains(host)).collect();
        worker.seeds.extend(hosts);
        worker.unsettled_until = Tick::default();
        worker.is_first = false;
        Ok(worker)
    }

    /// Whether the cluster is changing, which calls for a shorter interval.
    pub fn is_unsettled(&self) -> bool {
        Tick::now() < self.unsettled_until
    }

    /// Runs one pass over all nodes. An error means that there is no node and no seed leads to one.
    pub fn pass(&mut self, regular: bool) -> Result<()> {
        let seeding = self.members.is_empty();
        if seeding {
            self.partitions.clear();
            self.seed()?;
        }
        let disturbed = self.refresh_counters();
        if disturbed {
            let answered = self.refresh_peers();
            // Right after seeding, no node holds a partition yet, which is no reason to remove it.
            if !seeding {
                self.remove_leavers(answered);
            }
        }
        self.refresh_maps();
        self.refresh_racks();
        self.watch_breakers();
        if regular {
            self.roll_windows();
            self.watch_breakers();
            let (idle, now) = (self.shared.options.idle, Tick::now());
            for Member { node, .. } in &self.members {
                node.ready.sweep(&node.gauges, idle, now);
            }
        }
        self.publish();
        Ok(())
    }

    pub fn shared(&self) -> Arc<Shared> {
        self.shared.clone()
    }

    pub(super) fn net(&self) -> Arc<Net> {
        self.shared.net.clone()
    }

    fn seed(&mut self) -> Result<()> {
        let cluster_name = self.shared.options.cluster_name.clone();
        let requirements = Requirements { node: None, cluster_name };
        let host = seeds::find(&self.seeds, &requirements, &self.shared.net)?;
        self.admit(host);
        Ok(())
    }

    pub(super) fn admit(&mut self, host: ProbedHost) -> u32 {
        let ProbedHost { place, access, connection, info } = host;
        // A slot is free once nobody has the node that had it: no connection, no command.
        let free = self.slots.iter().position(|node| node.strong_count() == 0);
        let slot = free.unwrap_or(self.slots.len());
        let tls_name = if self.shared.net.gate.encrypts() { place.name } else { None };
        let node = Node::new(slot as u32, info.node, place.address, tls_name);
        let node = node.with_build(info.build, info.is_enterprise).with_access(access);
        let node = node.with_slow_start(self.shared.options.slow_start);
        let node = if self.shared.options.protect_servers { node } else { node.unprotected() };
        if !self.is_first {
            node.health.returns(Tick::now(), Duration::MAX);
        }
        node.breaker.reset(self.shared.options.max_error_rate);
        if !self.shared.options.adaptive_limits {
            node.health.limiter().switch_off();
        }
        for old in self.members.iter_mut().filter(|old| old.node.name == node.name) {
            old.replaced = true;
        }
        let node = Arc::new(node);
        let known = Arc::downgrade(&node);
        match self.slots.get_mut(slot) {
            Some(former) => *former = known,
            None => self.slots.push(known),
        }
        self.members.push(Member::new(node, connection, info.partition_generation));
        self.changed = true;
        self.unrest();
        slot as u32
    }

    pub(super) fn unrest(&mut self) {
        self.unsettled_until = Tick::now().after(UNSETTLED_FOR);
    }

    pub(super) fn fail(&mut self, at: usize) {
        if self.members[at].failures == 0 {
            self.unrest();
        }
        self.members[at].fail(self.shared.options.tend_interval);
    }

    /// Reads the counters of all members; returns whether the peers should be read.
    fn refresh_counters(&mut self) -> bool {
        let racks = !self.shared.options.racks.is_empty();
        let limit = self.shared.options.max_error_rate;
        self.members.iter_mut().for_each(|member| member.answered = false);
        let net = self.net();
        // The first snapshot must be complete; later passes do not wait long for a hanging node.
        let patience = if self.is_first { Duration::MAX } else { net.within / 4 };
        let answers = ask_all(&mut self.members, &net, counter_commands(racks), patience, |_| true);
        for (at, answer) in answers {
            let member = &mut self.members[at];
            let apply =
                |answer: String| member.apply_counters(&answer, racks, limit, net.seed_only);
            if answer.and_then(apply).is_err() {
                member.node.health.missed_probe();
                self.fail(at);
            } else {
                member.node.health.answered_probe(Tick::now());
            }
        }
        for member in self.members.iter().filter(|member| member.is_waiting()) {
            member.node.health.missed_probe();
        }
        if self.members.iter().any(|member| member.node.health.is_suspected()) {
            self.unrest();
        }
        self.members.iter().any(|m| m.failures > 0 || m.replaced || m.peers_generation.is_behind())
    }

    /// Reads the maps that changed. Nodes that lose partitions by it are read in the next pass.
    fn refresh_maps(&mut self) {
        let net = self.net();
        let answered = self.members.iter().filter(|member| member.is_reachable()).count();
        let commands = ["partition-generation", "replicas"];
        let answers = ask_all(&mut self.members, &net, &commands, Duration::MAX, |member| {
            member.is_reachable()
                && member.map_is_behind()
                && rules::may_map(member.peers, answered)
        });
        let mut losers = FxHashSet::default();
        for (at, answer) in answers {
            match answer.and_then(|answer| self.members[at].apply_map(&answer)) {
                Ok(replicas) => {
                    losers.extend(self.partitions.apply(self.members[at].node.slot, &replicas));
                }
                Err(_) => self.fail(at),
            }
        }
        for loser in self.members.iter_mut().filter(|m| losers.contains(&m.node.slot)) {
            loser.partition_generation.read = None;
        }
        let mut factors: FxHashMap<&str, u8> = FxHashMap::default();
        for (namespace, factor) in self.members.iter().flat_map(|member| &member.factors) {
            let largest = factors.entry(namespace).or_default();
            *largest = (*largest).max(*factor);
        }
        if !factors.is_empty() {
            self.partitions.fit(&factors);
        }
    }

    fn refresh_racks(&mut self) {
        if self.shared.options.racks.is_empty() {
            return;
        }
        let commands = ["rebalance-generation", "rack-ids"];
        let net = self.net();
        let answers = ask_all(&mut self.members, &net, &commands, Duration::MAX, |member| {
            member.is_reachable() && member.rebalance_generation.is_behind()
        });
        let mut moved = false;
        for (at, answer) in answers {
            // Racks only affect preferences: a node without a reply is simply asked again.
            moved |= answer.and_then(|a| self.members[at].apply_racks(&a)).unwrap_or(false);
        }
        if moved {
            self.partitions.invalidate();
        }
    }

    fn roll_windows(&mut self) {
        self.window += 1;
        if self.window >= self.shared.options.error_rate_window {
            self.window = 0;
            for member in &self.members {
                member.node.breaker.roll(self.shared.options.max_error_rate);
            }
        }
    }

    /// Emits events for breakers that opened or closed since the last pass.
    fn watch_breakers(&mut self) {
        for member in &mut self.members {
            report_breaker(&self.shared.metrics, &mut member.breaker_open, &*member.node);
        }
    }

    fn publish(&mut self) {
        if !self.changed && !self.partitions.is_stale() {
            return;
        }
        self.changed = false;
        let nodes: Vec<Arc<Node>> = self.members.iter().map(|m| m.node.clone()).collect();
        let racks: FxHashMap<u32, &FxHashMap<String, u32>> =
            self.members.iter().map(|m| (m.node.slot, &m.racks)).collect();
        let mut namespaces = self.partitions.publish(&nodes, |node, namespace| {
            racks.get(&node.slot).and_then(|racks| racks.get(namespace)).copied()
        });
        if let [only] = &nodes[..]
            && self.shared.options.seed_only
        {
            for map in namespaces.values_mut() {
                *map = Arc::new(NamespaceMap::of_one(only.clone(), map.strong));
            }
        }
        let unreachable = self.unreachable.clone();
        let alternate = self.shared.options.use_services_alternate;
        self.shared.publish(Snapshot { nodes, namespaces, unreachable, alternate });
    }
}

fn seed(node: &Node) -> Host {
    let (name, port) = (node.address.ip().to_string(), node.address.port());
    Host { name, tls_name: node.tls_name.clone(), port }
}
