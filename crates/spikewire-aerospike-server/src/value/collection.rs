//! Lists and maps as whole values: checks on write, and conversion to stored form.
//!
//! Stored form: integers and lengths in their shortest encoding, only the significant order flags,
//! unordered maps sorted by key. This applies to every level.

use std::cmp::Ordering;

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::msgpack::{self, Reader, Token};
use spikewire_aerospike_protocol::value::particle;

use super::order::compare;

/// Deepest stored nesting.
const DEPTH: usize = 200;
/// A list or map whose items are sorted.
const ORDERED: u8 = 0x01;
/// The flags a stored map may have: sorted by key, by value.
const MAP_FLAGS: u8 = 0x03;

const fn fail(why: &'static str) -> Malformed {
    Malformed::new("list or map", why)
}

/// Appends the stored form of a list or map particle.
pub fn store(out: &mut Vec<u8>, particle: u8, bytes: &[u8]) -> Result<(), Malformed> {
    let mut reader = Reader::new(bytes);
    match (reader.next()?, particle) {
        (Token::Array(count), particle::LIST) => list(out, &mut reader, count, DEPTH)?,
        (Token::Map(count), particle::MAP) => map(out, &mut reader, count, DEPTH)?,
        _ => return Err(fail("not the container its particle type announces")),
    }
    if reader.is_at_end() { Ok(()) } else { Err(fail("bytes after its end")) }
}

fn value(out: &mut Vec<u8>, reader: &mut Reader<'_>, depth: usize) -> Result<(), Malformed> {
    let before = reader.rest();
    match reader.next()? {
        Token::Array(count) => list(out, reader, count, depth),
        Token::Map(count) => map(out, reader, count, depth),
        token => scalar(out, &token, &before[..before.len() - reader.rest().len()]),
    }
}

/// Appends a scalar; `raw` is its original encoding.
fn scalar(out: &mut Vec<u8>, token: &Token<'_>, raw: &[u8]) -> Result<(), Malformed> {
    match *token {
        Token::Int(int) => msgpack::int(out, int),
        // An empty byte string has no particle type, so it stays an empty string.
        Token::Bytes(..) if is_empty_bytes(raw) => out.push(0xa0),
        Token::Bytes(particle, bytes) => msgpack::bytes(out, particle, bytes),
        Token::Ext(0xff, _) => return Err(fail("a wildcard or infinity cannot be stored")),
        _ => out.extend_from_slice(raw),
    }
    Ok(())
}

fn is_empty_bytes(raw: &[u8]) -> bool {
    match raw {
        [0xa0] => true,
        [0xc4..=0xc6 | 0xd9..=0xdb, len @ ..] => len.iter().all(|byte| *byte == 0),
        _ => false,
    }
}

fn list(
    out: &mut Vec<u8>,
    reader: &mut Reader<'_>,
    announced: u32,
    depth: usize,
) -> Result<(), Malformed> {
    let depth = depth.checked_sub(1).ok_or(fail("nested too deep"))?;
    let flags = if announced > 0 { reader.flags() } else { None };
    let count = announced - u32::from(flags.is_some());
    let flags = flags.unwrap_or(0) & ORDERED;
    msgpack::array(out, count + u32::from(flags != 0));
    put_flags(out, flags);
    let mut last = None;
    for _ in 0..count {
        let start = out.len();
        value(out, reader, depth)?;
        if flags & ORDERED != 0 {
            if let Some(last) = last
                && order(&out[last..start], &out[start..])?.is_gt()
            {
                return Err(fail("an ordered list that is not sorted"));
            }
            last = Some(start);
        }
    }
    Ok(())
}

fn map(
    out: &mut Vec<u8>,
    reader: &mut Reader<'_>,
    announced: u32,
    depth: usize,
) -> Result<(), Malformed> {
    let depth = depth.checked_sub(1).ok_or(fail("nested too deep"))?;
    let flags = if announced > 0 { reader.flags() } else { None };
    let count = announced - u32::from(flags.is_some());
    if flags.is_some() {
        value(&mut Vec::new(), reader, depth)?;
    }
    let flags = flags.unwrap_or(0) & MAP_FLAGS;
    msgpack::map(out, count + u32::from(flags != 0));
    put_flags(out, flags);
    if flags != 0 {
        msgpack::nil(out);
    }
    pairs(out, reader, count, flags & ORDERED != 0, depth)
}

/// Appends the pairs of a map, sorting them by key unless the map claims that they are sorted.
fn pairs(
    out: &mut Vec<u8>,
    reader: &mut Reader<'_>,
    count: u32,
    ordered: bool,
    depth: usize,
) -> Result<(), Malformed> {
    let start = out.len();
    let mut spans: Vec<(usize, usize)> = Vec::with_capacity(reader.capacity(count, 2));
    let mut sorted = true;
    for _ in 0..count {
        let at = out.len();
        let raw = reader.rest();
        let key = reader.next()?;
        if !matches!(
            key,
            Token::Int(_) | Token::UInt(_) | Token::Bytes(particle::STRING | particle::BLOB, _)
        ) {
            return Err(fail("a map key must be an integer, a string or bytes"));
        }
        scalar(out, &key, &raw[..raw.len() - reader.rest().len()])?;
        if let Some((last, _)) = spans.last() {
            match order(&out[*last..at], &out[at..])? {
                Ordering::Less => {}
                Ordering::Equal => return Err(fail("a map key that comes twice")),
                Ordering::Greater if ordered => {
                    return Err(fail("an ordered map that is not sorted"));
                }
                Ordering::Greater => sorted = false,
            }
        }
        value(out, reader, depth)?;
        spans.push((at, out.len()));
    }
    if !sorted {
        let pairs = out.split_off(start);
        let mut failed = None;
        spans.sort_by(|a, b| {
            order(&pairs[a.0 - start..], &pairs[b.0 - start..]).unwrap_or_else(|error| {
                failed = Some(error);
                Ordering::Equal
            })
        });
        if let Some(error) = failed {
            return Err(error);
        }
        for pair in spans.windows(2) {
            if order(&pairs[pair[0].0 - start..], &pairs[pair[1].0 - start..])?.is_eq() {
                return Err(fail("a map key that comes twice"));
            }
        }
        for (from, to) in spans {
            out.extend_from_slice(&pairs[from - start..to - start]);
        }
    }
    Ok(())
}

