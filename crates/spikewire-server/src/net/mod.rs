//! Sockets: threads that wait for many connections at once and serve those that are readable.
//!
//! | module | what it holds |
//! |---|---|
//! | [`worker`] | one thread's loop |
//! | [`connection`] | one client connection |
//! | [`listener`] | a node's port: listening, or held while the node is dead |
//! | [`faults`] | how a node can be made to misbehave |
//! | `frames` | running the requests that have come in |
//! | [`slab`] | connections under small numbers |
//!
//! All requests that one read brings are run in order and answered with one write.
//!
//! Workers come in pairs. The first of a pair accepts connections and answers what is answered at
//! once. A connection whose reply goes on moves to the second until that reply is whole. So a
//! command on one record never waits for a slice of a scan; and as the second runs at a lower
//! priority, it hardly waits for a processor either.

pub mod connection;
pub mod faults;
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
use crate::cluster::state::ClusterState;
use crate::error::invalid;

/// A command to a worker.
#[derive(Debug)]
pub enum WorkerCommand {
    /// Close a node's port and reset its connections.
    Close(usize),
    /// Open a node's port.
    Open(usize),
    /// Look at a node's faults again.
    Faults(usize),
    /// Serve a connection to this node that another worker accepted.
    Adopt(usize, TcpStream),
    /// Go on with a connection of the partner.
    TakeOver(Box<Connection>),
    /// End.
    Stop,
}

/// A command, and where to report that it is done.
pub type Message = (WorkerCommand, Option<SyncSender<io::Result<()>>>);

/// How to reach a worker.
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

/// What a worker is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerRole {
    /// To accept connections and to answer what is answered at once.
    Requests,
    /// To make the replies that go on.
    Streams,
}

/// How a worker reaches the others, and what it is for.
#[derive(Debug)]
pub struct WorkerLinks {
    /// What it is for.
    pub role: WorkerRole,
    /// The other worker of its pair.
    pub partner: WorkerHandle,
    /// The workers that share out accepted connections.
    pub acceptors: Vec<WorkerHandle>,
    /// Its number, or its partner's, among them.
    pub number: usize,
}

/// The workers of a cluster.
#[derive(Debug)]
pub struct Network {
    workers: Vec<(WorkerHandle, Option<JoinHandle<()>>)>,
}

impl Network {
    /// Starts the workers; the nodes' ports are shared out among them.
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

    /// Sends every worker a command and waits until all have carried it out.
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
