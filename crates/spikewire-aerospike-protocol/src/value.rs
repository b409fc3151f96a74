//! Bin values: the particle types of the wire and an owned value for Rust callers.
//!
//! The bindings and the server do not use [`Value`]: they convert particles directly from and to
//! their own representations. For the bindings, [`Encoding`] and [`decode()`] have the rules.

use crate::Malformed;

pub use crate::encoding::{ElementEncoding, Encoding, ParticleEncoding};
pub use crate::particle;
pub use crate::value_sink::{Entries, Items, ValueSink, decode};

/// A particle type number; see [`particle`].
pub type ParticleType = u8;

/// A bin value, owned.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// No value; writing it removes the bin.
    Nil,
    /// True or false.
    Bool(bool),
    /// 64-bit signed integer.
    Int(i64),
    /// 64-bit float.
    Float(f64),
    /// Text.
    Str(String),
    /// Raw bytes.
    Bytes(Vec<u8>),
    /// List of values.
    List(Vec<Value>),
    /// Map as pairs in wire order (the server returns them sorted by key).
    Map(Vec<(Value, Value)>),
    /// `GeoJSON` text.
    GeoJson(String),
    /// An opaque `HyperLogLog` sketch.
    Hll(Vec<u8>),
}

impl Value {
    /// The particle type this value is stored as.
    pub fn particle_type(&self) -> ParticleType {
        match self {
            Self::Nil => particle::NULL,
            Self::Bool(_) => particle::BOOL,
            Self::Int(_) => particle::INTEGER,
            Self::Float(_) => particle::FLOAT,
            Self::Str(_) => particle::STRING,
            Self::Bytes(_) => particle::BLOB,
            Self::List(_) => particle::LIST,
            Self::Map(_) => particle::MAP,
            Self::GeoJson(_) => particle::GEOJSON,
            Self::Hll(_) => particle::HLL,
        }
    }

    /// Appends the particle bytes and returns the particle type.
    pub fn encode(&self, out: &mut Vec<u8>) -> ParticleType {
        self.write::<ParticleEncoding>(out)
    }

    /// Appends this value as an element of a list or map.
    pub fn encode_nested(&self, out: &mut Vec<u8>) {
        self.write::<ElementEncoding>(out);
    }

    fn write<E: Encoding>(&self, out: &mut Vec<u8>) -> E::Tag {
        match self {
            Self::Nil => E::nil(out),
            Self::Bool(flag) => E::boolean(out, *flag),
            Self::Int(int) => E::integer(out, *int),
            Self::Float(float) => E::float(out, *float),
            Self::Str(text) => E::bytes(out, particle::STRING, text.as_bytes()),
            Self::Bytes(bytes) => E::bytes(out, particle::BLOB, bytes),
            Self::Hll(bytes) => E::bytes(out, particle::HLL, bytes),
            Self::GeoJson(text) => E::geojson(out, text),
            Self::List(items) => {
                let tag = E::list(out, items.len() as u32);
                items.iter().for_each(|item| item.encode_nested(out));
                tag
            }
            Self::Map(pairs) => {
                let tag = E::map(out, pairs.len() as u32);
                for (key, value) in pairs {
                    key.encode_nested(out);
                    value.encode_nested(out);
                }
                tag
            }
        }
    }

    /// Reads a particle.
    pub fn decode(particle: ParticleType, bytes: &[u8]) -> Result<Self, Malformed> {
        let value = decode(particle, bytes, &Values)?;
        if matches!(particle, particle::LIST | particle::MAP) && value.particle_type() != particle {
            return Err(Malformed::new("list or map", "not what its particle type says"));
        }
        Ok(value)
    }
}

/// The sink that creates [`Value`]s.
struct Values;

impl ValueSink for Values {
    type Value = Value;
    type Error = Malformed;

    fn malformed(&self, error: Malformed) -> Malformed {
        error
    }

    fn nil(&self) -> Result<Value, Malformed> {
        Ok(Value::Nil)
    }

    fn boolean(&self, value: bool) -> Result<Value, Malformed> {
        Ok(Value::Bool(value))
    }

