//! Decodes particles to a host's values. The rules about types, nesting and flags are here; a host
//! says how its values are created.

use crate::msgpack::{Reader, Token};
use crate::value::{geojson_text, read_bool, read_float, read_int};
use crate::{Malformed, limits, particle};

/// Creates a host's values.
pub trait ValueSink {
    /// The host's value.
    type Value;
    /// The host's error.
    type Error;

    /// The error for bytes that are not a valid value.
    fn malformed(&self, error: Malformed) -> Self::Error;

    /// No value.
    fn nil(&self) -> Result<Self::Value, Self::Error>;
    /// True or false.
    fn boolean(&self, value: bool) -> Result<Self::Value, Self::Error>;
    /// An integer.
    fn integer(&self, value: i64) -> Result<Self::Value, Self::Error>;
    /// An integer of 2^63 or more, which only other clients write, into lists and maps.
    fn unsigned(&self, value: u64) -> Result<Self::Value, Self::Error>;
    /// A float.
    fn float(&self, value: f64) -> Result<Self::Value, Self::Error>;
    /// Text. Servers do not ensure that it is UTF-8.
    fn text(&self, value: &[u8]) -> Result<Self::Value, Self::Error>;
    /// Bytes, and types without a value of their own.
    fn blob(&self, value: &[u8]) -> Result<Self::Value, Self::Error>;
    /// The text of a `GeoJSON` value. Servers do not ensure that it is UTF-8.
    fn geojson(&self, value: &[u8]) -> Result<Self::Value, Self::Error>;
    /// A `HyperLogLog` sketch.
    fn hll(&self, value: &[u8]) -> Result<Self::Value, Self::Error>;
    /// A list.
    fn list(&self, items: &mut Items<'_, '_, Self>) -> Result<Self::Value, Self::Error>;
    /// A map.
    fn map(&self, entries: &mut Entries<'_, '_, Self>) -> Result<Self::Value, Self::Error>;
}

/// The items of a list. Each is decoded when requested.
#[derive(Debug)]
pub struct Items<'r, 'b, S: ?Sized> {
    sink: &'r S,
    reader: &'r mut Reader<'b>,
    left: u32,
    depth: usize,
}

/// The keys and values of a map, in the order of the wire. Each is decoded when requested.
#[derive(Debug)]
pub struct Entries<'r, 'b, S: ?Sized> {
    sink: &'r S,
    reader: &'r mut Reader<'b>,
    left: u32,
    depth: usize,
    /// The order flags, if there are any.
    pub flags: Option<u8>,
}

/// Decodes a particle.
#[inline]
pub fn decode<S: ValueSink + ?Sized>(of: u8, bytes: &[u8], sink: &S) -> Result<S::Value, S::Error> {
    let malformed = |error| sink.malformed(error);
    match of {
        particle::INTEGER => sink.integer(read_int(bytes).map_err(malformed)?),
        particle::STRING => sink.text(bytes),
        particle::NULL => sink.nil(),
        particle::FLOAT => sink.float(read_float(bytes).map_err(malformed)?),
        particle::BOOL => sink.boolean(read_bool(bytes).map_err(malformed)?),
        particle::GEOJSON => sink.geojson(geojson_text(bytes).map_err(malformed)?),
        particle::HLL => sink.hll(bytes),
        particle::LIST | particle::MAP => {
            let mut reader = Reader::new(bytes);
            let value = nested(&mut reader, limits::NESTING, sink)?;
            if !reader.is_at_end() {
                return Err(malformed(Malformed::new("list or map", "bytes after its end")));
            }
            Ok(value)
        }
        _ => sink.blob(bytes),
    }
}

fn nested<S: ValueSink + ?Sized>(
    reader: &mut Reader<'_>,
    depth: usize,
    sink: &S,
) -> Result<S::Value, S::Error> {
    let malformed = |error| sink.malformed(error);
    let deeper = || depth.checked_sub(1).ok_or(Malformed::new("list or map", "nested too deep"));
    match reader.next().map_err(malformed)? {
        Token::Nil => sink.nil(),
        Token::Bool(flag) => sink.boolean(flag),
        Token::Int(int) => sink.integer(int),
        Token::UInt(int) => sink.unsigned(int),
        Token::Float(float) => sink.float(float),
        Token::Bytes(particle::STRING, bytes) => sink.text(bytes),
        Token::Bytes(particle::GEOJSON, bytes) => sink.geojson(bytes),
        Token::Bytes(particle::HLL, bytes) => sink.hll(bytes),
        Token::Bytes(_, bytes) | Token::Ext(_, bytes) => sink.blob(bytes),
        Token::Array(count) => {
            let depth = deeper().map_err(malformed)?;
            // Order flags are a leading ext element.
            let left = count - u32::from(count > 0 && reader.skip_flags());
            sink.list(&mut Items { sink, reader, left, depth })
        }
        Token::Map(count) => {
            let depth = deeper().map_err(malformed)?;
            let flags = if count == 0 { None } else { reader.flags() };
            if flags.is_some() {
                reader.next().map_err(malformed)?;
            }
            let left = count - u32::from(flags.is_some());
            sink.map(&mut Entries { sink, reader, left, depth, flags })
        }
    }
}

impl<S: ?Sized> Items<'_, '_, S> {
    /// A safe capacity for the remaining items: limited by the bytes that are left.
    pub fn capacity(&self) -> usize {
        self.reader.capacity(self.left, 1)
    }
}

impl<S: ValueSink + ?Sized> Iterator for Items<'_, '_, S> {
    type Item = Result<S::Value, S::Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        Some(nested(self.reader, self.depth, self.sink))
    }
}

impl<S: ?Sized> Entries<'_, '_, S> {
    /// A safe capacity for the remaining entries: limited by the bytes that are left.
    pub fn capacity(&self) -> usize {
        self.reader.capacity(self.left, 2)
    }

    /// Whether the next key is text in UTF-8.
    pub fn has_text_key(&self) -> bool {
        let mut ahead = *self.reader;
        matches!(
            ahead.next(),
            Ok(Token::Bytes(particle::STRING, text)) if std::str::from_utf8(text).is_ok()
        )
    }
}

impl<S: ValueSink + ?Sized> Iterator for Entries<'_, '_, S> {
    type Item = Result<(S::Value, S::Value), S::Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.left = self.left.checked_sub(1)?;
        let key = match nested(self.reader, self.depth, self.sink) {
            Ok(key) => key,
            Err(error) => return Some(Err(error)),
        };
        Some(nested(self.reader, self.depth, self.sink).map(|value| (key, value)))
    }
}
