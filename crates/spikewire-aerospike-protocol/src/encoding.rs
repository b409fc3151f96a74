//! How values are written: as the particle of a bin, or as an element of a list or map. A host walks
//! its values once, for either.

use crate::msgpack;
use crate::particle;
use crate::value::ParticleType;

/// How a value is written.
pub trait Encoding {
    /// What is known of a value that was written.
    type Tag;

    /// No value.
    fn nil(out: &mut Vec<u8>) -> Self::Tag;
    /// True or false.
    fn boolean(out: &mut Vec<u8>, value: bool) -> Self::Tag;
    /// An integer.
    fn integer(out: &mut Vec<u8>, value: i64) -> Self::Tag;
    /// A float.
    fn float(out: &mut Vec<u8>, value: f64) -> Self::Tag;
    /// Text, a blob or a `HyperLogLog` sketch: the bytes that `write` appends.
    fn bytes_with<E>(
        out: &mut Vec<u8>,
        of: ParticleType,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<Self::Tag, E>;
    /// Text, a blob or a `HyperLogLog` sketch.
    fn bytes(out: &mut Vec<u8>, of: ParticleType, value: &[u8]) -> Self::Tag;
    /// A `GeoJSON` value.
    fn geojson(out: &mut Vec<u8>, text: &str) -> Self::Tag;
    /// A list of that many items, which follow as elements.
    fn list(out: &mut Vec<u8>, len: u32) -> Self::Tag;
    /// A map of that many pairs, which follow as elements, keys and values in turn.
    fn map(out: &mut Vec<u8>, len: u32) -> Self::Tag;
    /// A marker such as [`msgpack::WILDCARD`]; `None` if it cannot be written like this.
    fn marker(out: &mut Vec<u8>, marker: [u8; 3]) -> Option<Self::Tag>;
}

/// The particle of a bin. Its type is not part of it.
#[derive(Debug)]
pub enum ParticleEncoding {}

/// An element of a list or map.
#[derive(Debug)]
pub enum ElementEncoding {}

impl Encoding for ParticleEncoding {
    type Tag = ParticleType;

    #[inline]
    fn nil(_: &mut Vec<u8>) -> ParticleType {
        particle::NULL
    }

    #[inline]
    fn boolean(out: &mut Vec<u8>, value: bool) -> ParticleType {
        out.push(u8::from(value));
        particle::BOOL
    }

    #[inline]
    fn integer(out: &mut Vec<u8>, value: i64) -> ParticleType {
        out.extend_from_slice(&value.to_be_bytes());
        particle::INTEGER
    }

    #[inline]
    fn float(out: &mut Vec<u8>, value: f64) -> ParticleType {
        out.extend_from_slice(&value.to_be_bytes());
        particle::FLOAT
    }

    #[inline]
    fn bytes_with<E>(
        out: &mut Vec<u8>,
        of: ParticleType,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<ParticleType, E> {
        write(out)?;
        Ok(of)
    }

    #[inline]
    fn bytes(out: &mut Vec<u8>, of: ParticleType, value: &[u8]) -> ParticleType {
        out.extend_from_slice(value);
        of
    }

    /// Flags and cells are sent as zero: the server fills them in.
    fn geojson(out: &mut Vec<u8>, text: &str) -> ParticleType {
        out.extend_from_slice(&[0, 0, 0]);
        out.extend_from_slice(text.as_bytes());
        particle::GEOJSON
    }

    fn list(out: &mut Vec<u8>, len: u32) -> ParticleType {
        msgpack::array(out, len);
        particle::LIST
    }

    fn map(out: &mut Vec<u8>, len: u32) -> ParticleType {
        msgpack::map(out, len);
        particle::MAP
    }

    fn marker(_: &mut Vec<u8>, _: [u8; 3]) -> Option<ParticleType> {
        None
    }
}

impl Encoding for ElementEncoding {
    type Tag = ();

    fn nil(out: &mut Vec<u8>) {
        msgpack::nil(out);
    }

    fn boolean(out: &mut Vec<u8>, value: bool) {
        msgpack::boolean(out, value);
    }

    fn integer(out: &mut Vec<u8>, value: i64) {
        msgpack::int(out, value);
    }

    fn float(out: &mut Vec<u8>, value: f64) {
        msgpack::float(out, value);
    }

    fn bytes_with<E>(
        out: &mut Vec<u8>,
        of: ParticleType,
        write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        msgpack::bytes_with(out, of, write)
    }

    fn bytes(out: &mut Vec<u8>, of: ParticleType, value: &[u8]) {
        msgpack::bytes(out, of, value);
    }

    fn geojson(out: &mut Vec<u8>, text: &str) {
        msgpack::bytes(out, particle::GEOJSON, text.as_bytes());
    }

    fn list(out: &mut Vec<u8>, len: u32) {
        msgpack::array(out, len);
    }

    fn map(out: &mut Vec<u8>, len: u32) {
        msgpack::map(out, len);
    }

    fn marker(out: &mut Vec<u8>, marker: [u8; 3]) -> Option<()> {
        out.extend_from_slice(&marker);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_appended() {
        for len in [0, 1, 30, 31, 32, 254, 255, 256, 65_534, 65_535, 65_536] {
            let value: Vec<u8> = (0..len).map(|at| at as u8).collect();
            let (mut expected, mut out) = (vec![7], vec![7]);
            ElementEncoding::bytes(&mut expected, particle::STRING, &value);
            let write = |out: &mut Vec<u8>| {
                out.extend_from_slice(&value);
                Ok::<(), ()>(())
            };
            ElementEncoding::bytes_with(&mut out, particle::STRING, write).unwrap();
            assert_eq!(out, expected, "{len} bytes");
        }
    }
}
