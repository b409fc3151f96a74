//! The filter of a query as text (field 44), which servers from 8.2 on read to choose an index.
//!
//! A query of this kind is sent twice: first one node is asked to [`Explain`] it, and answers with
//! its [`Plan`]. Then every node executes it with the index and the range of the plan, or without.
//!
//! The field is one or more bytes of flags, then the text. Bit 0 of a byte of flags says that
//! another one follows; the others are seven bits of the flags, the lowest first.
//!
//! Servers before 8.2 skip the field **without an error** and then return every record: it must
//! never reach one.

use super::{Collection, Range};
use crate::message::{self, Header, Message, field, info1, info3};
use crate::request::{Request, TooLarge};
use crate::result_code::ResultCode;
use crate::{Malformed, frame};

/// Flags of a text filter.
pub mod flag {
    /// Answer with the plan instead of executing it.
    pub const EXPLAIN: u64 = 1;
    /// With `EXPLAIN`: fail rather than examine every record.
    pub const REQUIRE_INDEX: u64 = 1 << 1;
    /// With `EXPLAIN`: fail unless the index of the hint can be used.
    pub const HARD_HINT: u64 = 1 << 2;
}

/// The most bytes of flags that servers read.
const FLAG_BYTES: usize = 9;

/// A text filter: flags and text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextFilter<'a> {
    /// See [`flag`].
    pub flags: u64,
    /// The expression.
    pub text: &'a str,
}

impl<'a> TextFilter<'a> {
    /// The data of the field.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(1 + self.text.len());
        let mut rest = self.flags;
        loop {
            let byte = ((rest & 0x7f) as u8) << 1;
            rest >>= 7;
            out.push(byte | u8::from(rest > 0));
            if rest == 0 {
                break;
            }
        }
        out.extend_from_slice(self.text.as_bytes());
        out
    }

    /// Reads the field as a server does: known flags in a known combination, and a text.
    pub fn decode(data: &'a [u8]) -> Result<Self, Malformed> {
        let fail = |why| Malformed::new("text filter", why);
        let mut flags = 0;
        let mut used = 0;
        loop {
            let byte = *data.get(used).ok_or(fail("ends in its flags"))?;
            if used == FLAG_BYTES {
                return Err(fail("more than nine bytes of flags"));
            }
            flags |= u64::from(byte >> 1) << (7 * used);
            used += 1;
            if byte & 1 == 0 {
                break;
            }
        }
        let known = flag::EXPLAIN | flag::REQUIRE_INDEX | flag::HARD_HINT;
        if flags & !known != 0 {
            return Err(fail("an unknown flag"));
        }
        if flags != 0 && flags & flag::EXPLAIN == 0 {
            return Err(fail("a flag that only explaining has"));
        }
        let text = std::str::from_utf8(&data[used..]).map_err(|_| fail("is not UTF-8"))?;
        if text.is_empty() {
            return Err(fail("is empty"));
        }
        Ok(Self { flags, text })
    }
}

/// The request for the plan of a query.
#[derive(Debug, Clone, Copy)]
pub struct Explain<'a> {
    /// Namespace name.
    pub namespace: &'a str,
    /// Set name; empty for the whole namespace.
    pub set: &'a str,
    /// The task id.
    pub id: u64,
    /// Socket timeout in ms; 0: none.
    pub patience: u32,
    /// The name of the index to prefer.
    pub hint: Option<&'a str>,
    /// Flags besides `EXPLAIN`, see [`flag`].
    pub flags: u64,
    /// The filter.
    pub text: &'a str,
}

impl Explain<'_> {
    /// Writes the request.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<(), TooLarge> {
        let header = Header { info1: info1::READ, ..Header::default() };
        let mut request = Request::begin(out, &header);
        request.field(field::NAMESPACE, self.namespace.as_bytes());
        if !self.set.is_empty() {
            request.field(field::SET, self.set.as_bytes());
        }
        request.field(field::SOCKET_TIMEOUT, &self.patience.to_be_bytes());
        request.field(field::TASK_ID, &self.id.to_be_bytes());
        if let Some(hint) = self.hint {
            request.field(field::INDEX_NAME, hint.as_bytes());
        }
        let filter = TextFilter { flags: flag::EXPLAIN | self.flags, text: self.text };
        request.field(field::TEXT_FILTER, &filter.encode());
        request.finish()
    }
}

/// The index that a server has chosen for a query.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ChosenIndex {
    /// Its name.
    pub name: String,
    /// Which part of the bin it indexes.
    pub collection: Collection,
    /// The bin, if the server names it.
    pub bin: String,
    /// The data of field 22 behind the name of the bin: sent back as it came.
    range: Vec<u8>,
}

impl ChosenIndex {
    /// The choice of this index and range.
    pub fn new(name: &str, collection: Collection, bin: &str, range: &Range) -> Self {
        let mut data = Vec::new();
        range.encode("", &mut data);
        let range = data.split_off(2);
        Self { name: name.to_owned(), collection, bin: bin.to_owned(), range }
    }

