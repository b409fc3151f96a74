//! What a client knows of itself, as plain data.

use std::time::Duration;

use spikewire_transport::metrics::{Labels, Totals};

use super::shared::Shared;
use crate::clock::Tick;

/// What a client counted, and what it holds at the moment.
#[derive(Debug, Clone)]
pub struct Stats {
    /// Whether commands are counted.
    pub counting: bool,
    /// Commands by kind, namespace, node and result, since the last reset.
    pub commands: Vec<(Labels, Totals)>,
    /// Commands that were handed to connections and have not ended, as of the last replies.
    pub in_flight: usize,
    /// Those of them that wait for a place on a connection.
    pub queued: usize,
    /// The nodes of the cluster.
    pub nodes: Vec<NodeStats>,
    /// How often the tender looked at the cluster.
    pub tends: u64,
    /// How often it found no node.
    pub failed_tends: u64,
    /// How long ago it looked last.
    pub tend_age: Duration,
}

/// A node, as the client sees it.
#[derive(Debug, Clone)]
pub struct NodeStats {
    /// The server's node id.
    pub name: String,
    /// `host:port` where commands go.
    pub address: String,
    /// Connections that commands share, open or being opened.
    pub connections: usize,
    /// How many of them there were in all.
    pub opened: u64,
    /// Failures in this window of the circuit breaker.
    pub errors: u32,
    /// Whether the breaker keeps commands away.
    pub breaker_open: bool,
}

impl Stats {
    pub(super) fn of(shared: &Shared) -> Self {
        let counted = shared.metrics.snapshot();
        let nodes = shared.snapshot.load();
        let nodes = nodes.nodes.iter().map(|node| NodeStats {
            name: node.name.clone(),
            address: node.address.to_string(),
            connections: node.gauges.open(),
            opened: node.gauges.opened(),
            errors: node.breaker.errors(),
            breaker_open: node.breaker.is_open(),
        });
        let (tends, failed_tends, last) = shared.tends.read();
        Self {
            counting: shared.metrics.is_on(),
            commands: counted.commands,
            in_flight: counted.in_flight,
            queued: counted.queued,
            nodes: nodes.collect(),
            tends,
            failed_tends,
            tend_age: Tick::now().since(last),
        }
    }
}
