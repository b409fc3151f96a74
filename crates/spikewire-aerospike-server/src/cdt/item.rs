//! Single values inside lists and maps: order, stored form, arithmetic.

use std::cmp::Ordering;

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::cdt::{flags, take};
use spikewire_aerospike_protocol::msgpack::{self, Reader, Token};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use crate::outcome::ReplyValue;
use crate::value::order::floats;
use crate::value::{collection, geo};

/// Deepest nesting of a bin.
pub const DEPTH: usize = 200;
const NESTED_TOO_DEEP: Malformed = Malformed::new("list or map", "nested too deep");
/// Ends a comparison at a wildcard, which makes the whole values equal.
const WILDCARD: Malformed = Malformed::new("value", "a wildcard");

/// Compares two complete values that are nested no deeper than [`DEPTH`]. As on servers, a wildcard
/// equals any one value, and everything that follows it at any level is not compared.
pub fn compare(a: &[u8], b: &[u8]) -> Ordering {
    compare_orders(a, b).0
}

/// Compares; also returns whether it came to a map, in either, that is neither empty nor ordered by
/// key. What follows the difference that decides does not count.
pub fn compare_orders(a: &[u8], b: &[u8]) -> (Ordering, bool) {
    let mut unordered = false;
    let order = compare_next(&mut Reader::new(a), &mut Reader::new(b), DEPTH + 2, &mut unordered);
    (order.unwrap_or(Ordering::Equal), unordered)
}

/// Compares the next values. If they are equal, both readers are after theirs.
fn compare_next(
    a: &mut Reader<'_>,
    b: &mut Reader<'_>,
    depth: usize,
    unordered: &mut bool,
) -> Result<Ordering, Malformed> {
    let depth = depth.checked_sub(1).ok_or(NESTED_TOO_DEEP)?;
    if is_wildcard(a.rest()) || is_wildcard(b.rest()) {
        return Err(WILDCARD);
    }
    let (left, right) = (a.next()?, b.next()?);
    *unordered |= is_unordered(&left, a.rest()) || is_unordered(&right, b.rest());
    let ranks = rank(&left).cmp(&rank(&right));
    if ranks.is_ne() {
        return Ok(ranks);
    }
    Ok(match (left, right) {
        (Token::Int(left), Token::Int(right)) => left.cmp(&right),
        (Token::UInt(left), Token::UInt(right)) => left.cmp(&right),
        (Token::Int(_), Token::UInt(_)) => Ordering::Less,
        (Token::UInt(_), Token::Int(_)) => Ordering::Greater,
        (Token::Float(left), Token::Float(right)) => floats(left, right),
        (Token::Bytes(_, left), Token::Bytes(_, right)) => left.cmp(right),
        (Token::Ext(kind, left), Token::Ext(other, right)) => (kind, left).cmp(&(other, right)),
        (Token::Array(left), Token::Array(right)) => {
            let left = left - u32::from(left > 0 && a.skip_flags());
            let right = right - u32::from(right > 0 && b.skip_flags());
            for _ in 0..left.min(right) {
                let order = compare_next(a, b, depth, unordered)?;
                if order.is_ne() {
                    return Ok(order);
                }
            }
            left.cmp(&right)
        }
        (Token::Map(left), Token::Map(right)) => {
            let left = pairs(a, left)?;
            let right = pairs(b, right)?;
            if left != right {
                return Ok(left.cmp(&right));
            }
            for _ in 0..u64::from(left) * 2 {
                let order = compare_next(a, b, depth, unordered)?;
                if order.is_ne() {
                    return Ok(order);
                }
            }
            Ordering::Equal
        }
        _ => Ordering::Equal,
    })
}

fn pairs(reader: &mut Reader<'_>, announced: u32) -> Result<u32, Malformed> {
    if announced > 0 && reader.skip_flags() {
        take(reader)?;
        return Ok(announced - 1);
    }
    Ok(announced)
}

/// Whether a map whose pairs are to come has some, and they are not ordered by key.
fn is_unordered(token: &Token<'_>, rest: &[u8]) -> bool {
    matches!(token, Token::Map(1..))
        && !matches!(rest, [0xc7, _, order, ..] if order & flags::ORDERED != 0)
}

fn is_wildcard(bytes: &[u8]) -> bool {
    matches!(bytes, [0xd4, 0xff, 0, ..] | [0xc7, 1, 0xff, 0, ..])
}

/// The rank of a value's type in the order; byte strings are ordered by particle type.
fn rank(token: &Token<'_>) -> (u8, u8) {
    match token {
        Token::Nil => (0, 0),
        Token::Bool(false) => (1, 0),
        Token::Bool(true) => (2, 0),
        Token::Int(_) | Token::UInt(_) => (3, 0),
        Token::Bytes(particle::STRING, _) => (4, 0),
        Token::Array(_) => (5, 0),
        Token::Map(_) => (6, 0),
        Token::Bytes(particle::GEOJSON, _) => (9, 0),
        Token::Bytes(particle, _) => (7, *particle),
        Token::Float(_) => (8, 0),
        Token::Ext(0xff, [1]) => (11, 0),
        Token::Ext(..) => (10, 0),
    }
}

