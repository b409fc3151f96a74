//! Gives commands on single records priority over queries.
//!
//! A thread that processes the records of a query needs the interpreter nearly all the time. A
//! thread whose command was answered would have to queue behind all such threads. So it announces
//! that it is waiting, and queries yield when they reach the next record. While such commands
//! arrive, only one querying thread at a time asks for the interpreter, so a waiting thread
//! competes with one thread and not with all of them. On an event loop, queries take turns in the
//! same way.
//!
//! All waits are short and bounded. However many commands arrive, queries make progress.

use std::collections::VecDeque;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use std::thread::{self, Thread};
use std::time::Duration;

use pyo3::prelude::*;
use spikewire_sync::Mutex;
use spikewire_transport::Tick;

use crate::bridge::cached::Cached;
use crate::bridge::forks::forks;

/// How long after a command on a single record more of them are expected.
const LULL: Duration = Duration::from_millis(5);
/// How long a query yields at most, and how long it then runs without yielding again.
const ROOM: Duration = Duration::from_millis(1);
/// The longest turn of a thread, so that one that pauses between records does not block others.
const TURN: Duration = Duration::from_millis(2);
/// The longest wait for a turn.
const LONGEST: Duration = Duration::from_millis(20);

/// How the threads of a process share its interpreter.
struct Scheduler {
    /// Queries in progress.
    queries: AtomicUsize,
    /// Queries in progress whose interpreter is shared between threads.
    sharing: AtomicUsize,
    /// Threads whose command was answered and that wait for the interpreter.
    waiting: AtomicUsize,
    /// Commands on single records in flight.
    sent: AtomicUsize,
    /// When the last such command ended.
    last: AtomicU64,
    /// Until when queries do not yield.
    spared: AtomicU64,
    /// Threads that are yielding right now.
    yielding: Mutex<Vec<Thread>>,
    line: Mutex<Line>,
    ids: AtomicU64,
    /// The scheduler of a forked child, which leaves alone whatever threads of its parent may hold.
    child: OnceLock<Box<Scheduler>>,
}

/// The queue of querying threads that wait for the interpreter.
struct Line {
    /// Whose turn it is, and since when.
    turn: Option<(u64, Tick)>,
    waiting: VecDeque<(u64, Thread)>,
}

static FIRST: Scheduler = Scheduler::new();

impl Scheduler {
    const fn new() -> Self {
        Self {
            queries: AtomicUsize::new(0),
            sharing: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            sent: AtomicUsize::new(0),
            last: AtomicU64::new(0),
            spared: AtomicU64::new(0),
            yielding: Mutex::new(Vec::new()),
            line: Mutex::new(Line { turn: None, waiting: VecDeque::new() }),
            ids: AtomicU64::new(0),
            child: OnceLock::new(),
        }
    }

    /// The scheduler of this process.
    fn here() -> &'static Self {
        let mut place = &FIRST;
        for _ in 0..forks() {
            place = place.child.get_or_init(|| Box::new(Self::new()));
        }
        place
    }

    fn is_crowded(&self) -> bool {
        let last = self.last.load(Relaxed);
        self.sent.load(Relaxed) > 0 || (last > 0 && Tick(last).after(LULL) > Tick::now())
    }
}

/// Registers a command on a single record. The guard is to be dropped when the command ends. `None`
/// if there are no queries.
pub fn command_sent() -> Option<CommandGuard> {
    let here = Scheduler::here();
    (here.queries.load(Relaxed) > 0).then(|| {
        here.sent.fetch_add(1, Relaxed);
        CommandGuard(here)
    })
}

