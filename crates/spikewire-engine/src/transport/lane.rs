//! One connection that calling threads share.
//!
//! The first thread to find the lane idle leads it: it writes everybody's queued requests in one
//! go, reads everybody's replies, wakes their owners, and hands the lead to a waiting thread when
//! its own reply is in. Alone, leading is a plain write and a plain read.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io;
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use spikewire_sync::Mutex;

use super::PATIENCE;
use super::inbound::Inbound;
use super::node_error;
use super::reply;
use super::socket::Socket;
use super::waiter::{Mail, Waiter};
use crate::clock::Tick;
use crate::cluster::Node;
use crate::command::Failure;
use crate::error::Error;

/// A connection idle for longer than this is checked for end of file before it is written to.
const TRUST: Duration = Duration::from_millis(100);

/// How one attempt on a lane ended.
#[derive(Debug)]
pub(super) enum Attempt {
    /// The reply is in the caller's buffer.
    Replied,
    /// It failed.
    Failed(Failure),
    /// The caller's deadline passed; `sent` tells whether the request had left.
    TimedOut { sent: bool },
    /// The caller was interrupted and does not wait any longer.
    Interrupted { sent: bool },
}

/// A thread's part in a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Leader,
    Follower,
}

/// The limits of one request.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub deadline: Tick,
    pub socket_timeout: Duration,
    pub connect_timeout: Duration,
    /// Asked when a signal came: whether the caller wants to give up.
    pub interrupted: Option<&'a dyn Fn() -> bool>,
}

#[derive(Debug, Default)]
struct Shared {
    led: bool,
    /// Requests that wait for the leader's next write.
    out: Vec<u8>,
    /// Everybody who waits for a reply, in request order.
    fifo: VecDeque<Slot>,
    /// How many of `fifo`, from the front, the leader has taken to write.
    taken: usize,
    stream: Option<Arc<TcpStream>>,
    last_used: Tick,
    /// When bytes last came, or the first request was queued on an idle lane.
    last_progress: Tick,
}

/// A place in the queue of a lane.
#[derive(Debug)]
struct Slot {
    /// `None` when the owner gave up after its request was taken to be written.
    waiter: Option<Arc<Waiter>>,
    /// Length of the request.
    len: usize,
}

impl Shared {
    fn queue(&mut self, waiter: &Arc<Waiter>, bytes: &[u8]) {
        if self.fifo.is_empty() {
            self.last_progress = Tick::now();
        }
        self.out.extend_from_slice(bytes);
        self.fifo.push_back(Slot { waiter: Some(waiter.clone()), len: bytes.len() });
    }

    /// When the connection must be given up, because the reply to a request that timed out has
    /// stayed away for too long.
    fn patience_ends(&self) -> Tick {
        let gap = self.fifo.front().is_some_and(|slot| slot.waiter.is_none());
        if gap { self.last_progress.after(PATIENCE) } else { Tick::NEVER }
    }

    fn position(&self, waiter: &Arc<Waiter>) -> Option<usize> {
        let is_own = |slot: &Slot| slot.waiter.as_ref().is_some_and(|it| Arc::ptr_eq(it, waiter));
        self.fifo.iter().position(is_own)
    }

    /// Gives up the request at `at`. One that nobody has taken yet is withdrawn whole, so that it
    /// cannot be applied after its caller was told; another leaves a gap for its reply. Says
    /// whether it may have been sent.
    fn withdraw(&mut self, at: usize) -> bool {
        if at < self.taken {
            self.fifo[at].waiter = None;
            return true;
        }
        let start: usize = self.fifo.range(self.taken..at).map(|slot| slot.len).sum();
        if let Some(slot) = self.fifo.remove(at) {
            self.out.drain(start..start + slot.len);
        }
        false
    }
}

/// What only the leader touches.
#[derive(Debug, Default)]
struct Wire {
    socket: Option<Socket>,
    inbound: Inbound,
    sending: Vec<u8>,
    written: usize,
    /// Requests in `sending`.
    batch: usize,
}

#[derive(Debug)]
pub(super) struct Lane {
    node: Arc<Node>,
    /// Requests that may be under way at once, at least 1.
    depth: usize,
    shared: Mutex<Shared>,
    wire: Mutex<Wire>,
}

