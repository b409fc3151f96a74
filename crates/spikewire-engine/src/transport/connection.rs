//! One multiplexed connection: requests queue, replies complete first in, first out.

use std::collections::VecDeque;
use std::io::{self, Read as _, Write as _};
use std::net::SocketAddr;
use std::sync::Arc;

use mio::net::TcpStream;

use super::inbound::Inbound;
use super::node_error;
use super::{Collect, PATIENCE, Reply, buffer, reply};
use crate::clock::Tick;
use crate::cluster::Node;
use crate::command::Command;
use crate::error::Error;

/// Room kept in an empty output buffer; what a burst needed beyond it is given back.
const KEEP_OUT: usize = 256 << 10;

/// A command in flight, or the gap that one left when it timed out.
#[derive(Debug)]
struct Slot<T> {
    /// Position in the stream of sent bytes after this request.
    end: u64,
    /// Its length in bytes.
    len: usize,
    /// When it was queued here.
    since: Tick,
    /// Whether its reply is many messages.
    stream: bool,
    /// How many records it is about.
    rows: usize,
    /// Messages of its reply that were not the last one. Each holds a record at least.
    parts: usize,
    /// `None`: abandoned; its reply is read and dropped.
    command: Option<Command<T>>,
}

/// A command taken off a connection that cannot answer it any more.
pub(super) struct Orphan<T> {
    pub command: Command<T>,
    /// Whether the whole request had been written.
    pub sent: bool,
}

#[derive(Debug)]
pub(super) struct Connection<T> {
    pub node: Arc<Node>,
    pub stream: TcpStream,
    /// Until when the connection must be established; `None` once it is.
    pub connecting: Option<Tick>,
    /// Whether it waits in the multiplexer's list of connections to flush.
    pub dirty: bool,
    /// Whether it carries long commands, one at a time.
    pub bulk: bool,
    /// A request on it was given up half sent: nothing more is written, and it is closed as soon
    /// as the requests before that one are answered or given up as well.
    pub draining: bool,
    /// When bytes last came, a part of the oldest request left, or the first command was queued on
    /// an idle connection.
    pub last_progress: Tick,
    /// Whether the poller watches for room to write.
    pub watches_write: bool,
    /// The poller has seen the end of what the server sends. It tells only once, perhaps together
    /// with the last bytes: a read must then go on to the end.
    pub ended: bool,
    inbound: Inbound,
    out: Vec<u8>,
    written: usize,
    /// Bytes written over the connection's life.
    total_written: u64,
    fifo: VecDeque<Slot<T>>,
    /// Records that the slots are about.
    rows: usize,
    abandoned: usize,
}

impl<T: Collect> Connection<T> {
    /// Starts connecting; the poller says when it is done.
    pub fn open(node: Arc<Node>, bulk: bool, now: Tick, until: Tick) -> io::Result<Self> {
        let stream = TcpStream::connect(node.address)?;
        Ok(Self {
            node,
            stream,
            connecting: Some(until),
            dirty: false,
            bulk,
            draining: false,
            last_progress: now,
            watches_write: true,
            ended: false,
            inbound: Inbound::default(),
            out: Vec::new(),
            written: 0,
            total_written: 0,
            fifo: VecDeque::new(),
            rows: 0,
            abandoned: 0,
        })
    }

    /// Commands (and gaps) that wait for a reply here.
    pub fn in_flight(&self) -> usize {
        self.fifo.len()
    }

    /// Records that these commands are about.
    pub fn rows_in_flight(&self) -> usize {
        self.rows
    }

    /// How long the oldest command has waited: a sign of something slow ahead of the queue.
    pub fn oldest(&self) -> Option<Tick> {
        self.fifo.front().map(|slot| slot.since)
    }

    /// Whether a request was written and not answered.
    pub fn awaits(&self) -> bool {
        self.fifo.front().is_some_and(|slot| slot.end <= self.total_written)
    }

    /// Whether a request was not written to its end.
    pub fn has_unsent(&self) -> bool {
        self.fifo.back().is_some_and(|slot| slot.end > self.total_written)
    }

    /// Queues a command for the next write.
    pub fn queue(&mut self, command: Command<T>, now: Tick) {
        if self.fifo.is_empty() {
            self.last_progress = now;
        }
        self.out.extend_from_slice(&command.bytes);
        let end = self.total_written + (self.out.len() - self.written) as u64;
        let (len, stream, rows) = (command.bytes.len(), command.stream, command.rows);
        self.rows += rows;
        self.fifo.push_back(Slot {
            end,
            len,
            since: now,
            stream,
            rows,
            parts: 0,
            command: Some(command),
        });
    }

