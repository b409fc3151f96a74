//! The order in which servers keep the elements of sets and the keys of maps, and values in it.
//!
//! A server sorts what it is sent. A client that computes a partition's token from a set or a map
//! has to do the same.

use std::cmp::Ordering;

use crate::notation::Reader;
use crate::types::Type;

/// Whether values of this type contain sets or maps that servers sort: not those in tuples and
/// user-defined types, whose components they keep as they are sent.
pub fn has_order(ty: &Type) -> bool {
    match ty {
        Type::Set(_) | Type::Map(_) => true,
        Type::List(element) => has_order(element),
        Type::Vector(vector) => has_order(&vector.element),
        _ => false,
    }
}

/// The bytes of a value with its sets and maps as a server keeps them: sorted, and without
/// repetitions. `None` if they are malformed, or of types whose order is not known here.
pub fn in_order(ty: &Type, bytes: &[u8]) -> Option<Vec<u8>> {
    if !has_order(ty) {
        return Some(bytes.to_vec());
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut reader = Reader(bytes);
    match ty {
        Type::List(element) => {
            let count = reader.int().ok()?;
            put_int(&mut out, count);
            (0..count).try_for_each(|_| put_part(&mut out, element, part(&mut reader)?))?;
        }
        Type::Set(element) => {
            let count = reader.int().ok()?;
            let mut all = (0..count)
                .map(|_| in_order(element, part(&mut reader)??))
                .collect::<Option<Vec<_>>>()?;
            sort(&mut all, element, Vec::as_slice)?;
            all.dedup();
            put_int(&mut out, i32::try_from(all.len()).ok()?);
            all.iter().try_for_each(|one| put_bytes(&mut out, one))?;
        }
        Type::Map(pair) => {
            let count = reader.int().ok()?;
            let mut all = (0..count)
                .map(|_| {
                    let key = in_order(&pair.0, part(&mut reader)??)?;
                    Some((key, in_order(&pair.1, part(&mut reader)??)?))
                })
                .collect::<Option<Vec<_>>>()?;
            sort(&mut all, &pair.0, |(key, _)| key)?;
            // The last of several values for one key counts.
            all.reverse();
            all.dedup_by(|one, other| one.0 == other.0);
            all.reverse();
            put_int(&mut out, i32::try_from(all.len()).ok()?);
            for (key, value) in &all {
                put_bytes(&mut out, key)?;
                put_bytes(&mut out, value)?;
            }
        }
        // A vector of sets.
        _ => return None,
    }
    reader.is_empty().then_some(out)
}

/// Sorts values of this type; `None` if their order is not known.
fn sort<T>(all: &mut [T], ty: &Type, key: impl Fn(&T) -> &[u8]) -> Option<()> {
    let mut known = true;
    all.sort_by(|one, other| {
        compare(ty, key(one), key(other)).unwrap_or_else(|| {
            known = false;
            Ordering::Equal
        })
    });
    known.then_some(())
}

/// Compares two values of a type, whose own sets and maps are sorted.
fn compare(ty: &Type, one: &[u8], other: &[u8]) -> Option<Ordering> {
    if one.is_empty() || other.is_empty() {
        return Some(one.len().cmp(&other.len()));
    }
    Some(match ty {
        Type::Ascii
        | Type::Text
        | Type::Blob
        | Type::Boolean
        | Type::Date
        | Type::Inet
        | Type::Custom(_) => one.cmp(other),
        Type::Tinyint
        | Type::Smallint
        | Type::Int
        | Type::Bigint
        | Type::Counter
        | Type::Time
        | Type::Timestamp => signed(one, other),
        Type::Varint => integers(one, other),
        Type::Float => {
            let read = |bytes: &[u8]| Some(f32::from_be_bytes(bytes.try_into().ok()?).into());
            floats(read(one)?, read(other)?)
        }
        Type::Double => {
            let read = |bytes: &[u8]| Some(f64::from_be_bytes(bytes.try_into().ok()?));
            floats(read(one)?, read(other)?)
        }
        Type::Uuid => uuids(one.try_into().ok()?, other.try_into().ok()?),
        Type::Timeuuid => {
            let (one, other): ([u8; 16], [u8; 16]) = (one.try_into().ok()?, other.try_into().ok()?);
            let rest = |id: [u8; 16]| -> [u8; 8] { std::array::from_fn(|at| id[8 + at] ^ 0x80) };
            time_of(one).cmp(&time_of(other)).then(rest(one).cmp(&rest(other)))
        }
        Type::List(element) | Type::Set(element) => elements(&[element], one, other)?,
        Type::Map(pair) => elements(&[&pair.0, &pair.1], one, other)?,
        Type::Tuple(types) => components(types.iter(), one, other)?,
        Type::Udt(udt) => components(udt.fields.iter().map(|(_, ty)| ty), one, other)?,
        Type::Decimal | Type::Duration | Type::Vector(_) => return None,
    })
}

/// Integers of one length.
fn signed(one: &[u8], other: &[u8]) -> Ordering {
    (one[0].cast_signed(), &one[1..]).cmp(&(other[0].cast_signed(), &other[1..]))
}

/// Integers of any length.
fn integers(one: &[u8], other: &[u8]) -> Ordering {
    let is_negative = |bytes: &[u8]| bytes[0] >= 0x80;
    // Without the bytes that only repeat the sign.
    let significant = |bytes: &'_ [u8]| {
        let sign = if is_negative(bytes) { 0xff } else { 0 };
        bytes.iter().position(|byte| *byte != sign).unwrap_or(bytes.len())
    };
    match (is_negative(one), is_negative(other)) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        (negative, _) => {
            let (one, other) = (&one[significant(one)..], &other[significant(other)..]);
            let longer = one.len().cmp(&other.len());
            let longer = if negative { longer.reverse() } else { longer };
            longer.then_with(|| one.cmp(other))
        }
    }
}

