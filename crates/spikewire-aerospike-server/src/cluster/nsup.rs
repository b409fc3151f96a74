//! The namespace supervisor: the thread that migrates partitions and removes records that expired or
//! were truncated.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use spikewire_sync::{Condvar, Mutex};

use super::{rebalance, transactions};
use crate::state::ClusterState;
use crate::storage::namespace::Namespace;

/// How often the thread checks for expired records.
const PERIOD: Duration = Duration::from_secs(1);
/// Records examined before it yields the CPU.
const BATCH: usize = 20_000;

#[derive(Debug, Default)]
struct Signals {
    work: bool,
    stop: bool,
}

/// Wakes the thread.
#[derive(Debug, Default)]
struct Wakeup {
    signals: Mutex<Signals>,
    changed: Condvar,
}

impl Wakeup {
    /// Waits for a request or the end of `limit`; returns whether to continue.
    fn wait(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        let mut signals = self.signals.lock();
        let mut over = false;
        while !signals.work && !signals.stop && !over {
            (signals, over) = self.changed.wait_until(signals, deadline);
        }
        signals.work = false;
        !signals.stop
    }

    /// Waits for the whole time, however often it is woken; returns whether to continue.
    fn pause(&self, length: Duration) -> bool {
        let deadline = Instant::now() + length;
        let mut signals = self.signals.lock();
        let mut over = false;
        while !signals.stop && !over {
            (signals, over) = self.changed.wait_until(signals, deadline);
        }
        !signals.stop
    }

    fn notify(&self, change: impl FnOnce(&mut Signals)) {
        change(&mut self.signals.lock());
        self.changed.notify_all();
    }
}

/// The namespace supervisor: its thread and wakeup.
#[derive(Debug)]
pub struct Nsup {
    wakeup: Arc<Wakeup>,
    thread: Option<JoinHandle<()>>,
}

impl Nsup {
    /// Starts the thread.
    pub fn start(state: Arc<ClusterState>) -> io::Result<Self> {
        let wakeup = Arc::new(Wakeup::default());
        let own = wakeup.clone();
        let thread = std::thread::Builder::new()
            .name("spikewire-nsup".to_owned())
            .spawn(move || run(&state, &own))?;
        Ok(Self { wakeup, thread: Some(thread) })
    }

    /// Wakes the thread to migrate or to free records.
    pub fn wake(&self) {
        self.wakeup.notify(|signals| signals.work = true);
    }
}

impl Drop for Nsup {
    fn drop(&mut self) {
        self.wakeup.notify(|signals| signals.stop = true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(state: &ClusterState, wakeup: &Wakeup) {
    let mut due: Vec<Instant> = state.namespaces.iter().map(|_| Instant::now() + PERIOD).collect();
    while wakeup.wait(PERIOD) {
        while state.remaining() > 0 {
            let pause = state.options.migration_pause;
            rebalance::migrate(state, || wakeup.pause(pause));
            if !wakeup.pause(Duration::ZERO) {
                return;
            }
        }
        let free = state.must_free.swap(false, Ordering::AcqRel);
        for (namespace, due) in state.namespaces.iter().zip(&mut due) {
            let period = namespace.options.nsup_period;
            let expire = period != 0 && Instant::now() >= *due;
            if expire {
                *due = Instant::now() + Duration::from_secs(u64::from(period));
            }
            transactions::end_expired(namespace, &state.clock);
            if (free || expire) && !sweep(state, namespace, free, wakeup) {
                return;
            }
        }
    }
}

/// Frees expired records, and with `free` truncated ones; returns whether to continue.
fn sweep(state: &ClusterState, namespace: &Namespace, free: bool, wakeup: &Wakeup) -> bool {
    let mut looked_at = 0;
    for pid in Namespace::ids() {
        let now = state.clock.now();
        let mut partition = namespace.partition(pid);
        if free || partition.may_expire(now.seconds()) {
            looked_at += partition.sweep(|record| {
                // Those of transactions go once these are over.
                !namespace.is_monitor(record) && namespace.is_gone(record, now)
            });
        }
        drop(partition);
        if looked_at >= BATCH {
            looked_at = 0;
            if !wakeup.pause(Duration::from_millis(1)) {
                return false;
            }
        }
    }
    true
}
