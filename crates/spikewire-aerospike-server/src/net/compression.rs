//! Compressed requests and replies, of the Enterprise Edition.

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::compression::{Packer, THRESHOLD, Unpacker, inner_len};
use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::message::info1;

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
pub fn is_requested(body: &[u8]) -> bool {
    body.get(1).is_some_and(|flags| flags & info1::COMPRESS_RESPONSE != 0)
}

impl Compression {
    /// Restores a compressed request: a whole message frame.
    pub fn unpack(&mut self, body: &[u8]) -> Result<Vec<u8>, Malformed> {
        let mut message = vec![0; inner_len(body)?];
        self.unpacker.unpack(body, &mut message)?;
        Ok(message)
    }

    /// Compresses the replies in the output from `start` on, those that become shorter. Returns how
    /// many do.
    pub fn pack_replies(&mut self, out: &mut Vec<u8>, start: usize) -> u64 {
        let replies = out.split_off(start);
        let Self { packer, packed, .. } = self;
        let (mut rest, mut count) = (&replies[..], 0);
        while let Ok(Some((reply, len))) = frame::split(rest) {
            let (whole, after) = rest.split_at(len);
            rest = after;
            packed.clear();
            let is_worth_it = reply.kind == Kind::Message && len > THRESHOLD;
            if is_worth_it && packer.pack(whole, GAIN, packed) {
                out.extend_from_slice(packed);
                count += 1;
            } else {
                out.extend_from_slice(whole);
            }
        }
        out.extend_from_slice(rest);
        count
    }
}
