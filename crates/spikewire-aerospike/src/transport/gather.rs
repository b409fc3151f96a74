//! Sends an aggregation to every node and passes their results to the caller as they arrive.
//!
//! Such a request is rare and long-running and cannot be resumed after a failure, so the
//! implementation is simple: one thread per node reads the reply and passes it on through a short
//! queue. If the caller does not read, the queue fills up, then the socket, and then the node
//! waits.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::fd::AsFd as _;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::features::Features;
use spikewire_aerospike_protocol::frame::{HEADER_LEN, Header, Kind as Frame};
use spikewire_aerospike_protocol::limits::PARTITIONS;
use spikewire_aerospike_protocol::message::{Message, info3};

use mio::{Events, Interest, Poll, Token};
use socket2::Socket;
use spikewire_transport::dial::Opening;
use spikewire_transport::wire::Wire;

use super::node_error;
use crate::clock::Tick;
use crate::cluster::{Cluster, Node, Snapshot};
use crate::framing::Aerospike;
use crate::marks;
use crate::model::{Error, Kind, Result};

/// Maximum number of frames per node that wait for the caller.
const AHEAD: usize = 4;
/// How often a waiting caller checks whether it was interrupted.
const GLANCE: Duration = Duration::from_millis(50);
/// Bytes read at a time: the announced length of a frame is not trusted for allocation.
const PIECE: usize = 1 << 20;
/// Longest single wait of a thread for a node.
const LONGEST: Duration = Duration::from_secs(1);
/// Longest single wait for a socket to become writable.
const TURN: Duration = Duration::from_millis(1);

/// Time limits of an aggregation.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// Total time; zero: no limit.
    pub timeout: Duration,
    /// Without a byte from a node; zero: no limit.
    pub silence: Duration,
}

/// What ends an aggregation early.
struct AggregationLimit<'a> {
    start: Instant,
    /// Zero: no limit.
    timeout: Duration,
    interrupted: Option<&'a dyn Fn() -> bool>,
}

impl AggregationLimit<'_> {
    /// Fails if the caller was interrupted or the time is up.
    fn check(&self) -> Result<()> {
        if self.interrupted.is_some_and(|interrupted| interrupted()) {
            return Err(Error::new(Kind::Interrupted, "a signal interrupted the aggregation"));
        }
        if !self.timeout.is_zero() && self.start.elapsed() >= self.timeout {
            let limit = self.timeout.as_secs_f64();
            let message = format!("the aggregation's total timeout of {limit} s passed");
            return Err(Error::new(Kind::Timeout, message));
        }
        Ok(())
    }

    /// How long the caller may wait before the next check.
    fn glance(&self) -> Duration {
        if self.timeout.is_zero() {
            return GLANCE;
        }
        self.timeout.saturating_sub(self.start.elapsed()).min(GLANCE)
    }
}

/// What a node's thread passes on.
enum NodeMessage {
    Frame(Vec<u8>),
    Over(Result<()>),
}