impl Lane {
    pub fn new(node: Arc<Node>, depth: usize) -> Self {
        Self { node, depth: depth.max(1), shared: Mutex::default(), wire: Mutex::default() }
    }

    /// Queues the request if the lane is idle; the caller leads then.
    pub fn claim(&self, waiter: &Arc<Waiter>, bytes: &[u8]) -> bool {
        let Some(mut shared) = self.shared.try_lock() else { return false };
        if shared.led || !shared.fifo.is_empty() {
            return false;
        }
        shared.led = true;
        shared.queue(waiter, bytes);
        true
    }

    /// Queues the request behind whatever is there.
    pub fn join(&self, waiter: &Arc<Waiter>, bytes: &[u8]) -> Role {
        let mut shared = self.shared.lock();
        shared.queue(waiter, bytes);
        if std::mem::replace(&mut shared.led, true) { Role::Follower } else { Role::Leader }
    }

    /// Commands that wait here.
    pub fn load(&self) -> usize {
        self.shared.lock().fifo.len()
    }

    /// Sees one queued request through, in whatever role.
    pub fn attend(
        &self,
        role: Role,
        waiter: &Arc<Waiter>,
        call: Call<'_>,
        reply: &mut Vec<u8>,
    ) -> Attempt {
        if role == Role::Leader {
            return self.lead(waiter, call, reply);
        }
        match waiter.wait(call.deadline, call.interrupted, reply) {
            Mail::Lead => self.lead(waiter, call, reply),
            Mail::Reply => Attempt::Replied,
            Mail::Failed(failure) => Attempt::Failed(failure),
            Mail::None => match self.leave(waiter) {
                Some(sent) if call.deadline > Tick::now() => Attempt::Interrupted { sent },
                Some(sent) => Attempt::TimedOut { sent },
                // Too late to leave: the leader has taken the slot and the mail is on its way,
                // or it was this thread's turn to lead.
                None => match waiter.wait(Tick::NEVER, None, reply) {
                    Mail::Lead => self.lead(waiter, call, reply),
                    Mail::Failed(failure) => Attempt::Failed(failure),
                    Mail::Reply | Mail::None => Attempt::Replied,
                },
            },
        }
    }

    /// Gives up waiting. `None` when the slot is
    /// gone or the lead was handed over meanwhile.
    fn leave(&self, waiter: &Arc<Waiter>) -> Option<bool> {
        let mut shared = self.shared.lock();
        let at = shared.position(waiter)?;
        if waiter.is_called() {
            return None;
        }
        Some(shared.withdraw(at))
    }

    /// The leader gives up on its own request; `None` when its reply is in.
    fn forsake(&self, waiter: &Arc<Waiter>) -> Option<bool> {
        let mut shared = self.shared.lock();
        let at = shared.position(waiter)?;
        Some(shared.withdraw(at))
    }

    fn lead(&self, waiter: &Arc<Waiter>, call: Call<'_>, reply: &mut Vec<u8>) -> Attempt {
        let mut wire = self.wire.lock();
        let attempt = match self.drive(&mut wire, waiter, call, reply) {
            Ok(attempt) => attempt,
            Err(error) => return self.collapse(&mut wire, waiter, &error),
        };
        drop(wire);
        self.hand_over();
        attempt
    }

