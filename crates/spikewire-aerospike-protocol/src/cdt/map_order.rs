//! The order of the pairs of maps inside operands.
//!
//! Servers sort the maps they store, and compare them with what they are asked for as it came. A
//! map in an operand is therefore only found if its keys are in the order of servers, at any depth.

use std::cmp::Ordering;

use crate::msgpack::{Reader, Token, take};
use crate::{Malformed, limits, particle};

/// Deepest nesting that is looked into: more than the encoders of values write.
const DEPTH: usize = 2 * limits::NESTING;
const NESTED_TOO_DEEP: Malformed = Malformed::new("operand", "nested too deep");

/// Puts the pairs of every map in the value that starts at `start` in the order of servers: by key,
/// integers before strings before bytes. Pairs with equal keys keep their order; bytes that are not
/// one whole value stay as they are.
pub fn sort_maps(out: &mut Vec<u8>, start: usize) {
    let value = &out[start..];
    if !may_hold_map(value) || is_sorted(&mut Reader::new(value), DEPTH) != Ok(false) {
        return;
    }
    let mut sorted = Vec::with_capacity(value.len());
    let mut reader = Reader::new(value);
    if write_sorted(&mut reader, &mut sorted, DEPTH).is_ok() && reader.is_at_end() {
        out.truncate(start);
        out.append(&mut sorted);
    }
}

/// Whether there can be a map in this value: a look that spares most operands the parsing.
fn may_hold_map(value: &[u8]) -> bool {
    let is_container = matches!(value.first(), Some(0x80..=0x9f | 0xdc..=0xdf));
    // Without branches, so that it is done many bytes at a time.
    let is_header = |byte: u8| u8::from(byte & 0xf0 == 0x80) | u8::from(byte & 0xfe == 0xde);
    let has_header = |chunk: &[u8]| chunk.iter().fold(0, |seen, byte| seen | is_header(*byte)) != 0;
    is_container && value.chunks(64).any(has_header)
}

/// Whether all maps of the next value are in order.
fn is_sorted(reader: &mut Reader<'_>, depth: usize) -> Result<bool, Malformed> {
    let depth = depth.checked_sub(1).ok_or(NESTED_TOO_DEEP)?;
    match reader.next()? {
        Token::Array(count) => {
            for _ in flags(reader, count)..count {
                if !is_sorted(reader, depth)? {
                    return Ok(false);
                }
            }
        }
        Token::Map(count) => {
            let mut previous = None;
            for _ in map_flags(reader, count)?..count {
                let key = take(reader)?;
                if previous.is_some_and(|previous| compare_keys(previous, key).is_gt())
                    || !is_sorted(reader, depth)?
                {
                    return Ok(false);
                }
                previous = Some(key);
            }
        }
        _ => {}
    }
    Ok(true)
}

