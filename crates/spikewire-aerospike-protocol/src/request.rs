//! Encodes client requests into a caller's buffer: frame, header, fields, operations. Lengths and
//! counts are filled in at the end, and requests that servers would reject are rejected there.

use std::time::Duration;

use crate::key::Digest;
use crate::message::{self, Header, field};
use crate::value::ParticleType;
use crate::{frame, limits};

/// The request is larger than servers accept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// Number of operations on one record.
    #[error("{0} operations in one command; a server accepts {max} at most", max = limits::OPS_PER_COMMAND)]
    Operations(usize),
    /// Size in bytes.
    #[error("the request is {0} bytes long; a server accepts {max} at most", max = frame::MAX_BODY)]
    Bytes(usize),
}

/// Rejects what is larger than servers accept.
pub(crate) fn check(ops: usize, bytes: usize) -> Result<(), TooLarge> {
    if ops > limits::OPS_PER_COMMAND {
        return Err(TooLarge::Operations(ops));
    }
    if bytes > frame::MAX_BODY {
        return Err(TooLarge::Bytes(bytes));
    }
    Ok(())
}

/// The header's timeout in milliseconds for a command with this time limit. 0 means no limit in
/// both. Rounded up, so that a short limit does not become 0, and the server does not give up
/// first.
#[inline]
pub fn server_timeout(limit: Duration) -> u32 {
    let begun = limit.subsec_nanos().div_ceil(1_000_000);
    let millis = limit.as_secs().saturating_mul(1000).saturating_add(begun.into());
    u32::try_from(millis).unwrap_or(u32::MAX)
}

/// An open request at the end of a caller's buffer.
///
/// Append fields first, then operations; [`Request::finish`] fills in lengths and counts.
pub struct Request<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
    fields: u16,
    ops: usize,
}

impl<'a> Request<'a> {
    /// Starts a request; [`Request::finish`] fills in the header's counts.
    #[inline]
    pub fn begin(out: &'a mut Vec<u8>, header: &Header) -> Self {
        let start = frame::begin(out, frame::Kind::Message);
        out.extend_from_slice(&header.to_bytes());
        Self { out, start, fields: 0, ops: 0 }
    }

    /// Appends one field.
    #[inline]
    pub fn field(&mut self, id: u8, data: &[u8]) {
        message::write_field(self.out, id, data);
        self.fields += 1;
    }

    /// Appends fields that were encoded earlier (see [`address`]).
    #[inline]
    pub fn encoded_fields(&mut self, count: u16, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
        self.fields += count;
    }

    /// Appends the digest.
    #[inline]
    pub fn digest(&mut self, digest: &Digest) {
        self.field(field::DIGEST, &digest.0);
    }

    /// Appends an operation without a value.
    pub fn op(&mut self, code: u8, name: &[u8]) {
        message::write_op(self.out, code, name, 0, &[]);
        self.ops += 1;
    }

    /// Appends an operation whose value `write` encodes in place, returning its particle type. On
    /// an error the operation is removed.
    pub fn op_with<E>(
        &mut self,
        code: u8,
        name: &[u8],
        write: impl FnOnce(&mut Vec<u8>) -> Result<ParticleType, E>,
    ) -> Result<(), E> {
        let start = message::begin_op(self.out, code, name);
        match write(self.out) {
            Ok(particle) => {
                message::finish_op(self.out, start, particle);
                self.ops += 1;
                Ok(())
            }
            Err(error) => {
                self.out.truncate(start);
                Err(error)
            }
        }
    }

    /// Appends operations that were encoded earlier.
    pub fn encoded_ops(&mut self, count: usize, bytes: &[u8]) {
        self.out.extend_from_slice(bytes);
        self.ops += count;
    }

    /// Number of operations so far.
    pub fn ops(&self) -> usize {
        self.ops
    }

    /// Fills in lengths and counts and completes the request. A request larger than a server
    /// accepts is rejected and removed from the buffer.
    #[inline]
    pub fn finish(self) -> Result<(), TooLarge> {
        let bytes = self.out.len() - self.start - frame::HEADER_LEN;
        if let Err(error) = check(self.ops, bytes) {
            self.out.truncate(self.start);
            return Err(error);
        }
        let counts = self.start + frame::HEADER_LEN + 18;
        self.out[counts..counts + 2].copy_from_slice(&self.fields.to_be_bytes());
        self.out[counts + 2..counts + 4].copy_from_slice(&(self.ops as u16).to_be_bytes());
        frame::finish(self.out, self.start);
        Ok(())
    }
}

/// The encoded namespace and set fields of a dataset: two fields.
pub fn address(namespace: &str, set: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(10 + namespace.len() + set.len());
    message::write_field(&mut out, field::NAMESPACE, namespace.as_bytes());
    message::write_field(&mut out, field::SET, set.as_bytes());
    out
}

