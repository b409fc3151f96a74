//! Reusable connections of finished queries. They are separate from those of other commands, which
//! a query would delay.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;
use spikewire_sync::Mutex;
use spikewire_transport::wire::Wire;

use super::line::Line;
use crate::clock::Tick;
use crate::cluster::{Cluster, Node, UpkeepTask};

/// Maximum number of idle connections per node.
const KEEP: usize = 16;

/// Maximum number of connections that wait for the end of a reply.
const DRAINING: usize = 64;
/// How long the end of a reply may take after its last record.
const LATE_END: Duration = Duration::from_secs(1);

/// State shared by all queries of a client.
#[derive(Debug)]
pub struct Streams {
    pub(super) cluster: Arc<Cluster>,
    /// By node, most recently used last.
    idle: Mutex<FxHashMap<u32, Vec<IdleConnection>>>,
    /// Connections of queries that ended before the node sent the end of its reply, which it does a
    /// moment later.
    draining: Mutex<Vec<DrainingLine>>,
}

#[derive(Debug)]
struct IdleConnection {
    node: Arc<Node>,
    wire: Wire,
    since: Tick,
}

#[derive(Debug)]
struct DrainingLine {
    line: Line,
    since: Tick,
}

impl Streams {
    /// Starts without connections; queries open them on demand.
    pub fn new(cluster: Arc<Cluster>) -> Arc<Self> {
        let (idle, draining) = (Mutex::default(), Mutex::default());
        let streams = Arc::new(Self { cluster, idle, draining });
        let task = Arc::downgrade(&streams);
        streams.cluster.add_upkeep_task(task);
        streams
    }

    /// An idle connection to this node without known problems.
    pub(super) fn take(&self, node: &Node) -> Option<Wire> {
        self.look_for_ends(Tick::now());
        let mut idle = self.idle.lock();
        let own = idle.get_mut(&node.slot)?;
        while let Some(IdleConnection { mut wire, .. }) = own.pop() {
            if wire.is_quiet() {
                return Some(wire);
            }
        }
        None
    }

    /// Returns a connection whose reply has been read to the end.
    pub(super) fn give(&self, node: Arc<Node>, wire: Wire) {
        let mut idle = self.idle.lock();
        // Checked under the lock: closing the cluster clears the rest afterwards.
        if self.cluster.is_closed() || !node.is_active() {
            return;
        }
        let own = idle.entry(node.slot).or_default();
        if own.len() < KEEP {
            own.push(IdleConnection { node, wire, since: Tick::now() });
        }
    }

    /// Accepts a connection on which only the end of a reply is outstanding.
    pub(super) fn drain(&self, line: Line) {
        {
            let mut draining = self.draining.lock();
            if self.cluster.is_closed() || draining.len() >= DRAINING {
                return;
            }
            draining.push(DrainingLine { line, since: Tick::now() });
        }
        self.look_for_ends(Tick::now());
    }

    /// Makes connections available again whose end has arrived, and closes those where it is
    /// overdue.
    fn look_for_ends(&self, now: Tick) {
        let mut ended = Vec::new();
        {
            let mut draining = self.draining.lock();
            for DrainingLine { mut line, since } in std::mem::take(&mut *draining) {
                match line.drain(now) {
                    None if since.after(LATE_END) > now => {
                        draining.push(DrainingLine { line, since });
                    }
                    Some(true) => ended.push(line),
                    None | Some(false) => {}
                }
            }
        }
        ended.into_iter().for_each(|line| self.give(line.node, line.wire));
    }

    /// Closes the unused connections.
    pub fn close(&self) {
        self.draining.lock().clear();
        self.idle.lock().clear();
    }
}

impl UpkeepTask for Streams {
    fn run_upkeep(&self, now: Tick) {
        self.look_for_ends(now);
        let limit = self.cluster.options().idle;
        self.idle.lock().retain(|_, own| {
            own.retain(|idle| idle.node.is_active() && idle.since.after(limit) > now);
            !own.is_empty()
        });
    }
}