    fn integer(&self, value: i64) -> Result<Value, Malformed> {
        Ok(Value::Int(value))
    }

    // Negative, as servers read it.
    fn unsigned(&self, value: u64) -> Result<Value, Malformed> {
        Ok(Value::Int(value.cast_signed()))
    }

    fn float(&self, value: f64) -> Result<Value, Malformed> {
        Ok(Value::Float(value))
    }

    fn text(&self, value: &[u8]) -> Result<Value, Malformed> {
        text(value).map(Value::Str)
    }

    fn blob(&self, value: &[u8]) -> Result<Value, Malformed> {
        Ok(Value::Bytes(value.to_vec()))
    }

    fn geojson(&self, value: &[u8]) -> Result<Value, Malformed> {
        text(value).map(Value::GeoJson)
    }

    fn hll(&self, value: &[u8]) -> Result<Value, Malformed> {
        Ok(Value::Hll(value.to_vec()))
    }

    fn list(&self, items: &mut Items<'_, '_, Self>) -> Result<Value, Malformed> {
        let mut list = Vec::with_capacity(items.capacity());
        for item in items {
            list.push(item?);
        }
        Ok(Value::List(list))
    }

    fn map(&self, entries: &mut Entries<'_, '_, Self>) -> Result<Value, Malformed> {
        let mut pairs = Vec::with_capacity(entries.capacity());
        for entry in entries {
            pairs.push(entry?);
        }
        Ok(Value::Map(pairs))
    }
}

/// The text of a `GeoJSON` particle, after the server's cells.
pub fn geojson_text(bytes: &[u8]) -> Result<&[u8], Malformed> {
    let head = bytes.first_chunk::<3>().ok_or(Malformed::new("GeoJSON", "shorter than 3 bytes"))?;
    let cells = u16::from_be_bytes([head[1], head[2]]) as usize;
    bytes.get(3 + 8 * cells..).ok_or(Malformed::new("GeoJSON", "cells run past the value"))
}

/// An integer particle; the server sends 8 bytes and accepts 1, 2 and 4, zero-extended.
pub fn read_int(bytes: &[u8]) -> Result<i64, Malformed> {
    if let Ok(whole) = bytes.try_into() {
        return Ok(i64::from_be_bytes(whole));
    }
    if !matches!(bytes.len(), 1 | 2 | 4) {
        return Err(Malformed::new("integer", "not 1, 2, 4 or 8 bytes"));
    }
    Ok(bytes.iter().fold(0, |int, byte| int << 8 | i64::from(*byte)))
}

/// A float particle: exactly 8 bytes.
pub fn read_float(bytes: &[u8]) -> Result<f64, Malformed> {
    let bytes = bytes.try_into().map_err(|_| Malformed::new("float", "not 8 bytes"))?;
    Ok(f64::from_be_bytes(bytes))
}

/// A bool particle: one byte, 0 or 1.
pub fn read_bool(bytes: &[u8]) -> Result<bool, Malformed> {
    match *bytes {
        [0] => Ok(false),
        [1] => Ok(true),
        _ => Err(Malformed::new("bool", "not one byte of 0 or 1")),
    }
}

fn text(bytes: &[u8]) -> Result<String, Malformed> {
    std::str::from_utf8(bytes)
        .map(str::to_owned)
        .map_err(|_| Malformed::new("string", "not valid UTF-8"))
}

macro_rules! from {
    ($($source:ty => $make:expr;)*) => {
        $(impl From<$source> for Value {
            fn from(value: $source) -> Self { $make(value) }
        })*
    };
}

from! {
    bool => Value::Bool;
    i64 => Value::Int;
    i32 => |value| Value::Int(i64::from(value));
    u32 => |value| Value::Int(i64::from(value));
    f64 => Value::Float;
    String => Value::Str;
    &str => |value: &str| Value::Str(value.to_owned());
    Vec<u8> => Value::Bytes;
    &[u8] => |value: &[u8]| Value::Bytes(value.to_vec());
    Vec<Value> => Value::List;
    Vec<(Value, Value)> => Value::Map;
}
