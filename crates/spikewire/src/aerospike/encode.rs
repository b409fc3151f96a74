//! Encodes values into requests: checked, and encoded once, directly from the caller's data.

use std::borrow::Cow;

use spikewire_aerospike_protocol::expression::Fault;
use spikewire_aerospike_protocol::value::{ParticleType, Value, particle};
use spikewire_aerospike_protocol::{limits, msgpack};

use crate::{Error, Result};

/// Types that can be written to a bin: [`Value`], and the Rust types that have a bin type of their
/// own.
///
/// | Rust | bin |
/// |---|---|
/// | `i8` to `i64`, `u8` to `u32` | integer |
/// | `f32`, `f64` | float |
/// | `bool` | bool |
/// | `&str`, `String` | string |
/// | `&[u8]`, `Vec<u8>` | bytes |
/// | `Vec<Value>` | list |
/// | `Vec<(Value, Value)>` | map; keys are integers, strings or bytes |
/// | `Option<T>` | `None` removes the bin |
///
/// References to them can be written, too. Values are encoded directly into the request, without
/// copies.
pub trait Encode: sealed::Encode {}

impl<T: sealed::Encode + ?Sized> Encode for T {}

pub(crate) mod sealed {
    use super::{ParticleType, Result};

    /// Encodes a value.
    pub trait Encode {
        /// Appends the particle bytes and returns the particle type; `bin` is for error messages.
        fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType>;
    }
}

/// A value as an element of a list, and its type.
pub(crate) fn element(
    name: &str,
    value: &impl Encode,
) -> std::result::Result<(u8, Vec<u8>), Fault> {
    let mut plain = Vec::new();
    let of = value.encode(name, &mut plain).map_err(|error| {
        let bin = format!("bin {name:?}");
        Fault::Value(error.message().replacen(&bin, name, 1))
    })?;
    let mut out = Vec::with_capacity(plain.len() + 6);
    match (of, plain.first_chunk()) {
        (particle::NULL, _) => msgpack::nil(&mut out),
        (particle::INTEGER, Some(bytes)) => msgpack::int(&mut out, i64::from_be_bytes(*bytes)),
        (particle::FLOAT, Some(bytes)) => msgpack::float(&mut out, f64::from_be_bytes(*bytes)),
        (particle::BOOL, _) => msgpack::boolean(&mut out, plain != [0]),
        (particle::LIST | particle::MAP, _) => out = plain,
        (of, _) => msgpack::bytes(&mut out, of, &plain),
    }
    Ok((of, out))
}

macro_rules! integers {
    ($($int:ty)*) => {
        $(impl sealed::Encode for $int {
            fn encode(&self, _: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
                out.extend_from_slice(&i64::from(*self).to_be_bytes());
                Ok(particle::INTEGER)
            }
        })*
    };
}

integers!(i8 i16 i32 i64 u8 u16 u32);

impl sealed::Encode for f64 {
    fn encode(&self, _: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        out.extend_from_slice(&self.to_be_bytes());
        Ok(particle::FLOAT)
    }
}

impl sealed::Encode for f32 {
    fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        f64::from(*self).encode(bin, out)
    }
}

impl sealed::Encode for bool {
    fn encode(&self, _: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        out.push(u8::from(*self));
        Ok(particle::BOOL)
    }
}

impl sealed::Encode for str {
    fn encode(&self, _: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        out.extend_from_slice(self.as_bytes());
        Ok(particle::STRING)
    }
}

impl sealed::Encode for String {
    fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        self.as_str().encode(bin, out)
    }
}

impl sealed::Encode for [u8] {
    fn encode(&self, _: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        out.extend_from_slice(self);
        Ok(particle::BLOB)
    }
}

impl<const N: usize> sealed::Encode for [u8; N] {
    fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        self.as_slice().encode(bin, out)
    }
}

impl sealed::Encode for Vec<u8> {
    fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        self.as_slice().encode(bin, out)
    }
}

impl sealed::Encode for Value {
    fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        check(self, bin, limits::NESTING)?;
        Ok(Value::encode(self, out))
    }
}

impl sealed::Encode for Vec<Value> {
    fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        check_list(self, bin, limits::NESTING)?;
        msgpack::array(out, self.len() as u32);
        for item in self {
            item.encode_nested(out);
        }
        Ok(particle::LIST)
    }
}

impl sealed::Encode for Vec<(Value, Value)> {
    fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        check_map(self, bin, limits::NESTING)?;
        msgpack::map(out, self.len() as u32);
        for (key, value) in self {
            key.encode_nested(out);
            value.encode_nested(out);
        }
        Ok(particle::MAP)
    }
}

impl<T: sealed::Encode> sealed::Encode for Option<T> {
    fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        match self {
            Some(value) => value.encode(bin, out),
            None => Ok(particle::NULL),
        }
    }
}

impl<T: sealed::Encode + ?Sized> sealed::Encode for &T {
    fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        (**self).encode(bin, out)
    }
}

impl<T: sealed::Encode + ToOwned + ?Sized> sealed::Encode for Cow<'_, T> {
    fn encode(&self, bin: &str, out: &mut Vec<u8>) -> Result<ParticleType> {
        (**self).encode(bin, out)
    }
}

/// Appends the arguments of a function, as a packed list.
pub(crate) fn arguments(values: &[Value], out: &mut Vec<u8>) -> Result<()> {
    let own = |error: Error| {
        Error::invalid(error.message().replacen("bin \"arguments\"", "arguments", 1))
    };
    check_list(values, "arguments", limits::NESTING).map_err(own)?;
    msgpack::array(out, values.len() as u32);
    values.iter().for_each(|value| value.encode_nested(out));
    Ok(())
}

/// Rejects values that the encoder cannot write or no client could read back. The encoder recurses,
/// so the depth is checked here before it runs.
fn check(value: &Value, bin: &str, depth: usize) -> Result<()> {
    match value {
        Value::List(items) => check_list(items, bin, depth),
        Value::Map(pairs) => check_map(pairs, bin, depth),
        _ => Ok(()),
    }
}

fn check_list(items: &[Value], bin: &str, depth: usize) -> Result<()> {
    let depth = deeper(bin, depth)?;
    check_len(items.len(), bin)?;
    items.iter().try_for_each(|item| check(item, bin, depth))
}

fn check_map(pairs: &[(Value, Value)], bin: &str, depth: usize) -> Result<()> {
    let depth = deeper(bin, depth)?;
    check_len(pairs.len(), bin)?;
    pairs.iter().try_for_each(|(key, value)| match key {
        Value::Int(_) | Value::Str(_) | Value::Bytes(_) => check(value, bin, depth),
        other => Err(Error::invalid(format!(
            "bin {bin:?}: a map key must be an integer, a string or bytes, not {}",
            particle::name(other.particle_type())
        ))),
    })
}

fn deeper(bin: &str, depth: usize) -> Result<usize> {
    depth.checked_sub(1).ok_or_else(|| {
        Error::invalid(format!("bin {bin:?}: nested deeper than {} levels", limits::NESTING))
    })
}

fn check_len(len: usize, bin: &str) -> Result<()> {
    match u32::try_from(len) {
        Ok(_) => Ok(()),
        Err(_) => Err(Error::invalid(format!("bin {bin:?}: more than 2^32 elements"))),
    }
}
