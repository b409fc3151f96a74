//! One client connection: unprocessed input and unsent output.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use mio::net::TcpStream;
use socket2::SockRef;

use crate::command::stream::{SEND_TIMEOUT, StreamedReply};
use crate::faults::{Drip, Fate};
use crate::security::LoggedIn;
use crate::state::user_agents::UserAgent;
use crate::tls::stream::TlsStream;

/// No further requests are processed while this much output waits for the client.
pub const BACKLOG: usize = 1 << 20;

/// A delayed reply.
#[derive(Debug)]
struct DelayedReply {
    due: Instant,
    bytes: Vec<u8>,
    then_close: bool,
}

/// How faults modify a reply.
#[derive(Debug, Clone, Copy, Default)]
pub struct Twist {
    /// Send nothing.
    pub mute: bool,
    /// Send half of it, or of its next slice, then close the connection.
    pub cut: bool,
    /// Send half of it, then nothing more.
    pub stall: bool,
    /// Delay it by this time.
    pub delay: Duration,
    /// Delay the end of a query by this much more than its records.
    pub late_end: Duration,
}

impl Twist {
    /// Whether the end of the reply is sent.
    pub fn ends(self) -> bool {
        !(self.mute || self.cut || self.stall)
    }
}

/// A streamed reply in progress.
#[derive(Debug)]
pub struct RunningReply {
    /// The reply.
    pub reply: Box<dyn StreamedReply>,
    /// How faults modify every slice.
    pub twist: Twist,
    /// Whether it is compressed.
    pub packs: bool,
}

/// A client's connection to a node.
#[derive(Debug)]
pub struct Connection {
    /// The socket.
    pub stream: TcpStream,
    /// Its TLS state, if encrypted.
    tls: Option<Box<TlsStream>>,
    /// The node it is connected to.
    pub node: usize,
    /// The client's address.
    pub peer: Option<SocketAddr>,
    /// Whether the socket may have more to read.
    pub readable: bool,
    /// Whether [`Connection::input`] contains complete requests.
    pub waiting: bool,
    /// Whether it is queued for another turn.
    pub queued: bool,
    /// Whether it closes once everything is sent.
    pub closing: bool,
    /// The client's user agent.
    pub user_agent: Option<UserAgent>,
    /// The logged-in user, with security.
    pub login: Option<LoggedIn>,
    /// The fate of every further request once one was lost. Replies have no ids, so a stream that
    /// lost one can only stay silent.
    pub silenced: Option<Fate>,
    /// When the node begins to answer, if it had only just started when the connection came.
    pub silent_until: Option<Instant>,
    /// How many requests were answered while the node's faults limit them.
    pub replies: u64,
    /// The streamed reply. No further request is processed before it is complete.
    pub running: Option<RunningReply>,
    /// Received but unprocessed: usually empty or a partial request.
    pub input: Vec<u8>,
    /// Replies; unsent from `sent` on.
    pub out: Vec<u8>,
    sent: usize,
    blocked: Option<Instant>,
    /// How long the client may not read; `None` = no limit.
    send_timeout: Option<Duration>,
    delayed: VecDeque<DelayedReply>,
    held_bytes: usize,
    next_drop: Option<Instant>,
    local: Option<IpAddr>,
}

impl Connection {
    /// A connection over an accepted socket.
    pub fn new(stream: TcpStream, tls: Option<Box<TlsStream>>, node: usize) -> Self {
        // Replies are written as a whole; Nagle's algorithm would only delay them.
        let _ = stream.set_nodelay(true);
        let peer = stream.peer_addr().ok();
        Self {
            stream,
            tls,
            node,
            peer,
            readable: true,
            waiting: false,
            queued: false,
            closing: false,
            user_agent: None,
            login: None,
            silenced: None,
            silent_until: None,
            replies: 0,
            running: None,
            send_timeout: Some(SEND_TIMEOUT),
            input: Vec::new(),
            out: Vec::new(),
            sent: 0,
            blocked: None,
            delayed: VecDeque::new(),
            held_bytes: 0,
            next_drop: None,
            local: None,
        }
    }

    /// The address by which the client connected.
    pub fn local(&mut self) -> IpAddr {
        *self.local.get_or_insert_with(|| {
            self.stream.local_addr().map_or(IpAddr::V4(Ipv4Addr::LOCALHOST), |address| address.ip())
        })
    }

    /// Number of unsent bytes.
    pub fn backlog(&self) -> usize {
        self.out.len() - self.sent
    }

    /// Number of unsent and delayed bytes.
    pub fn pending(&self) -> usize {
        self.backlog() + self.held_bytes
    }

    /// Starts a streamed reply, compressed or not.
    pub fn start(&mut self, reply: Box<dyn StreamedReply>, packs: bool) {
        self.send_timeout = reply.send_timeout();
        self.running = Some(RunningReply { reply, twist: Twist::default(), packs });
    }

