//! What may be an answer.

use spikewire_protocol::message::HEADER_LEN;

/// Whether a frame body is long enough to be a reply.
pub(crate) fn is_reply(body: &[u8]) -> bool {
    body.len() >= HEADER_LEN
}