/// The nesting depth of a value.
pub fn depth(value: &[u8]) -> usize {
    let mut reader = Reader::new(value);
    let mut open: Vec<u64> = Vec::new();
    let mut deepest = 0;
    while let Ok(token) = reader.next() {
        let items = match token {
            Token::Array(count) => u64::from(count),
            Token::Map(count) => 2 * u64::from(count),
            _ => 0,
        };
        if matches!(token, Token::Array(_) | Token::Map(_)) {
            deepest = deepest.max(open.len() + 1);
        }
        if let Some(left) = open.last_mut() {
            *left -= 1;
        }
        if items > 0 {
            open.push(items);
        }
        while open.last() == Some(&0) {
            open.pop();
        }
    }
    deepest
}

/// The stored form of a value; fails for values that cannot be stored.
pub fn stored(value: &[u8]) -> Result<Vec<u8>, ResultCode> {
    // Stored as the only element of a list, whose first byte is then removed.
    let list = [&[0x91], value].concat();
    let mut out = Vec::with_capacity(list.len());
    collection::store(&mut out, particle::LIST, &list).map_err(|_| ResultCode::PARAMETER)?;
    if out.first() != Some(&0x91) {
        return Err(ResultCode::PARAMETER);
    }
    out.remove(0);
    Ok(out)
}

/// A value to search for, as it was sent. Unlike a stored one, it may contain wildcards and
/// infinity, and its maps are in any order: servers sort what they store, not what they are asked
/// for, so a map whose keys are not sorted equals no stored one.
pub fn sought(value: &[u8]) -> Result<&[u8], ResultCode> {
    if depth(value) < DEPTH { Ok(value) } else { Err(ResultCode::PARAMETER) }
}

/// The stored form of a map key.
pub fn key(value: &[u8]) -> Result<Vec<u8>, ResultCode> {
    match Reader::new(value).next() {
        Ok(Token::Int(_) | Token::UInt(_) | Token::Bytes(particle::STRING | particle::BLOB, _)) => {
            stored(value)
        }
        _ => Err(ResultCode::PARAMETER),
    }
}

enum Number {
    Int(i64),
    Float(f64),
}

fn number(value: &[u8]) -> Result<Number, ResultCode> {
    match Reader::new(value).next() {
        Ok(Token::Int(int)) => Ok(Number::Int(int)),
        Ok(Token::UInt(int)) => Ok(Number::Int(int as i64)),
        Ok(Token::Float(float)) => Ok(Number::Float(float)),
        _ => Err(ResultCode::PARAMETER),
    }
}

/// An element with `delta` added (1 by default), or `delta` itself if there is no element. The
/// element keeps its type.
pub fn add(
    element: Option<&[u8]>,
    delta: Option<&[u8]>,
    negate: bool,
) -> Result<Vec<u8>, ResultCode> {
    let delta = match delta.map_or(Ok(Number::Int(1)), number)? {
        Number::Int(int) if negate => Number::Int(int.wrapping_neg()),
        Number::Float(float) if negate => Number::Float(-float),
        delta => delta,
    };
    let sum = match (element.map(number).transpose()?, delta) {
        (None, delta) => delta,
        (Some(Number::Int(int)), Number::Int(delta)) => Number::Int(int.wrapping_add(delta)),
        (Some(Number::Int(int)), Number::Float(delta)) => {
            Number::Int(int.wrapping_add(delta as i64))
        }
        (Some(Number::Float(float)), Number::Int(delta)) => Number::Float(float + delta as f64),
        (Some(Number::Float(float)), Number::Float(delta)) => Number::Float(float + delta),
    };
    let mut out = Vec::new();
    match sum {
        Number::Int(int) => msgpack::int(&mut out, int),
        Number::Float(float) => msgpack::float(&mut out, float),
    }
    Ok(out)
}

/// An element as a result; nil is none.
pub fn reply_value(element: &[u8]) -> Option<ReplyValue> {
    let (particle, value) = match Reader::new(element).next().ok()? {
        Token::Nil => return None,
        Token::Bool(flag) => (particle::BOOL, vec![u8::from(flag)]),
        Token::Int(int) => return Some(ReplyValue::int(int)),
        Token::UInt(int) => return Some(ReplyValue::int(int as i64)),
        Token::Float(float) => (particle::FLOAT, float.to_be_bytes().to_vec()),
        Token::Bytes(particle::GEOJSON, text) => (particle::GEOJSON, geojson(text)),
        Token::Bytes(particle, bytes) => (particle, bytes.to_vec()),
        Token::Array(_) => (particle::LIST, element.to_vec()),
        Token::Map(_) => (particle::MAP, element.to_vec()),
        Token::Ext(_, bytes) => (particle::BLOB, bytes.to_vec()),
    };
    Some(ReplyValue { particle, value })
}

fn geojson(text: &[u8]) -> Vec<u8> {
    let bare = [&[0, 0, 0], text].concat();
    let mut out = Vec::with_capacity(bare.len());
    if geo::store(&mut out, &bare).is_ok() { out } else { bare }
}
