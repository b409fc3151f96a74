//! The order of values.

use std::cmp::Ordering;

use spikewire_aerospike_protocol::cdt::elements;
use spikewire_aerospike_protocol::expression::{Op, Type};
use spikewire_aerospike_protocol::msgpack::{self, Reader, Token};

use super::Val;
use crate::cdt::item;

/// A map whose pairs are sorted by key.
const KEY_ORDERED: u8 = 0x01;

/// Compares two values of one type; unknown if they cannot be compared.
pub(super) fn compare<'a>(op: Op, a: &Val<'_>, b: &Val<'_>) -> Val<'a> {
    let order = match (a, b) {
        (Val::Nil, Val::Nil) => Some(Ordering::Equal),
        (Val::Bool(a), Val::Bool(b)) => Some(a.cmp(b)),
        (Val::Int(a), Val::Int(b)) => Some(a.cmp(b)),
        // NaN is not equal to anything.
        (Val::Float(a), Val::Float(b)) => a.partial_cmp(b),
        (Val::Bytes(_, a), Val::Bytes(_, b)) => Some(a.cmp(b)),
        (Val::Packed(of_a, a), Val::Packed(_, b)) => {
            let comparable = is_comparable(a) && is_comparable(b);
            match (of_a, comparable) {
                (_, true) => Some(item::compare(a, b)),
                // Lists that contain such a map are ordered, but equal to none.
                (Type::List, false) => Some(item::compare(a, b)).filter(|order| order.is_ne()),
                _ => return Val::Unknown,
            }
        }
        _ => return Val::Unknown,
    };
    Val::Bool(match op {
        Op::Eq => order.is_some_and(Ordering::is_eq),
        Op::Ne => order.is_none_or(Ordering::is_ne),
        Op::Gt => order.is_some_and(Ordering::is_gt),
        Op::Ge => order.is_some_and(Ordering::is_ge),
        Op::Lt => order.is_some_and(Ordering::is_lt),
        _ => order.is_some_and(Ordering::is_le),
    })
}

/// Whether a list contains a value.
pub(super) fn is_in<'a>(value: &Val<'_>, list: &[u8]) -> Val<'a> {
    let mut sought = Vec::new();
    if !pack(value, &mut sought) || !is_comparable(&sought) {
        return Val::Unknown;
    }
    match elements(list) {
        Ok(Some(elements)) => {
            let is_it = |element: &&[u8]| item::compare(element, &sought).is_eq();
            Val::Bool(elements.iter().any(|element| is_it(element) && is_comparable(element)))
        }
        _ => Val::Unknown,
    }
}

/// Whether a list or map can be compared: every map in it is empty or ordered by key, and it is
/// not nested deeper than a bin may be.
fn is_comparable(packed: &[u8]) -> bool {
    let mut reader = Reader::new(packed);
    while !reader.is_at_end() {
        reader.skip_flags();
        match reader.next() {
            Ok(Token::Map(0)) => {}
            Ok(Token::Map(count)) => match reader.flags() {
                Some(flags) if flags & KEY_ORDERED != 0 || count == 1 => {}
                _ => return false,
            },
            Ok(_) => {}
            Err(_) => return reader.is_at_end(),
        }
    }
    item::depth(packed) <= item::DEPTH
}

/// Appends a value as an element of a list; returns whether it can be one.
pub(super) fn pack(value: &Val<'_>, out: &mut Vec<u8>) -> bool {
    match value {
        Val::Unknown => return false,
        Val::Nil => msgpack::nil(out),
        Val::Bool(flag) => msgpack::boolean(out, *flag),
        Val::Int(int) => msgpack::int(out, *int),
        Val::Float(float) => msgpack::float(out, *float),
        Val::Bytes(kind, bytes) => msgpack::bytes(out, kind.particle(), bytes),
        Val::Packed(_, bytes) => out.extend_from_slice(bytes),
    }
    true
}