/// As Java compares them: not a number is the greatest.
fn floats(one: f64, other: f64) -> Ordering {
    match (one.is_nan(), other.is_nan()) {
        (false, false) => one.total_cmp(&other),
        (one, other) => one.cmp(&other),
    }
}

/// The time in a UUID of version 1, with its version.
fn time_of(id: [u8; 16]) -> [u8; 8] {
    [id[6], id[7], id[4], id[5], id[0], id[1], id[2], id[3]]
}

/// By version first; those of version 1 by their time.
fn uuids(one: [u8; 16], other: [u8; 16]) -> Ordering {
    let version = |id: [u8; 16]| id[6] >> 4;
    version(one).cmp(&version(other)).then_with(|| {
        let first = |id: [u8; 16]| -> [u8; 8] {
            if version(id) == 1 { time_of(id) } else { std::array::from_fn(|at| id[at]) }
        };
        first(one).cmp(&first(other)).then_with(|| one[8..].cmp(&other[8..]))
    })
}

/// Collections: element by element, then by length.
fn elements(types: &[&Type], one: &[u8], other: &[u8]) -> Option<Ordering> {
    let (mut one, mut other) = (Reader(one), Reader(other));
    let (ones, others) = (one.int().ok()?, other.int().ok()?);
    for _ in 0..ones.min(others) {
        for ty in types {
            let order = parts(ty, part(&mut one)?, part(&mut other)?)?;
            if order != Ordering::Equal {
                return Some(order);
            }
        }
    }
    Some(ones.cmp(&others))
}

/// Tuples and user-defined types: component by component, where null is the least.
fn components<'a>(
    types: impl Iterator<Item = &'a Type>,
    one: &[u8],
    other: &[u8],
) -> Option<Ordering> {
    let (mut one, mut other) = (Reader(one), Reader(other));
    for ty in types {
        let order = parts(ty, component(&mut one)?, component(&mut other)?)?;
        if order != Ordering::Equal {
            return Some(order);
        }
    }
    Some(Ordering::Equal)
}

fn parts(ty: &Type, one: Option<&[u8]>, other: Option<&[u8]>) -> Option<Ordering> {
    match (one, other) {
        (Some(one), Some(other)) => compare(ty, one, other),
        (one, other) => Some(one.is_some().cmp(&other.is_some())),
    }
}

/// The next part of a collection or a tuple: `None` within if it is null.
#[expect(clippy::option_option, reason = "malformed, or null")]
fn part<'a>(reader: &mut Reader<'a>) -> Option<Option<&'a [u8]>> {
    reader.bytes().ok()
}

