//! Replies that are longer than one turn of their connection.
//!
//! Such a reply is a state that appends a slice to the output whenever the client has taken what
//! came before. So a client that reads slowly slows its own reply and nothing else, and no reply
//! is ever gathered in memory.

use std::fmt::Debug;
use std::time::Duration;

use super::Context;
use crate::storage::clock::Moment;
use crate::turn::NextTurn;

/// Bytes after which a streamed reply ends its turn.
pub const SLICE: usize = 128 << 10;
/// How long a client may take nothing before it is disconnected, if it does not say.
pub const SEND_TIMEOUT: Duration = Duration::from_secs(10);

/// A reply that goes on.
pub trait StreamedReply: Debug + Send {
    /// Appends the next slice; says when to go on.
    fn advance(&mut self, context: &mut Context, now: Moment, out: &mut Vec<u8>) -> NextTurn;

    /// How long its client may take nothing before it is disconnected; `None` = for ever.
    fn send_timeout(&self) -> Option<Duration> {
        Some(SEND_TIMEOUT)
    }

    /// Whether its last message comes in a frame of its own and holds nothing but the result code.
    fn ends_in_own_frame(&self) -> bool {
        false
    }

    /// Notes that its client took nothing for too long.
    fn time_out(&self) {}
}