const _: () = assert!(limits::OPS_PER_COMMAND <= u16::MAX as usize);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::{UserKey, digest};
    use crate::message::{Message, info1, info2, op};
    use crate::value::particle;

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    }

    fn request(header: Header, ops: impl FnOnce(&mut Request<'_>)) -> Vec<u8> {
        let mut out = Vec::new();
        let mut request = Request::begin(&mut out, &Header { timeout: 1000, ..header });
        request.encoded_fields(2, &address("test", "demo"));
        request.digest(&digest("demo", &UserKey::Str("k1")));
        ops(&mut request);
        request.finish().unwrap();
        out
    }

    /// Example 3 of the protocol notes, as accepted by a live server.
    #[test]
    fn get_one_bin() {
        let bytes = request(Header { info1: info1::READ, ..Header::default() }, |request| {
            request.op(op::READ, b"a");
        });
        let expected = hex("02030000 0000004a 16010000 00000000 00000000 0000 000003e8 0003 0001
             00000005 00 74657374 00000005 01 64656d6f
             00000015 04 b747f5854d0b33259928d0cfab7fad81d6abfbf6
             00000005 01000001 61");
        assert_eq!(bytes, expected);
    }

    /// Example 5: put a = 7, b = "hi".
    #[test]
    fn put_two_bins() {
        let bytes = request(Header { info2: info2::WRITE, ..Header::default() }, |request| {
            let done: Result<(), ()> = request.op_with(op::WRITE, b"a", |out| {
                out.extend_from_slice(&7i64.to_be_bytes());
                Ok(particle::INTEGER)
            });
            done.unwrap();
            let done: Result<(), ()> = request.op_with(op::WRITE, b"b", |out| {
                out.extend_from_slice(b"hi");
                Ok(particle::STRING)
            });
            done.unwrap();
        });
        let expected = hex("02030000 0000005d 16000100 00000000 00000000 0000 000003e8 0003 0002
             00000005 00 74657374 00000005 01 64656d6f
             00000015 04 b747f5854d0b33259928d0cfab7fad81d6abfbf6
             0000000d 02010001 61 0000000000000007 00000007 02030001 62 6869");
        assert_eq!(bytes, expected);
        let (frame, used) = frame::split(&bytes).unwrap().unwrap();
        assert_eq!(used, bytes.len());
        let (message, used) = Message::parse(frame.body).unwrap();
        assert_eq!(used, frame.body.len());
        assert_eq!(message.field(field::SET), Some(&b"demo"[..]));
        let names: Vec<_> = message.ops().map(|op| (op.name, op.value.len())).collect();
        assert_eq!(names, [(&b"a"[..], 8), (&b"b"[..], 2)]);
    }

    #[test]
    fn a_rejected_value_leaves_no_trace() {
        let bytes = request(Header::default(), |request| {
            let rejected = request.op_with(op::WRITE, b"x", |out| {
                out.push(1);
                Err("no")
            });
            assert_eq!((rejected, request.ops()), (Err("no"), 0));
        });
        assert!(Message::parse(&bytes[8..]).unwrap().0.ops().next().is_none());
    }

    /// The count on the wire has 16 bits: larger numbers must not wrap.
    #[test]
    #[cfg_attr(miri, ignore = "large, and slow there")]
    fn more_operations_than_a_server_takes_are_rejected() {
        let compose = |count: usize| {
            let mut out = vec![7];
            let mut request = Request::begin(&mut out, &Header::default());
            (0..count).for_each(|_| request.op(op::READ, b"a"));
            let done = request.finish();
            (done, out.len())
        };
        assert_eq!(compose(limits::OPS_PER_COMMAND).0, Ok(()));
        for count in [limits::OPS_PER_COMMAND + 1, 65_535, 65_536, 65_537] {
            assert_eq!(compose(count), (Err(TooLarge::Operations(count)), 1));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "large, and slow there")]
    fn a_longer_frame_than_a_server_takes_is_rejected() {
        let compose = |len: usize| {
            let mut out = Vec::new();
            let mut request = Request::begin(&mut out, &Header::default());
            let value: Result<(), ()> = request.op_with(op::WRITE, b"b", |out| {
                out.resize(out.len() + len, 0);
                Ok(particle::BLOB)
            });
            value.unwrap();
            request.finish()
        };
        let room = frame::MAX_BODY - message::HEADER_LEN - 9;
        assert_eq!(compose(room), Ok(()));
        assert_eq!(compose(room + 1), Err(TooLarge::Bytes(frame::MAX_BODY + 1)));
    }

    #[test]
    fn a_short_timeout_is_rounded_up_to_one_millisecond() {
        assert_eq!(server_timeout(Duration::ZERO), 0);
        assert_eq!(server_timeout(Duration::from_nanos(1)), 1);
        assert_eq!(server_timeout(Duration::from_micros(500)), 1);
        assert_eq!(server_timeout(Duration::from_millis(1)), 1);
        assert_eq!(server_timeout(Duration::from_micros(1500)), 2);
        assert_eq!(server_timeout(Duration::MAX), u32::MAX);
    }
}
