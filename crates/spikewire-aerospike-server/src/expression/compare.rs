//! The order of values.

use std::cmp::Ordering;

use spikewire_aerospike_protocol::cdt::elements;
use spikewire_aerospike_protocol::expression::Op;
use spikewire_aerospike_protocol::msgpack;

use super::Val;
use crate::cdt::item;

/// Compares two values of one type; unknown if they cannot be compared.
pub(super) fn compare<'a>(op: Op, a: &Val<'_>, b: &Val<'_>) -> Val<'a> {
    let order = match (a, b) {
        (Val::Nil, Val::Nil) => Some(Ordering::Equal),
        (Val::Bool(a), Val::Bool(b)) => Some(a.cmp(b)),
        (Val::Int(a), Val::Int(b)) => Some(a.cmp(b)),
        // NaN is not equal to anything.
        (Val::Float(a), Val::Float(b)) => a.partial_cmp(b),
        (Val::Bytes(_, a), Val::Bytes(_, b)) => Some(a.cmp(b)),
        (Val::Packed(_, a), Val::Packed(_, b)) => {
            // Until a difference decides, maps must be empty or ordered by key.
            match item::compare_orders(a, b) {
                (order, false) if is_shallow(a) && is_shallow(b) => Some(order),
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
    if !pack(value, &mut sought) || !is_shallow(&sought) || !is_shallow(list) {
        return Val::Unknown;
    }
    match elements(list) {
        Ok(Some(elements)) => {
            Val::Bool(elements.iter().any(|element| item::compare(element, &sought).is_eq()))
        }
        _ => Val::Unknown,
    }
}

/// Whether a list or map is nested no deeper than a bin may be.
fn is_shallow(packed: &[u8]) -> bool {
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
