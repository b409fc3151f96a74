//! Connections that queries left in good order, for the next queries. They are apart from those of
//! other commands: a query would hold those up.

use std::sync::Arc;

use mio::net::TcpStream;
use rustc_hash::FxHashMap;
use spikewire_sync::Mutex;

use crate::clock::Tick;
use crate::cluster::{Cluster, Janitor, Node};

/// Idle connections that are kept per node.
const KEEP: usize = 16;

/// What all queries of a client share.
#[derive(Debug)]
pub struct Streams {
    pub(super) cluster: Arc<Cluster>,
    /// By node, the one used last at the end.
    idle: Mutex<FxHashMap<u32, Vec<Idle>>>,
}

#[derive(Debug)]
struct Idle {
    node: Arc<Node>,
    socket: TcpStream,
    since: Tick,
}

impl Streams {
    /// No connections yet; they are made when queries need them.
    pub fn new(cluster: Arc<Cluster>) -> Arc<Self> {
        let streams = Arc::new(Self { cluster, idle: Mutex::default() });
        let janitor = Arc::downgrade(&streams);
        streams.cluster.add_janitor(janitor);
        streams
    }

    /// A connection to this node that nothing is known to be wrong with.
    pub(super) fn take(&self, node: &Node) -> Option<TcpStream> {
        let mut idle = self.idle.lock();
        let own = idle.get_mut(&node.slot)?;
        while let Some(Idle { socket, .. }) = own.pop() {
            let mut byte = [0];
            let peeked = socket.peek(&mut byte);
            if matches!(peeked, Err(error) if error.kind() == std::io::ErrorKind::WouldBlock) {
                return Some(socket);
            }
        }
        None
    }

    /// Gives back a connection on which an answer was read to its end.
    pub(super) fn give(&self, node: Arc<Node>, socket: TcpStream) {
        let mut idle = self.idle.lock();
        // Asked under the lock: whoever closes the cluster clears the rest afterwards.
        if self.cluster.is_closed() || !node.is_active() {
            return;
        }
        let own = idle.entry(node.slot).or_default();
        if own.len() < KEEP {
            own.push(Idle { node, socket, since: Tick::now() });
        }
    }

    /// Closes the connections that no query uses.
    pub fn close(&self) {
        self.idle.lock().clear();
    }
}

impl Janitor for Streams {
    fn sweep(&self, now: Tick) {
        let limit = self.cluster.options().idle;
        self.idle.lock().retain(|_, own| {
            own.retain(|idle| idle.node.is_active() && idle.since.after(limit) > now);
            !own.is_empty()
        });
    }
}
