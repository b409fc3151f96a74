//! State shared by the control thread and the users of a cluster.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

use arc_swap::ArcSwap;
use spikewire_sync::Mutex;
use spikewire_transport::descriptors::Descriptors;
use spikewire_transport::metrics::Looks;
use spikewire_transport::{Janitors, Metrics, Tick};

use super::{Node, Snapshot};
use crate::connection::Handshake;
use crate::options::Options;

/// State shared by the control thread and the users of the cluster.
pub(super) struct Shared {
    pub options: Options,
    pub handshake: Arc<Handshake>,
    pub snapshot: ArcSwap<Snapshot>,
    pub closed: Arc<AtomicBool>,
    /// Whether a connection failed, so that the nodes should be probed.
    look: AtomicBool,
    /// Whether something waits for schema agreement.
    compare: AtomicBool,
    /// When the latest request was sent to which all nodes replied with the same schema.
    agreed: AtomicU64,
    /// Nodes that owe replies and are silent.
    suspects: Mutex<Vec<Arc<Node>>>,
    waker: Mutex<Option<mio::Waker>>,
    pub descriptors: Arc<Descriptors>,
    pub janitors: Janitors,
    pub metrics: Metrics,
    /// Refreshes of nodes and keyspaces.
    pub looks: Looks,
}

impl Shared {
    pub fn new(options: Options, handshake: Arc<Handshake>, closed: Arc<AtomicBool>) -> Self {
        Self {
            options,
            handshake,
            snapshot: ArcSwap::default(),
            closed,
            look: AtomicBool::new(false),
            compare: AtomicBool::new(false),
            agreed: AtomicU64::new(0),
            suspects: Mutex::default(),
            waker: Mutex::default(),
            descriptors: Arc::default(),
            janitors: Janitors::default(),
            metrics: Metrics::default(),
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
    /// be asked.
    pub fn has_agreed(&self, since: Tick) -> bool {
        let agreed = self.agreed.load(SeqCst) >= since.0;
        if !agreed && !self.compare.swap(true, SeqCst) {
            self.wake();
        }
        agreed
    }

    pub fn wants_comparison(&self) -> bool {
        self.compare.load(SeqCst)
    }

    /// Records that all nodes asked at `asked` have the same schema.
    pub fn agree(&self, asked: Tick) {
        self.compare.store(false, SeqCst);
        self.agreed.store(asked.0, SeqCst);
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