/// The next component, which may be missing at the end.
#[expect(clippy::option_option, reason = "malformed, or null")]
fn component<'a>(reader: &mut Reader<'a>) -> Option<Option<&'a [u8]>> {
    if reader.is_empty() { Some(None) } else { part(reader) }
}

fn put_int(out: &mut Vec<u8>, number: i32) {
    out.extend_from_slice(&number.to_be_bytes());
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) -> Option<()> {
    put_int(out, i32::try_from(bytes.len()).ok()?);
    out.extend_from_slice(bytes);
    Some(())
}

fn put_part(out: &mut Vec<u8>, ty: &Type, part: Option<&[u8]>) -> Option<()> {
    if let Some(bytes) = part {
        put_bytes(out, &in_order(ty, bytes)?)
    } else {
        put_int(out, -1);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collection(parts: &[&[u8]], per_element: usize) -> Vec<u8> {
        let mut out = Vec::new();
        put_int(&mut out, (parts.len() / per_element) as i32);
        parts.iter().for_each(|part| put_bytes(&mut out, part).unwrap());
        out
    }

    fn sorted(ty: &Type, parts: &[&[u8]]) -> Vec<Vec<u8>> {
        let sorted_set = in_order(&Type::set(ty.clone()), &collection(parts, 1)).unwrap();
        let mut reader = Reader(&sorted_set);
        let count = reader.int().unwrap();
        (0..count).map(|_| part(&mut reader).unwrap().unwrap().to_vec()).collect()
    }

    #[test]
    fn sets_are_sorted_without_repetitions() {
        let ints: [i32; 5] = [5, -1, 0, i32::MIN, 5];
        let bytes = ints.map(i32::to_be_bytes);
        let all: Vec<&[u8]> = bytes.iter().map(<[u8; 4]>::as_slice).collect();
        let expected: Vec<_> =
            [i32::MIN, -1, 0, 5].iter().map(|int| int.to_be_bytes().to_vec()).collect();
        assert_eq!(sorted(&Type::Int, &all), expected);
        assert_eq!(sorted(&Type::Text, &[b"pear", b"Fig", b"pe"]), [&b"Fig"[..], b"pe", b"pear"]);
        // -256, -1, 0, 255, 256
        let varints: [&[u8]; 5] = [b"\x01\0", b"\xff", b"\0\xff", b"\xff\0", b"\0"];
        let expected: [&[u8]; 5] = [b"\xff\0", b"\xff", b"\0", b"\0\xff", b"\x01\0"];
        assert_eq!(sorted(&Type::Varint, &varints), expected);
        let floats = [f64::NAN, 1.0, -0.0, f64::NEG_INFINITY, 0.0].map(f64::to_be_bytes);
        let all: Vec<&[u8]> = floats.iter().map(<[u8; 8]>::as_slice).collect();
        let expected = [floats[3], floats[2], floats[4], floats[1], floats[0]];
        assert_eq!(sorted(&Type::Double, &all), expected);
    }

    #[test]
    fn maps_are_sorted_by_their_keys_at_any_depth() {
        let ty = Type::map(Type::Text, Type::set(Type::Text));
        let [two, one] = [collection(&[b"y", b"x"], 1), collection(&[b"a"], 1)];
        let sorted = collection(&[b"x", b"y"], 1);
        let unordered = collection(&[b"pear", &two, b"apple", &one], 2);
        assert_eq!(
            in_order(&ty, &unordered),
            Some(collection(&[b"apple", &one, b"pear", &sorted], 2))
        );
        let twice = collection(&[b"pear", &one, b"pear", &two], 2);
        assert_eq!(in_order(&ty, &twice), Some(collection(&[b"pear", &sorted], 2)));
    }

    #[test]
    fn malformed_and_unordered_types_are_left_unsorted() {
        let ty = Type::set(Type::Int);
        assert_eq!(in_order(&ty, b"\0\0\0\x02\0\0\0\x04\0\0\0\x01"), None);
        assert_eq!(in_order(&ty, b"\xff\xff\xff\xff"), Some(b"\0\0\0\0".to_vec()));
        let decimals = collection(&[b"\0\0\0\0\x01", b"\0\0\0\0\x02"], 1);
        assert_eq!(in_order(&Type::set(Type::Decimal), &decimals), None);
        assert_eq!(in_order(&Type::Int, b"\0\0\0\x01"), Some(b"\0\0\0\x01".to_vec()));
    }
}
