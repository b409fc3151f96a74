//! Decodes particles to JavaScript values.

use spikewire_aerospike::Error;
use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::value::{Entries, Items, ValueSink, decode, particle};

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
    /// Return lists and maps of bins as Buffers with their encoding.
    pub encoded: bool,
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
    if decoder.decode_options.encoded && matches!(of, particle::LIST | particle::MAP) {
        return decoder.env.buffer(bytes);
    }
    decode(of, bytes, decoder)
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
    fn wrapped(&self, sort: u32, content: Value<'e>) -> Result<Value<'e>> {
        let sort = self.env.uint32(sort)?;
        self.hooks.wrap.call(self.env, &[sort, content])
    }
}

impl<'e> ValueSink for Decoder<'e, '_> {
    type Value = Value<'e>;
    type Error = Failure;

    fn malformed(&self, error: Malformed) -> Failure {
        Error::unreadable(&error).into()
    }

    fn nil(&self) -> Result<Value<'e>> {
        self.env.null()
    }

    fn boolean(&self, value: bool) -> Result<Value<'e>> {
        self.env.boolean(value)
    }

    #[inline]
    fn integer(&self, value: i64) -> Result<Value<'e>> {
        if self.decode_options.bigints { self.env.bigint(value) } else { self.env.integer(value) }
    }

    fn unsigned(&self, value: u64) -> Result<Value<'e>> {
        self.env.bigint_unsigned(value)
    }

    fn float(&self, value: f64) -> Result<Value<'e>> {
        let number = self.env.number(value)?;
        if self.decode_options.doubles && value.fract() == 0.0 {
            return self.wrapped(classify::DOUBLE, number);
        }
        Ok(number)
    }

    // Invalid text is returned as bytes.
    #[inline]
    fn text(&self, value: &[u8]) -> Result<Value<'e>> {
        if value.is_ascii() {
            return self.env.ascii(value);
        }
        match std::str::from_utf8(value) {
            Ok(text) => self.env.string(text),
            Err(_) => self.env.buffer(value),
        }
    }

    fn blob(&self, value: &[u8]) -> Result<Value<'e>> {
        self.env.buffer(value)
    }

    fn geojson(&self, value: &[u8]) -> Result<Value<'e>> {
        let text = self.env.string(&String::from_utf8_lossy(value))?;
        self.wrapped(classify::GEOJSON, text)
    }

    fn hll(&self, value: &[u8]) -> Result<Value<'e>> {
        let bytes = self.env.buffer(value)?;
        self.wrapped(classify::HLL, bytes)
    }

    fn list(&self, items: &mut Items<'_, '_, Self>) -> Result<Value<'e>> {
        let list = self.env.array(0)?;
        for (at, item) in (0..).zip(items) {
            list.set_element(at, item?)?;
        }
        Ok(list)
    }

    fn map(&self, entries: &mut Entries<'_, '_, Self>) -> Result<Value<'e>> {
        // Keys and values, alternating: JavaScript makes an object or a `Map` of them.
        let flat = self.env.array(0)?;
        let (mut len, mut plain) = (0, !self.decode_options.maps);
        loop {
            let has_text_key = entries.has_text_key();
            let Some(entry) = entries.next() else { break };
            let (key, value) = entry?;
            plain &= has_text_key;
            flat.set_element(len, key)?;
            flat.set_element(len + 1, value)?;
            len += 2;
        }
        self.wrapped(if plain { classify::OTHER } else { classify::MAP }, flat)
    }
}