    /// Reads the data of field 22.
    fn read(name: &str, collection: Collection, data: &[u8]) -> Result<Self, Malformed> {
        let fail = |why| Malformed::new("range of a plan", why);
        let (&[count, len], rest) = data.split_first_chunk().ok_or(fail("is cut short"))?;
        if count != 1 {
            return Err(fail("is not one range"));
        }
        let (bin, range) = rest.split_at_checked(usize::from(len)).ok_or(fail("is cut short"))?;
        if name.is_empty() || range.is_empty() {
            return Err(fail("names no index or no values"));
        }
        if name.len() > u8::MAX.into() {
            return Err(fail("names an index by more than 255 bytes"));
        }
        let bin = std::str::from_utf8(bin).map_err(|_| fail("has a bin that is not UTF-8"))?;
        let (name, bin) = (name.to_owned(), bin.to_owned());
        Ok(Self { name, collection, bin, range: range.to_vec() })
    }

    /// The data of field 22, as the request has it that executes the plan: without the bin.
    pub fn range_field(&self) -> Vec<u8> {
        self.range_of("")
    }

    fn range_of(&self, bin: &str) -> Vec<u8> {
        let mut out = vec![1, bin.len() as u8];
        out.extend_from_slice(bin.as_bytes());
        out.extend_from_slice(&self.range);
        out
    }

    /// The values; `None` if they are of a kind that this client does not know.
    pub fn range(&self) -> Option<Range> {
        Range::decode(&self.range_field()).ok().map(|(_, range)| range)
    }

    /// Appends the choice, to be stored: `name length u8, name, collection u8, range length u32,
    /// range`.
    pub fn store(&self, out: &mut Vec<u8>) {
        out.push(self.name.len() as u8);
        out.extend_from_slice(self.name.as_bytes());
        out.push(self.collection as u8);
        let range = self.range_of(&self.bin);
        out.extend_from_slice(&(range.len() as u32).to_be_bytes());
        out.extend_from_slice(&range);
    }

    /// Reads what [`store`](Self::store) has written, and returns the number of its bytes.
    pub fn restore(bytes: &[u8]) -> Result<(Self, usize), Malformed> {
        let short = || Malformed::new("a stored choice of an index", "is cut short");
        let (&len, rest) = bytes.split_first().ok_or_else(short)?;
        let (name, rest) = rest.split_at_checked(usize::from(len)).ok_or_else(short)?;
        let (&[collection, a, b, c, d], rest) = rest.split_first_chunk().ok_or_else(short)?;
        let len = u32::from_be_bytes([a, b, c, d]) as usize;
        let (range, rest) = rest.split_at_checked(len).ok_or_else(short)?;
        let name = std::str::from_utf8(name).map_err(|_| short())?;
        let collection = Collection::from_wire(collection).ok_or_else(short)?;
        Ok((Self::read(name, collection, range)?, bytes.len() - rest.len()))
    }
}

/// How a server would execute a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// With a secondary index.
    Index(ChosenIndex),
    /// By examining every record of the set or namespace.
    Scan,
    /// Not at all: the filter is never true.
    Empty,
}

/// A reply to [`Explain`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanReply {
    /// The plan.
    Plan(Plan),
    /// Why there is none.
    Failed(ResultCode),
}

impl PlanReply {
    /// Reads the message in the body of a frame.
    pub fn parse(body: &[u8]) -> Result<Self, Malformed> {
        let (message, _) = Message::parse(body)?;
        match ResultCode(message.header.result) {
            ResultCode::OK => {}
            ResultCode::FILTERED_OUT => return Ok(Self::Plan(Plan::Empty)),
            code => return Ok(Self::Failed(code)),
        }
        let fail = |why| Malformed::new("plan of a query", why);
        let plan = match (message.field(field::INDEX_NAME), message.field(field::INDEX_RANGE)) {
            (None, None) => Plan::Scan,
            (Some(name), Some(range)) => {
                let name = std::str::from_utf8(name).map_err(|_| fail("a name in no UTF-8"))?;
                let collection = match message.field(field::INDEX_TYPE) {
                    None | Some([]) => Collection::Value,
                    Some([number, ..]) => {
                        Collection::from_wire(*number).ok_or(fail("an unknown kind of index"))?
                    }
                };
                Plan::Index(ChosenIndex::read(name, collection, range)?)
            }
            _ => return Err(fail("an index without its range, or the reverse")),
        };
        Ok(Self::Plan(plan))
    }

    /// Appends the reply, a frame of its own.
    pub fn write(&self, out: &mut Vec<u8>) {
        let result = match self {
            Self::Plan(Plan::Empty) => ResultCode::FILTERED_OUT,
            Self::Plan(_) => ResultCode::OK,
            Self::Failed(code) => *code,
        };
        let chosen = match self {
            Self::Plan(Plan::Index(chosen)) => Some(chosen),
            _ => None,
        };
        let start = frame::begin(out, frame::Kind::Message);
        let fields = if chosen.is_some() { 3 } else { 0 };
        let header = Header { info3: info3::LAST, result: result.0, fields, ..Header::default() };
        out.extend_from_slice(&header.to_bytes());
        if let Some(chosen) = chosen {
            message::write_field(out, field::INDEX_NAME, chosen.name.as_bytes());
            message::write_field(out, field::INDEX_TYPE, &[chosen.collection as u8]);
            message::write_field(out, field::INDEX_RANGE, &chosen.range_of(&chosen.bin));
        }
        frame::finish(out, start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &str) -> Vec<u8> {
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16);
        digits.chunks(2).map(|pair| byte(pair).unwrap()).collect()
    }

