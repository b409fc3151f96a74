//! An element of a list or map, as the expressions of a path see it.

use std::borrow::Cow;

use spikewire_aerospike_protocol::expression::{LoopPart, Type};
use spikewire_aerospike_protocol::msgpack::{Reader, Token};
use spikewire_aerospike_protocol::value::particle;

use crate::cdt::container::{Container, ContainerKind};
use crate::expression::Val;

/// An element.
#[derive(Debug, Clone, Copy)]
pub struct Element<'a> {
    /// Its key in a map.
    key: Option<&'a [u8]>,
    /// Its value.
    value: &'a [u8],
    /// Its index in a list.
    index: Option<usize>,
}

impl<'a> Element<'a> {
    /// The element of a container at an index.
    pub fn of(container: &Container<'a>, at: usize) -> Self {
        let index = (container.kind == ContainerKind::List).then_some(at);
        Self { key: container.keys.get(at).copied(), value: container.values[at], index }
    }

    /// A loop variable; unknown if it is of another type, or if the element has no such thing.
    pub fn variable(&self, kind: Type, part: LoopPart) -> Val<'a> {
        match part {
            LoopPart::Key => self.key.map_or(Val::Unknown, |key| unpack(kind, key)),
            LoopPart::Value => unpack(kind, self.value),
            LoopPart::Index => self.index.map_or(Val::Unknown, |index| Val::Int(index as i64)),
        }
    }
}

/// A value inside a list or map; unknown if it is of another type.
fn unpack(kind: Type, packed: &[u8]) -> Val<'_> {
    let Ok(token) = Reader::new(packed).next() else { return Val::Unknown };
    match (token, kind) {
        (Token::Nil, Type::Nil) => Val::Nil,
        (Token::Bool(flag), Type::Bool) => Val::Bool(flag),
        (Token::Int(int), Type::Int) => Val::Int(int),
        (Token::UInt(int), Type::Int) => Val::Int(int as i64),
        (Token::Float(float), Type::Float) => Val::Float(float),
        (Token::Bytes(particle::STRING, bytes), Type::Str)
        | (Token::Bytes(particle::BLOB, bytes), Type::Blob)
        | (Token::Bytes(particle::GEOJSON, bytes), Type::Geo)
        | (Token::Bytes(particle::HLL, bytes), Type::Hll) => Val::Bytes(kind, Cow::Borrowed(bytes)),
        (Token::Array(_), Type::List) | (Token::Map(_), Type::Map) => {
            Val::Packed(kind, Cow::Borrowed(packed))
        }
        _ => Val::Unknown,
    }
}