fn put_flags(out: &mut Vec<u8>, flags: u8) {
    if flags != 0 {
        out.extend_from_slice(&[0xc7, 0, flags]);
    }
}

fn order(a: &[u8], b: &[u8]) -> Result<Ordering, Malformed> {
    compare(&mut Reader::new(a), &mut Reader::new(b), DEPTH + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(particle: u8, bytes: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        store(&mut out, particle, bytes).ok().map(|()| out)
    }

    #[test]
    fn unordered_maps_are_sorted_at_every_level() {
        let written = [0x82, 2, 1, 1, 2];
        assert_eq!(stored(particle::MAP, &written).unwrap(), [0x82, 1, 2, 2, 1]);
        let nested = [&[0x91][..], &written].concat();
        assert_eq!(stored(particle::LIST, &nested).unwrap(), [0x91, 0x82, 1, 2, 2, 1]);
        let keys = [0x83, 0xa2, 4, b'x', 0, 0xa2, 3, b'x', 0, 0xff, 0];
        let sorted = [0x83, 0xff, 0, 0xa2, 3, b'x', 0, 0xa2, 4, b'x', 0];
        assert_eq!(stored(particle::MAP, &keys).unwrap(), sorted);
    }

    #[test]
    fn malformed_collections_are_rejected() {
        for bytes in [
            &[][..],                         // empty
            &[0x92, 1],                      // truncated
            &[0x91, 1, 1],                   // trailing byte
            &[0x80],                         // a map
            &[0x91, 0xc1],                   // reserved tag
            &[0x91, 0xd4, 0xff, 0],          // wildcard
            &[0x93, 0xc7, 0, 1, 2, 1],       // ordered, not sorted
            &[0x91, 0x82, 1, 1, 1, 1],       // nested map with a key twice
            &[0xdd, 0xff, 0xff, 0xff, 0xff], // announces four billion
        ] {
            assert_eq!(stored(particle::LIST, bytes), None, "{bytes:02x?}");
        }
        for bytes in [
            &[0x90][..],                           // a list
            &[0x83, 1, 1, 2, 1, 1, 1],             // a key twice, apart
            &[0x81, 0xc3, 1],                      // bool key
            &[0x81, 0xc0, 1],                      // nil key
            &[0x83, 0xc7, 0, 1, 0xc0, 2, 1, 1, 2], // ordered, not sorted
            &[0x81, 0xc7, 0, 1],                   // flags without their nil
        ] {
            assert_eq!(stored(particle::MAP, bytes), None, "{bytes:02x?}");
        }
        assert_eq!(stored(particle::LIST, &vec![0x91; 100_000]), None);
    }

    #[test]
    fn flags_are_reduced_to_those_that_count() {
        let list = |flags| stored(particle::LIST, &[0x92, 0xc7, 0, flags, 5]).unwrap();
        assert_eq!(list(1), [0x92, 0xc7, 0, 1, 5]);
        assert_eq!(list(0x11), [0x92, 0xc7, 0, 1, 5]);
        assert_eq!(list(2), [0x91, 5]);
        let map = |flags| stored(particle::MAP, &[0x82, 0xc7, 0, flags, 0xc0, 5, 6]).unwrap();
        assert_eq!(map(1), [0x82, 0xc7, 0, 1, 0xc0, 5, 6]);
        assert_eq!(map(3), [0x82, 0xc7, 0, 3, 0xc0, 5, 6]);
        assert_eq!(map(2), [0x82, 0xc7, 0, 2, 0xc0, 5, 6]);
        assert_eq!(map(8), [0x81, 5, 6]);
        assert_eq!(stored(particle::LIST, &[0x91, 0xc7, 0, 1]).unwrap(), [0x91, 0xc7, 0, 1]);
        assert_eq!(stored(particle::LIST, &[0x91, 0xc7, 0, 0]).unwrap(), [0x90]);
    }

    #[test]
    fn widths_shrink_but_float32_and_unknown_ext_stay() {
        let wide =
            [0xdc, 0, 4, 0xd3, 0, 0, 0, 0, 0, 0, 0, 1, 0xca, 0, 0, 0, 0, 0xd4, 5, 9, 0xc4, 2, 4, 7];
        let short = [0x94, 1, 0xca, 0, 0, 0, 0, 0xd4, 5, 9, 0xa2, 4, 7];
        assert_eq!(stored(particle::LIST, &wide).unwrap(), short);
        assert_eq!(stored(particle::LIST, &[0x92, 0xa0, 0xd9, 0]).unwrap(), [0x92, 0xa0, 0xa0]);
    }
}
