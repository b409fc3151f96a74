//! Encodes values into requests: checked, and encoded once, directly from the caller's data.

use std::borrow::Cow;

use spikewire_aerospike_protocol::expression::Fault;
use spikewire_aerospike_protocol::value::{ParticleType, Value, particle};
use spikewire_aerospike_protocol::{limits, msgpack, nesting};

use crate::Error;

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
    use super::{Fault, ParticleType};

    /// Encodes a value.
    pub trait Encode {
        /// Appends the particle bytes and returns the particle type. Whoever calls it says in the
        /// error where the value belongs.
        fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault>;
    }
}

/// The error for a value that cannot be written to a bin.
pub(crate) fn bin_error(bin: &str, fault: &Fault) -> Error {
    Error::invalid(format!("bin {bin:?}: {fault}"))
}

/// The type of an operation's argument, and its bytes as an element of a list.
pub(crate) fn element(name: &str, value: &impl Encode) -> Result<(ParticleType, Vec<u8>), Fault> {
    let mut plain = Vec::new();
    let particle = value.encode(&mut plain).map_err(|fault| fault.within(name))?;
    let mut out = Vec::with_capacity(plain.len() + 6);
    match (particle, plain.first_chunk()) {
        (particle::NULL, _) => msgpack::nil(&mut out),
        (particle::INTEGER, Some(bytes)) => msgpack::int(&mut out, i64::from_be_bytes(*bytes)),
        (particle::FLOAT, Some(bytes)) => msgpack::float(&mut out, f64::from_be_bytes(*bytes)),
        (particle::BOOL, _) => msgpack::boolean(&mut out, plain != [0]),
        (particle::LIST | particle::MAP, _) => out = plain,
        _ => msgpack::bytes(&mut out, particle, &plain),
    }
    Ok((particle, out))
}

macro_rules! integers {
    ($($int:ty)*) => {
        $(impl sealed::Encode for $int {
            fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault> {
                out.extend_from_slice(&i64::from(*self).to_be_bytes());
                Ok(particle::INTEGER)
            }
        })*
    };
}

integers!(i8 i16 i32 i64 u8 u16 u32);

impl sealed::Encode for f64 {
    fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault> {
        out.extend_from_slice(&self.to_be_bytes());
        Ok(particle::FLOAT)
    }
}

impl sealed::Encode for f32 {
    fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault> {
        f64::from(*self).encode(out)
    }
}

impl sealed::Encode for bool {
    fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault> {
        out.push(u8::from(*self));
        Ok(particle::BOOL)
    }
}

impl sealed::Encode for str {
    fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault> {
        out.extend_from_slice(self.as_bytes());
        Ok(particle::STRING)
    }
}

impl sealed::Encode for String {
    fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault> {
        self.as_str().encode(out)
    }
}

impl sealed::Encode for [u8] {
    fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault> {
        out.extend_from_slice(self);
        Ok(particle::BLOB)
    }
}

impl<const N: usize> sealed::Encode for [u8; N] {
    fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault> {
        self.as_slice().encode(out)
    }
}

impl sealed::Encode for Vec<u8> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault> {
        self.as_slice().encode(out)
    }
}

impl sealed::Encode for Value {
    fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault> {
        check(self, limits::NESTING)?;
        Ok(Value::encode(self, out))
    }
}

impl sealed::Encode for Vec<Value> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault> {
        encode_list(self, out)?;
        Ok(particle::LIST)
    }
}

impl sealed::Encode for Vec<(Value, Value)> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault> {
        check_map(self, limits::NESTING)?;
        msgpack::map(out, self.len() as u32);
        for (key, value) in self {
            key.encode_nested(out);
            value.encode_nested(out);
        }
        Ok(particle::MAP)
    }
}

impl<T: sealed::Encode> sealed::Encode for Option<T> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault> {
        match self {
            Some(value) => value.encode(out),
            None => Ok(particle::NULL),
        }
    }
}

impl<T: sealed::Encode + ?Sized> sealed::Encode for &T {
    fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault> {
        (**self).encode(out)
    }
}

impl<T: sealed::Encode + ToOwned + ?Sized> sealed::Encode for Cow<'_, T> {
    fn encode(&self, out: &mut Vec<u8>) -> Result<ParticleType, Fault> {
        (**self).encode(out)
    }
}

/// Appends the arguments of a function, as a packed list.
pub(crate) fn arguments(values: &[Value], out: &mut Vec<u8>) -> Result<(), Error> {
    encode_list(values, out).map_err(|fault| Error::invalid(format!("arguments: {fault}")))
}

fn encode_list(items: &[Value], out: &mut Vec<u8>) -> Result<(), Fault> {
    check_list(items, limits::NESTING)?;
    msgpack::array(out, items.len() as u32);
    items.iter().for_each(|item| item.encode_nested(out));
    Ok(())
}

/// Rejects values that the encoder cannot write or no client could read back. The encoder recurses,
/// so the depth is checked here before it runs.
fn check(value: &Value, depth: usize) -> Result<(), Fault> {
    match value {
        Value::List(items) => check_list(items, depth),
        Value::Map(pairs) => check_map(pairs, depth),
        _ => Ok(()),
    }
}

fn check_list(items: &[Value], depth: usize) -> Result<(), Fault> {
    let depth = deeper(depth)?;
    check_len(items.len())?;
    items.iter().try_for_each(|item| check(item, depth))
}

fn check_map(pairs: &[(Value, Value)], depth: usize) -> Result<(), Fault> {
    let depth = deeper(depth)?;
    check_len(pairs.len())?;
    pairs.iter().try_for_each(|(key, value)| match key {
        Value::Int(_) | Value::Str(_) | Value::Bytes(_) => check(value, depth),
        other => Err(Fault::Type(format!(
            "a map key must be an integer, a string or bytes, not {}",
            particle::name(other.particle_type())
        ))),
    })
}

fn deeper(depth: usize) -> Result<usize, Fault> {
    nesting::note_at(depth);
    depth
        .checked_sub(1)
        .ok_or_else(|| Fault::Value(format!("nested deeper than {} levels", limits::NESTING)))
}

fn check_len(len: usize) -> Result<(), Fault> {
    match u32::try_from(len) {
        Ok(_) => Ok(()),
        Err(_) => Err(Fault::Value("more than 2^32 elements".to_owned())),
    }
}
