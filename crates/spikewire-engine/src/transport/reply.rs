//! One answer, still in the connection's buffer.

use std::sync::Arc;

use spikewire_protocol::message::HEADER_LEN;
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
        ResultCode(self.body[5])
    }

    /// The error this reply stands for.
    pub fn error(&self) -> Error {
        self.attempts.dress(Error::server(self.code()).on(self.node.to_string()))
    }
}

/// Whether a frame body is long enough to be a reply.
pub(crate) fn is_reply(body: &[u8]) -> bool {
    body.len() >= HEADER_LEN
}