    /// Turns the connection until the leader's own reply is in or its deadline passes.
    fn drive(
        &self,
        wire: &mut Wire,
        waiter: &Arc<Waiter>,
        call: Call<'_>,
        reply: &mut Vec<u8>,
    ) -> Result<Attempt, Error> {
        self.connect(wire, call)?;
        let mut heard = Tick::now();
        loop {
            self.write(wire)?;
            let now = Tick::now();
            if call.deadline <= now {
                return Ok(match self.forsake(waiter) {
                    Some(sent) => Attempt::TimedOut { sent },
                    None => Attempt::Replied,
                });
            }
            let mut limit = call.deadline.since(now);
            if !call.socket_timeout.is_zero() {
                let silent = heard.after(call.socket_timeout);
                if silent <= now {
                    return Err(self.broken("it was silent for longer than the socket timeout"));
                }
                limit = limit.min(silent.since(now));
            }
            let patience_ends = self.shared.lock().patience_ends();
            if patience_ends <= now {
                return Err(self.broken("it stayed silent after a request that timed out"));
            }
            limit = limit.min(patience_ends.since(now));
            let Some(socket) = &mut wire.socket else {
                return Err(self.broken("no socket"));
            };
            if wire.written < wire.sending.len() {
                // Reading never waits for writing: wait for whichever comes first.
                socket.wait_both(limit).map_err(|error| self.broken(error))?;
                if !socket.is_readable() {
                    continue;
                }
            }
            socket.bound_read(limit).map_err(|error| self.broken(error))?;
            match wire.inbound.fill(socket) {
                Ok((0, _)) => return Err(self.broken("the server closed it")),
                Ok(_) => {
                    heard = Tick::now();
                    self.shared.lock().last_progress = heard;
                }
                Err(error) if is_pause(&error) => {
                    if error.kind() == io::ErrorKind::Interrupted
                        && call.interrupted.is_some_and(|interrupted| interrupted())
                        && let Some(sent) = self.forsake(waiter)
                    {
                        return Ok(Attempt::Interrupted { sent });
                    }
                    continue;
                }
                Err(error) => return Err(self.broken(error)),
            }
            if self.deliver(wire, Some(waiter), reply)? {
                return Ok(Attempt::Replied);
            }
        }
    }

    fn connect(&self, wire: &mut Wire, call: Call<'_>) -> Result<(), Error> {
        if wire.socket.is_some() {
            if !self.ended_unused(wire)? {
                return Ok(());
            }
            // Nothing is lost yet.
            *wire = Wire::default();
        }
        let limit = call.deadline.since(Tick::now()).min(call.connect_timeout);
        match Socket::connect(&self.node, limit) {
            Ok(socket) => {
                self.shared.lock().stream = Some(socket.handle());
                wire.socket = Some(socket);
                Ok(())
            }
            Err(error) => Err(node_error::unreachable(&self.node, error)),
        }
    }

    /// Whether a connection that was left alone for a while has ended meanwhile. Late replies to
    /// requests that timed out are read now: nobody did so before, and that does not make the
    /// node a silent one.
    fn ended_unused(&self, wire: &mut Wire) -> Result<bool, Error> {
        {
            let shared = self.shared.lock();
            let rested = shared.last_used.after(TRUST) < Tick::now();
            if !rested || shared.fifo.range(..shared.taken).any(|slot| slot.waiter.is_some()) {
                return Ok(false);
            }
        }
        let mut ended = false;
        while let Some(socket) = wire.socket.as_mut().filter(|socket| socket.is_readable()) {
            if self.shared.lock().taken == 0 {
                // Closed by the server while idle.
                return Ok(true);
            }
            match wire.inbound.fill(socket) {
                Ok((1.., _)) => self.shared.lock().last_progress = Tick::now(),
                Err(error) if is_pause(&error) => break,
                Ok((0, _)) | Err(_) => {
                    ended = true;
                    break;
                }
            }
            self.deliver(wire, None, &mut Vec::new())?;
        }
        let mut shared = self.shared.lock();
        ended |= shared.patience_ends() <= Tick::now();
        if ended {
            let gaps = std::mem::take(&mut shared.taken);
            shared.fifo.drain(..gaps);
            shared.stream = None;
        }
        Ok(ended)
    }

