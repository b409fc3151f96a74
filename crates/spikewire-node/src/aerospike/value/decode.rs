//! Decodes particles to JavaScript values.

use spikewire_aerospike::{Error, Kind};
use spikewire_aerospike_protocol::msgpack::{Reader, Token};
use spikewire_aerospike_protocol::value::{
    geojson_text, particle as kind, read_bool, read_float, read_int,
};
use spikewire_aerospike_protocol::{Malformed, limits};

use super::classify;
use crate::environment::Environment;
use crate::hooks::Hooks;
use crate::js::{Env, Failure, Result, Value};

/// How a client converts values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DecodeOptions {
    /// Return every integer as a bigint; otherwise only those beyond 2^53 - 1.
    pub bigints: bool,
    /// Return whole floats as `Double`; otherwise as numbers.
    pub doubles: bool,
    /// Return every map as a `Map`; otherwise only those with non-string keys.
    pub maps: bool,
}

/// Creates values according to a client's options.
#[derive(Debug, Clone, Copy)]
pub struct Decoder<'e, 'a> {
    pub env: Env<'e>,
    pub hooks: &'a Hooks,
    pub decode_options: DecodeOptions,
}

/// The value of a particle.
#[inline]
pub fn particle<'e>(decoder: &Decoder<'e, '_>, of: u8, bytes: &[u8]) -> Result<Value<'e>> {
    match of {
        kind::INTEGER => decoder.integer(read_int(bytes).map_err(malformed)?),
        kind::STRING => decoder.text(bytes),
        kind::NULL => decoder.env.null(),
        kind::FLOAT => decoder.float(read_float(bytes).map_err(malformed)?),
        kind::BOOL => decoder.env.boolean(read_bool(bytes).map_err(malformed)?),
        kind::GEOJSON => decoder.geojson(geojson_text(bytes).map_err(malformed)?),
        kind::HLL => decoder.hll(bytes),
        kind::LIST | kind::MAP => {
            let mut reader = Reader::new(bytes);
            let value = decoder.nested(&mut reader, limits::NESTING)?;
            if !reader.is_at_end() {
                return Err(malformed(Malformed::new("list or map", "bytes after its end")));
            }
            Ok(value)
        }
        // Blobs, and types without a better counterpart in JavaScript.
        _ => decoder.env.buffer(bytes),
    }
}

impl<'e, 'a> Decoder<'e, 'a> {
    /// Creates values according to a client's options.
    #[inline]
    pub fn new(
        env: Env<'e>,
        environment: &'a Environment,
        decode_options: DecodeOptions,
    ) -> Result<Self> {
        Ok(Self { env, hooks: environment.hooks()?, decode_options })
    }
}

impl<'e> Decoder<'e, '_> {
    #[inline]
    fn integer(&self, int: i64) -> Result<Value<'e>> {
        if self.decode_options.bigints { self.env.bigint(int) } else { self.env.integer(int) }
    }

    fn float(&self, float: f64) -> Result<Value<'e>> {
        let number = self.env.number(float)?;
        if self.decode_options.doubles && float.fract() == 0.0 {
            return self.wrapped(classify::DOUBLE, number);
        }
        Ok(number)
    }

    /// Text from the wire. Servers do not validate UTF-8: invalid text is returned as bytes.
    #[inline]
    fn text(&self, bytes: &[u8]) -> Result<Value<'e>> {
        if bytes.is_ascii() {
            return self.env.ascii(bytes);
        }
        match std::str::from_utf8(bytes) {
            Ok(text) => self.env.string(text),
            Err(_) => self.env.buffer(bytes),
        }
    }

    fn geojson(&self, bytes: &[u8]) -> Result<Value<'e>> {
        let text = self.env.string(&String::from_utf8_lossy(bytes))?;
        self.wrapped(classify::GEOJSON, text)
    }

    fn hll(&self, bytes: &[u8]) -> Result<Value<'e>> {
        let bytes = self.env.buffer(bytes)?;
        self.wrapped(classify::HLL, bytes)
    }

    fn wrapped(&self, sort: u32, content: Value<'e>) -> Result<Value<'e>> {
        let sort = self.env.uint32(sort)?;
        self.hooks.wrap.call(self.env, &[sort, content])
    }

    fn nested(&self, reader: &mut Reader<'_>, depth: usize) -> Result<Value<'e>> {
        if depth == 0 {
            return Err(malformed(Malformed::new("list or map", "nested too deep")));
        }
        match reader.next().map_err(malformed)? {
            Token::Nil => self.env.null(),
            Token::Bool(flag) => self.env.boolean(flag),
            Token::Int(int) => self.integer(int),
            Token::UInt(int) => match i64::try_from(int) {
                Ok(int) => self.integer(int),
                Err(_) => self.env.bigint_unsigned(int),
            },
            Token::Float(float) => self.float(float),
            Token::Bytes(kind::STRING, bytes) => self.text(bytes),
            Token::Bytes(kind::GEOJSON, bytes) => self.geojson(bytes),
            Token::Bytes(kind::HLL, bytes) => self.hll(bytes),
            Token::Bytes(_, bytes) | Token::Ext(_, bytes) => self.env.buffer(bytes),
            Token::Array(count) => self.list(reader, count, depth),
            Token::Map(count) => self.map(reader, count, depth),
        }
    }

    fn list(&self, reader: &mut Reader<'_>, count: u32, depth: usize) -> Result<Value<'e>> {
        let list = self.env.array(0)?;
        let mut len = 0;
        for at in 0..count {
            if at == 0 && reader.skip_flags() {
                continue;
            }
            list.set_element(len, self.nested(reader, depth - 1)?)?;
            len += 1;
        }
        Ok(list)
    }

    fn map(&self, reader: &mut Reader<'_>, count: u32, depth: usize) -> Result<Value<'e>> {
        // Keys and values, alternating: JavaScript makes an object or a `Map` of them.
        let flat = self.env.array(0)?;
        let (mut len, mut plain) = (0, !self.decode_options.maps);
        for at in 0..count {
            if at == 0 && reader.skip_flags() {
                reader.next().map_err(malformed)?;
                continue;
            }
            let mut ahead = *reader;
            plain &= matches!(ahead.next(), Ok(Token::Bytes(kind::STRING, text)) if std::str::from_utf8(text).is_ok());
            flat.set_element(len, self.nested(reader, depth - 1)?)?;
            flat.set_element(len + 1, self.nested(reader, depth - 1)?)?;
            len += 2;
        }
        self.wrapped(if plain { classify::OTHER } else { classify::MAP }, flat)
    }
}

/// The failure for bytes that are not a valid value.
pub fn malformed(error: Malformed) -> Failure {
    let message = format!("the server sent a value this client cannot read: {error}");
    Error::new(Kind::Malformed, message).into()
}
