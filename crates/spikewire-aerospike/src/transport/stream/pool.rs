//! Connections that queries left in good order, for the next queries. They are apart from those of
//! other commands: a query would hold those up.

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashMap;
use spikewire_sync::Mutex;
use spikewire_transport::wire::Wire;

use super::line::Line;
use crate::clock::Tick;
use crate::cluster::{Cluster, Janitor, Node};

/// Idle connections that are kept per node.
const KEEP: usize = 16;

/// Connections that wait for the end of an answer at once.
const DRAINING: usize = 64;
/// How long the end of an answer may take after its last record.
const LATE_END: Duration = Duration::from_secs(1);

/// What all queries of a client share.
#[derive(Debug)]
pub struct Streams {
    pub(super) cluster: Arc<Cluster>,
    /// By node, the one used last at the end.
    idle: Mutex<FxHashMap<u32, Vec<Idle>>>,
    /// Connections of queries that took all they wanted before the node said that this is the end,
    /// which it does a moment later.
    draining: Mutex<Vec<Draining>>,
}

#[derive(Debug)]
struct Idle {
    node: Arc<Node>,
    wire: Wire,
    since: Tick,
}

#[derive(Debug)]
struct Draining {
    line: Line,
    since: Tick,
}

impl Streams {
    /// No connections yet; they are made when queries need them.
    pub fn new(cluster: Arc<Cluster>) -> Arc<Self> {
        let (idle, draining) = (Mutex::default(), Mutex::default());
        let streams = Arc::new(Self { cluster, idle, draining });
        let janitor = Arc::downgrade(&streams);
        streams.cluster.add_janitor(janitor);
        streams
    }

    /// A connection to this node that nothing is known to be wrong with.
    pub(super) fn take(&self, node: &Node) -> Option<Wire> {
        self.look_for_ends(Tick::now());
        let mut idle = self.idle.lock();
        let own = idle.get_mut(&node.slot)?;
        while let Some(Idle { mut wire, .. }) = own.pop() {
            if wire.is_quiet() {
                return Some(wire);
            }
        }
        None
    }

    /// Gives back a connection on which an answer was read to its end.
    pub(super) fn give(&self, node: Arc<Node>, wire: Wire) {
        let mut idle = self.idle.lock();
        // Asked under the lock: closing the cluster clears the rest afterwards.
        if self.cluster.is_closed() || !node.is_active() {
            return;
        }
        let own = idle.entry(node.slot).or_default();
        if own.len() < KEEP {
            own.push(Idle { node, wire, since: Tick::now() });
        }
    }

    /// Takes a connection that is owed nothing but the end of an answer.
    pub(super) fn drain(&self, line: Line) {
        {
            let mut draining = self.draining.lock();
            if self.cluster.is_closed() || draining.len() >= DRAINING {
                return;
            }
            draining.push(Draining { line, since: Tick::now() });
        }
        self.look_for_ends(Tick::now());
    }

    /// Makes connections of which the end has come available again, and closes those of which it
    /// stays away.
    fn look_for_ends(&self, now: Tick) {
        let mut ended = Vec::new();
        {
            let mut draining = self.draining.lock();
            for Draining { mut line, since } in std::mem::take(&mut *draining) {
                match line.drain(now) {
                    None if since.after(LATE_END) > now => {
                        draining.push(Draining { line, since });
                    }
                    Some(true) => ended.push(line),
                    None | Some(false) => {}
                }
            }
        }
        ended.into_iter().for_each(|line| self.give(line.node, line.wire));
    }

    /// Closes the connections that no query uses.
    pub fn close(&self) {
        self.draining.lock().clear();
        self.idle.lock().clear();
    }
}

impl Janitor for Streams {
    fn sweep(&self, now: Tick) {
        self.look_for_ends(now);
        let limit = self.cluster.options().idle;
        self.idle.lock().retain(|_, own| {
            own.retain(|idle| idle.node.is_active() && idle.since.after(limit) > now);
            !own.is_empty()
        });
    }
}