    /// Takes what is queued and writes as much as the kernel accepts.
    fn write(&self, wire: &mut Wire) -> Result<(), Error> {
        loop {
            if wire.written == wire.sending.len() {
                wire.sending.clear();
                wire.written = 0;
                wire.batch = 0;
                let mut shared = self.shared.lock();
                if shared.out.is_empty() {
                    return Ok(());
                }
                wire.batch = (shared.fifo.len() - shared.taken).min(self.depth - shared.taken);
                let end = shared.taken + wire.batch;
                if end == shared.fifo.len() {
                    std::mem::swap(&mut shared.out, &mut wire.sending);
                } else {
                    // The others wait until replies make room.
                    let len: usize =
                        shared.fifo.range(shared.taken..end).map(|slot| slot.len).sum();
                    wire.sending.extend(shared.out.drain(..len));
                }
                shared.taken = end;
                if wire.batch == 0 {
                    return Ok(());
                }
            }
            let Some(socket) = &wire.socket else { return Ok(()) };
            match socket.write_some(&wire.sending[wire.written..]) {
                Ok(size) => {
                    wire.written += size;
                    if wire.written == wire.sending.len() {
                        // What is queued meanwhile waits for the replies to this batch: that is
                        // what makes the next write carry more.
                        return Ok(());
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.broken(error)),
            }
        }
    }

    /// Hands out the replies that have come; `true` when the leader's own was among them.
    fn deliver(
        &self,
        wire: &mut Wire,
        leader: Option<&Arc<Waiter>>,
        reply: &mut Vec<u8>,
    ) -> Result<bool, Error> {
        let mut mine = false;
        loop {
            let range = match wire.inbound.next() {
                Ok(Some(range)) => range,
                Ok(None) => return Ok(mine),
                Err(error) => return Err(self.nonsense(error)),
            };
            let body = wire.inbound.body(range);
            if !reply::is_reply(body) {
                return Err(self.nonsense("a reply shorter than its header"));
            }
            let slot = {
                let mut shared = self.shared.lock();
                if shared.taken == 0 {
                    return Err(self.nonsense("a reply that nobody asked for"));
                }
                shared.taken -= 1;
                shared.fifo.pop_front().and_then(|slot| slot.waiter)
            };
            match slot {
                Some(waiter) if leader.is_some_and(|leader| Arc::ptr_eq(&waiter, leader)) => {
                    reply.clear();
                    reply.extend_from_slice(body);
                    mine = true;
                }
                Some(waiter) => waiter.reply(body),
                None => {}
            }
        }
    }

    /// Wakes the next in line to lead, or leaves the lane idle.
    fn hand_over(&self) {
        let mut shared = self.shared.lock();
        shared.last_used = Tick::now();
        match shared.fifo.iter().find_map(|slot| slot.waiter.as_ref()) {
            Some(next) => next.post(Mail::Lead),
            None => shared.led = false,
        }
    }

    /// Ends a connection that broke under its leader: everybody who waits is told.
    fn collapse(&self, wire: &mut Wire, leader: &Arc<Waiter>, error: &Error) -> Attempt {
        let unsent_batch = if wire.written == 0 { wire.batch } else { 0 };
        *wire = Wire::default();
        let (slots, sent) = {
            let mut shared = self.shared.lock();
            let sent = shared.taken.saturating_sub(unsent_batch);
            shared.led = false;
            shared.out.clear();
            shared.taken = 0;
            shared.stream = None;
            (std::mem::take(&mut shared.fifo), sent)
        };
        let failure = |at: usize| {
            let error = error.clone();
            if at < sent { Failure::Lost(error) } else { Failure::NotSent(error) }
        };
        let mut own = None;
        for (at, slot) in slots.into_iter().enumerate() {
            match slot.waiter {
                Some(waiter) if Arc::ptr_eq(&waiter, leader) => own = Some(failure(at)),
                Some(waiter) => waiter.post(Mail::Failed(failure(at))),
                None => {}
            }
        }
        // The leader's own reply may have come in the same read that then went wrong.
        own.map_or(Attempt::Replied, Attempt::Failed)
    }

    /// Makes a blocked leader return by ending the connection under it.
    pub fn cut(&self) {
        if let Some(stream) = &self.shared.lock().stream {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    /// Closes the connection if it has been idle since before `limit`, or if only gaps have
    /// waited for an answer that long.
    pub fn close_idle(&self, limit: Tick) {
        let Some(mut wire) = self.wire.try_lock() else { return };
        let mut shared = self.shared.lock();
        if shared.led || shared.last_used >= limit {
            return;
        }
        *wire = Wire::default();
        *shared = Shared::default();
    }

    fn broken(&self, why: impl Display) -> Error {
        node_error::broken(&self.node, why)
    }

    fn nonsense(&self, why: impl Display) -> Error {
        node_error::nonsense(&self.node, why)
    }
}

/// A read that ended without bytes because of its own time limit or a signal.
fn is_pause(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted
    )
}

#[cfg(test)]
mod tests;
