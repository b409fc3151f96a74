//! The thread that migrates partitions, frees truncated records and lets records expire.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use spikewire_sync::{Condvar, Mutex};

use super::rebalance;
use super::state::State;
use crate::storage::namespace::Namespace;

/// How often the thread looks for expired records.
const TICK: Duration = Duration::from_secs(1);
/// Records it looks at before it lets others have the processor.
const BATCH: usize = 20_000;

#[derive(Debug, Default)]
struct Call {
    wanted: bool,
    stop: bool,
}

#[derive(Debug, Default)]
struct Bell {
    call: Mutex<Call>,
    rung: Condvar,
}

impl Bell {
    /// Waits for a call or the end of `limit`; says whether to go on.
    fn wait(&self, limit: Duration) -> bool {
        let deadline = Instant::now() + limit;
        let mut call = self.call.lock();
        let mut over = false;
        while !call.wanted && !call.stop && !over {
            (call, over) = self.rung.wait_until(call, deadline);
        }
        call.wanted = false;
        !call.stop
    }

    /// Waits, however often it is woken; returns whether to go on.
    fn pause(&self, length: Duration) -> bool {
        let deadline = Instant::now() + length;
        let mut call = self.call.lock();
        let mut over = false;
        while !call.stop && !over {
            (call, over) = self.rung.wait_until(call, deadline);
        }
        !call.stop
    }

    fn ring(&self, change: impl FnOnce(&mut Call)) {
        change(&mut self.call.lock());
        self.rung.notify_all();
    }
}

/// The thread and its bell.
#[derive(Debug)]
pub struct Keeper {
    bell: Arc<Bell>,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Starts the thread.
    pub fn start(state: Arc<State>) -> io::Result<Self> {
        let bell = Arc::new(Bell::default());
        let mine = bell.clone();
        let thread = std::thread::Builder::new()
            .name("spikewire-keeper".to_owned())
            .spawn(move || keep(&state, &mine))?;
        Ok(Self { bell, thread: Some(thread) })
    }

    /// Tells the thread that there is something to do.
    pub fn wake(&self) {
        self.bell.ring(|call| call.wanted = true);
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.bell.ring(|call| call.stop = true);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn keep(state: &State, bell: &Bell) {
    let mut due: Vec<Instant> = state.namespaces.iter().map(|_| Instant::now() + TICK).collect();
    while bell.wait(TICK) {
        while state.remaining() > 0 {
            let pause = state.options.migration_pause;
            rebalance::migrate(state, || bell.pause(pause));
            if !bell.pause(Duration::ZERO) {
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
            if (free || expire) && !sweep(state, namespace, free, bell) {
                return;
            }
        }
    }
}

/// Frees what expired, and with `free` what was truncated; says whether to go on.
fn sweep(state: &State, namespace: &Namespace, free: bool, bell: &Bell) -> bool {
    let mut looked_at = 0;
    for pid in Namespace::ids() {
        let now = state.clock.now();
        let mut partition = namespace.partition(pid);
        if free || partition.may_expire(now.seconds()) {
            looked_at += partition.sweep(|record| namespace.is_gone(record, now));
        }
        drop(partition);
        if looked_at >= BATCH {
            looked_at = 0;
            if !bell.pause(Duration::from_millis(1)) {
                return false;
            }
        }
    }
    true
}
