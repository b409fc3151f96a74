//! One connection of a query, and the request that it carries.

use std::io::{self, Write as _};
use std::sync::Arc;

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::query::Answer;
use spikewire_transport::dial::Opening;
use spikewire_transport::wire::Wire;

use super::inbox::Inbox;
use crate::clock::Tick;
use crate::cluster::Node;
use crate::command::query::Piece;
use crate::command::query::rules::is_whole;
use crate::framing::Aerospike;

#[derive(Debug)]
pub(super) struct Line {
    pub node: Arc<Node>,
    pub wire: Wire,
    /// The way there; `None` once the connection is ready.
    pub opening: Option<Opening<Aerospike>>,
    /// Which request it carries.
    pub piece: Piece,
    /// Most records that the request may bring; 0: no limit.
    pub cap: u64,
    /// Records that it has brought.
    pub got: u64,
    /// Partitions that the node could not read.
    pub unavailable: usize,
    /// When bytes came last.
    pub last: Tick,
    /// There may be something to read.
    pub ready: bool,
    /// The poller has seen the end of what the node sends. It tells only once, perhaps together
    /// with the last bytes: reading must then go on to the end.
    pub ended: bool,
    /// The reader paused for longer than the node waits: if the socket turns out to be closed, the
    /// pause is why. What the two systems had kept of the stream comes first, so that this holds
    /// until the socket is seen empty after this time.
    pub paused: Option<Tick>,
    inbox: Inbox,
    out: Vec<u8>,
    written: usize,
}

/// What a look at a line's socket gave.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// Bytes came.
    Bytes,
    /// Nothing is there now.
    Nothing,
    /// The node closed.
    Closed,
}

impl Line {
    /// A line over a connection that is ready, or is being opened.
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

    /// Where the request is composed.
    pub fn request(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Goes on opening; whether the connection is ready.
    pub fn open_further(&mut self) -> io::Result<bool> {
        let Some(opening) = &mut self.opening else { return Ok(true) };
        let ready = opening.advance(&mut self.wire)?;
        if ready {
            self.opening = None;
        }
        Ok(ready)
    }

    /// Writes what is left of the request.
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

    /// Reads once. Call it when all whole messages were taken: more is not kept.
    pub fn read(&mut self, now: Tick) -> io::Result<Seen> {
        match self.inbox.fill(&mut self.wire) {
            Ok((0, _)) => Ok(Seen::Closed),
            Ok((_, filled)) => {
                self.last = now;
                // After less than there was room for the socket is most likely empty; the poller
                // tells of what comes later. After a pause we want to know.
                self.ready = filled || self.paused.is_some() || self.ended;
                Ok(Seen::Bytes)
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                self.ready = false;
                self.paused = self.paused.filter(|until| now < *until);
                Ok(Seen::Nothing)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(Seen::Nothing),
            Err(error) => Err(error),
        }
    }

    /// Takes the next whole message.
    pub fn next(&mut self) -> Result<Option<Answer<'_>>, Malformed> {
        self.inbox.next()
    }

    /// Whether the request brought all that it may, so that nothing but its end is to come.
    pub fn is_owed_its_end(&self) -> bool {
        self.opening.is_none() && self.cap > 0 && self.got >= self.cap
    }

    /// Looks whether the end has come: `None` when it is still to come, `Some(false)` when the
    /// connection is of no further use.
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
                Ok(Seen::Bytes) => {}
                Ok(Seen::Nothing) => return None,
                Ok(Seen::Closed) | Err(_) => return Some(false),
            }
        }
    }

    /// Whether another request may follow on the same connection.
    pub fn is_reusable(&self) -> bool {
        self.written == self.out.len() && self.inbox.is_clean()
    }
}
