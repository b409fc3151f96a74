//! Aerospike's `MessagePack` dialect, used inside lists, maps and expressions.
//!
//! It differs from the standard in one thing: strings and byte strings share the `str` family, and
//! the first payload byte is the particle type. Integers take their smallest form. Order flags of a
//! container are an ext element (type 0xC7 form, ext type = flags) in front of the items.

use crate::{Malformed, particle};

/// Appends nil.
pub fn nil(out: &mut Vec<u8>) {
    out.push(0xc0);
}

/// Appends a bool.
pub fn boolean(out: &mut Vec<u8>, flag: bool) {
    out.push(if flag { 0xc3 } else { 0xc2 });
}

/// Appends an integer in its smallest form.
pub fn int(out: &mut Vec<u8>, int: i64) {
    if int >= 0 {
        return uint(out, int as u64);
    }
    if int >= -32 {
        out.push(int as u8);
    } else if let Ok(int) = i8::try_from(int) {
        out.extend_from_slice(&[0xd0, int as u8]);
    } else if let Ok(int) = i16::try_from(int) {
        out.push(0xd1);
        out.extend_from_slice(&int.to_be_bytes());
    } else if let Ok(int) = i32::try_from(int) {
        out.push(0xd2);
        out.extend_from_slice(&int.to_be_bytes());
    } else {
        out.push(0xd3);
        out.extend_from_slice(&int.to_be_bytes());
    }
}

/// Appends an unsigned integer in its smallest form.
pub fn uint(out: &mut Vec<u8>, int: u64) {
    if int < 0x80 {
        out.push(int as u8);
    } else if let Ok(int) = u8::try_from(int) {
        out.extend_from_slice(&[0xcc, int]);
    } else if let Ok(int) = u16::try_from(int) {
        out.push(0xcd);
        out.extend_from_slice(&int.to_be_bytes());
    } else if let Ok(int) = u32::try_from(int) {
        out.push(0xce);
        out.extend_from_slice(&int.to_be_bytes());
    } else {
        out.push(0xcf);
        out.extend_from_slice(&int.to_be_bytes());
    }
}

/// Appends a 64-bit float.
pub fn float(out: &mut Vec<u8>, float: f64) {
    out.push(0xcb);
    out.extend_from_slice(&float.to_be_bytes());
}

/// Appends a byte string tagged with its particle type (3 string, 4 blob, 18 HLL, 23 `GeoJSON`).
pub fn bytes(out: &mut Vec<u8>, particle: u8, bytes: &[u8]) {
    raw_header(out, bytes.len() as u32 + 1);
    out.push(particle);
    out.extend_from_slice(bytes);
}

/// Like [`bytes`], with what `write` appends.
pub fn bytes_with<E>(
    out: &mut Vec<u8>,
    particle: u8,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let start = out.len();
    out.extend_from_slice(&[0, particle]);
    write(out)?;
    let end = out.len();
    raw_header(out, (end - start - 1) as u32);
    let header = out.len() - end;
    // The header has room for one byte: longer ones move the rest.
    let mut bytes = [0; 5];
    bytes[..header].copy_from_slice(&out[end..]);
    if header > 1 {
        out.copy_within(start + 1..end, start + header);
    }
    out[start..start + header].copy_from_slice(&bytes[..header]);
    out.pop();
    Ok(())
}

/// Appends a string without a particle type: names inside expressions.
pub fn raw(out: &mut Vec<u8>, bytes: &[u8]) {
    raw_header(out, bytes.len() as u32);
    out.extend_from_slice(bytes);
}

/// Appends a list header for `count` elements.
pub fn array(out: &mut Vec<u8>, count: u32) {
    sized(out, count, 0x90, 0xdc);
}

/// A value that is equal to any, for searches.
pub const WILDCARD: [u8; 3] = [0xd4, 0xff, 0];
/// A value greater than any other, for searches.
pub const INFINITY: [u8; 3] = [0xd4, 0xff, 1];

/// Appends the order flags of a map, in place of its first pair.
pub fn map_flags(out: &mut Vec<u8>, flags: u8) {
    out.extend_from_slice(&[0xc7, 0, flags, 0xc0]);
}

/// Appends a map header for `count` pairs.
pub fn map(out: &mut Vec<u8>, count: u32) {
    sized(out, count, 0x80, 0xde);
}

fn sized(out: &mut Vec<u8>, count: u32, fix: u8, wide: u8) {
    if count < 16 {
        out.push(fix | count as u8);
    } else if let Ok(count) = u16::try_from(count) {
        out.push(wide);
        out.extend_from_slice(&count.to_be_bytes());
    } else {
        out.push(wide + 1);
        out.extend_from_slice(&count.to_be_bytes());
    }
}

