//! The cluster worker's state for one node.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;
use spikewire_aerospike_protocol::info;
use spikewire_aerospike_protocol::peers::Peers;
use spikewire_aerospike_protocol::{partition::Replicas, racks};

use super::info_request::{InfoCommands, InfoConnection, InfoRequest};
use super::net::Net;
use super::node_error::NodeError;
use super::node_info::{generation, partition_generation};
use super::{Build, Node, build, poll};
use crate::clock::Tick;

/// How long a pass waits for nodes that failed before. Later replies are read in the next pass.
pub(super) const RETRY_WAIT: Duration = Duration::from_millis(50);
/// Result code of commands that require the Enterprise Edition.
const ENTERPRISE_ONLY: u8 = 25;

/// A server-side generation counter: its latest value, and its value when the content was last
/// read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Generation<T> {
    pub seen: Option<T>,
    pub read: Option<T>,
}

impl<T: PartialEq> Generation<T> {
    /// Whether the content has to be read again.
    pub fn is_behind(&self) -> bool {
        self.read.is_none() || self.seen != self.read
    }
}

/// The cluster worker's side of a node.
#[derive(Debug)]
pub(super) struct Member {
    pub node: Arc<Node>,
    connection: Option<InfoConnection>,
    request: Option<InfoRequest>,
    /// Consecutive failures, at most one per tend interval.
    pub failures: u32,
    /// When the last one was counted.
    failed_at: Tick,
    /// When the first of them was.
    failing_since: Tick,
    /// Whether it replied in this pass.
    pub answered: bool,
    /// State of its breaker when last announced.
    pub breaker_open: bool,
    /// Whether another node has replaced it: it is removed even if it replies.
    pub replaced: bool,
    /// Number of nodes that list it as a peer in this pass.
    pub listed_by: u32,
    /// Number of peers it lists.
    pub peers: usize,
    pub peers_generation: Generation<u64>,
    pub partition_generation: Generation<i64>,
    pub rebalance_generation: Generation<u64>,
    /// The replication factor of each of its namespaces.
    pub factors: Vec<(String, u8)>,
    /// Its rack in each namespace, where known.
    pub racks: FxHashMap<String, u32>,
}

impl Member {
    /// A node that has just been identified over `connection`.
    pub fn new(node: Arc<Node>, connection: InfoConnection, partition_generation: i64) -> Self {
        Self {
            node,
            connection: Some(connection),
            request: None,
            failures: 0,
            failed_at: Tick::default(),
            failing_since: Tick::default(),
            answered: true,
            breaker_open: false,
            replaced: false,
            listed_by: 0,
            peers: 0,
            peers_generation: Generation::default(),
            partition_generation: Generation { seen: Some(partition_generation), read: None },
            rebalance_generation: Generation::default(),
            factors: Vec::new(),
            racks: FxHashMap::default(),
        }
    }

    /// Whether further requests in this pass make sense.
    pub fn is_reachable(&self) -> bool {
        self.answered && self.failures == 0 && self.node.is_active()
    }

    /// Whether its partition map has to be read.
    pub fn map_is_behind(&self) -> bool {
        self.partition_generation.is_behind()
            && self.partition_generation.seen.is_some_and(|seen| seen >= 0)
    }

    /// Processes the reply to [`counter_commands`]. `limit` is the breaker's; with `any_node`, each
    /// reply may be another node's.
    pub fn apply_counters(
        &mut self,
        answer: &str,
        racks: bool,
        limit: u32,
        any_node: bool,
    ) -> Result<(), NodeError> {
        let name = info::value(answer, "node")?;
        if name != self.node.name && !any_node {
            // Another server now uses the address.
            self.replaced = true;
            return Err(NodeError::OtherNode {
                actual: name.to_owned(),
                expected: self.node.name.clone(),
            });
        }
        // What it can do may have changed with its version: it is identified again.
        let build = info::value(answer, "build").ok().and_then(Build::parse);
        if let Some(build) = build.filter(|build| *build != self.node.build && !any_node) {
            self.replaced = true;
            return Err(NodeError::OtherNode {
                actual: format!("{name} of version {build}"),
                expected: format!("{name} of version {}", self.node.build),
            });
        }
        let peers = generation(answer, "peers-generation")?;
        let partitions = partition_generation(answer)?;
        let rebalance = if racks { generation(answer, "rebalance-generation").ok() } else { None };
        let restarted = self.peers_generation.read.is_some_and(|read| peers < read);
        if restarted {
            self.node.breaker.reset(limit);
        }
        if restarted || self.failures > 0 {
            let now = Tick::now();
            let away = if restarted { Duration::MAX } else { now.since(self.failing_since) };
            self.node.health.returns(now, away);
            // A restarted node counts from the start and may reach the old numbers by chance.
            self.peers_generation.read = None;
            self.partition_generation.read = None;
            self.rebalance_generation.read = None;
        }
        self.peers_generation.seen = Some(peers);
        self.partition_generation.seen = Some(partitions);
        self.rebalance_generation.seen = rebalance;
        (self.failures, self.answered) = (0, true);
        Ok(())
    }

