//! Processes received requests.

use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::message::{HEADER_LEN, Header, info3};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::compression;
use super::connection::{BACKLOG, Connection, Twist};
use super::worker::Worker;
use crate::command::batch;
use crate::command::elsewhere::Elsewhere;
use crate::faults::Fate;
use crate::info::{self, InfoTarget};
use crate::options::Edition;
use crate::security::{self, Origin};
use crate::turn::NextTurn;

/// Length of the frame that ends a query.
const END_LEN: usize = frame::HEADER_LEN + HEADER_LEN;

impl Worker {
    /// Processes the complete requests at the start of `bytes`, in order, and returns how many
    /// bytes they took. Stops early, and records that, when too much output is unsent.
    pub(super) fn run_frames(&mut self, connection: &mut Connection, bytes: &[u8]) -> usize {
        self.context.peer = connection.peer;
        let silent = connection.silenced.is_some() || connection.silent_until.is_some();
        let faulty = self.faults[connection.node].is_some() || silent;
        let locked = self.state.security.is_some() && !self.refresh_login(connection);
        if faulty || locked || connection.holds() {
            return self.run_one_by_one(connection, bytes);
        }
        let mut used = 0;
        let mut now = self.state.clock.now();
        connection.waiting = false;
        loop {
            let (frame, len) = match frame::split(&bytes[used..]) {
                Ok(Some(split)) => split,
                Ok(None) => return used,
                Err(_) => {
                    connection.closing = true;
                    return used;
                }
            };
            if connection.out.len() >= BACKLOG {
                connection.waiting = true;
                return used;
            }
            used += len;
            if frame.kind == Kind::Message {
                let start = connection.out.len();
                let rest = self.context.run(connection.node, frame.body, now, &mut connection.out);
                let packs = self.packs(frame.body);
                if packs {
                    self.pack_replies(connection, start);
                }
                if let Some(reply) = rest {
                    connection.start(reply, packs);
                    connection.waiting = true;
                    return used;
                }
            } else {
                self.run_other(connection, frame);
                now = self.state.clock.now();
                if connection.closing {
                    return bytes.len();
                }
                if connection.running.is_some() {
                    connection.waiting = true;
                    return used;
                }
            }
        }
    }

    /// Whether the nodes are of the Enterprise Edition.
    fn compresses(&self) -> bool {
        self.state.options.edition == Edition::Enterprise
    }

    /// Restores a compressed request.
    fn unpack(&mut self, body: &[u8]) -> Result<Vec<u8>, Malformed> {
        let message = self.compression.get_or_insert_default().unpack(body)?;
        self.context.counters.compressed_requests += 1;
        Ok(message)
    }

    /// Compresses the replies in the output from `start` on.
    fn pack_replies(&mut self, connection: &mut Connection, start: usize) {
        let compression = self.compression.get_or_insert_default();
        let count = compression.pack_replies(&mut connection.out, start);
        self.context.counters.compressed_replies += count;
    }

    /// Whether the reply to this message is compressed.
    fn packs(&self, body: &[u8]) -> bool {
        compression::is_requested(body) && self.compresses()
    }

    /// Updates the privileges of a connection's user; returns whether it has one.
    fn refresh_login(&mut self, connection: &mut Connection) -> bool {
        let Some(security) = &self.state.security else { return false };
        let has_user = security.refresh(&mut connection.login);
        self.context.access = connection.login.as_ref().map(|login| login.access.clone());
        has_user
    }

    /// Processes any frame.
    fn run_other(&mut self, connection: &mut Connection, frame: frame::Frame<'_>) {
        if self.state.security.is_some() && frame.kind != Kind::Admin && connection.login.is_none()
        {
            return not_authenticated(frame, &mut connection.out);
        }
        let local = connection.local();
        let out = &mut connection.out;
        match frame.kind {
            Kind::Info => {
                self.context.counters.infos += 1;
                let mut target = InfoTarget {
                    state: &self.state,
                    number: connection.node,
                    local,
                    user_agent: &mut connection.user_agent,
                    access: self.context.access.as_deref(),
                };
                info::answer(&mut target, frame.body, out);
            }
            Kind::Admin => {
                let from = connection.peer.map(|peer| peer.ip());
                let origin = Origin { node: connection.node, from };
                let security = self.state.security.as_ref();
                security::answer(security, origin, &mut connection.login, frame.body, out);
                if self.state.security.is_some() {
                    self.refresh_login(connection);
                }
            }
            Kind::Compressed if self.compresses() => {
                if let Ok(message) = self.unpack(frame.body) {
                    self.run_message(connection, &message[frame::HEADER_LEN..]);
                } else {
                    // What follows cannot be trusted, so it is the last request of its connection.
                    answer_code(out, ResultCode::SERVER, 0);
                    connection.closing = true;
                }
            }
            Kind::Compressed => answer_code(out, ResultCode::ENTERPRISE_ONLY, 0),
            Kind::Message => self.run_message(connection, frame.body),
        }
    }

    fn run_message(&mut self, connection: &mut Connection, body: &[u8]) {
        let now = self.state.clock.now();
        let start = connection.out.len();
        let rest = self.context.run(connection.node, body, now, &mut connection.out);
        let packs = self.packs(body);
        if packs {
            self.pack_replies(connection, start);
        }
        if let Some(reply) = rest {
            connection.start(reply, packs);
        }
    }