fn raw_header(out: &mut Vec<u8>, len: u32) {
    if len < 32 {
        out.push(0xa0 | len as u8);
    } else if let Ok(len) = u8::try_from(len) {
        out.extend_from_slice(&[0xd9, len]);
    } else if let Ok(len) = u16::try_from(len) {
        out.push(0xda);
        out.extend_from_slice(&len.to_be_bytes());
    } else {
        out.push(0xdb);
        out.extend_from_slice(&len.to_be_bytes());
    }
}

/// Whether lists and maps are nested at most so many levels deep in the first value of `bytes`.
pub fn is_nested_within(bytes: &[u8], levels: usize) -> bool {
    // How many items each open container still has.
    let mut open: Vec<u64> = Vec::new();
    let mut reader = Reader::new(bytes);
    loop {
        let (is_container, items) = match reader.next() {
            Ok(Token::Array(items)) => (true, u64::from(items)),
            Ok(Token::Map(pairs)) => (true, 2 * u64::from(pairs)),
            Ok(_) => (false, 0),
            Err(_) => return true,
        };
        if is_container && open.len() == levels {
            return false;
        }
        if items > 0 {
            open.push(items);
            continue;
        }
        loop {
            let Some(left) = open.last_mut() else { return true };
            *left -= 1;
            if *left > 0 {
                break;
            }
            open.pop();
        }
    }
}

/// One item of a `MessagePack` stream.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Token<'a> {
    /// Nil.
    Nil,
    /// A bool.
    Bool(bool),
    /// An integer that fits 64 bits signed.
    Int(i64),
    /// An integer of 2^63 or more.
    UInt(u64),
    /// A float, of either width.
    Float(f64),
    /// A byte string: particle type, then payload. An empty one is read as a blob.
    Bytes(u8, &'a [u8]),
    /// A list header; that many items follow.
    Array(u32),
    /// A map header; that many pairs follow.
    Map(u32),
    /// An ext item: its type and payload.
    Ext(u8, &'a [u8]),
}

/// Reads tokens from a byte slice. It does not recurse and does not read past the end. It rejects a
/// container header that announces more items than there are bytes left for all open containers
/// together, so that memory reserved for announced items is bounded by the input, whatever the
/// nesting.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    rest: &'a [u8],
    /// Number of announced items not read yet; each takes at least one byte.
    owed: usize,
}