    /// Applies faults to the output from `start` on; returns whether the connection ends with it.
    pub fn twist(&mut self, start: usize, twist: Twist) -> bool {
        let len = self.out.len() - start;
        if twist.mute {
            self.out.truncate(start);
            return false;
        }
        if twist.stall {
            self.out.truncate(start + len / 2);
        }
        // A stream without output yet is cut at its first output.
        let cut = twist.cut && len > 0;
        if cut {
            self.out.truncate(start + len / 2);
        }
        if len > 0 && (!twist.delay.is_zero() || self.holds()) {
            let reply = self.out.split_off(start);
            self.hold(Instant::now() + twist.delay, &reply, cut);
        } else if cut {
            self.closing = true;
        }
        cut
    }

    /// Frees the sent part of an output that is never quite empty.
    pub fn compact(&mut self) {
        if self.sent > self.backlog() {
            self.out.drain(..self.sent);
            self.sent = 0;
        }
    }

    /// When the client will not have read for too long; `None` while there is no output.
    pub fn stuck_at(&self) -> Option<Instant> {
        self.blocked?.checked_add(self.send_timeout?)
    }

    /// Sends as much as possible. An error means that the connection is over.
    pub fn flush(&mut self) -> io::Result<()> {
        while self.sent < self.out.len() {
            match self.write(self.out.len()) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.sent += count;
                    self.blocked = None;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.blocked.get_or_insert_with(Instant::now);
                    return Ok(());
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if let Some(tls) = &mut self.tls
            && let Err(error) = tls.flush(&mut self.stream)
        {
            if error.kind() != ErrorKind::WouldBlock {
                return Err(error);
            }
            self.blocked.get_or_insert_with(Instant::now);
            return Ok(());
        }
        self.emptied()
    }

    /// Reads like a socket.
    pub fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.tls {
            None => self.stream.read(buffer),
            Some(tls) => tls.read(&mut self.stream, buffer),
        }
    }

    /// Writes unsent output like a socket, up to `end`.
    fn write(&mut self, end: usize) -> io::Result<usize> {
        let bytes = &self.out[self.sent..end];
        match &mut self.tls {
            None => self.stream.write(bytes),
            Some(tls) => tls.write(&mut self.stream, bytes),
        }
    }

    /// Sends as much as a slow link allows; returns when to continue.
    pub fn flush_slowly(&mut self, drip: Drip) -> io::Result<Option<Instant>> {
        if self.backlog() == 0 {
            return self.flush().map(|()| None);
        }
        let now = Instant::now();
        if let Some(next) = self.next_drop
            && now < next
        {
            return Ok(Some(next));
        }
        let end = self.out.len().min(self.sent + drip.bytes);
        match self.write(end) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(count) => self.sent += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if self.backlog() == 0 {
            return self.flush().map(|()| None);
        }
        let next = now + drip.every;
        self.next_drop = Some(next);
        Ok(Some(next))
    }

    fn emptied(&mut self) -> io::Result<()> {
        self.out.clear();
        self.sent = 0;
        if self.running.is_none() {
            self.send_timeout = Some(SEND_TIMEOUT);
        }
        if self.closing { Err(ErrorKind::ConnectionAborted.into()) } else { Ok(()) }
    }

    /// Delays a reply until it is due and all earlier ones have been sent.
    pub fn hold(&mut self, due: Instant, bytes: &[u8], then_close: bool) {
        self.held_bytes += bytes.len();
        self.delayed.push_back(DelayedReply { due, bytes: bytes.to_vec(), then_close });
    }

    /// Moves due replies to the output; returns when the next one is due.
    pub fn release(&mut self) -> Option<Instant> {
        if self.delayed.is_empty() {
            return None;
        }
        let now = Instant::now();
        while let Some(delayed) = self.delayed.front() {
            if delayed.due > now {
                return Some(delayed.due);
            }
            self.out.extend_from_slice(&delayed.bytes);
            self.held_bytes -= delayed.bytes.len();
            if delayed.then_close {
                self.closing = true;
                self.delayed.clear();
                self.held_bytes = 0;
                return None;
            }
            self.delayed.pop_front();
        }
        None
    }

    /// The number of replies that are not due yet.
    pub fn undue(&self) -> usize {
        let now = Instant::now();
        self.delayed.iter().filter(|delayed| delayed.due > now).count()
    }

    /// Whether there are delayed replies.
    pub fn holds(&self) -> bool {
        !self.delayed.is_empty()
    }

    /// Makes the following close send a reset: the client sees a broken connection, not an end.
    pub fn reset_on_close(&self) {
        let _ = SockRef::from(&self.stream).set_linger(Some(Duration::ZERO));
    }
}
