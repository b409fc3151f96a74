//! Indexed values and their keys.
//!
//! A key has 64 bits. Integers keep their order; strings and blobs are hashed; points become the
//! smallest cell of the sphere that contains them, so that near points have near numbers. A region
//! has the cells that cover it as its keys.

use s2::cellid::CellID;
use spikewire_aerospike_protocol::expression::Type;
use spikewire_aerospike_protocol::msgpack::{Reader, Token};
use spikewire_aerospike_protocol::value::{geojson_text, particle, read_int};

use crate::expression::Val;
use crate::hash::{fnv, mix};
use crate::value::geo::{Shape, covering};

/// Maximum length of an indexed string or blob.
pub const LONGEST: usize = 2048;
/// Maximum number of cells per region, as on servers.
const CELLS: usize = 12;
const SIGN: u64 = 1 << 63;

/// The types of indexed values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyType {
    /// Integers.
    Int,
    /// Strings.
    Str,
    /// Blobs.
    Blob,
    /// `GeoJSON`.
    Geo,
}

impl KeyType {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Int, Self::Str, Self::Blob, Self::Geo];

    /// The name in info commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "numeric",
            Self::Str => "string",
            Self::Blob => "blob",
            Self::Geo => "geo2dsphere",
        }
    }

    /// The particle type of such values.
    pub fn particle(self) -> u8 {
        self.value_type().particle()
    }

    /// The type of such values in expressions.
    pub fn value_type(self) -> Type {
        match self {
            Self::Int => Type::Int,
            Self::Str => Type::Str,
            Self::Blob => Type::Blob,
            Self::Geo => Type::Geo,
        }
    }

    /// A key as shown in the protocol: integers are themselves.
    pub fn wire_key(self, key: u64) -> u64 {
        if self == Self::Int { key ^ SIGN } else { key }
    }
}

/// An indexed value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Key<'a> {
    /// An integer.
    Int(i64),
    /// A string or blob.
    Bytes(&'a [u8]),
    /// `GeoJSON` text.
    Geo(&'a [u8]),
}

impl<'a> Key<'a> {
    /// The value of a bin; `None` if it has another type.
    pub fn of_particle(kind: KeyType, of: u8, bytes: &'a [u8]) -> Option<Self> {
        if of != kind.particle() {
            return None;
        }
        match kind {
            KeyType::Int => read_int(bytes).ok().map(Self::Int),
            KeyType::Str | KeyType::Blob => Some(Self::Bytes(bytes)),
            KeyType::Geo => geojson_text(bytes).ok().map(Self::Geo),
        }
    }

    /// A value from inside a list or map.
    pub fn of_nested(kind: KeyType, value: &'a [u8]) -> Option<Self> {
        match (Reader::new(value).next().ok()?, kind) {
            (Token::Int(int), KeyType::Int) => Some(Self::Int(int)),
            (Token::Bytes(of, bytes), KeyType::Str | KeyType::Blob) if of == kind.particle() => {
                Some(Self::Bytes(bytes))
            }
            (Token::Bytes(particle::GEOJSON, text), KeyType::Geo) => Some(Self::Geo(text)),
            _ => None,
        }
    }

    /// The result of an expression.
    pub fn of_value(kind: KeyType, value: &'a Val<'_>) -> Option<Self> {
        match (value, kind) {
            (Val::Int(int), KeyType::Int) => Some(Self::Int(*int)),
            (Val::Bytes(Type::Str, bytes), KeyType::Str)
            | (Val::Bytes(Type::Blob, bytes), KeyType::Blob) => Some(Self::Bytes(bytes)),
            (Val::Bytes(Type::Geo, text), KeyType::Geo) => Some(Self::Geo(text)),
            _ => None,
        }
    }

    /// Passes every key of the value to `with`: one, or several for a region. None if it is not
    /// indexed: too long, or an unknown shape.
    pub fn numbers(&self, mut with: impl FnMut(u64)) {
        match *self {
            Self::Int(int) => with(int as u64 ^ SIGN),
            Self::Bytes(bytes) if bytes.len() > LONGEST => {}
            Self::Bytes(bytes) => with(mix(fnv(bytes))),
            Self::Geo(text) => match Shape::read(text) {
                Some(Shape::Point(point)) => with(CellID::from(point).0),
                Some(Shape::Region(region)) => {
                    covering(&region, CELLS).iter().for_each(|cell| with(cell.0));
                }
                None => {}
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(key: &Key<'_>) -> Vec<u64> {
        let mut numbers = Vec::new();
        key.numbers(|number| numbers.push(number));
        numbers
    }

    #[test]
    fn index_keys_sort_as_their_integers() {
        let number = |int| numbers(&Key::Int(int))[0];
        let rising = [i64::MIN, -5, -1, 0, 1, 7, i64::MAX].map(number);
        assert!(rising.is_sorted_by(|a, b| a < b));
        assert_eq!(KeyType::Int.wire_key(number(-5)) as i64, -5);
    }

    #[test]
    fn near_points_have_near_keys() {
        let point = |longitude: f64| {
            let text = format!(r#"{{"type":"Point","coordinates":[{longitude},50.0]}}"#);
            numbers(&Key::Geo(text.as_bytes()))[0]
        };
        assert!(point(10.0).abs_diff(point(10.000_001)) < point(10.0).abs_diff(point(100.0)));
        let circle = br#"{"type":"AeroCircle","coordinates":[[1,2],3]}"#;
        let covered = numbers(&Key::Geo(circle));
        assert!((1..=CELLS).contains(&covered.len()), "{covered:?}");
        let center = numbers(&Key::Geo(br#"{"type":"Point","coordinates":[1,2]}"#))[0];
        let holds = |cell: &&u64| CellID(**cell).contains(&CellID(center));
        assert_eq!(covered.iter().filter(holds).count(), 1);
        assert!(numbers(&Key::Geo(b"{}")).is_empty());
    }

    #[test]
    fn values_of_another_type_and_long_values_are_not_indexed() {
        assert_eq!(Key::of_particle(KeyType::Int, particle::STRING, b"x"), None);
        assert_eq!(Key::of_particle(KeyType::Str, particle::BLOB, b"x"), None);
        assert_eq!(Key::of_nested(KeyType::Int, &[0xc0]), None);
        assert_eq!(Key::of_nested(KeyType::Int, &[5]), Some(Key::Int(5)));
        assert_eq!(numbers(&Key::Bytes(&[0; LONGEST])).len(), 1);
        assert!(numbers(&Key::Bytes(&[0; LONGEST + 1])).is_empty());
    }
}