    /// Appends the next slice of a streamed reply.
    pub(super) fn advance(&mut self, connection: &mut Connection) -> NextTurn {
        let Some(mut running) = connection.running.take() else { return NextTurn::Never };
        connection.compact();
        let start = connection.out.len();
        let now = self.state.clock.now();
        if let Some(login) = &connection.login {
            self.context.access = Some(login.access.clone());
        }
        if running.reply.needs_time() {
            running.reply = Box::new(Elsewhere::new(connection.node, running.reply));
        }
        let next = running.reply.advance(&mut self.context, now, &mut connection.out);
        if running.packs {
            self.pack_replies(connection, start);
        }
        let twist = running.twist;
        if twist.stall && connection.out.len() > start {
            running.twist = Twist { mute: true, ..Twist::default() };
        }
        let late_end = next == NextTurn::Never && !twist.late_end.is_zero();
        let end = (late_end && running.reply.ends_in_own_frame() && twist.ends())
            .then(|| connection.out.split_off(connection.out.len() - END_LEN));
        if connection.twist(start, twist) {
            return NextTurn::Never;
        }
        if let Some(end) = end {
            connection.hold(Instant::now() + twist.delay + twist.late_end, &end, false);
        }
        if next != NextTurn::Never {
            connection.running = Some(running);
        }
        next
    }

    /// The same, one request at a time, because of faults or because the connection is not logged
    /// in.
    fn run_one_by_one(&mut self, connection: &mut Connection, bytes: &[u8]) -> usize {
        let mut used = 0;
        connection.waiting = false;
        loop {
            let (frame, len) = match frame::split(&bytes[used..]) {
                Ok(Some(split)) => split,
                Ok(None) => return used,
                Err(_) => {
                    connection.closing = true;
                    return used;
                }
            };
            if connection.pending() >= BACKLOG {
                connection.waiting = true;
                return used;
            }
            used += len;
            if self.run_one_faulty(connection, frame) || connection.closing {
                return bytes.len();
            }
            if connection.running.is_some() {
                connection.waiting = true;
                return used;
            }
        }
    }

    /// Processes one request according to its fate; returns whether the connection ends with it.
    fn run_one_faulty(&mut self, connection: &mut Connection, frame: frame::Frame<'_>) -> bool {
        // Faults do not depend on how a message is sent.
        if frame.kind == Kind::Compressed
            && self.compresses()
            && let Ok(message) = self.unpack(frame.body)
        {
            let body = &message[frame::HEADER_LEN..];
            return self.run_one_faulty(connection, frame::Frame { kind: Kind::Message, body });
        }
        let mut fate = Fate::Served;
        let (mut delay, mut late_end) = (Duration::ZERO, Duration::ZERO);
        if let Some((faults, dice)) = &mut self.faults[connection.node]
            && (frame.kind != Kind::Info || faults.info)
        {
            (delay, late_end) = (faults.delay, faults.late_end);
            if !faults.service_time.is_zero() && frame.kind == Kind::Message {
                delay += self.state.nodes[connection.node].occupy(faults.service_time);
            }
            fate = dice.fate(faults);
            if let Some(most) = faults.mute_after {
                if connection.replies >= most {
                    fate = Fate::Lost;
                }
                connection.replies += 1;
            }
        }
        if let Some(until) = connection.silent_until {
            let left = until.saturating_duration_since(Instant::now());
            connection.silent_until = Some(until).filter(|_| !left.is_zero());
            delay += left;
        }
        if frame.kind == Kind::Message {
            if matches!(fate, Fate::Lost | Fate::Unanswered) {
                connection.silenced.get_or_insert(fate);
            }
            fate = connection.silenced.unwrap_or(fate);
            if fate == Fate::Stalled {
                connection.silenced = Some(Fate::Lost);
            }
        }
        let start = connection.out.len();
        match fate {
            Fate::Lost => return false,
            Fate::Failed(code) if frame.kind != Kind::Info => {
                // A client that expects several messages waits for the last one.
                let many = frame.kind == Kind::Message && batch::is_batch(frame.body);
                answer_code(&mut connection.out, code, if many { info3::LAST } else { 0 });
            }
            _ => self.run_other(connection, frame),
        }
        let twist = Twist {
            mute: fate == Fate::Unanswered,
            cut: fate == Fate::Cut,
            stall: fate == Fate::Stalled,
            delay,
            late_end,
        };
        let over = connection.twist(start, twist);
        if over {
            connection.running = None;
        } else if let Some(running) = &mut connection.running {
            running.twist = twist;
        }
        over
    }
}

/// Appends the reply to a request on a connection that is not logged in.
fn not_authenticated(frame: frame::Frame<'_>, out: &mut Vec<u8>) {
    if frame.kind == Kind::Info {
        let start = frame::begin(out, Kind::Info);
        out.extend_from_slice(security::info::NOT_AUTHENTICATED);
        frame::finish(out, start);
        return;
    }
    let many = frame.kind == Kind::Message && batch::is_batch(frame.body);
    answer_code(out, ResultCode::NOT_AUTHENTICATED, if many { info3::LAST } else { 0 });
}

/// Appends a reply that consists of a result code.
fn answer_code(out: &mut Vec<u8>, code: ResultCode, info3: u8) {
    let start = frame::begin(out, Kind::Message);
    out.extend_from_slice(&Header { result: code.0, info3, ..Header::default() }.to_bytes());
    frame::finish(out, start);
}