impl<'a> Reader<'a> {
    /// Starts at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, owed: 0 }
    }

    /// Whether the end has been reached.
    pub fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// The bytes not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// A safe capacity for `count` announced items of at least `min` bytes each, limited by the
    /// bytes that are left.
    pub fn capacity(&self, count: u32, min: usize) -> usize {
        (count as usize).min(self.rest.len() / min)
    }

    /// Skips a container's order flags if they are next.
    pub fn skip_flags(&mut self) -> bool {
        self.flags().is_some()
    }

    /// Reads a container's order flags if they are next. (Wildcard and infinity are ext items of
    /// type 0xff and are not consumed.)
    pub fn flags(&mut self) -> Option<u8> {
        match *self.rest {
            [0xc7, 0, flags, ref rest @ ..] if flags != 0xff => {
                self.rest = rest;
                self.owed = self.owed.saturating_sub(1);
                Some(flags)
            }
            _ => None,
        }
    }

    /// The next token.
    #[allow(clippy::should_implement_trait)] // fallible, and borrows nothing from the reader
    pub fn next(&mut self) -> Result<Token<'a>, Malformed> {
        let tag = self.take(1)?[0];
        self.owed = self.owed.saturating_sub(1);
        Ok(match tag {
            0x00..=0x7f => Token::Int(i64::from(tag)),
            0x80..=0x8f => self.map(u64::from(tag & 0x0f))?,
            0x90..=0x9f => self.array(u64::from(tag & 0x0f))?,
            0xa0..=0xbf => self.bytes(u32::from(tag & 0x1f))?,
            0xc0 => Token::Nil,
            0xc2 => Token::Bool(false),
            0xc3 => Token::Bool(true),
            0xc4 | 0xd9 => {
                let len = self.uint::<1>()?;
                self.bytes(len as u32)?
            }
            0xc5 | 0xda => {
                let len = self.uint::<2>()?;
                self.bytes(len as u32)?
            }
            0xc6 | 0xdb => {
                let len = self.uint::<4>()?;
                self.bytes(len as u32)?
            }
            0xc7 => {
                let len = self.uint::<1>()?;
                self.ext(len)?
            }
            0xc8 => {
                let len = self.uint::<2>()?;
                self.ext(len)?
            }
            0xc9 => {
                let len = self.uint::<4>()?;
                self.ext(len)?
            }
            0xca => Token::Float(f64::from(f32::from_bits(self.uint::<4>()? as u32))),
            0xcb => Token::Float(f64::from_bits(self.uint::<8>()?)),
            0xcc => Token::Int(self.uint::<1>()? as i64),
            0xcd => Token::Int(self.uint::<2>()? as i64),
            0xce => Token::Int(self.uint::<4>()? as i64),
            0xcf => {
                let int = self.uint::<8>()?;
                i64::try_from(int).map_or(Token::UInt(int), Token::Int)
            }
            0xd0 => Token::Int(i64::from(self.uint::<1>()? as i8)),
            0xd1 => Token::Int(i64::from(self.uint::<2>()? as i16)),
            0xd2 => Token::Int(i64::from(self.uint::<4>()? as i32)),
            0xd3 => Token::Int(self.uint::<8>()? as i64),
            0xd4..=0xd8 => self.ext(1 << (tag - 0xd4))?,
            0xdc => {
                let count = self.uint::<2>()?;
                self.array(count)?
            }
            0xdd => {
                let count = self.uint::<4>()?;
                self.array(count)?
            }
            0xde => {
                let count = self.uint::<2>()?;
                self.map(count)?
            }
            0xdf => {
                let count = self.uint::<4>()?;
                self.map(count)?
            }
            0xe0..=0xff => Token::Int(i64::from(tag as i8)),
            0xc1 => return Err(Malformed::new("MessagePack", "reserved tag 0xc1")),
        })
    }

    fn take(&mut self, len: usize) -> Result<&'a [u8], Malformed> {
        let (head, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or(Malformed::new("MessagePack", "value runs past its end"))?;
        self.rest = rest;
        Ok(head)
    }

    fn uint<const N: usize>(&mut self) -> Result<u64, Malformed> {
        Ok(self.take(N)?.iter().fold(0, |int, byte| int << 8 | u64::from(*byte)))
    }

    fn bytes(&mut self, len: u32) -> Result<Token<'a>, Malformed> {
        let bytes = self.take(len as usize)?;
        Ok(match bytes {
            [particle, payload @ ..] => Token::Bytes(*particle, payload),
            [] => Token::Bytes(particle::BLOB, &[]),
        })
    }

    fn array(&mut self, count: u64) -> Result<Token<'a>, Malformed> {
        self.owe(count)?;
        Ok(Token::Array(count as u32))
    }

    fn map(&mut self, count: u64) -> Result<Token<'a>, Malformed> {
        self.owe(2 * count)?;
        Ok(Token::Map(count as u32))
    }

    fn owe(&mut self, items: u64) -> Result<(), Malformed> {
        let room = (self.rest.len() as u64).saturating_sub(self.owed as u64);
        if items > room {
            return Err(Malformed::new("MessagePack", "more items announced than bytes follow"));
        }
        self.owed += items as usize;
        Ok(())
    }

    fn ext(&mut self, len: u64) -> Result<Token<'a>, Malformed> {
        let kind = self.take(1)?[0];
        Ok(Token::Ext(kind, self.take(len as usize)?))
    }
}

/// Reads one complete value, including everything nested in it.
pub fn take<'a>(reader: &mut Reader<'a>) -> Result<&'a [u8], Malformed> {
    let before = reader.rest();
    let mut pending = 1_u64;
    while pending > 0 {
        pending -= 1;
        match reader.next()? {
            Token::Array(count) => pending += u64::from(count),
            Token::Map(count) => pending += 2 * u64::from(count),
            _ => {}
        }
    }
    Ok(&before[..before.len() - reader.rest().len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_counted_over_lists_and_maps() {
        let within = |bytes: &[u8], levels| is_nested_within(bytes, levels);
        assert!(within(&[1], 0) && within(&[0x90], 1) && !within(&[0x90], 0));
        assert!(within(&[0x91, 1], 1) && !within(&[0x91, 1], 0));
        // A map in a list, after another list.
        let value = [0x93, 0x91, 1, 0x81, 1, 0x91, 2, 3];
        assert!(within(&value, 3) && !within(&value, 2));
        assert!(within(&[0x91; 200], 200) && !within(&[0x91; 200], 64));
    }
}
