//! The reply messages of a query.
//!
//! A frame contains any number of them. A record has no flags; a partition that could not be read
//! has its own message; the last message, or an early error, ends the stream.

use super::Point;
use crate::Malformed;
use crate::key::Digest;
use crate::message::{self, HEADER_LEN, Header, Op, field, info1, info3};
use crate::result_code::ResultCode;

/// One message of the stream.
#[derive(Debug, Clone, Copy)]
pub enum Answer<'a> {
    /// A record.
    Row(Row<'a>),
    /// The result of a partition as a whole; servers report only those that could not be read.
    Partition(u16, ResultCode),
    /// The end of the reply to this request.
    End(ResultCode),
}

/// One record.
#[derive(Debug, Clone, Copy)]
pub struct Row<'a> {
    /// Identifies the record, and where to resume after it.
    pub point: Point,
    /// Its set; empty for the null set.
    pub set: &'a [u8],
    /// Its user key, if stored: type byte, then the bytes.
    pub key: Option<&'a [u8]>,
    /// Its generation.
    pub generation: u32,
    /// Its expiry: seconds since 2010, 0 = never.
    pub void_time: u32,
    /// Number of bins or results.
    pub op_count: u16,
    /// Bins or results, in their wire form.
    pub ops: &'a [u8],
}

impl<'a> Answer<'a> {
    /// Reads one message from the start of `bytes` and returns the number of bytes it took.
    pub fn parse(bytes: &'a [u8]) -> Result<(Self, usize), Malformed> {
        let header = Header::parse(bytes)?;
        let (fields, ops, used) =
            message::split_parts(&bytes[HEADER_LEN..], header.fields, header.ops)?;
        let used = HEADER_LEN + used;
        let code = ResultCode(header.result);
        let answer = if header.info3 & info3::LAST != 0 {
            Self::End(code)
        } else if header.info3 & info3::PARTITION_DONE != 0 {
            let pid = u16::try_from(header.generation)
                .map_err(|_| Malformed::new("partition of a query", "beyond 65535"))?;
            Self::Partition(pid, code)
        } else if code != ResultCode::OK {
            Self::End(code)
        } else {
            Self::Row(Row::read(&header, fields, ops)?)
        };
        Ok((answer, used))
    }
}

impl<'a> Row<'a> {
    fn read(header: &Header, fields: &'a [u8], ops: &'a [u8]) -> Result<Self, Malformed> {
        let fail = |why| Malformed::new("record of a query", why);
        let mut digest = None;
        let mut row = Self {
            point: Point { digest: Digest([0; 20]), value: 0 },
            set: &[],
            key: None,
            generation: header.generation,
            void_time: header.ttl,
            op_count: header.ops,
            ops,
        };
        for part in message::fields_in(fields) {
            match part.id {
                field::DIGEST => {
                    let bytes = part.data.try_into().map_err(|_| fail("digest is not 20 bytes"))?;
                    digest = Some(Digest(bytes));
                }
                field::SET => row.set = part.data,
                field::KEY => row.key = Some(part.data),
                field::INDEX_VALUES => {
                    let bytes = part.data.try_into();
                    let bytes = bytes.map_err(|_| fail("index value is not 8 bytes"))?;
                    row.point.value = u64::from_le_bytes(bytes);
                }
                _ => {}
            }
        }
        row.point.digest = digest.ok_or(fail("no digest"))?;
        Ok(row)
    }

    /// Its user key, if stored: the type, and the bytes.
    pub fn user_key(&self) -> Option<(u8, &'a [u8])> {
        let (of, bytes) = self.key?.split_first()?;
        Some((*of, bytes))
    }

    /// Its bins or results, in wire order.
    pub fn ops(&self) -> impl Iterator<Item = Op<'a>> + use<'a> {
        message::ops_in(self.ops)
    }

