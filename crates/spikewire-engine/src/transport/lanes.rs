//! The connections that blocking callers share: each call drives one itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::thread;

use spikewire_sync::RwLock;

use super::aerospike::refused;
use super::lane::{Attempt, Call, Lane, Role};
use super::node_error;
use super::waiter::Waiter;
use super::{LARGE, Reply};
use crate::clock::Tick;
use crate::cluster::{Cluster, Janitor, Node};
use crate::command::{Attempts, Failure, Router, Target, Verdict, deadline};
use crate::error::{Error, Kind, Result};
use crate::options::{Options, Policy};

/// The blocking transport of one client.
#[derive(Debug)]
pub struct Lanes {
    cluster: Arc<Cluster>,
    router: Router,
    /// By node slot.
    nodes: RwLock<Vec<Option<Arc<NodeLanes>>>>,
    closed: AtomicBool,
}

/// What bounds one attempt.
#[derive(Clone, Copy)]
struct Limits<'a> {
    policy: &'a Policy,
    deadline: Tick,
    interrupted: Option<&'a dyn Fn() -> bool>,
}

#[derive(Debug)]
struct NodeLanes {
    node: Arc<Node>,
    short: Box<[Lane]>,
    bulk: Box<[Lane]>,
    /// Calls under way on this node, and how many there may be: those that the connections carry
    /// and those that may wait.
    callers: AtomicUsize,
    most_callers: usize,
}

/// The lanes that callers share once there are more callers than lanes. Fewer lanes carry more
/// requests per write and wake more threads per read; a few keep the server's cores busy.
const CROWDED: usize = 2;

/// Numbers threads, so that each comes back to the lane it used before.
static THREADS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static THREAD: usize = THREADS.fetch_add(1, Relaxed);
}

impl Lanes {
    /// A transport without connections; they are opened when commands need them.
    pub fn new(cluster: Arc<Cluster>) -> Arc<Self> {
        let router = Router::new(cluster.options().racks.clone());
        let lanes = Arc::new(Self {
            cluster,
            router,
            nodes: RwLock::default(),
            closed: AtomicBool::new(false),
        });
        let weak = Arc::downgrade(&lanes);
        lanes.cluster.add_janitor(weak);
        lanes
    }

