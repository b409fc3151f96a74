//! State shared by the control thread and the users of a cluster.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, OnceLock, Weak};

use arc_swap::ArcSwap;
use spikewire_cql::response::SchemaChange;
use spikewire_sync::Mutex;
use spikewire_transport::descriptors::Descriptors;
use spikewire_transport::metrics::{Event, RefreshCounter};
use spikewire_transport::{Metrics, RetryBudget, Tick, UpkeepTasks};

use super::schema_state::SchemaState;
use super::tablets::Tablets;
use super::{Node, Snapshot};
use crate::framing::Handshake;
use crate::options::Options;

/// Is told of changes of the schema, on the control thread; must be brief.
pub(crate) trait SchemaListener: Send + Sync {
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
    /// The nodes by number, the last one that had each.
    numbers: Mutex<Vec<Weak<Node>>>,
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
    pub upkeep_tasks: UpkeepTasks,
    pub metrics: Metrics,
    pub retry_budget: RetryBudget,
    /// Who is told of changes of the schema.
    pub schema_listener: OnceLock<Arc<dyn SchemaListener>>,
    /// The tablets of tables.
    pub tablets: Tablets,
    /// The schema.
    pub schema: SchemaState,
    /// Refreshes of nodes and keyspaces.
    pub refreshes: RefreshCounter,
}

impl Shared {
    pub fn new(options: Options, handshake: Arc<Handshake>, closed: Arc<AtomicBool>) -> Self {
        let retry_budget = RetryBudget::new(options.retry_budget);
        Self {
            options,
            retry_budget,
            handshake,
            snapshot: ArcSwap::default(),
            publishing: Mutex::default(),
            numbers: Mutex::default(),
            closed,
            look: AtomicBool::new(false),
            compare: AtomicU64::new(0),
            agreed: AtomicU64::new(0),
            suspects: Mutex::default(),
            waker: Mutex::default(),
            descriptors: Arc::default(),
            upkeep_tasks: UpkeepTasks::default(),
            metrics: Metrics::default(),
            schema_listener: OnceLock::new(),
            tablets: Tablets::default(),
            schema: SchemaState::default(),
            refreshes: RefreshCounter::default(),
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

    /// Records that all nodes asked at `since` have the same schema.
    pub fn agree(&self, since: Tick) {
        self.compare.store(0, SeqCst);
        self.agreed.store(since.0, SeqCst);
    }

    /// Tells of a change of the schema.
    pub fn schema_changed(&self, change: Option<&SchemaChange>) {
        self.note_schema_change(change);
        if let Some(listener) = self.schema_listener.get() {
            listener.schema_changed(change);
        }
    }

    /// Takes note of a change of the schema, about which others are told elsewhere.
    pub fn note_schema_change(&self, change: Option<&SchemaChange>) {
        self.tablets.schema_changed(change);
        self.schema.change();
        self.metrics.events().push(Event::SchemaChanged);
    }

    /// A node with a free number. Tables are indexed by numbers, so that those of nodes that are
    /// gone are used again, once nobody has the node: no connection, no statement.
    pub fn numbered(&self, node: impl FnOnce(u32) -> Node) -> Arc<Node> {
        let mut numbers = self.numbers.lock();
        let free = numbers.iter().position(|node| node.strong_count() == 0);
        let number = free.unwrap_or(numbers.len());
        let node = Arc::new(node(number as u32));
        let known = Arc::downgrade(&node);
        match numbers.get_mut(number) {
            Some(former) => *former = known,
            None => numbers.push(known),
        }
        node
    }

    /// The numbers of these nodes, in their order from 0 on, are taken.
    #[cfg(test)]
    pub fn take_numbers(&self, of: &[Arc<Node>]) {
        *self.numbers.lock() = of.iter().map(Arc::downgrade).collect();
    }

    /// Publishes the same nodes under other numbers, so that there are other connections, which use
    /// this keyspace. What is in flight on those of before is not disturbed.
    pub fn use_keyspace(&self, name: &str) {
        let _publishing = self.publishing.lock();
        self.handshake.set_keyspace(name);
        let before = self.snapshot.load_full();
        let again = |node: &Arc<Node>| self.numbered(|number| node.again(number, &self.options));
        let nodes = before.nodes.iter().map(again).collect();
        self.snapshot.store(Arc::new(before.with_nodes(nodes)));
    }

    /// Publishes `next` and retires the nodes that are no longer in it.
    pub fn publish(&self, next: Snapshot) {
        let next = Arc::new(next);
        let before = self.snapshot.swap(next.clone());
        for node in &before.nodes {
            if !next.nodes.iter().any(|other| other.number == node.number) {
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use spikewire_cql::version::Version;

    use super::*;
    use crate::cluster::seeds;

    /// A statement that has given up waiting for agreement leaves no comparisons behind.
    #[test]
    fn nodes_are_compared_only_as_long_as_something_waits() {
        let options = Options::new(Vec::new());
        let handshake = seeds::handshake(&options, Version::V4);
        let shared = Shared::new(options, handshake, Arc::default());
        let now = Tick::now();
        let in_seconds = |seconds| now.after(Duration::from_secs(seconds));
        assert!(!shared.wants_comparison(now), "nothing waits");
        assert!(!shared.has_agreed(now, in_seconds(5)));
        assert!(!shared.has_agreed(now, in_seconds(1)));
        assert!(shared.wants_comparison(now) && shared.wants_comparison(in_seconds(4)));
        assert!(!shared.wants_comparison(in_seconds(5)), "both have given up");
        assert!(!shared.has_agreed(now, in_seconds(5)));
        shared.agree(now);
        assert!(shared.has_agreed(now, in_seconds(5)) && !shared.wants_comparison(now));
    }
}
