//! Bin values: the particle types of the wire and an owned value for Rust callers.
//!
//! The Python binding and the server do not use [`Value`]: they convert particles directly from and
//! to their own representations.

use crate::msgpack::{self, Reader, Token};
use crate::{Malformed, limits};

pub use crate::particle;

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
        match self {
            Self::Nil => {}
            Self::Bool(flag) => out.push(u8::from(*flag)),
            Self::Int(int) => out.extend_from_slice(&int.to_be_bytes()),
            Self::Float(float) => out.extend_from_slice(&float.to_be_bytes()),
            Self::Str(text) => out.extend_from_slice(text.as_bytes()),
            Self::Bytes(bytes) | Self::Hll(bytes) => out.extend_from_slice(bytes),
            Self::GeoJson(text) => geojson(out, text),
            Self::List(_) | Self::Map(_) => self.encode_nested(out),
        }
        self.particle_type()
    }

    /// Appends this value as an element of a list or map.
    pub fn encode_nested(&self, out: &mut Vec<u8>) {
        match self {
            Self::Nil => msgpack::nil(out),
            Self::Bool(flag) => msgpack::boolean(out, *flag),
            Self::Int(int) => msgpack::int(out, *int),
            Self::Float(float) => msgpack::float(out, *float),
            Self::Str(text) => msgpack::bytes(out, particle::STRING, text.as_bytes()),
            Self::Bytes(bytes) => msgpack::bytes(out, particle::BLOB, bytes),
            Self::Hll(bytes) => msgpack::bytes(out, particle::HLL, bytes),
            Self::GeoJson(text) => msgpack::bytes(out, particle::GEOJSON, text.as_bytes()),
            Self::List(items) => {
                msgpack::array(out, items.len() as u32);
                for item in items {
                    item.encode_nested(out);
                }
            }
            Self::Map(pairs) => {
                msgpack::map(out, pairs.len() as u32);
                for (key, value) in pairs {
                    key.encode_nested(out);
                    value.encode_nested(out);
                }
            }
        }
    }

    /// Reads a particle.
    pub fn decode(particle: ParticleType, bytes: &[u8]) -> Result<Self, Malformed> {
        Ok(match particle {
            particle::NULL => Self::Nil,
            particle::BOOL => Self::Bool(read_bool(bytes)?),
            particle::INTEGER => Self::Int(read_int(bytes)?),
            particle::FLOAT => Self::Float(read_float(bytes)?),
            particle::STRING => Self::Str(text(bytes)?),
            particle::HLL => Self::Hll(bytes.to_vec()),
            particle::GEOJSON => Self::GeoJson(text(geojson_text(bytes)?)?),
            particle::LIST | particle::MAP => {
                let mut reader = Reader::new(bytes);
                let value = Self::decode_nested(&mut reader, limits::NESTING)?;
                if !reader.is_at_end() {
                    return Err(Malformed::new("list or map", "bytes after its end"));
                }
                if value.particle_type() != particle {
                    return Err(Malformed::new("list or map", "not what its particle type says"));
                }
                value
            }
            // Blobs, and types without a representation of their own.
            _ => Self::Bytes(bytes.to_vec()),
        })
    }

    fn decode_nested(reader: &mut Reader<'_>, depth: usize) -> Result<Self, Malformed> {
        let deeper =
            || depth.checked_sub(1).ok_or(Malformed::new("list or map", "nested too deep"));
        Ok(match reader.next()? {
            Token::Nil => Self::Nil,
            Token::Bool(flag) => Self::Bool(flag),
            Token::Int(int) => Self::Int(int),
            // Stored by other clients only; servers read them as negative.
            Token::UInt(int) => Self::Int(int as i64),
            Token::Float(float) => Self::Float(float),
            Token::Bytes(particle::STRING, bytes) => Self::Str(text(bytes)?),
            Token::Bytes(particle::GEOJSON, bytes) => Self::GeoJson(text(bytes)?),
            Token::Bytes(particle::HLL, bytes) => Self::Hll(bytes.to_vec()),
            Token::Bytes(_, bytes) | Token::Ext(_, bytes) => Self::Bytes(bytes.to_vec()),
            Token::Array(count) => {
                let depth = deeper()?;
                let mut items = Vec::with_capacity(reader.capacity(count, 1));
                for at in 0..count {
                    // Order flags are a leading ext element.
                    if at == 0 && reader.skip_flags() {
                        continue;
                    }
                    items.push(Self::decode_nested(reader, depth)?);
                }
                Self::List(items)
            }
            Token::Map(count) => {
                let depth = deeper()?;
                let mut pairs = Vec::with_capacity(reader.capacity(count, 2));
                for at in 0..count {
                    if at == 0 && reader.skip_flags() {
                        reader.next()?;
                        continue;
                    }
                    let key = Self::decode_nested(reader, depth)?;
                    pairs.push((key, Self::decode_nested(reader, depth)?));
                }
                Self::Map(pairs)
            }
        })
    }
}

/// Appends a `GeoJSON` particle. Flags and cells are sent as zero: the server fills them in.
pub fn geojson(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(&[0, 0, 0]);
    out.extend_from_slice(text.as_bytes());
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
