//! Networking: threads that wait for many connections at once and serve the readable ones.
//!
//! | module | what it holds |
//! |---|---|
//! | [`worker`] | one thread's loop |
//! | [`connection`] | one client connection |
//! | [`listener`] | a node's port: listening, or held while the node is dead |
//! | `compression` | compressed messages, of the Enterprise Edition |
//! | `frames` | running the requests that have come in |
//! | [`slab`] | connections under small numbers |
//!
//! All requests received by one read are processed in order, and their replies are sent with one
//! write.
//!
//! Workers come in pairs. The first accepts connections and serves requests with immediate replies.
//! A connection with a streamed reply moves to the second until the reply is complete. So a
//! single-record command never waits for a slice of a scan, and since the second worker has a lower
//! priority, it hardly waits for a CPU either.
//!
//! What functions may make long is done by threads of its own ([`crate::function_threads`]); the
//! second worker only sends the results.

mod compression;
pub mod connection;
mod frames;
pub mod listener;
pub mod slab;
pub mod worker;

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender, SyncSender};
use std::thread::JoinHandle;

use mio::net::TcpStream;
use mio::{Poll, Waker};

use self::connection::Connection;
use self::listener::Port;
use self::worker::{WAKE, Worker};
use crate::error::invalid;
use crate::state::ClusterState;

/// A command to a worker.
#[derive(Debug)]
pub enum WorkerCommand {
    /// Close a node's port and reset its connections.
    Close(usize),
    /// Open a node's port.
    Open(usize),
    /// A node's faults have changed.
    Faults(usize),
    /// Serve a connection to this node accepted by another worker.
    Adopt(usize, TcpStream),
    /// Take over a connection of the partner.
    TakeOver(Box<Connection>),
    /// Stop.
    Stop,
}

/// A command, and a channel to confirm that it is done.
pub type Message = (WorkerCommand, Option<SyncSender<io::Result<()>>>);

/// A handle to a worker.
#[derive(Debug, Clone)]
pub struct WorkerHandle {
    commands: Sender<Message>,
    waker: Arc<Waker>,
}

impl WorkerHandle {
    /// Sends a command.
    pub fn send(&self, message: Message) -> io::Result<()> {
        let gone = |_| io::Error::other("a worker thread has ended");
        self.commands.send(message).map_err(gone)?;
        self.waker.wake()
    }
}

/// The role of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerRole {
    /// Accepts connections and sends immediate replies.
    Requests,
    /// Produces streamed replies.
    Streams,
}

/// A worker's links to the others, and its role.
#[derive(Debug)]
pub struct WorkerLinks {
    /// Its role.
    pub role: WorkerRole,
    /// The other worker of its pair.
    pub partner: WorkerHandle,
    /// The workers among which accepted connections are distributed.
    pub acceptors: Vec<WorkerHandle>,
    /// Its index, or its partner's, among them.
    pub number: usize,
}

/// The workers of a cluster.
#[derive(Debug)]
pub struct Network {
    workers: Vec<(WorkerHandle, Option<JoinHandle<()>>)>,
}

impl Network {
    /// Starts the workers; the nodes' ports are distributed among them.
    pub fn start(state: &Arc<ClusterState>, ports: Vec<Port>) -> io::Result<Self> {
        let mut parts = Vec::new();
        let mut handles = Vec::new();
        let pairs = state.options.threads;
        for _ in 0..2 * pairs {
            let poll = Poll::new()?;
            let waker = Arc::new(Waker::new(poll.registry(), WAKE)?);
            let (commands, inbox) = mpsc::channel();
            handles.push(WorkerHandle { commands, waker });
            parts.push((poll, inbox, Vec::new()));
        }
        for (node, port) in ports.into_iter().enumerate() {
            parts[node % pairs].2.push((node, port));
        }
        let mut network = Self { workers: Vec::new() };
        for (at, (poll, inbox, ports)) in parts.into_iter().enumerate() {
            let (role, partner, name) = if at < pairs {
                (WorkerRole::Requests, at + pairs, "node")
            } else {
                (WorkerRole::Streams, at - pairs, "flow")
            };
            let number = at % pairs;
            let (partner, acceptors) = (handles[partner].clone(), handles[..pairs].to_vec());
            let links = WorkerLinks { role, partner, acceptors, number };
            let mut worker = Worker::new(state.clone(), poll, inbox, links);
            for (node, port) in ports {
                worker.add_port(node, port)?;
            }
            let thread = std::thread::Builder::new()
                .name(format!("spikewire-{name}-{number}"))
                .spawn(move || worker.run())?;
            network.workers.push((handles[at].clone(), Some(thread)));
        }
        Ok(network)
    }

    /// Sends a command to every worker and waits until all have executed it.
    pub fn command(&self, command: impl Fn() -> WorkerCommand) -> io::Result<()> {
        let (done, reports) = mpsc::sync_channel(self.workers.len());
        for (worker, _) in &self.workers {
            worker.send((command(), Some(done.clone())))?;
        }
        drop(done);
        for _ in &self.workers {
            reports.recv().map_err(|_| invalid("a worker thread has ended".to_owned()))??;
        }
        Ok(())
    }
}

impl Drop for Network {
    fn drop(&mut self) {
        for (worker, _) in &self.workers {
            let _ = worker.send((WorkerCommand::Stop, None));
        }
        for (_, thread) in &mut self.workers {
            if let Some(thread) = thread.take() {
                let _ = thread.join();
            }
        }
    }
}