    /// Tells whether a connection attempt has come to an end.
    pub fn finish_connecting(&mut self) -> io::Result<bool> {
        if let Some(error) = self.stream.take_error()? {
            return Err(error);
        }
        match self.stream.peer_addr() {
            Ok(SocketAddr::V4(_) | SocketAddr::V6(_)) => {
                self.stream.set_nodelay(true)?;
                self.connecting = None;
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether it can be closed without a loss: it drains, and nothing on it waits for an answer.
    pub fn is_drained(&self) -> bool {
        self.draining && self.fifo.iter().all(|slot| slot.command.is_none())
    }

    /// Writes what is queued; `true` when nothing is left.
    pub fn write(&mut self, now: Tick) -> io::Result<bool> {
        if self.connecting.is_some() {
            return Ok(false);
        }
        // Requests behind one that was sent leave also when the node is silent: that they do is
        // no sign of life.
        let uploads = self.fifo.front().is_some_and(|slot| slot.end > self.total_written);
        while self.written < self.out.len() {
            match self.stream.write(&self.out[self.written..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(size) => {
                    self.written += size;
                    self.total_written += size as u64;
                    if uploads {
                        self.last_progress = now;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.written = 0;
        if self.out.capacity() > KEEP_OUT {
            self.out = Vec::new();
        } else {
            self.out.clear();
        }
        Ok(true)
    }

    /// Reads what has come and hands every whole reply to `take`, in order.
    pub fn read(
        &mut self,
        now: Tick,
        mut take: impl FnMut(Command<T>, Reply<'_>),
    ) -> Result<(), Error> {
        loop {
            let drained = match self.inbound.fill(&mut &self.stream) {
                Ok((0, _)) => {
                    return Err(node_error::broken(&self.node, "the server closed the connection"));
                }
                Ok((_, drained)) => drained,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => false,
                Err(error) => return Err(node_error::broken(&self.node, error)),
            };
            self.last_progress = now;
            self.replies(&mut take)?;
            if drained && !self.ended {
                return Ok(());
            }
        }
    }

    fn replies(&mut self, take: &mut impl FnMut(Command<T>, Reply<'_>)) -> Result<(), Error> {
        loop {
            let range = match self.inbound.next() {
                Ok(Some(range)) => range,
                Ok(None) => return Ok(()),
                Err(error) => return Err(node_error::nonsense(&self.node, error)),
            };
            let body = self.inbound.body(range);
            if !reply::is_reply(body) {
                return Err(node_error::nonsense(&self.node, "a reply shorter than its header"));
            }
            if let Some(slot) = self.fifo.front_mut()
                && slot.stream
                && !reply::is_last(body)
                && !reply::refuses_all(body)
            {
                slot.parts += 1;
                if slot.parts > slot.rows {
                    let why = "a batch's reply of more messages than it has rows";
                    return Err(node_error::nonsense(&self.node, why));
                }
                if let Some(command) = &mut slot.command {
                    command.ticket.collect(body);
                }
                continue;
            }
            let Some(slot) = self.fifo.pop_front() else {
                return Err(node_error::nonsense(&self.node, "a reply that nobody asked for"));
            };
            self.rows -= slot.rows;
            let Some(mut command) = slot.command else {
                self.abandoned -= 1;
                continue;
            };
            let reply = Reply { body, node: &self.node, attempts: command.attempts };
            let code = reply.code();
            buffer_back(&mut command, code.is_retryable());
            take(command, reply);
            if code.closes_connection() {
                return Err(node_error::broken(&self.node, "the server ended the session"));
            }
        }
    }

    /// Takes out the commands whose deadline has passed or that were withdrawn. A request that has
    /// left leaves a gap for its reply. One of which nothing has left is withdrawn. One that has
    /// left in part cannot be applied as long as it is not finished, and it never will be: the
    /// connection drains. Returns the requests behind it, of which nothing has left, for other
    /// connections.
    pub fn expire(&mut self, now: Tick, mut take: impl FnMut(Orphan<T>)) -> Vec<Command<T>> {
        let overdue =
            |slot: &Slot<T>| slot.command.as_ref().is_some_and(|command| command.is_over(now));
        let mut displaced = Vec::new();
        if !self.fifo.iter().any(overdue) {
            return displaced;
        }
        let mut withdrawn = 0;
        for mut slot in std::mem::take(&mut self.fifo) {
            slot.end -= withdrawn;
            let command = if overdue(&slot) { slot.command.take() } else { None };
            let start = slot.end - slot.len as u64;
            if self.draining && start >= self.total_written {
                self.rows -= slot.rows;
                match command {
                    Some(command) => take(Orphan { command, sent: false }),
                    None => displaced.extend(slot.command),
                }
                continue;
            }
            match command {
                Some(command) if start >= self.total_written => {
                    let at = self.written + (start - self.total_written) as usize;
                    self.out.drain(at..at + slot.len);
                    withdrawn += slot.len as u64;
                    self.rows -= slot.rows;
                    take(Orphan { command, sent: false });
                    continue;
                }
                Some(command) if slot.end > self.total_written => {
                    self.draining = true;
                    self.rows -= slot.rows;
                    take(Orphan { command, sent: false });
                    continue;
                }
                Some(command) => {
                    self.abandoned += 1;
                    take(Orphan { command, sent: true });
                }
                None => {}
            }
            self.fifo.push_back(slot);
        }
        if self.draining {
            self.out = Vec::new();
            self.written = 0;
        }
        displaced
    }

    /// The earliest deadline in the queue.
    pub fn deadline(&self) -> Tick {
        let deadlines = self.fifo.iter().filter_map(|slot| slot.command.as_ref());
        deadlines.map(|command| command.deadline).min().unwrap_or(Tick::NEVER)
    }

    /// When the connection must be given up if nothing comes: the oldest command's socket timeout,
    /// or [`PATIENCE`] for the reply to a command that timed out.
    pub fn patience_ends(&self) -> Tick {
        let Some(front) = self.fifo.front() else { return Tick::NEVER };
        let limit = match &front.command {
            Some(command) if command.policy.socket_timeout.is_zero() => return Tick::NEVER,
            Some(command) => command.policy.socket_timeout,
            None => PATIENCE,
        };
        self.last_progress.max(front.since).after(limit)
    }

    /// Empties the queue of a connection that is given up.
    pub fn orphans(&mut self) -> impl Iterator<Item = Orphan<T>> + '_ {
        let written = self.total_written;
        self.rows = 0;
        self.fifo.drain(..).filter_map(move |slot| {
            slot.command.map(|command| Orphan { command, sent: slot.end <= written })
        })
    }

    /// An idle connection that turned readable: only end of file or noise can have come.
    pub fn peek_closed(&mut self) -> bool {
        let mut byte = [0];
        !matches!((&self.stream).read(&mut byte), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }
}

/// A command that is not going to be sent again returns its buffer.
fn buffer_back<T>(command: &mut Command<T>, may_retry: bool) {
    if !may_retry {
        buffer::give(std::mem::take(&mut command.bytes));
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::time::Duration;

    use super::*;
    use crate::command::Target;
    use crate::options::Policy;

    impl Collect for u64 {}

    fn command(bytes: &[u8], deadline: u64) -> Command<u64> {
        let target = Target::record("test".into(), 0, true);
        let command = Command::new(bytes.to_vec(), target, Policy::default(), Tick(0), deadline);
        Command { deadline: Tick(deadline), ..command }
    }

    fn connect() -> (Connection<u64>, std::net::TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let node = Arc::new(Node::new(0, "N".into(), address, None));
        let connection = Connection::open(node, false, Tick(0), Tick::NEVER).unwrap();
        (connection, listener.accept().unwrap().0)
    }

    #[test]
    fn a_reply_without_end_is_given_up() {
        use spikewire_protocol::frame::{self, Kind};
        use spikewire_protocol::message::Header;
        use std::io::Write as _;
        let (mut connection, mut peer) = connect();
        while !connection.finish_connecting().unwrap() {
            std::thread::sleep(Duration::from_millis(1));
        }
        connection.queue(Command { stream: true, rows: 2, ..command(b"batch", 30) }, Tick(0));
        assert!(connection.write(Tick(0)).unwrap());
        let mut part = Vec::new();
        let start = frame::begin(&mut part, Kind::Message);
        part.extend_from_slice(&Header::default().to_bytes());
        frame::finish(&mut part, start);
        let refused = (0..1000).find_map(|_| {
            peer.write_all(&part).unwrap();
            std::thread::sleep(Duration::from_millis(1));
            connection.read(Tick(1), |_, _| panic!("it has no end")).err()
        });
        assert!(refused.unwrap().to_string().contains("more messages"));
    }

    #[test]
    fn an_overdue_request_that_has_not_left_is_withdrawn() {
        let (mut connection, mut peer) = connect();
        for (bytes, deadline) in [(&b"one"[..], 30), (b"second", 10), (b"three", 30), (b"4", 10)] {
            connection.queue(command(bytes, deadline), Tick(0));
        }
        assert_eq!(connection.rows_in_flight(), 4);
        let mut late = Vec::new();
        connection.expire(Tick(10), |orphan| late.push((orphan.command.bytes, orphan.sent)));
        assert_eq!(late, [(b"second".to_vec(), false), (b"4".to_vec(), false)]);
        assert_eq!(connection.rows_in_flight(), 2);
        while !connection.finish_connecting().unwrap() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(connection.write(Tick(5)).unwrap());
        let mut came = [0; 8];
        peer.read_exact(&mut came).unwrap();
        assert_eq!(&came, b"onethree");
        connection.queue(Command { rows: 9, ..command(b"five", 40) }, Tick(20));
        connection.expire(Tick(30), |orphan| late.push((orphan.command.bytes, orphan.sent)));
        assert_eq!(late[2..], [(b"one".to_vec(), true), (b"three".to_vec(), true)]);
        assert_eq!((connection.in_flight(), connection.deadline()), (3, Tick(40)));
        assert_eq!(connection.rows_in_flight(), 11);
        assert!(connection.write(Tick(5)).unwrap());
        peer.read_exact(&mut came[..4]).unwrap();
        assert_eq!(&came[..4], b"five");
        assert_eq!(connection.orphans().count(), 1);
        assert_eq!(connection.rows_in_flight(), 0);
    }
}
