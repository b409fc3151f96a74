//! Compressed requests and replies, of the Enterprise Edition.

use spikewire_aerospike_protocol::compression::{Packer, THRESHOLD, Unpacker, inner_len};
use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::message::info1;
use spikewire_aerospike_protocol::{Malformed, result_code::ResultCode};

use super::connection::Connection;
use super::frames::answer_code;
use super::worker::Worker;
use crate::options::Edition;

/// A reply is compressed if that saves as many bytes.
const GAIN: usize = 32;

/// What a worker compresses with.
#[derive(Debug, Default)]
pub struct Compression {
    packer: Packer,
    unpacker: Unpacker,
    packed: Vec<u8>,
}

/// Whether a message asks for a compressed reply.
pub fn is_asked(body: &[u8]) -> bool {
    body.get(1).is_some_and(|flags| flags & info1::COMPRESS_RESPONSE != 0)
}

impl Worker {
    /// Whether the nodes are of the Enterprise Edition.
    pub(super) fn compresses(&self) -> bool {
        self.state.options.edition == Edition::Enterprise
    }

    /// Restores a compressed request: a whole message frame.
    pub(super) fn unpack(&mut self, body: &[u8]) -> Result<Vec<u8>, Malformed> {
        let compression = self.compression.get_or_insert_default();
        let mut message = vec![0; inner_len(body)?];
        compression.unpacker.unpack(body, &mut message)?;
        self.context.counters.compressed_requests += 1;
        Ok(message)
    }

    /// Compresses the replies in the output from `start` on, those that become shorter.
    pub(super) fn pack_replies(&mut self, connection: &mut Connection, start: usize) {
        let replies = connection.out.split_off(start);
        let Compression { packer, packed, .. } = &mut **self.compression.get_or_insert_default();
        let mut rest = &replies[..];
        while let Ok(Some((reply, len))) = frame::split(rest) {
            let (whole, after) = rest.split_at(len);
            rest = after;
            packed.clear();
            let is_worth_it = reply.kind == Kind::Message && len > THRESHOLD;
            if is_worth_it && packer.pack(whole, GAIN, packed) {
                connection.out.extend_from_slice(packed);
                self.context.counters.compressed_replies += 1;
            } else {
                connection.out.extend_from_slice(whole);
            }
        }
        connection.out.extend_from_slice(rest);
    }
}

/// Answers a request that is compressed, and damaged or too large. What follows it cannot be
/// trusted, so it is the last one of its connection.
pub fn reject(connection: &mut Connection) {
    answer_code(&mut connection.out, ResultCode::SERVER, 0);
    connection.closing = true;
}
