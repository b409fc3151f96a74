//! The cluster as a client sees it: who is there and who holds which partition.
//!
//! One background thread per client (the tender) looks at the nodes every tend interval and
//! publishes an immutable [`Snapshot`] behind an atomic pointer. Commands read it without a lock.
//!
//! | file | what it holds |
//! |---|---|
//! | `seeds` | start-up: the first node, or why no seed led to one |
//! | `tender`, `discovery` | one look at everybody: counters, maps, racks; nodes that come and go |
//! | `member`, `peers` | what the tender keeps about one node, and about nodes not yet met |
//! | `rules`, `map`, `introduction`, `address`, `build` | the rules, without sockets |
//! | `exchange`, `poll`, `probe` | one question to one node; many at once; all addresses of a host |
//! | `net`, `trouble` | what each of these needs, and says when it fails |
//! | `shared`, `descriptors` | what the tender and others share; what a forked child closes |
//! | `node`, `snapshot` | what everybody else sees |

mod address;
mod build;
mod descriptors;
mod discovery;
mod exchange;
mod introduction;
mod map;
mod member;
mod net;
mod node;
mod peers;
mod poll;
mod probe;
mod rules;
mod seeds;
mod shared;
mod snapshot;
mod tender;
mod trouble;

use std::mem::ManuallyDrop;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};
use std::sync::{Arc, Weak};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use arc_swap::Guard;
use spikewire_sync::Mutex;

pub use build::Build;
pub use node::{Breaker, Node};
pub use snapshot::{NamespaceMap, Snapshot};

use crate::clock::Tick;
use crate::error::{Error, Kind, Result};
use crate::options::Options;
use exchange::{Exchange, Question};
use net::Net;
use shared::Shared;
use tender::Tender;
use trouble::Trouble;

/// The shortest and the longest pause between two regular passes.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);
const LONGEST_INTERVAL: Duration = Duration::from_secs(24 * 3600);
/// While something is going on the tender looks this many times as often.
const RESTLESS: u32 = 4;

/// Somebody with chores that should be done now and then, after each pass of the tender and on its
/// thread: closing idle connections, ending windows.
pub trait Janitor: Send + Sync {
    /// Does the chores; `now` is the current time.
    fn sweep(&self, now: Tick);
}

/// A connected cluster. Dropping the last handle ends its thread.
#[derive(Debug)]
pub struct Cluster {
    shared: Arc<Shared>,
    /// Never dropped by itself: in a forked child the thread does not exist, and its handle must
    /// not be touched there.
    thread: ManuallyDrop<Mutex<Option<JoinHandle<()>>>>,
}

impl Cluster {
    /// Finds the cluster through the seeds and looks at it once, with all nodes and maps; then
    /// keeps looking in the background. Fails when no seed leads to a node, with a message that
    /// says for each of them why.
    pub fn connect(options: Options) -> Result<Arc<Self>> {
        seeds::check(&options.seeds)?;
        let net = Net::new(&options)?;
        let shared = Arc::new(Shared::new(options, net));
        let tender = Tender::start(shared.clone())?;
        let thread = thread::Builder::new()
            .name("spikewire-tend".to_owned())
            .spawn(move || tend(tender))
            .map_err(|error| {
                Error::new(Kind::Connection, format!("no thread to tend the cluster: {error}"))
            })?;
        let thread = ManuallyDrop::new(Mutex::new(Some(thread)));
        Ok(Arc::new(Self { shared, thread }))
    }

    /// The options it was connected with.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    /// The cluster as it was seen last. Takes no lock.
    pub fn snapshot(&self) -> Guard<Arc<Snapshot>> {
        self.shared.snapshot.load()
    }

    /// Asks for a look at the cluster now, because a connection failed; extra looks are at least
    /// 50 ms apart, and none that was asked for is left out.
    pub fn tend_soon(&self) {
        if !self.is_closed() {
            self.shared.bell.ring();
        }
    }

    /// Lets `janitor` sweep after every pass for as long as it lives.
    pub fn add_janitor(&self, janitor: Weak<dyn Janitor>) {
        self.shared.add_janitor(janitor);
    }

    /// Whether [`Cluster::close`] was called.
    pub fn is_closed(&self) -> bool {
        self.shared.is_closed()
    }

    /// Ends the background thread and retires all nodes. Calling it again does nothing; on the
    /// background thread itself (from a [`Janitor`]) it does not wait.
    pub fn close(&self) {
        if self.shared.net.closed.swap(true, AcqRel) {
            return;
        }
        self.shared.bell.wake();
        let thread = self.thread.lock().take();
        if let Some(thread) = thread.filter(|it| it.thread().id() != thread::current().id()) {
            // A panic was reported when it happened.
            let _ = thread.join();
        }
        self.shared.publish(Snapshot::default());
    }

    /// For the child after a fork: the background thread does not exist there, and what it held is
    /// lost. Closes the inherited connections and takes no lock that the thread may have held.
    pub fn abandon(&self) {
        self.shared.net.closed.store(true, Relaxed);
        self.shared.net.descriptors.close_inherited();
        self.snapshot().nodes.iter().for_each(|node| node.retire());
    }

    /// Asks a node these info commands on a connection of their own and gives the whole answer;
    /// read it with [`spikewire_protocol::info::value`]. Blocks, at most for the connect timeout.
    pub fn info(&self, node: &Node, commands: &[&str]) -> Result<String> {
        self.info_unless(node, commands, &|| false)
    }

    /// As [`Cluster::info`], and ends with an error of [`Kind::Interrupted`] when `interrupted`
    /// says so, which is asked every now and then.
    pub fn info_unless(
        &self,
        node: &Node,
        commands: &[&str],
        interrupted: &dyn Fn() -> bool,
    ) -> Result<String> {
        if self.is_closed() {
            return Err(Trouble::Stopped.into_error());
        }
        let net = &self.shared.net;
        let (address, within) = (node.address, net.within);
        let question = Question { address, commands, introduce: false, within };
        let mut exchange = Exchange::start(&question, None, &net.descriptors);
        while !exchange.is_over() {
            poll::turn(&mut [&mut exchange], Tick::NEVER, &net.closed);
            if interrupted() {
                return Err(Error::new(Kind::Interrupted, "a signal interrupted the question"));
            }
        }
        let answer = exchange.finish().map(|(answer, _)| answer);
        answer.map_err(|trouble| trouble.into_error().on(node.to_string()))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.close();
    }
}

/// The background thread.
fn tend(mut tender: Tender) {
    let shared = tender.shared();
    let interval = shared.options.tend_interval.clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL);
    let mut last = Instant::now();
    let mut regular = last + interval;
    loop {
        let restless = if tender.is_restless() { last + interval / RESTLESS } else { regular };
        if !shared.bell.wait(last, regular.min(restless), &shared.net.closed) {
            return;
        }
        last = Instant::now();
        let is_regular = last >= regular;
        if is_regular {
            regular = last + interval;
        }
        // Without any node the next pass asks the seeds again.
        let _ = tender.pass(is_regular);
        if !shared.is_closed() {
            shared.sweep();
        }
    }
}