    fn explain() -> Explain<'static> {
        Explain {
            namespace: "test",
            set: "s",
            id: 0x0102_0304_0506_0708,
            patience: 30_000,
            hint: None,
            flags: 0,
            text: "$.age >= 18",
        }
    }

    /// Section 5.2 of the protocol notes, as another client sends it.
    #[test]
    fn the_request_for_a_plan_encodes() {
        let mut out = Vec::new();
        explain().write(&mut out).unwrap();
        let expected =
            hex("0203 00000000004c 16 01 00 00 00 00 00000000 00000000 00000000 0005 0000
             00000005 00 74657374 00000002 01 73 00000005 09 00007530
             00000009 07 0102030405060708 0000000d 2c 02 242e616765203e3d203138");
        assert_eq!(out, expected);
        let mut out = Vec::new();
        let flags = flag::REQUIRE_INDEX | flag::HARD_HINT;
        Explain { hint: Some("foo"), flags, text: "$.a == 1", ..explain() }
            .write(&mut out)
            .unwrap();
        let end = hex("00000004 15 666f6f 0000000a 2c 0e 242e61203d3d2031");
        assert!(out.ends_with(&end), "{out:02x?}");
    }

    /// Section 5.2 of the protocol notes: a plan names the bin, its execution does not.
    #[test]
    fn a_plan_is_sent_back_without_the_bin() {
        let chosen =
            ChosenIndex::new("by_age", Collection::Value, "age", &Range::Int(18, i64::MAX));
        let range = hex("01 00 01 00000008 0000000000000012 00000008 7fffffffffffffff");
        assert_eq!(chosen.range_field(), range);
        let mut out = Vec::new();
        PlanReply::Plan(Plan::Index(chosen.clone())).write(&mut out);
        let with_bin = hex("01 03 616765 01 00000008 0000000000000012 00000008 7fffffffffffffff");
        assert!(out.ends_with(&with_bin), "{out:02x?}");
        let read = PlanReply::parse(&out[frame::HEADER_LEN..]).unwrap();
        assert_eq!(read, PlanReply::Plan(Plan::Index(chosen.clone())));
        assert_eq!(chosen.range(), Some(Range::Int(18, i64::MAX)));
        let mut stored = Vec::new();
        chosen.store(&mut stored);
        let whole = stored.len();
        stored.extend_from_slice(b"more");
        assert_eq!(ChosenIndex::restore(&stored), Ok((chosen, whole)));
        for end in 0..whole {
            assert!(ChosenIndex::restore(&stored[..end]).is_err(), "{end} bytes");
        }
    }

    #[test]
    fn replies_without_an_index_are_distinct() {
        for reply in [
            PlanReply::Plan(Plan::Scan),
            PlanReply::Plan(Plan::Empty),
            PlanReply::Failed(ResultCode::INDEX_NOT_FOUND),
            PlanReply::Failed(ResultCode::PARAMETER),
        ] {
            let mut out = Vec::new();
            reply.write(&mut out);
            assert_eq!(PlanReply::parse(&out[frame::HEADER_LEN..]), Ok(reply));
        }
        let mut half = Header { fields: 1, ..Header::default() }.to_bytes().to_vec();
        message::write_field(&mut half, field::INDEX_NAME, b"alone");
        assert!(PlanReply::parse(&half).is_err());
    }

    /// Section 5.1 of the protocol notes.
    #[test]
    fn flags_are_read_as_servers_read_them() {
        fn decoded(bytes: &[u8]) -> Result<(u64, &str), Malformed> {
            TextFilter::decode(bytes).map(|it| (it.flags, it.text))
        }
        assert_eq!(decoded(b"\x00$.a"), Ok((0, "$.a")));
        assert_eq!(decoded(b"\x02$.a"), Ok((flag::EXPLAIN, "$.a")));
        assert_eq!(decoded(b"\x0e$.a"), Ok((7, "$.a")));
        // A second byte of flags, all zero.
        assert_eq!(decoded(b"\x03\x00$.a"), Ok((flag::EXPLAIN, "$.a")));
        let nine = [&[3][..], &[1; 7], b"\x00x"].concat();
        assert_eq!(decoded(&nine), Ok((flag::EXPLAIN, "x")));
        let ten = [&[1; 9][..], b"\x00x"].concat();
        let invalid = [
            &b""[..],
            b"\x00",
            b"\x02",
            b"\x04$.a",
            b"\x08$.a",
            b"\x10$.a",
            b"\x03",
            b"\x00\xff",
            &ten,
        ];
        for bytes in invalid {
            assert!(decoded(bytes).is_err(), "{bytes:02x?}");
        }
        let high = TextFilter { flags: 1 << 9, text: "x" };
        assert_eq!(high.encode(), [1, 8, b'x']);
    }
}
