//! State shared by the cluster worker's thread and users of the cluster.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use spikewire_sync::{Condvar, Mutex};

use spikewire_transport::jitter::drawn;
use spikewire_transport::metrics::{Event, RefreshCounter};
use spikewire_transport::{Metrics, RetryBudget, SharedReads, UpkeepTasks};

use super::net::Net;
use super::{Node, Snapshot};
use crate::model::Hedging;
use crate::model::Options;
use crate::near_cache::NearCache;

/// Minimum time between a pass and an extra one. The actual time is up to twice as long, because
/// clients lose a node at the same moment.
const MIN_PASS_INTERVAL: Duration = Duration::from_millis(50);

/// Shared by the cluster worker's thread and users of the cluster.
pub(super) struct Shared {
    pub options: Options,
    pub net: Arc<Net>,
    pub snapshot: ArcSwap<Snapshot>,
    pub signal: TendSignal,
    pub upkeep_tasks: UpkeepTasks,
    pub metrics: Metrics,
    pub tends: RefreshCounter,
    pub hedging: Hedging,
    pub retry_budget: RetryBudget,
    pub reads: SharedReads,
    pub near_cache: Option<Arc<NearCache<Node>>>,
}

impl Shared {
    pub fn new(options: Options, net: Net) -> Self {
        let hedging = Hedging::new(options.hedge_percent);
        let retry_budget = RetryBudget::new(options.retry_budget);
        let near_cache = NearCache::new(&options.near_cache).map(Arc::new);
        Self {
            options,
            hedging,
            retry_budget,
            reads: SharedReads::default(),
            near_cache,
            net: Arc::new(net),
            snapshot: ArcSwap::default(),
            signal: TendSignal::default(),
            upkeep_tasks: UpkeepTasks::default(),
            metrics: Metrics::default(),
            tends: RefreshCounter::default(),
        }
    }

    pub fn is_closed(&self) -> bool {
        self.net.closed.load(Relaxed)
    }

    /// Publishes `next` and retires the nodes that are no longer in it.
    pub fn publish(&self, next: Snapshot) {
        let next = Arc::new(next);
        let before = self.snapshot.swap(next.clone());
        for node in &before.nodes {
            if !next.nodes.iter().any(|other| other.slot == node.slot) {
                node.retire();
            }
        }
        if self.metrics.events().has_listener() {
            self.announce(&before, &next);
        }
    }

    /// Emits events for the differences.
    fn announce(&self, before: &Snapshot, next: &Snapshot) {
        let events = self.metrics.events();
        let without = |these: &Snapshot, others: &Snapshot| -> Vec<Arc<str>> {
            let is_other = |node: &&Arc<Node>| others.nodes.iter().all(|o| o.slot != node.slot);
            these.nodes.iter().filter(is_other).map(|node| node.to_string().into()).collect()
        };
        without(before, next).into_iter().map(Event::NodeDown).for_each(|event| events.push(event));
        without(next, before).into_iter().map(Event::NodeUp).for_each(|event| events.push(event));
        let is_same = |(name, map): (&str, &Arc<_>)| {
            before.namespaces.get(name).is_some_and(|known| Arc::ptr_eq(known, map))
        };
        let gone = before.namespaces.iter().any(|(name, _)| next.namespaces.get(name).is_none());
        if gone || !next.namespaces.iter().all(is_same) {
            events.push(Event::MapChanged);
        }
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("options", &self.options).finish_non_exhaustive()
    }
}

/// Wakes the cluster worker between passes.
#[derive(Debug, Default)]
pub(super) struct TendSignal {
    requested: AtomicBool,
    lock: Mutex<()>,
    condvar: Condvar,
}

impl TendSignal {
    /// Requests a pass soon. While one is already requested, this costs one atomic swap.
    pub fn request(&self) {
        if !self.requested.swap(true, std::sync::atomic::Ordering::AcqRel) {
            self.wake();
        }
    }

    /// Makes the cluster worker check whether the client was closed.
    pub fn wake(&self) {
        // After this, the cluster worker is either before its check or already waiting.
        drop(self.lock.lock());
        self.condvar.notify_all();
    }

    /// Waits until `due`, until a pass is requested (not earlier than the minimum interval after
    /// `last`), or until `closed`; returns whether to continue.
    pub fn wait(&self, last: Instant, due: Instant, closed: &AtomicBool) -> bool {
        let soonest = last + MIN_PASS_INTERVAL + drawn(MIN_PASS_INTERVAL);
        let mut guard = self.lock.lock();
        loop {
            if closed.load(Relaxed) {
                return false;
            }
            let requested = self.requested.load(Relaxed);
            let until = if requested { due.min(soonest) } else { due };
            if Instant::now() >= until {
                self.requested.store(false, std::sync::atomic::Ordering::Release);
                return true;
            }
            (guard, _) = self.condvar.wait_until(guard, until);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_hastens_a_pass_but_keeps_the_shortest_interval() {
        let (signal, open) = (TendSignal::default(), AtomicBool::new(false));
        let last = Instant::now();
        signal.request();
        signal.request();
        assert!(signal.wait(last, last + Duration::from_secs(60), &open));
        let waited = last.elapsed();
        assert!(waited >= MIN_PASS_INTERVAL && waited < Duration::from_secs(30), "{waited:?}");
        let due = Instant::now() + Duration::from_millis(5);
        assert!(signal.wait(last, due, &open), "not requested any more: waits until due");
        assert!(Instant::now() >= due);
    }

    #[test]
    fn closing_ends_the_wait() {
        let (signal, closed) = (TendSignal::default(), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let waiter = scope.spawn(|| {
                let now = Instant::now();
                signal.wait(now, now + Duration::from_secs(60), &closed)
            });
            closed.store(true, Relaxed);
            signal.wake();
            assert!(!waiter.join().unwrap());
        });
    }
}