    /// Sends one request and waits for its reply, retries included. The reply's message is left
    /// in `body`; `done` gets it together with who answered.
    pub fn execute<R>(
        &self,
        bytes: &[u8],
        target: &Target,
        policy: &Policy,
        body: &mut Vec<u8>,
        done: impl FnOnce(Reply<'_>) -> R,
    ) -> Result<R> {
        let (node, attempts) = self.run(bytes, target, policy, body)?;
        Ok(done(Reply { body, node: &node, attempts }))
    }

    /// As [`Lanes::execute`]; returns who answered and what it took.
    pub fn run(
        &self,
        bytes: &[u8],
        target: &Target,
        policy: &Policy,
        body: &mut Vec<u8>,
    ) -> Result<(Arc<Node>, Attempts)> {
        self.run_interruptibly(bytes, target, policy, body, None)
    }

    /// As [`Lanes::run`]; when a signal comes, `interrupted` is asked whether to give up, which
    /// ends in an error of [`Kind::Interrupted`].
    pub fn run_interruptibly(
        &self,
        bytes: &[u8],
        target: &Target,
        policy: &Policy,
        body: &mut Vec<u8>,
        interrupted: Option<&dyn Fn() -> bool>,
    ) -> Result<(Arc<Node>, Attempts)> {
        let deadline = deadline(policy, Tick::now());
        let mut attempts = Attempts::default();
        loop {
            attempts.made += 1;
            let limits = Limits { policy, deadline, interrupted };
            let (failure, node) = match self.attempt(bytes, target, limits, attempts.step, body) {
                Ok((Attempt::Replied, node)) => {
                    let code = Reply { body, node: &node, attempts }.code();
                    if !code.is_retryable() {
                        return Ok((node, attempts));
                    }
                    node.breaker.record();
                    (refused(code), Some(node))
                }
                Ok((Attempt::Failed(failure), node)) => {
                    node.breaker.record();
                    self.cluster.tend_soon();
                    (self.explained(failure), None)
                }
                Ok((Attempt::TimedOut { sent }, node)) => {
                    let error: Error = attempts.timed_out(target.write, sent, policy);
                    return Err(error.on(node.to_string()));
                }
                Ok((Attempt::Interrupted { sent }, node)) => {
                    attempts.in_doubt |= target.write && sent;
                    let error = Error::new(Kind::Interrupted, "a signal interrupted the call");
                    return Err(attempts.annotate(error.on(node.to_string())));
                }
                Err(error) => (self.explained(Failure::NotSent(error)), None),
            };
            let now = Tick::now();
            match attempts.failed(failure, target.write, policy, deadline, now) {
                Verdict::Retry(at) => thread::sleep(at.since(now)),
                Verdict::Fail(error) => {
                    return Err(match node {
                        Some(node) => error.on(node.to_string()),
                        None => error,
                    });
                }
            }
        }
    }

    fn attempt(
        &self,
        bytes: &[u8],
        target: &Target,
        limits: Limits<'_>,
        step: u32,
        body: &mut Vec<u8>,
    ) -> Result<(Attempt, Arc<Node>)> {
        if self.is_closed() {
            return Err(Error::new(Kind::Closed, "the client is closed"));
        }
        let node = {
            let snapshot = self.cluster.snapshot();
            self.router.choose(&snapshot, target, limits.policy.replica, step)?
        };
        if node.breaker.is_open() {
            return Err(node_error::resting(&node));
        }
        let lanes = self.of(&node);
        let call = Call {
            deadline: limits.deadline,
            socket_timeout: limits.policy.socket_timeout,
            connect_timeout: self.cluster.options().connect_timeout,
            interrupted: limits.interrupted,
        };
        let waiter = Waiter::own();
        let callers = lanes.callers.fetch_add(1, Relaxed);
        if callers >= lanes.most_callers {
            lanes.callers.fetch_sub(1, Relaxed);
            return Err(node_error::full(&node, self.cluster.options().queue));
        }
        let (lane, role) = lanes.enter(&waiter, bytes, callers);
        let attempt = lane.attend(role, &waiter, call, body);
        lanes.callers.fetch_sub(1, Relaxed);
        Ok((attempt, node))
    }

    fn is_closed(&self) -> bool {
        self.closed.load(Relaxed) || self.cluster.is_closed()
    }

    /// Closing cuts connections under their callers, who are told the reason, not the symptom.
    fn explained(&self, failure: Failure) -> Failure {
        if !self.is_closed() {
            return failure;
        }
        let closed = Error::new(Kind::Closed, "the client was closed");
        match failure {
            Failure::Lost(_) => Failure::Lost(closed),
            Failure::NotSent(_) => Failure::NotSent(closed),
            refused @ Failure::Refused(_) => refused,
        }
    }

    fn of(&self, node: &Arc<Node>) -> Arc<NodeLanes> {
        let slot = node.slot as usize;
        if let Some(Some(lanes)) = self.nodes.read().get(slot) {
            return lanes.clone();
        }
        let mut nodes = self.nodes.write();
        if nodes.len() <= slot {
            nodes.resize(slot + 1, None);
        }
        let options = self.cluster.options();
        nodes[slot].get_or_insert_with(|| Arc::new(NodeLanes::new(node, options))).clone()
    }

    /// Ends every connection; callers that wait get an error at once.
    pub fn close(&self) {
        self.closed.store(true, Relaxed);
        for lanes in self.nodes.read().iter().flatten() {
            lanes.all().for_each(Lane::cut);
        }
        self.sweep(Tick::NEVER);
    }
}

impl Janitor for Lanes {
    /// Closes idle connections and those of nodes that left.
    fn sweep(&self, now: Tick) {
        let idle = self.cluster.options().idle.as_nanos() as u64;
        let limit = Tick(now.0.saturating_sub(idle));
        let known: Vec<_> = self.nodes.read().iter().flatten().cloned().collect();
        for lanes in known {
            if lanes.node.is_active() {
                lanes.all().for_each(|lane| lane.close_idle(limit));
            } else {
                lanes.all().for_each(Lane::cut);
                self.nodes.write()[lanes.node.slot as usize] = None;
            }
        }
    }
}

impl NodeLanes {
    fn new(node: &Arc<Node>, options: &Options) -> Self {
        let most = options.connections_per_node.max(1);
        let lanes = || (0..most).map(|_| Lane::new(node.clone(), options.depth)).collect();
        let carried = most.min(CROWDED).saturating_mul(options.depth.max(1));
        let most_callers = carried.saturating_add(options.queue);
        Self {
            node: node.clone(),
            short: lanes(),
            bulk: lanes(),
            callers: AtomicUsize::new(0),
            most_callers,
        }
    }

    fn all(&self) -> impl Iterator<Item = &Lane> {
        self.short.iter().chain(&self.bulk)
    }

    /// Queues a request: on an idle lane, this thread's usual one first, or behind the fewest.
    fn enter(&self, waiter: &Arc<Waiter>, bytes: &[u8], callers: usize) -> (&Lane, Role) {
        let lanes = match (bytes.len() > LARGE, callers < self.short.len()) {
            (true, _) => &*self.bulk,
            (false, true) => &*self.short,
            (false, false) => &self.short[..CROWDED.min(self.short.len())],
        };
        let start = THREAD.with(|thread| *thread);
        let in_turn = || (0..lanes.len()).map(|on| &lanes[(start + on) % lanes.len()]);
        if let Some(lane) = in_turn().find(|lane| lane.claim(waiter, bytes)) {
            return (lane, Role::Leader);
        }
        let lane = in_turn().min_by_key(|lane| lane.load()).unwrap_or(&lanes[0]);
        (lane, lane.join(waiter, bytes))
    }
}
