//! Replies that take more than one turn of their connection.
//!
//! Such a reply is a state machine that appends a slice to the output whenever the client has read
//! the previous one. A client that reads slowly delays its own reply and nothing else, and no reply
//! is ever collected in memory.

use std::fmt::Debug;
use std::time::Duration;

use super::Context;
use crate::record::clock::Moment;
use crate::turn::NextTurn;

/// Bytes after which a streamed reply ends its turn.
pub const SLICE: usize = 128 << 10;
/// Default time after which a client that does not read is disconnected.
pub const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// A streamed reply.
pub trait StreamedReply: Debug + Send {
    /// Appends the next slice; returns when to continue.
    fn advance(&mut self, context: &mut Context, now: Moment, out: &mut Vec<u8>) -> NextTurn;

    /// Time after which a client that does not read is disconnected; `None` = never.
    fn send_timeout(&self) -> Option<Duration> {
        Some(SEND_TIMEOUT)
    }

    /// Whether its last message is in a frame of its own and contains only the result code.
    fn ends_in_own_frame(&self) -> bool {
        false
    }

    /// Whether its next slice may take long, so that the function threads have to produce it.
    fn needs_time(&self) -> bool {
        false
    }

    /// Called when the client did not read for too long.
    fn time_out(&self) {}
}
