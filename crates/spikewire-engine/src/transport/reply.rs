//! One answer, still in the connection's buffer.

use std::sync::Arc;

use spikewire_protocol::message::{HEADER_LEN, Header, info3};
use spikewire_protocol::result_code::ResultCode;

use crate::cluster::Node;
use crate::command::Attempts;
use crate::error::Error;

/// A server's reply to one command.
#[derive(Debug, Clone, Copy)]
pub struct Reply<'a> {
    /// The message: at least a whole header.
    pub body: &'a [u8],
    /// Who answered.
    pub node: &'a Arc<Node>,
    /// What it took.
    pub attempts: Attempts,
}

impl Reply<'_> {
    /// The result code.
    pub fn code(&self) -> ResultCode {
        Header::result_of(self.body)
    }

    /// The error this reply stands for.
    pub fn error(&self) -> Error {
        self.attempts.dress(Error::replied(self.body).on(self.node.to_string()))
    }
}

/// Whether a frame body is long enough to be a reply.
pub(crate) fn is_reply(body: &[u8]) -> bool {
    body.len() >= HEADER_LEN
}

/// Whether a reply's message is marked as the last of several.
pub(crate) fn is_last(body: &[u8]) -> bool {
    body[3] & info3::LAST != 0
}

/// Whether a frame that is not marked as the last of a batch's reply refuses the batch as a whole.
/// Rows are numbered from 1 on the wire, so it is no answer to one of them.
pub(crate) fn refuses_all(body: &[u8]) -> bool {
    body[5] != 0 && body[14..18] == [0; 4]
}

/// What a transport completes, as far as it is asked before the end.
pub trait Collect {
    /// The command is about to be sent, perhaps again. `false` withdraws it: nobody waits for it
    /// any more, and its outcome is an error that is nobody's business.
    fn starts(&mut self) -> bool {
        true
    }

    /// Whether it was withdrawn after it had been queued; asked when deadlines are looked after.
    fn is_withdrawn(&self) -> bool {
        false
    }

    /// Takes the messages of one frame that is not the last; they are whole and back to back.
    fn collect(&mut self, messages: &[u8]) {
        let _ = messages;
    }
}