    /// Parses the reply to the peers command.
    pub fn parse_peers(&mut self, answer: &str, command: &str) -> Result<Peers, NodeError> {
        let peers = Peers::parse(info::value(answer, command)?)?;
        self.peers = peers.peers.len();
        Ok(peers)
    }

    /// Parses its partitions from the reply to `partition-generation` and `replicas`; nothing if it
    /// has left its cluster in the meantime.
    pub fn apply_map(&mut self, answer: &str) -> Result<Vec<Replicas>, NodeError> {
        let generation = partition_generation(answer)?;
        self.partition_generation.seen = Some(generation);
        if generation < 0 {
            return Ok(Vec::new());
        }
        let replicas = Replicas::parse(info::value(answer, "replicas")?)?;
        self.partition_generation.read = Some(generation);
        self.factors = replicas.iter().map(|r| (r.namespace.clone(), r.factor)).collect();
        Ok(replicas)
    }

    /// Updates its racks from the reply to `rebalance-generation` and `rack-ids`; returns whether
    /// they changed. Only the Enterprise Edition has racks; otherwise they stay unknown.
    pub fn apply_racks(&mut self, answer: &str) -> Result<bool, NodeError> {
        let generation = generation(answer, "rebalance-generation")?;
        let racks: FxHashMap<_, _> = match info::value(answer, "rack-ids") {
            Ok(value) => racks::parse(value)?.into_iter().map(|r| (r.namespace, r.rack)).collect(),
            Err(error) if error.code == ENTERPRISE_ONLY => FxHashMap::default(),
            Err(error) => return Err(error.into()),
        };
        self.rebalance_generation = Generation { seen: Some(generation), read: Some(generation) };
        let changed = racks != self.racks;
        self.racks = racks;
        Ok(changed)
    }

    /// Records a failure. Within one tend interval only the first one counts, so that a burst of
    /// extra passes does not remove the node.
    pub fn fail(&mut self, interval: Duration) {
        self.answered = false;
        // The connection may be the cause: its session may have expired, or a login may be missing.
        self.connection = None;
        let now = Tick::now();
        if self.failures == 0 {
            self.failing_since = now;
        }
        // Less than the shortest interval, since passes are not exactly on time.
        if self.failures == 0 || now >= self.failed_at.after(interval / 10 * 8) {
            self.failures += 1;
            self.failed_at = now;
        }
    }

    fn ask(&mut self, commands: &[&str], net: &Net) {
        if self.request.is_none() {
            let spec = InfoCommands {
                address: self.node.address,
                access: &self.node.access,
                commands,
                introduce: build::takes_user_agent(self.node.build).then_some(&*net.user_agent),
                within: net.within,
            };
            self.request =
                Some(InfoRequest::start(&spec, self.connection.take(), &net.descriptors));
        }
    }

    /// Whether it owes the reply to a request.
    pub fn is_waiting(&self) -> bool {
        self.request.as_ref().is_some_and(|request| !request.is_over())
    }

    fn take_answer(&mut self) -> Option<Result<String, NodeError>> {
        let request = self.request.take_if(|request| request.is_over())?;
        request.count(&self.node);
        Some(request.finish().map(|(answer, connection)| {
            self.connection = Some(connection);
            answer
        }))
    }
}

/// The commands whose replies [`Member::apply_counters`] processes.
pub(super) fn counter_commands(racks: bool) -> &'static [&'static str] {
    let all =
        &["node", "build", "peers-generation", "partition-generation", "rebalance-generation"];
    if racks { all } else { &all[..4] }
}

/// Sends requests to all members that `who` selects, concurrently, and returns the replies by index
/// in `members`. Healthy members are waited for up to `patience`; those that failed before, or
/// still owe the reply to an earlier request, up to [`RETRY_WAIT`]. Requests to the others stay
/// open until the next call, so a short limit may be used only for commands that every pass sends
/// to all members.
pub(super) fn ask_all(
    members: &mut [Member],
    net: &Net,
    commands: &[&str],
    patience: Duration,
    who: impl Fn(&Member) -> bool,
) -> Vec<(usize, Result<String, NodeError>)> {
    let mut recipients: Vec<(usize, &mut Member)> =
        members.iter_mut().enumerate().filter(|(_, member)| who(member)).collect();
    let mut prompt = Vec::with_capacity(recipients.len());
    for (_, member) in &mut recipients {
        prompt.push(member.failures == 0 && member.request.is_none());
        member.ask(commands, net);
    }
    let start = Tick::now();
    loop {
        let waiting =
            || recipients.iter().zip(&prompt).filter(|((_, member), _)| member.is_waiting());
        let now = Tick::now();
        let first = waiting().any(|(_, prompt)| *prompt) && now < start.after(patience);
        let until = start.after(if first { patience } else { RETRY_WAIT });
        if waiting().next().is_none() || now >= until {
            break;
        }
        let mut open: Vec<_> =
            recipients.iter_mut().filter_map(|(_, m)| m.request.as_mut()).collect();
        poll::turn(&mut open, until, &net.closed);
    }
    recipients.into_iter().filter_map(|(at, member)| Some((at, member.take_answer()?))).collect()
}
