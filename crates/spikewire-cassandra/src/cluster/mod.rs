//! The cluster as a session sees it: which nodes there are, and who holds what.
//!
//! One background thread for each session has the control connection. It learns of nodes and
//! keyspaces, hears what changes, and publishes an immutable [`Snapshot`] behind an atomic pointer.
//! Requests read it without a lock.
//!
//! | file | what it holds |
//! |---|---|
//! | `seeds` | start-up and reconnecting: the first node that answers, and the version it speaks |
//! | `control` | the control connection: what is asked, what is heard |
//! | `attendant` | the background thread: when to look at what |
//! | `tables`, `versions` | what system tables say; which schema nodes have |
//! | `reach` | which nodes can be reached; where advertised addresses are |
//! | `node`, `shards`, `snapshot` | the public view |
//! | `shared` | what the thread and the users have in common |

mod attendant;
mod control;
mod node;
mod reach;
#[cfg(test)]
pub(crate) mod sample;
mod seeds;
mod shards;
mod shared;
mod snapshot;
mod tables;
pub(crate) mod versions;

use std::mem::ManuallyDrop;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};

use arc_swap::Guard;
use spikewire_cql::version::Version;
use spikewire_sync::Mutex;
use spikewire_transport::metrics::{NodeStats, Observed, Stats};
use spikewire_transport::{Janitor, Metrics, Tick};

pub use node::{HostId, Node};
pub use shards::Shards;
pub use snapshot::Snapshot;

use crate::connection::Handshake;
use crate::error::{Error, Kind, Result};
use crate::options::Options;
use attendant::Attendant;
use shared::Shared;

/// A connected cluster. Dropping the last handle ends its thread.
#[derive(Debug)]
pub struct Cluster {
    shared: Arc<Shared>,
    /// Never dropped by itself: in a forked child the thread does not exist, and its handle must
    /// not be touched there.
    thread: ManuallyDrop<Mutex<Option<JoinHandle<()>>>>,
}

impl Cluster {
    /// Finds the cluster through the contact points and learns its nodes and keyspaces; then keeps
    /// listening in the background. Fails when no contact point leads to a node, with a message
    /// that says for each of them why.
    pub fn connect(options: Options) -> Result<Arc<Self>> {
        let attendant = Attendant::start(options)?;
        let shared = attendant.shared();
        let thread = thread::Builder::new()
            .name("spikewire-cql".to_owned())
            .spawn(move || attendant.run())
            .map_err(|error| {
                Error::new(Kind::Connection, format!("no thread to attend to the cluster: {error}"))
            })?;
        let thread = ManuallyDrop::new(Mutex::new(Some(thread)));
        Ok(Arc::new(Self { shared, thread }))
    }

    /// The options it was connected with.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    /// What connections begin with.
    pub(crate) fn handshake(&self) -> Arc<Handshake> {
        self.shared.handshake.clone()
    }

    /// The version of the protocol that is spoken.
    pub fn version(&self) -> Version {
        self.shared.handshake.version
    }

    /// The cluster as it was seen last. Takes no lock.
    pub fn snapshot(&self) -> Guard<Arc<Snapshot>> {
        self.shared.snapshot.load()
    }

    /// Asks for a look at the nodes now, because a connection failed.
    pub(crate) fn look_soon(&self) {
        self.shared.look_soon();
    }

    /// Asks whether a node still answers, because it owes answers and is silent.
    pub(crate) fn suspect(&self, node: &Arc<Node>) {
        self.shared.suspect(node);
    }

    /// Whether all nodes had one schema when they were asked after `since`; if not, they are asked
    /// until they have.
    pub(crate) fn has_agreed(&self, since: Tick) -> bool {
        self.shared.has_agreed(since)
    }

    /// What is counted of its requests, and what happens seldom.
    pub fn metrics(&self) -> &Metrics {
        &self.shared.metrics
    }

    /// What it counted and holds.
    pub fn stats(&self) -> Stats {
        let snapshot = self.snapshot();
        let nodes = snapshot.nodes.iter();
        let nodes = nodes.map(|node| NodeStats::of(node.id(), &**node));
        Stats::new(&self.shared.metrics, nodes.collect(), &self.shared.looks)
    }

    /// Lets `janitor` sweep now and then for as long as it lives.
    pub fn add_janitor(&self, janitor: Weak<dyn Janitor>) {
        self.shared.janitors.add(janitor);
    }

    /// Whether [`Cluster::close`] was called.
    pub fn is_closed(&self) -> bool {
        self.shared.is_closed()
    }

    /// Ends the background thread and retires all nodes. Calling it again does nothing; on the
    /// background thread itself it does not wait.
    pub fn close(&self) {
        if self.shared.closed.swap(true, SeqCst) {
            return;
        }
        self.shared.wake();
        self.shared.metrics.events().listen(false);
        let thread = self.thread.lock().take();
        if let Some(thread) = thread.filter(|it| it.thread().id() != thread::current().id()) {
            // A panic was reported when it happened.
            let _ = thread.join();
        }
        self.shared.publish(Snapshot::default());
    }

    /// For the child after a fork: the background thread does not exist there, and what it held is
    /// lost. Closes the inherited control connection and takes no lock that the thread may have held.
    pub fn abandon(&self) {
        self.shared.closed.store(true, SeqCst);
        self.shared.close_inherited();
        self.snapshot().nodes.iter().for_each(|node| node.retire());
    }
}

impl Observed for Cluster {
    fn metrics(&self) -> &Metrics {
        Self::metrics(self)
    }

    fn stats(&self) -> Stats {
        Self::stats(self)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.close();
    }
}