/// Sends `request` to every node of `namespace` and passes each frame of messages to `take`. Ends
/// at the first failure, of a node or of `take`. Each node processes the records for which it is
/// master, so a change of masters in the meantime is a failure, too. Returns the number of nodes.
pub fn gather(
    cluster: &Cluster,
    namespace: &str,
    request: &[u8],
    patience: Patience,
    interrupted: Option<&dyn Fn() -> bool>,
    take: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<usize> {
    if cluster.is_closed() {
        return Err(Error::closed());
    }
    let snapshot = cluster.snapshot().clone();
    let masters = masters(&snapshot, namespace)?;
    let mut nodes: Vec<Arc<Node>> = Vec::new();
    for node in &masters {
        if !nodes.iter().any(|known| known.slot == node.slot) {
            nodes.push(node.clone());
        }
    }
    let time = AggregationLimit { start: Instant::now(), timeout: patience.timeout, interrupted };
    let within = cluster.options().connect_timeout.max(Duration::from_millis(1));
    let (lines, ends): (Vec<GatherLine>, Vec<Socket>) =
        connect(&nodes, within, patience.silence, &time)?.into_iter().unzip();
    let gathered = thread::scope(|scope| {
        let (sender, receiver) = sync_channel(AHEAD * nodes.len());
        for (node, line) in nodes.iter().zip(lines) {
            let sender = sender.clone();
            scope.spawn(move || read(node, line, request, &sender));
        }
        drop(sender);
        let outcome = take_all(&receiver, nodes.len(), &time, take);
        // Threads that are still reading or waiting for the queue end.
        drop(receiver);
        for end in &ends {
            let _ = end.shutdown(Shutdown::Both);
        }
        outcome
    });
    gathered?;
    let now = masters_of(&cluster.snapshot(), namespace);
    let same = now.is_some_and(|now| now.iter().zip(&masters).all(|(a, b)| a.slot == b.slot));
    if !same {
        let message = "the cluster changed during the aggregation, so records may be missing or \
                       counted twice; run it again";
        return Err(Error::new(Kind::NoNode, message));
    }
    Ok(nodes.len())
}

fn masters(snapshot: &Snapshot, namespace: &str) -> Result<Vec<Arc<Node>>> {
    if snapshot.namespaces.get(namespace).is_none() {
        let message = format!("the cluster has no namespace {namespace:?}");
        return Err(Error::new(Kind::NoNamespace, message));
    }
    masters_of(snapshot, namespace).ok_or_else(|| {
        let message = format!("some partitions of namespace {namespace:?} have no node");
        Error::new(Kind::NoNode, message)
    })
}

/// The master of every partition.
fn masters_of(snapshot: &Snapshot, namespace: &str) -> Option<Vec<Arc<Node>>> {
    let map = snapshot.namespaces.get(namespace)?;
    (0..PARTITIONS as u16).map(|pid| map.holder(0, pid).map(|(node, _)| node.clone())).collect()
}

/// A connection used by a dedicated thread.
#[derive(Debug)]
struct GatherLine {
    wire: Wire,
    /// How long the node may neither send nor accept anything; zero: no limit.
    silence: Duration,
}

impl GatherLine {
    /// Whether the node has been silent for too long since then.
    fn is_over(&self, since: Instant) -> bool {
        !self.silence.is_zero() && since.elapsed() >= self.silence
    }

    /// Longest single wait.
    fn glance(&self) -> Duration {
        if self.silence.is_zero() { LONGEST } else { self.silence.min(LONGEST) }
    }
}

impl Read for GatherLine {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let (start, glance) = (Instant::now(), self.glance());
        loop {
            match self.wire.waiting(glance)?.read(out) {
                Err(error) if is_pause(&error) && !self.is_over(start) => {}
                done => return done,
            }
        }
    }
}

impl Write for GatherLine {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let start = Instant::now();
        loop {
            match self.wire.write(bytes) {
                Err(error) if is_pause(&error) && !self.is_over(start) => {
                    // A socket is rarely full before a request is written.
                    thread::sleep(TURN);
                }
                done => return done,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.wire.flush()
    }
}

impl Drop for GatherLine {
    fn drop(&mut self) {
        self.wire.hang_up();
    }
}

fn is_pause(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

/// Opens a connection to each node, all at once, with a handle that ends it.
fn connect(
    nodes: &[Arc<Node>],
    within: Duration,
    silence: Duration,
    time: &AggregationLimit<'_>,
) -> Result<Vec<(GatherLine, Socket)>> {
    let until = Tick::now().after(within);
    let mut poll = Poll::new().map_err(|error| no_poller(&error))?;
    let interest = Interest::READABLE | Interest::WRITABLE;
    let mut dialled = Vec::with_capacity(nodes.len());
    for (at, node) in nodes.iter().enumerate() {
        let (encryption, framing) = (node.access.encryption(), Aerospike::new(&node.access));
        let opened = Opening::start(node.address, encryption, framing, until);
        let (mut wire, opening) = opened.map_err(|error| node_error::unreachable(node, error))?;
        let registered = poll.registry().register(&mut wire, Token(at), interest);
        registered.map_err(|error| node_error::unreachable(node, error))?;
        dialled.push((wire, Some(opening)));
    }
    let mut events = Events::with_capacity(nodes.len());
    loop {
        for (node, (wire, opening)) in nodes.iter().zip(&mut dialled) {
            let ready = opening.as_mut().map(|opening| opening.advance(wire)).transpose();
            if ready.map_err(|error| node_error::unreachable(node, error))? == Some(true) {
                *opening = None;
            }
        }
        let late = nodes.iter().zip(&dialled).find(|(_, (_, opening))| opening.is_some());
        let Some((late, _)) = late else { break };
        time.check()?;
        let left = until.since(Tick::now());
        if left.is_zero() {
            return Err(node_error::unreachable(late, io::Error::from(io::ErrorKind::TimedOut)));
        }
        match poll.poll(&mut events, Some(left.min(time.glance()))) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                return Err(no_poller(&error));
            }
            _ => {}
        }
    }
    let line = |(node, (mut wire, _)): (&Arc<Node>, (Wire, _))| {
        let end = poll.registry().deregister(&mut wire);
        let end = end.and_then(|()| wire.as_fd().try_clone_to_owned()).map(Socket::from);
        let end = end.map_err(|error| node_error::unreachable(node, error))?;
        Ok((GatherLine { wire, silence }, end))
    };
    nodes.iter().zip(dialled).map(line).collect()
}

