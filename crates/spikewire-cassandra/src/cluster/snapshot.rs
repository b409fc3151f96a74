//! The latest view of the cluster: nodes and replicas.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rustc_hash::FxHashMap;
use spikewire_cql::ring::{Member, Replicas, Ring, Strategy};
use spikewire_cql::tablet::Tablet;
use spikewire_options::InvalidArgument;

use super::node::{Description, HostId, Node};
use super::tables::Replication;
use crate::options::Options;

/// How many replicas of a tablet are considered: more than replications have.
pub const MOST_REPLICAS: usize = 16;

/// An immutable view of the cluster.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// All nodes, including those that are down.
    pub nodes: Vec<Arc<Node>>,
    local_datacenter: Option<String>,
    local_rack: Option<String>,
    remote_datacenters: bool,
    keyspaces: Keyspaces,
}

/// The replicas of each keyspace. Keyspaces with the same replication share one table.
#[derive(Debug, Clone, Default)]
pub(super) struct Keyspaces {
    placements: FxHashMap<Arc<str>, Arc<Placement>>,
    /// Those whose tablets have leaders.
    led: Arc<[String]>,
}

/// The replicas of one kind of replication, computed on first use.
#[derive(Debug)]
struct Placement {
    ring: Arc<Ring<()>>,
    strategy: Strategy,
    replicas: OnceLock<Option<Replicas>>,
}

impl Keyspaces {
    /// A snapshot of these nodes, in this order. The tablets of the keyspaces in `led` have leaders.
    pub fn new(
        nodes: &[Description],
        keyspaces: Vec<(String, Replication)>,
        led: Vec<String>,
    ) -> Self {
        let ring = Arc::new(Ring::new(nodes.iter().map(|node| Member {
            node: (),
            dc: node.datacenter.clone(),
            rack: node.rack.clone(),
            tokens: node.tokens.clone(),
        })));
        let mut alike: FxHashMap<Replication, Arc<Placement>> = FxHashMap::default();
        let placed = keyspaces.into_iter().filter_map(|(name, replication)| {
            let placement = if let Some(known) = alike.get(&replication) {
                known.clone()
            } else {
                // If the replication is invalid, any node will do.
                let strategy = Strategy::parse(&replication).ok()?;
                let (ring, replicas) = (ring.clone(), OnceLock::new());
                let placement = Arc::new(Placement { ring, strategy, replicas });
                alike.insert(replication, placement.clone());
                placement
            };
            Some((Arc::from(name), placement))
        });
        Self { placements: placed.collect(), led: led.into() }
    }
}

impl Snapshot {
    /// The node with this address, as [`Node::address`] is written.
    pub fn node_at(&self, address: &str) -> Result<Arc<Node>, InvalidArgument> {
        let node = self.nodes.iter().find(|node| node.address.to_string() == address);
        node.cloned().ok_or_else(|| {
            let known: Vec<String> = self.nodes.iter().map(ToString::to_string).collect();
            InvalidArgument::of_value(format!(
                "node {address:?} is not known; there are: {}",
                known.join(", ")
            ))
        })
    }

    pub(super) fn new(
        nodes: Vec<Arc<Node>>,
        keyspaces: Keyspaces,
        local: Option<String>,
        options: &Options,
    ) -> Self {
        Self {
            nodes,
            local_datacenter: local,
            local_rack: options.local_rack.clone(),
            remote_datacenters: options.remote_datacenters,
            keyspaces,
        }
    }

    /// The same, with leaders in this keyspace.
    #[cfg(test)]
    pub fn with_leaders(mut self, keyspace: &str) -> Self {
        self.keyspaces.led = [keyspace.to_owned()].into();
        self
    }

    /// The same with these nodes, in the same order.
    pub(super) fn with_nodes(&self, nodes: Vec<Arc<Node>>) -> Self {
        Self {
            nodes,
            local_datacenter: self.local_datacenter.clone(),
            local_rack: self.local_rack.clone(),
            remote_datacenters: self.remote_datacenters,
            keyspaces: self.keyspaces.clone(),
        }
    }

    /// The lowest of the nodes' percentiles of recent latencies, at least 1 ms; `share` is in ten
    /// thousandths. One slow node raises it as little as one that does not answer.
    #[cold]
    pub fn lowest_latency(&self, share: u16) -> Option<Duration> {
        let is_used = |node: &&Arc<Node>| node.is_up() && self.is_local(node);
        let latencies = self.nodes.iter().filter(is_used).map(|node| node.latencies());
        let lowest = latencies.filter_map(|latencies| latencies.quantile(share)).min();
        lowest.map(|delay| delay.max(Duration::from_millis(1)))
    }

    /// The nodes that hold a token, as indexes into [`Snapshot::nodes`], the primary first; `None`
    /// if any node will do or nothing is known about the keyspace.
    #[inline]
    pub fn replicas(&self, keyspace: &str, token: i64) -> Option<&[u32]> {
        let placement = self.keyspaces.placements.get(keyspace)?;
        let replicas = placement
            .replicas
            .get_or_init(|| placement.ring.replicas(&placement.strategy))
            .as_ref()?;
        Some(replicas.of(token))
    }

    /// The nodes with the replicas of a tablet, as indexes into [`Snapshot::nodes`], in the tablet's
    /// order; `None` if none of them is known.
    #[cold]
    pub fn replicas_of<'a>(
        &self,
        tablet: &Tablet,
        indexes: &'a mut [u32; MOST_REPLICAS],
    ) -> Option<&'a [u32]> {
        let index = |host: &HostId| self.nodes.iter().position(|node| node.host_id == *host);
        let known = tablet.replicas.iter().filter_map(|(host, _)| index(host));
        let mut count = 0;
        for (slot, index) in indexes.iter_mut().zip(known) {
            *slot = index as u32;
            count += 1;
        }
        (count > 0).then_some(&indexes[..count])
    }

    /// The leader of a tablet, if its keyspace has leaders and statements may go there.
    #[cold]
    pub fn leader(&self, keyspace: &str, tablet: &Tablet) -> Option<Arc<Node>> {
        if !self.keyspaces.led.iter().any(|led| led == keyspace) {
            return None;
        }
        let (host, _) = tablet.replicas.first()?;
        let node = self.nodes.iter().find(|node| node.host_id == *host)?;
        let is_used = node.is_up() && (self.is_local(node) || self.goes_abroad());
        is_used.then(|| node.clone())
    }

    /// The node with this address, as given in errors.
    pub fn node(&self, address: Option<&str>) -> Option<Arc<Node>> {
        let address = address?.parse().ok()?;
        self.nodes.iter().find(|node| node.address == address).cloned()
    }

    /// The datacenter whose nodes are used.
    pub fn local_datacenter(&self) -> Option<&str> {
        self.local_datacenter.as_deref()
    }

    /// Whether a node is in the local datacenter.
    pub fn is_local(&self, node: &Node) -> bool {
        self.local_datacenter.as_ref().is_none_or(|local| *local == node.datacenter)
    }

    /// Whether nodes of one rack are preferred.
    pub fn prefers_rack(&self) -> bool {
        self.local_rack.is_some()
    }

    /// Whether a node is in the local rack.
    pub fn is_in_rack(&self, node: &Node) -> bool {
        self.local_rack.as_ref().is_none_or(|rack| *rack == node.rack)
    }

    /// Whether nodes of other datacenters are used if no local one is left.
    pub fn goes_abroad(&self) -> bool {
        self.remote_datacenters
    }
}