/// Copies the next value with its maps in order.
fn write_sorted(reader: &mut Reader<'_>, out: &mut Vec<u8>, depth: usize) -> Result<(), Malformed> {
    let depth = depth.checked_sub(1).ok_or(NESTED_TOO_DEEP)?;
    let before = reader.rest();
    let token = reader.next()?;
    let first = match token {
        Token::Array(count) => flags(reader, count),
        Token::Map(count) => map_flags(reader, count)?,
        _ => 0,
    };
    out.extend_from_slice(&before[..before.len() - reader.rest().len()]);
    match token {
        Token::Array(count) => {
            for _ in first..count {
                write_sorted(reader, out, depth)?;
            }
        }
        Token::Map(count) => {
            let mut pairs = Vec::with_capacity(reader.capacity(count, 2));
            for _ in first..count {
                pairs.push((take(reader)?, take(reader)?));
            }
            pairs.sort_by(|(a, _), (b, _)| compare_keys(a, b));
            for (key, value) in pairs {
                out.extend_from_slice(key);
                write_sorted(&mut Reader::new(value), out, depth)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Skips the order flags of a list, and tells how many items they take.
fn flags(reader: &mut Reader<'_>, count: u32) -> u32 {
    u32::from(count > 0 && reader.skip_flags())
}

/// Skips the order flags of a map and the nil after them, and tells how many pairs they take.
fn map_flags(reader: &mut Reader<'_>, count: u32) -> Result<u32, Malformed> {
    let pairs = flags(reader, count);
    if pairs > 0 {
        take(reader)?;
    }
    Ok(pairs)
}

/// The order of two map keys on servers.
fn compare_keys(a: &[u8], b: &[u8]) -> Ordering {
    let (Ok(a), Ok(b)) = (Reader::new(a).next(), Reader::new(b).next()) else {
        return Ordering::Equal;
    };
    let by_type = key_type(&a).cmp(&key_type(&b));
    by_type.then_with(|| match (a, b) {
        (Token::Int(a), Token::Int(b)) => a.cmp(&b),
        (Token::UInt(a), Token::UInt(b)) => a.cmp(&b),
        (Token::Bytes(_, a), Token::Bytes(_, b)) => a.cmp(b),
        _ => Ordering::Equal,
    })
}

/// The place of a key's type in the order; servers refuse keys of other types.
fn key_type(key: &Token<'_>) -> u8 {
    match key {
        Token::Int(_) => 0,
        Token::UInt(_) => 1,
        Token::Bytes(particle::STRING, _) => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cdt::context::{self, At, Create, Inside, Step};
    use crate::cdt::{By, ListOp, MapOp, Op, return_type};
    use crate::msgpack;
    use crate::value::Value;

    fn map(pairs: impl IntoIterator<Item = (Value, Value)>) -> Value {
        Value::Map(pairs.into_iter().collect())
    }

    /// A map in no order, and the bytes of it in the order of servers.
    fn mixed(inner: Value) -> Value {
        map([
            (Value::Bytes(b"z".to_vec()), Value::Int(3)),
            (Value::from("b"), inner),
            (Value::from("a"), Value::Int(2)),
            (Value::Int(300), Value::Int(1)),
            (Value::Int(-1), Value::Int(0)),
            (Value::from("ab"), Value::Nil),
        ])
    }

    fn mixed_bytes(inner: &[u8]) -> Vec<u8> {
        let before = [0x86, 0xff, 0, 0xcd, 1, 44, 1, 0xa2, 3, b'a', 2];
        let after = [0xa2, 4, b'z', 3];
        [&before[..], &[0xa3, 3, b'a', b'b', 0xc0, 0xa2, 3, b'b'], inner, &after].concat()
    }

    fn bytes(op: &Op<Value>, context: &[Step<Value>]) -> Vec<u8> {
        let mut out = Vec::new();
        op.encode(context, &mut out);
        out
    }

    /// Servers compare an operand with the maps they have stored in order: one in another order
    /// equals none of them, and nobody is told.
    #[test]
    fn maps_in_operands_are_in_the_order_of_servers() {
        let plain = mixed_bytes(&[7]);
        let deep = mixed_bytes(&[&[0x92, 5][..], &mixed_bytes(&plain)].concat());
        let plain_value = || mixed(Value::Int(7));
        let deep_value = || mixed(Value::List(vec![Value::Int(5), mixed(plain_value())]));
        let two = || Value::List(vec![plain_value(), deep_value()]);
        let lists: [(By<Value>, Vec<u8>); 5] = [
            (By::Value(deep_value()), [&[0x14, 7], &deep[..]].concat()),
            (By::ValueList(two()), [&[0x17, 7, 0x92], &plain[..], &deep].concat()),
            (
                By::ValueInterval(plain_value(), Some(deep_value())),
                [&[0x19, 7], &plain[..], &deep].concat(),
            ),
            (By::RelativeRank(plain_value(), 1, None), [&[0x1b, 7], &plain[..], &[1]].concat()),
            (By::AllByValue(plain_value()), [&[0x16, 7], &plain[..]].concat()),
        ];
        for (by, expected) in lists {
            let text = format!("{by:?}");
            let got = bytes(&Op::List(ListOp::GetBy(return_type::VALUE, by)), &[]);
            assert_eq!(got[1..], expected, "{text}");
        }
        let put = MapOp::Put { key: Value::from("k"), value: deep_value(), order: 0, flags: 0 };
        let expected = [&[0x94, 0x43, 0xa2, 3, b'k'], &deep[..], &[0]].concat();
        assert_eq!(bytes(&Op::Map(put), &[]), expected);

        let steps = [
            Step::new(Inside::Either, At::Value(plain_value())),
            Step::new(Inside::List, At::Value(deep_value())),
            Step::new(Inside::Map, At::Value(two())),
            Step::map_key(Value::from("k")).creating(Create::Unordered),
        ];
        let expected = [
            &[0x98, 3][..],
            &plain,
            &[0x13],
            &deep,
            &[0x23, 0x92],
            &plain,
            &deep,
            &[0x62, 0xa2, 3, b'k'],
        ]
        .concat();
        assert_eq!(context::packed(&steps).unwrap(), expected);
        let size = bytes(&Op::Map(MapOp::Size), &steps);
        assert_eq!(size, [&[0x93, 0xcc, 0xff], &expected[..], &[0x91, 0x60]].concat());
    }

    fn sorted(value: &[u8]) -> Vec<u8> {
        let mut out = [&b"before"[..], value].concat();
        sort_maps(&mut out, 6);
        out.split_off(6)
    }

    /// A key-ordered map keeps its flags, and a wildcard or infinity its place.
    #[test]
    fn map_flags_wildcards_and_infinity_are_preserved() {
        let markers = [0x93, 0xd4, 0xff, 0, 0xd4, 0xff, 1, 0x82, 2, 0xc0, 1, 0xc0];
        let expected = [0x93, 0xd4, 0xff, 0, 0xd4, 0xff, 1, 0x82, 1, 0xc0, 2, 0xc0];
        assert_eq!(sorted(&markers), expected);
        let flagged = [0x92, 0xc7, 0, 1, 0x83, 0xc7, 0, 1, 0xc0, 2, 0xc3, 1, 0xc2];
        let expected = [0x92, 0xc7, 0, 1, 0x83, 0xc7, 0, 1, 0xc0, 1, 0xc2, 2, 0xc3];
        assert_eq!(sorted(&flagged), expected);
    }

    /// Unsigned keys above 2^63 follow the other integers; equal keys keep their order.
    #[test]
    fn unsigned_keys_sort_after_signed_ones_and_equal_keys_keep_their_order() {
        let big = [0xcf, 0x80, 0, 0, 0, 0, 0, 0, 0];
        let map = [&[0x84, 0xa2, 3, b'x', 1], &big[..], &[2, 0xa2, 3, b'x', 3, 5, 4]].concat();
        let expected = [&[0x84, 5, 4], &big[..], &[2, 0xa2, 3, b'x', 1, 0xa2, 3, b'x', 3]].concat();
        assert_eq!(sorted(&map), expected);
    }

    #[test]
    fn sorted_and_malformed_values_are_left_unchanged() {
        let mut ints = Vec::new();
        msgpack::array(&mut ints, 200);
        (0..200).for_each(|int| msgpack::int(&mut ints, 0x8182_8384 + int));
        let deep = [&vec![0x91; DEPTH][..], &[0x82, 2, 0, 1, 0]].concat();
        for value in [
            &[][..],
            &[0x80],
            &[0x81, 1, 2],
            &[0x82, 1, 0x81, 7, 7, 0xa2, 3, b'a', 0x90],
            &ints,
            &deep,
            &[0x82, 2, 0xc0, 1],                // cut
            &[0x82, 2, 0xc0, 1, 0xc0, 0xc0],    // more than a value
            &[0x83, 2, 0xc0, 1, 0xc0, 3, 0xc1], // a reserved byte
            &[0xdf, 0xff, 0xff, 0xff, 0xff, 2, 0, 1, 0],
        ] {
            assert_eq!(sorted(value), value, "{value:02x?}");
        }
    }
}
