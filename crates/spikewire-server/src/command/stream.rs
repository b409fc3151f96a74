//! Replies that are longer than one turn of their connection.
//!
//! Such a reply is a state that appends a slice to the output whenever the client has taken what
//! came before. So a client that reads slowly slows its own stream and nothing else, and no reply
//! is ever gathered in memory.

use std::time::{Duration, Instant};

use super::Context;
use super::batch;
use super::query::aggregate::Aggregate;
use super::query::scan::Scan;
use crate::job::End;

/// Bytes after which a stream ends its turn.
pub const SLICE: usize = 128 << 10;
/// How long a client may take nothing before it is cut off, if it does not say.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// A reply that goes on.
#[derive(Debug)]
pub enum Stream {
    /// The rest of a batch.
    Batch(Box<batch::Rest>),
    /// The records of a query.
    Scan(Box<Scan>),
    /// What a stream function makes of the records of a query.
    Aggregate(Box<Aggregate>),
}

/// When a stream wants its next turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// As soon as there is room.
    On,
    /// Not before this moment.
    At(Instant),
    /// Never: the reply is whole.
    Done,
}

impl Stream {
    /// How long its client may take nothing before it is cut off; `None` = for ever.
    pub fn patience(&self) -> Option<Duration> {
        match self {
            Self::Batch(_) => Some(PATIENCE),
            Self::Scan(scan) => scan.job().plan.patience,
            Self::Aggregate(aggregate) => aggregate.job().plan.patience,
        }
    }

    /// Whether its last message comes in a frame of its own and holds nothing but the result code.
    pub fn ends_in_own_frame(&self) -> bool {
        match self {
            Self::Batch(_) => false,
            Self::Scan(scan) => !scan.is_short(),
            Self::Aggregate(_) => true,
        }
    }

    /// Notes that its client took nothing for too long.
    pub fn give_up(&self) {
        match self {
            Self::Batch(_) => {}
            Self::Scan(scan) => scan.job().end(End::NotTaken),
            Self::Aggregate(aggregate) => aggregate.job().end(End::NotTaken),
        }
    }
}

impl Context {
    /// Appends the next slice of a reply.
    pub fn advance(&mut self, stream: &mut Stream, out: &mut Vec<u8>) -> Pace {
        let now = self.state.clock.now();
        match stream {
            Stream::Batch(rest) => self.resume_batch(rest, now, out),
            Stream::Scan(scan) => scan.turn(self, now, out),
            Stream::Aggregate(aggregate) => aggregate.turn(self, now, out),
        }
    }
}
