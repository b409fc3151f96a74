//! Compression of what connections send and receive. A request that asks for it has a flag, which is
//! also what the server looks at ([`info1::COMPRESS_RESPONSE`]).

use std::cell::RefCell;

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::compression::{Packer, Unpacker};
use spikewire_aerospike_protocol::frame::HEADER_LEN;
use spikewire_aerospike_protocol::message::info1;

/// Where a message frame has its first info byte.
pub const INFO1: usize = HEADER_LEN + 1;
/// Scratch memory that grew beyond this is freed.
const KEEP: usize = 256 << 10;

thread_local! {
    /// Shared by all connections of a thread, since each is large.
    static PACKER: RefCell<Option<(Packer, Vec<u8>)>> = const { RefCell::new(None) };
    static UNPACKER: RefCell<Option<Unpacker>> = const { RefCell::new(None) };
}

/// Makes the request at the end of `out`, which begins at `start` and has the flag, what the node
/// takes: compressed if it is longer than
/// `threshold` and that makes it shorter, plain and without the flag if there is no threshold,
/// since the node knows no compression.
pub fn apply(start: usize, threshold: Option<usize>, out: &mut Vec<u8>) {
    let flags = &mut out[start + INFO1];
    if threshold.is_none() || *flags & (info1::READ | info1::BATCH) == 0 {
        *flags &= !info1::COMPRESS_RESPONSE;
    }
    if threshold.is_none_or(|threshold| out.len() - start <= threshold) {
        return;
    }
    // At the end of a thread there may be none left: then the request goes as it is.
    let _ = PACKER.try_with(|state| {
        let mut state = state.borrow_mut();
        let (packer, packed) = state.get_or_insert_default();
        packed.clear();
        if packer.pack(&out[start..], 0, packed) {
            out.truncate(start);
            out.extend_from_slice(packed);
        }
        if packed.capacity() > KEEP {
            *packed = Vec::new();
        }
    });
}

/// Writes the message in the body of a compressed frame to `out`, which has its length.
pub fn unpack(body: &[u8], out: &mut [u8]) -> Result<(), Malformed> {
    let result =
        UNPACKER.try_with(|state| state.borrow_mut().get_or_insert_default().unpack(body, out));
    result.unwrap_or_else(|_| Err(Malformed::new("compressed message", "its thread is ending")))
}

#[cfg(test)]
mod tests {
    use spikewire_aerospike_protocol::compression::inner_len;
    use spikewire_aerospike_protocol::frame::{self, Kind};
    use spikewire_aerospike_protocol::message::{Header, info2};

    use super::*;
    use crate::marks;

    fn request(info1: u8, info2: u8, len: usize) -> Vec<u8> {
        let mut out = Vec::new();
        let start = frame::begin(&mut out, Kind::Message);
        out.extend_from_slice(&Header { info1, info2, ..Header::default() }.to_bytes());
        out.resize(out.len() + len, 7);
        frame::finish(&mut out, start);
        out
    }

    fn written(request: &[u8], threshold: Option<usize>) -> (Kind, Vec<u8>) {
        assert!(marks::are_in(request));
        let mut out = vec![1, 2, 3];
        marks::write(request, threshold, false, &mut out);
        let bytes = out.split_off(3);
        let (outer, used) = frame::split(&bytes).unwrap().unwrap();
        assert_eq!((out, used), (vec![1, 2, 3], bytes.len()));
        if outer.kind == Kind::Message {
            return (outer.kind, bytes);
        }
        let mut inner = vec![0; inner_len(outer.body).unwrap()];
        unpack(outer.body, &mut inner).unwrap();
        (outer.kind, inner)
    }

    #[test]
    fn requests_above_the_threshold_are_compressed() {
        let read = request(info1::READ | info1::COMPRESS_RESPONSE, 0, 500);
        for (threshold, kind) in [(529, Kind::Compressed), (530, Kind::Message)] {
            assert_eq!(written(&read, Some(threshold)), (kind, read.clone()), "{threshold}");
        }
        assert!(!marks::are_in(&request(info1::READ, 0, 500)) && !marks::are_in(b"node\n"));
    }

    #[test]
    fn only_reads_request_compressed_replies() {
        let flag = info1::COMPRESS_RESPONSE;
        let write = request(flag, info2::WRITE, 500);
        let plain = request(0, info2::WRITE, 500);
        assert_eq!(written(&write, Some(128)), (Kind::Compressed, plain));
        let both = request(flag | info1::READ, info2::WRITE, 500);
        assert_eq!(written(&both, Some(128)), (Kind::Compressed, both.clone()));
        let batch = request(flag | info1::BATCH, 0, 10);
        assert_eq!(written(&batch, Some(128)), (Kind::Message, batch.clone()));
    }

    #[test]
    fn nodes_without_compression_get_what_they_always_got() {
        let read = request(info1::READ | info1::COMPRESS_RESPONSE, 0, 500);
        assert_eq!(written(&read, None), (Kind::Message, request(info1::READ, 0, 500)));
    }
}
