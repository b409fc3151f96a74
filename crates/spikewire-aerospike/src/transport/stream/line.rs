//! One connection of a query and its current request.

use std::io::{self, Write as _};
use std::sync::Arc;

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::error_details::ErrorDetails;
use spikewire_aerospike_protocol::query::{Answer, PlanReply};
use spikewire_transport::dial::Opening;
use spikewire_transport::wire::Wire;

use super::inbox::Inbox;
use crate::clock::Tick;
use crate::cluster::Node;
use crate::framing::Aerospike;
use crate::query::Piece;
use crate::query::rules::is_whole;

#[derive(Debug)]
pub(super) struct Line {
    pub node: Arc<Node>,
    pub wire: Wire,
    /// The connection being opened; `None` once it is ready.
    pub opening: Option<Opening<Aerospike>>,
    /// Its current request.
    pub piece: Piece,
    /// Whether that asks for the plan of the query instead of records.
    pub requests_plan: bool,
    /// Maximum number of records of the request; 0: no limit.
    pub cap: u64,
    /// Records received.
    pub got: u64,
    /// Number of partitions that the node could not read.
    pub unavailable: usize,
    /// When data last arrived.
    pub last: Tick,
    /// Whether there may be data to read.
    pub ready: bool,
    /// The poller has reported the end of the stream. It does so only once, perhaps together with
    /// the last bytes, so reading must then continue to the end.
    pub ended: bool,
    /// The reader paused for longer than the node waits: if the socket turns out to be closed, the
    /// pause is the reason. Data buffered by the operating systems is read first, so this holds
    /// until the socket is found empty after this time.
    pub paused: Option<Tick>,
    inbox: Inbox,
    out: Vec<u8>,
    written: usize,
}

/// The result of reading from a line's socket.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SocketRead {
    /// So much data arrived.
    Bytes(usize),
    /// No data available.
    Nothing,
    /// The node closed the connection.
    Closed,
}

impl Line {
    /// A line over a connection that is ready or being opened.
    pub fn new(
        node: Arc<Node>,
        wire: Wire,
        opening: Option<Opening<Aerospike>>,
        piece: Piece,
        window: usize,
        now: Tick,
    ) -> Self {
        Self {
            node,
            wire,
            opening,
            piece,
            requests_plan: false,
            cap: 0,
            got: 0,
            unavailable: 0,
            last: now,
            ready: false,
            ended: false,
            paused: None,
            inbox: Inbox::new(window),
            out: Vec::new(),
            written: 0,
        }
    }

    /// The buffer for composing the request.
    pub fn request(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Continues opening; returns whether the connection is ready.
    pub fn open_further(&mut self) -> io::Result<bool> {
        let Some(opening) = &mut self.opening else { return Ok(true) };
        let ready = opening.advance(&mut self.wire)?;
        if ready {
            self.opening = None;
        }
        Ok(ready)
    }

    /// Writes the rest of the request.
    pub fn write(&mut self) -> io::Result<()> {
        while self.written < self.out.len() {
            match self.wire.write(&self.out[self.written..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(size) => self.written += size,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads once. Call it after all complete messages have been taken: there is no room for more.
    pub fn read(&mut self, now: Tick) -> io::Result<SocketRead> {
        match self.inbox.fill(&mut self.wire) {
            Ok((0, _)) => Ok(SocketRead::Closed),
            Ok((size, filled)) => {
                self.last = now;
                // After a short read the socket is most likely empty, and the poller reports
                // further data. After a pause it must be known for certain. What encryption has
                // already taken from the socket, the poller does not report.
                self.ready = filled || self.paused.is_some() || self.ended || self.wire.has_more();
                Ok(SocketRead::Bytes(size))
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.ready = false;
                self.paused = self.paused.filter(|until| now < *until);
                Ok(SocketRead::Nothing)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(SocketRead::Nothing),
            Err(error) => Err(error),
        }
    }

    /// The next complete message.
    pub fn next(&mut self) -> Result<Option<Answer<'_>>, Malformed> {
        self.inbox.next()
    }

    /// Takes what the node said about the failure that ended its reply, if it said anything.
    pub fn take_details(&mut self) -> Option<ErrorDetails> {
        self.inbox.take_details()
    }

    /// The plan that the line asked for.
    pub fn next_plan(&mut self) -> Result<Option<PlanReply>, Malformed> {
        self.inbox.next_plan()
    }

    /// Whether the request has returned its maximum, so that only its end is still to come.
    pub fn is_owed_its_end(&self) -> bool {
        self.opening.is_none() && self.cap > 0 && self.got >= self.cap
    }

    /// Checks whether the end has arrived: `None` if not yet, `Some(false)` if the connection
    /// cannot be reused.
    pub fn drain(&mut self, now: Tick) -> Option<bool> {
        loop {
            match self.inbox.next() {
                Ok(None) => {}
                Ok(Some(Answer::Partition(..))) => continue,
                Ok(Some(Answer::End(code))) => {
                    return Some(is_whole(code) && self.is_reusable());
                }
                Ok(Some(Answer::Row(_))) | Err(_) => return Some(false),
            }
            match self.read(now) {
                Ok(SocketRead::Bytes(_)) => {}
                Ok(SocketRead::Nothing) => return None,
                Ok(SocketRead::Closed) | Err(_) => return Some(false),
            }
        }
    }

    /// Whether the connection can be reused for another request.
    pub fn is_reusable(&self) -> bool {
        self.written == self.out.len() && self.inbox.is_clean()
    }
}