/// A command in flight.
pub struct CommandGuard(&'static Scheduler);

impl Drop for CommandGuard {
    fn drop(&mut self) {
        self.0.last.store(Tick::now().0, Relaxed);
        self.0.sent.fetch_sub(1, Relaxed);
    }
}

/// Registers a thread that is about to ask for the interpreter because its command was answered.
/// The guard is to be dropped once the thread has it. `None` if there is no query that could yield.
pub fn await_gil() -> Option<GilWaiter> {
    let here = Scheduler::here();
    (here.sharing.load(Relaxed) > 0).then(|| {
        here.waiting.fetch_add(1, SeqCst);
        GilWaiter(here)
    })
}

/// A thread that waits for the interpreter.
pub struct GilWaiter(&'static Scheduler);

impl Drop for GilWaiter {
    fn drop(&mut self) {
        if self.0.waiting.fetch_sub(1, SeqCst) == 1 {
            let yielding = std::mem::take(&mut *self.0.yielding.lock());
            yielding.iter().for_each(Thread::unpark);
        }
    }
}

/// Registers a query.
pub struct ScanGuard {
    here: &'static Scheduler,
    id: u64,
    /// Whether this interpreter is shared between threads.
    shares: bool,
    has_turn: AtomicBool,
}

impl ScanGuard {
    /// Registers a query. From now on, other threads announce that they wait.
    pub fn new(py: Python<'_>) -> Self {
        let here = Scheduler::here();
        here.queries.fetch_add(1, Relaxed);
        let shares = has_lock(py);
        here.sharing.fetch_add(usize::from(shares), Relaxed);
        let id = here.ids.fetch_add(1, Relaxed);
        Self { here, id, shares, has_turn: AtomicBool::new(false) }
    }

    /// Whether commands on single records arrive.
    pub fn is_crowded(&self) -> bool {
        self.here.is_crowded()
    }

    /// Yields if a command waits for the interpreter.
    #[inline]
    pub fn yield_gil(&self, py: Python<'_>) {
        if self.here.waiting.load(Relaxed) > 0 && self.shares {
            py.detach(|| self.wait_for_commands());
        }
    }

    /// Waits, detached from the interpreter, until no command waits for it, for a limited time.
    fn wait_for_commands(&self) {
        let begun = Tick::now();
        if begun < Tick(self.here.spared.load(Relaxed)) {
            return;
        }
        let until = begun.after(ROOM);
        loop {
            self.here.yielding.lock().push(thread::current());
            if self.here.waiting.load(SeqCst) == 0 {
                return;
            }
            let now = Tick::now();
            if now >= until {
                self.here.spared.store(now.after(ROOM).0, Relaxed);
                return;
            }
            thread::park_timeout(until.since(now));
        }
    }

    /// Waits, detached from the interpreter, until it is this query's turn to ask for it.
    pub fn begin_turn(&self) {
        if !self.shares || !self.is_crowded() {
            return;
        }
        let begun = Tick::now();
        let until = begun.after(LONGEST);
        let mut is_in_line = false;
        loop {
            let now = Tick::now();
            let mut line = self.here.line.lock();
            let ahead = line.waiting.iter().position(|(id, _)| *id == self.id);
            let ahead = ahead.unwrap_or(line.waiting.len());
            let is_free = line.turn.is_none_or(|(_, since)| since.after(TURN) <= now);
            if (ahead == 0 && is_free) || now >= until {
                if is_in_line {
                    line.waiting.remove(ahead);
                }
                if ahead == 0 && is_free {
                    line.turn = Some((self.id, now));
                    self.has_turn.store(true, Relaxed);
                }
                break;
            }
            if !is_in_line {
                line.waiting.push_back((self.id, thread::current()));
                is_in_line = true;
            }
            drop(line);
            // A thread is woken when a turn ends. If that does not happen, those further in front
            // check first.
            let places = u32::try_from(ahead).unwrap_or(u32::MAX);
            thread::park_timeout(TURN.saturating_mul(places + 1).min(until.since(now)));
        }
        if self.here.waiting.load(Relaxed) > 0 {
            self.wait_for_commands();
        }
    }

    /// Ends the turn, so that the next thread may ask for the interpreter.
    pub fn end_turn(&self) {
        if !self.has_turn.swap(false, Relaxed) {
            return;
        }
        let mut line = self.here.line.lock();
        if line.turn.is_some_and(|(id, _)| id == self.id) {
            line.turn = None;
        }
        if let Some((_, next)) = line.waiting.front() {
            next.unpark();
        }
    }
}

impl Drop for ScanGuard {
    fn drop(&mut self) {
        self.end_turn();
        self.here.queries.fetch_sub(1, Relaxed);
        self.here.sharing.fetch_sub(usize::from(self.shares), Relaxed);
    }
}

/// Whether this interpreter has a GIL.
fn has_lock(py: Python<'_>) -> bool {
    static HAS: Cached<bool> = Cached::new();
    *HAS.get_or_init(py, || {
        let answer = py.import("sys").and_then(|sys| sys.call_method0("_is_gil_enabled"));
        answer.and_then(|has| has.extract()).unwrap_or(true)
    })
}
