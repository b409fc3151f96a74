//! State shared by the control thread and the users of a cluster.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use spikewire_cql::response::SchemaChange;
use spikewire_sync::Mutex;
use spikewire_transport::descriptors::Descriptors;
use spikewire_transport::metrics::Looks;
use spikewire_transport::{Janitors, Metrics, Tick};

use super::{Node, Snapshot};
use crate::connection::Handshake;
use crate::options::Options;

/// Is told of changes of the schema, on the control thread; must be brief.
pub(crate) trait HearsSchema: Send + Sync {
    /// Something was changed; `None` if that may be anything, because events were missed.
    fn schema_changed(&self, change: Option<&SchemaChange>);
}

/// State shared by the control thread and the users of the cluster.
pub(super) struct Shared {
    pub options: Options,
    pub handshake: Arc<Handshake>,
    pub snapshot: ArcSwap<Snapshot>,
    /// Held while a snapshot is made of the one before.
    pub publishing: Mutex<()>,
    /// The number of the next node.
    next_number: AtomicU32,
    pub closed: Arc<AtomicBool>,
    /// Whether a connection failed, so that the nodes should be probed.
    look: AtomicBool,
    /// Until when something waits for schema agreement.
    compare: AtomicU64,
    /// When the latest request was sent to which all nodes replied with the same schema.
    agreed: AtomicU64,
    /// Nodes that owe replies and are silent.
    suspects: Mutex<Vec<Arc<Node>>>,
    waker: Mutex<Option<mio::Waker>>,
    pub descriptors: Arc<Descriptors>,
    pub janitors: Janitors,
    pub metrics: Metrics,
    /// Who is told of changes of the schema.
    pub hears_schema: OnceLock<Arc<dyn HearsSchema>>,
    /// Refreshes of nodes and keyspaces.
    pub looks: Looks,
}

impl Shared {
    pub fn new(options: Options, handshake: Arc<Handshake>, closed: Arc<AtomicBool>) -> Self {
        Self {
            options,
            handshake,
            snapshot: ArcSwap::default(),
            publishing: Mutex::default(),
            next_number: AtomicU32::new(0),
            closed,
            look: AtomicBool::new(false),
            compare: AtomicU64::new(0),
            agreed: AtomicU64::new(0),
            suspects: Mutex::default(),
            waker: Mutex::default(),
            descriptors: Arc::default(),
            janitors: Janitors::default(),
            metrics: Metrics::default(),
            hears_schema: OnceLock::new(),
            looks: Looks::default(),
        }
    }

    pub fn is_closed(&self) -> bool {
        self.closed.load(SeqCst)
    }

    /// Sets what wakes the control thread from now on.
    pub fn set_waker(&self, waker: Option<mio::Waker>) {
        *self.waker.lock() = waker;
    }

    /// For the child after a fork: closes what the thread had open.
    pub fn close_inherited(&self) {
        if let Some(mut waker) = self.waker.try_lock() {
            *waker = None;
        }
        self.descriptors.close_inherited();
    }

    pub fn wake(&self) {
        if let Some(waker) = &*self.waker.lock() {
            let _ = waker.wake();
        }
    }

    pub fn look_soon(&self) {
        if !self.look.swap(true, SeqCst) {
            self.wake();
        }
    }

    pub fn take_look(&self) -> bool {
        self.look.swap(false, SeqCst)
    }

    /// Reports a node that owes replies and is silent.
    pub fn suspect(&self, node: &Arc<Node>) {
        let mut suspects = self.suspects.lock();
        if !suspects.iter().any(|known| known.number == node.number) {
            suspects.push(node.clone());
            drop(suspects);
            self.wake();
        }
    }

    pub fn take_suspects(&self) -> Vec<Arc<Node>> {
        std::mem::take(&mut self.suspects.lock())
    }

    /// Whether all nodes agreed on the schema when they were asked after `since`. If not, they will
    /// be asked until then.
    pub fn has_agreed(&self, since: Tick, until: Tick) -> bool {
        let agreed = self.agreed.load(SeqCst) >= since.0;
        if !agreed && self.compare.fetch_max(until.0, SeqCst) <= Tick::now().0 {
            self.wake();
        }
        agreed
    }

    pub fn wants_comparison(&self, now: Tick) -> bool {
        self.compare.load(SeqCst) > now.0
    }

    /// Records that all nodes asked at `asked` have the same schema.
    pub fn agree(&self, asked: Tick) {
        self.compare.store(0, SeqCst);
        self.agreed.store(asked.0, SeqCst);
    }

    /// Tells of a change of the schema.
    pub fn schema_changed(&self, change: Option<&SchemaChange>) {
        if let Some(listener) = self.hears_schema.get() {
            listener.schema_changed(change);
        }
    }

    /// A number for a node.
    pub fn next_number(&self) -> u32 {
        self.next_number.fetch_add(1, SeqCst)
    }

    /// Publishes the same nodes under other numbers, so that there are other connections, which use
    /// this keyspace. What is in flight on those of before is not disturbed.
    pub fn use_keyspace(&self, name: &str) {
        let _publishing = self.publishing.lock();
        self.handshake.set_keyspace(name);
        let before = self.snapshot.load_full();
        let again = |node: &Arc<Node>| Arc::new(node.again(self.next_number(), &self.options));
        let nodes = before.nodes.iter().map(again).collect();
        self.snapshot.store(Arc::new(before.with_nodes(nodes)));
    }

    /// Publishes `next` and retires the nodes that are no longer in it.
    pub fn publish(&self, next: Snapshot) {
        let next = Arc::new(next);
        let before = self.snapshot.swap(next.clone());
        for node in &before.nodes {
            if !next.nodes.iter().any(|kept| kept.number == node.number) {
                node.retire();
            }
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("options", &self.options).finish_non_exhaustive()
    }
}
