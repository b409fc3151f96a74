//! The total order of values inside lists and maps.
//!
//! nil < false < true < integers < strings < lists < maps < blobs and other bytes by type < floats <
//! `GeoJSON` < other ext items < wildcard < infinity.

use std::cmp::Ordering;

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::msgpack::{Reader, Token};
use spikewire_aerospike_protocol::value::particle;

/// Compares the next value of two readers. Both are after their value afterwards, unless the result
/// was clear earlier. Nesting is followed no deeper than `depth`.
pub fn compare(
    a: &mut Reader<'_>,
    b: &mut Reader<'_>,
    depth: usize,
) -> Result<Ordering, Malformed> {
    let depth = depth.checked_sub(1).ok_or(Malformed::new("list or map", "nested too deep"))?;
    let (left, right) = (a.next()?, b.next()?);
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
                let order = compare(a, b, depth)?;
                if order.is_ne() {
                    return Ok(order);
                }
            }
            left.cmp(&right)
        }
        (Token::Map(left), Token::Map(right)) => {
            let left = map_len(a, left)?;
            let right = map_len(b, right)?;
            if left != right {
                return Ok(left.cmp(&right));
            }
            for _ in 0..u64::from(left) * 2 {
                let order = compare(a, b, depth)?;
                if order.is_ne() {
                    return Ok(order);
                }
            }
            Ordering::Equal
        }
        _ => Ordering::Equal,
    })
}

/// NaN comes before all others; the two zeros are equal.
pub fn floats(left: f64, right: f64) -> Ordering {
    left.partial_cmp(&right).unwrap_or_else(|| right.is_nan().cmp(&left.is_nan()))
}

fn map_len(reader: &mut Reader<'_>, announced: u32) -> Result<u32, Malformed> {
    if announced > 0 && reader.skip_flags() {
        reader.next()?;
        return Ok(announced - 1);
    }
    Ok(announced)
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
        Token::Ext(0xff, [0]) => (11, 0),
        Token::Ext(0xff, [1]) => (12, 0),
        Token::Ext(..) => (10, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spikewire_aerospike_protocol::value::Value;

    #[test]
    fn values_of_all_types_have_one_order() {
        let text = |text: &str| Value::Str(text.to_owned());
        let rising = [
            Value::Nil,
            Value::Bool(false),
            Value::Bool(true),
            Value::Int(i64::MIN),
            Value::Int(-1),
            Value::Int(0),
            Value::Int(300),
            text(""),
            text("a"),
            text("aa"),
            text("b"),
            Value::List(vec![]),
            Value::List(vec![Value::Int(1)]),
            Value::List(vec![Value::Int(1), Value::Nil]),
            Value::List(vec![Value::Int(2)]),
            Value::Map(vec![]),
            Value::Map(vec![(Value::Int(9), Value::Int(1))]),
            Value::Map(vec![(Value::Int(1), Value::Nil), (Value::Int(2), Value::Nil)]),
            Value::Bytes(vec![]),
            Value::Bytes(vec![1]),
            Value::Hll(vec![]),
            Value::Float(-1.5),
            Value::Float(2.0),
            Value::GeoJson(String::new()),
        ];
        let encoded: Vec<Vec<u8>> = rising
            .iter()
            .map(|value| {
                let mut out = Vec::new();
                value.encode_nested(&mut out);
                out
            })
            .collect();
        for (at, a) in encoded.iter().enumerate() {
            for (other, b) in encoded.iter().enumerate() {
                let order = compare(&mut Reader::new(a), &mut Reader::new(b), 9).unwrap();
                assert_eq!(order, at.cmp(&other), "{:?} against {:?}", rising[at], rising[other]);
            }
        }
    }
}