fn no_poller(error: &io::Error) -> Error {
    Error::new(Kind::Connection, format!("the system refuses to watch sockets: {error}"))
}

/// The thread of a node.
fn read(node: &Node, mut line: GatherLine, request: &[u8], progress: &SyncSender<NodeMessage>) {
    let broke = |error: io::Error| match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
            let message = format!("node {node} was silent for the socket timeout");
            Error::new(Kind::Timeout, message).on(node.to_string())
        }
        _ => node_error::broken(node, error),
    };
    let odd = |what: &dyn std::fmt::Display| node_error::nonsense(node, what);
    let mut plain = Vec::new();
    let request = if marks::are_in(request) && !node.features.has(Features::ERROR_DETAILS) {
        marks::write(request, None, false, &mut plain);
        &plain
    } else {
        request
    };
    let mut work = || -> Result<()> {
        line.write_all(request).map_err(broke)?;
        loop {
            let mut head = [0; HEADER_LEN];
            line.read_exact(&mut head).map_err(broke)?;
            let header = Header::parse(&head).map_err(|error| odd(&error))?;
            let header = header.filter(|header| header.kind == Frame::Message);
            let header = header.ok_or_else(|| odd(&"the answer is not a message"))?;
            let mut body = Vec::new();
            while body.len() < header.len {
                let from = body.len();
                body.resize(header.len.min(from + PIECE), 0);
                line.read_exact(&mut body[from..]).map_err(broke)?;
            }
            let last = is_last(&body).map_err(|error| odd(&error))?;
            if progress.send(NodeMessage::Frame(body)).is_err() || last {
                return Ok(());
            }
        }
    };
    let _ = progress.send(NodeMessage::Over(work()));
}

/// Whether a frame ends the reply: with the last message, or with an error for the request.
fn is_last(body: &[u8]) -> std::result::Result<bool, spikewire_aerospike_protocol::Malformed> {
    let mut rest = body;
    while !rest.is_empty() {
        let (message, used) = Message::parse(rest)?;
        if message.header.info3 & info3::LAST != 0 || message.header.result != 0 {
            return Ok(true);
        }
        rest = &rest[used..];
    }
    Ok(false)
}

fn take_all(
    progress: &Receiver<NodeMessage>,
    mut open: usize,
    time: &AggregationLimit<'_>,
    take: &mut dyn FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    while open > 0 {
        match progress.recv_timeout(time.glance()) {
            Ok(NodeMessage::Frame(body)) => take(&body)?,
            Ok(NodeMessage::Over(outcome)) => {
                outcome?;
                open -= 1;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Error::new(Kind::Connection, "a reading thread ended early"));
            }
        }
        time.check()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;
    use crate::model::{Login, Secret};
    use crate::security::Gate;

    /// Three nodes that accept connections and never answer the login.
    fn silent() -> (Vec<TcpListener>, Vec<Arc<Node>>) {
        let login = Login {
            user: Some("app".to_owned()),
            password: Some(Secret::from("opensesame")),
            auth: None,
        };
        let gate = Gate::new(&login, None).unwrap();
        let listeners: Vec<_> = (0..3).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let node = |(slot, listener): (usize, &TcpListener)| {
            let address = listener.local_addr().unwrap();
            let node = Node::new(slot as u32, format!("N{slot}"), address, None);
            Arc::new(node.with_access(gate.access(address, None).unwrap()))
        };
        let nodes = listeners.iter().enumerate().map(node).collect();
        (listeners, nodes)
    }

    const LONG: Duration = Duration::from_secs(60);

    fn connected(
        within: Duration,
        timeout: Duration,
        interrupted: &dyn Fn() -> bool,
    ) -> (Error, Vec<TcpListener>) {
        let (listeners, nodes) = silent();
        let time =
            AggregationLimit { start: Instant::now(), timeout, interrupted: Some(interrupted) };
        (connect(&nodes, within, Duration::ZERO, &time).unwrap_err(), listeners)
    }

    /// One that is slow costs its time once, not once for each node.
    #[test]
    fn nodes_are_connected_to_at_the_same_time_and_within_the_connect_timeout() {
        let (error, listeners) = connected(Duration::from_millis(100), LONG, &|| false);
        assert_eq!(error.kind(), Kind::Connection);
        for listener in listeners {
            listener.set_nonblocking(true).unwrap();
            listener.accept().unwrap();
        }
    }

    #[test]
    fn the_total_time_and_interrupts_count_while_connecting() {
        let (error, _listeners) = connected(LONG, Duration::from_millis(100), &|| false);
        assert_eq!(error.kind(), Kind::Timeout);
        let (error, _listeners) = connected(LONG, Duration::ZERO, &|| true);
        assert_eq!(error.kind(), Kind::Interrupted);
    }
}