    /// Appends the record as a message, with its index value for an index query and the flag of
    /// queries without bins.
    pub fn write(&self, namespace: &[u8], indexed: bool, no_bins: bool, out: &mut Vec<u8>) {
        let count = 2
            + u16::from(!self.set.is_empty())
            + u16::from(self.key.is_some())
            + u16::from(indexed);
        let header = Header {
            info1: if no_bins { info1::NO_BINS } else { 0 },
            generation: self.generation,
            ttl: self.void_time,
            fields: count,
            ops: self.op_count,
            ..Header::default()
        };
        out.extend_from_slice(&header.to_bytes());
        message::write_field(out, field::NAMESPACE, namespace);
        message::write_field(out, field::DIGEST, &self.point.digest.0);
        if !self.set.is_empty() {
            message::write_field(out, field::SET, self.set);
        }
        if let Some(key) = self.key {
            message::write_field(out, field::KEY, key);
        }
        if indexed {
            message::write_field(out, field::INDEX_VALUES, &self.point.value.to_le_bytes());
        }
        out.extend_from_slice(self.ops);
    }
}

/// Appends the message for a partition that could not be read.
pub fn write_unavailable(pid: u16, out: &mut Vec<u8>) {
    let header = Header {
        info3: info3::PARTITION_DONE,
        result: ResultCode::PARTITION_UNAVAILABLE.0,
        generation: u32::from(pid),
        ..Header::default()
    };
    out.extend_from_slice(&header.to_bytes());
}

/// Appends the message that ends the stream.
pub fn write_end(code: ResultCode, out: &mut Vec<u8>) {
    let header = Header { info3: info3::LAST, result: code.0, ..Header::default() };
    out.extend_from_slice(&header.to_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point() -> Point {
        Point { digest: Digest([3; 20]), value: 77 }
    }

    #[test]
    fn a_record_round_trips() {
        let mut ops = Vec::new();
        message::write_op(&mut ops, 1, b"a", 3, b"text");
        let row = Row {
            point: point(),
            set: b"demo",
            key: Some(b"\x03k1"),
            generation: 4,
            void_time: 5,
            op_count: 1,
            ops: &ops,
        };
        for indexed in [false, true] {
            let mut out = Vec::new();
            row.write(b"test", indexed, false, &mut out);
            let (answer, used) = Answer::parse(&out).unwrap();
            assert_eq!(used, out.len());
            let Answer::Row(read) = answer else { panic!("{answer:?}") };
            let value = if indexed { 77 } else { 0 };
            assert_eq!(read.point, Point { value, ..point() });
            assert_eq!((read.set, read.key), (row.set, row.key));
            assert_eq!((read.generation, read.void_time, read.op_count), (4, 5, 1));
            assert_eq!(read.ops().map(|op| op.value).collect::<Vec<_>>(), [b"text"]);
        }
    }

    /// Examples 24 and 25 of the protocol notes.
    #[test]
    fn end_and_unavailable_partition_markers_match_the_examples() {
        let mut out = Vec::new();
        write_unavailable(77, &mut out);
        assert_eq!(out[..10], [0x16, 0, 0, 4, 0, 0x0b, 0, 0, 0, 0x4d]);
        write_end(ResultCode::OK, &mut out);
        let (first, used) = Answer::parse(&out).unwrap();
        assert!(matches!(first, Answer::Partition(77, ResultCode::PARTITION_UNAVAILABLE)));
        let (second, _) = Answer::parse(&out[used..]).unwrap();
        assert!(matches!(second, Answer::End(ResultCode::OK)));
        let error = Header { result: 201, ..Header::default() }.to_bytes();
        let (error, _) = Answer::parse(&error).unwrap();
        assert!(matches!(error, Answer::End(ResultCode::INDEX_NOT_FOUND)));
    }

    #[test]
    fn broken_records_are_rejected() {
        assert!(Answer::parse(&Header::default().to_bytes()).is_err(), "no digest");
        for (id, data) in [(field::DIGEST, &[1; 19][..]), (field::INDEX_VALUES, &[1; 7][..])] {
            let mut out = Header { fields: 1, ..Header::default() }.to_bytes().to_vec();
            message::write_field(&mut out, id, data);
            assert!(Answer::parse(&out).is_err(), "field {id}");
        }
    }
}
