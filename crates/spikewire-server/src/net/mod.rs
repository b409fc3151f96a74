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
//! command on one record never waits for a slice of a scan; and as the second is nicer to others,
//! it hardly waits for a processor either.

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
use crate::cluster::state::State;
use crate::error::invalid;

/// Something a worker is told to do.
#[derive(Debug)]
pub enum Order {
    /// Close a node's port and reset its connections.
    Close(usize),
    /// Open a node's port.
    Open(usize),
    /// Look at a node's faults again.
    Faults(usize),
    /// Serve a connection to this node that another worker accepted.
    Adopt(usize, TcpStream),
    /// Go on with a connection of the other one of the pair.
    TakeOver(Box<Connection>),
    /// End.
    Stop,
}

/// An order, and where to report that it is done.
pub type Message = (Order, Option<SyncSender<io::Result<()>>>);

/// How to reach a worker.
#[derive(Debug, Clone)]
pub struct Handle {
    orders: Sender<Message>,
    waker: Arc<Waker>,
}

impl Handle {
    /// Gives an order.
    pub fn send(&self, message: Message) -> io::Result<()> {
        let gone = |_| io::Error::other("a worker thread has ended");
        self.orders.send(message).map_err(gone)?;
        self.waker.wake()
    }
}

/// What a worker's part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Duty {
    /// To accept connections and to answer what is answered at once.
    Requests,
    /// To make the replies that go on.
    Streams,
}

/// A worker's place among the others.
#[derive(Debug)]
pub struct Place {
    /// Its part.
    pub duty: Duty,
    /// The other one of its pair.
    pub pair: Handle,
    /// Those who share out what is accepted.
    pub accepting: Vec<Handle>,
    /// Its number, or its pair's, among them.
    pub me: usize,
}

/// The workers of a cluster.
#[derive(Debug)]
pub struct Network {
    workers: Vec<(Handle, Option<JoinHandle<()>>)>,
}

impl Network {
    /// Starts the workers; the nodes' ports are shared out among them.
    pub fn start(state: &Arc<State>, ports: Vec<Port>) -> io::Result<Self> {
        let mut parts = Vec::new();
        let mut handles = Vec::new();
        let pairs = state.options.threads;
        for _ in 0..2 * pairs {
            let poll = Poll::new()?;
            let waker = Arc::new(Waker::new(poll.registry(), WAKE)?);
            let (orders, inbox) = mpsc::channel();
            handles.push(Handle { orders, waker });
            parts.push((poll, inbox, Vec::new()));
        }
        for (node, port) in ports.into_iter().enumerate() {
            parts[node % pairs].2.push((node, port));
        }
        let mut network = Self { workers: Vec::new() };
        for (at, (poll, inbox, ports)) in parts.into_iter().enumerate() {
            let (duty, pair, name) = if at < pairs {
                (Duty::Requests, at + pairs, "node")
            } else {
                (Duty::Streams, at - pairs, "flow")
            };
            let me = at % pairs;
            let accepting = handles[..pairs].to_vec();
            let place = Place { duty, pair: handles[pair].clone(), accepting, me };
            let mut worker = Worker::new(state.clone(), poll, inbox, place);
            for (node, port) in ports {
                worker.add_port(node, port)?;
            }
            let thread = std::thread::Builder::new()
                .name(format!("spikewire-{name}-{me}"))
                .spawn(move || worker.run())?;
            network.workers.push((handles[at].clone(), Some(thread)));
        }
        Ok(network)
    }

    /// Gives every worker an order and waits until all have carried it out.
    pub fn order(&self, order: impl Fn() -> Order) -> io::Result<()> {
        let (done, reports) = mpsc::sync_channel(self.workers.len());
        for (worker, _) in &self.workers {
            worker.send((order(), Some(done.clone())))?;
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
            let _ = worker.send((Order::Stop, None));
        }
        for (_, thread) in &mut self.workers {
            if let Some(thread) = thread.take() {
                let _ = thread.join();
            }
        }
    }
}
