//! Converts values of results to JavaScript values.

use std::net::IpAddr;
use std::rc::Rc;

use spikewire_cql::types::{Type, Udt};
use spikewire_cql::value::calendar::DAY;
use spikewire_cql::value::{
    Duration, Elements, Fixed as _, MapEntries, Sink, Uuid, not_utf8, to_i64,
};

use super::super::classes::{Class, Classes};
use super::{CqlDecodeOptions, date, sort};
use crate::environment::Environment;
use crate::environment::columns::WIDEST;
use crate::hooks::cql::Hooks;
use crate::js::{Env, Failure, Value};

/// The last time a `Date` can represent, in milliseconds; the first is its negative.
const LAST_DATE: i64 = 8_640_000_000_000_000;

/// Creates JavaScript values.
#[derive(Clone, Copy)]
pub struct CqlDecoder<'e, 'a> {
    env: Env<'e>,
    hooks: &'a Hooks,
    environment: &'a Environment,
    decode_options: CqlDecodeOptions,
}

type Result<'e> = std::result::Result<Value<'e>, Failure>;

impl<'e, 'a> CqlDecoder<'e, 'a> {
    /// Creates values according to a session's options.
    #[inline]
    pub fn new(
        env: Env<'e>,
        environment: &'a Environment,
        decode_options: CqlDecodeOptions,
    ) -> std::result::Result<Self, Failure> {
        let hooks = environment.hooks()?.cql()?;
        Ok(Self { env, hooks, environment, decode_options })
    }

    fn wrapped(&self, sort: u32, content: Value<'e>) -> Result<'e> {
        if self.decode_options.conversion != 0 {
            return Ok(content);
        }
        self.hooks.wrap.call(self.env, &[self.env.uint32(sort)?, content])
    }

    /// An integer of any size, as a bigint.
    fn big(&self, bytes: &[u8]) -> Result<'e> {
        match to_i64(bytes) {
            Some(int) => self.env.bigint(int),
            None => self.env.bigint_of(bytes),
        }
    }

    /// The class registered for a type, if any.
    fn class_of(&self, udt: &Udt) -> Option<Rc<Class>> {
        let classes = self.environment.resources.get::<Classes>(self.decode_options.classes);
        classes.ok()?.find(udt, Rc::clone)
    }

    fn array(&self, items: impl ExactSizeIterator<Item = Result<'e>>) -> Result<'e> {
        self.env.array_of(items)
    }
}

/// Whether values of a type are strings in JavaScript.
fn is_string(ty: &Type) -> bool {
    use Type::{Ascii, Date, Inet, Text, Timeuuid, Uuid};
    matches!(ty, Ascii | Text | Uuid | Timeuuid | Inet | Date)
}

/// A UUID as text.
pub fn uuid_text(uuid: [u8; 16]) -> [u8; 36] {
    Uuid(uuid).to_ascii()
}

impl<'e> Sink for CqlDecoder<'e, '_> {
    type Value = Value<'e>;
    type Error = Failure;

    #[inline]
    fn null(&self) -> Result<'e> {
        self.env.null()
    }

    fn absent(&self) -> Result<'e> {
        if self.decode_options.conversion != 0 { self.env.undefined() } else { self.env.null() }
    }

    fn empty(&self, _: &Type) -> Result<'e> {
        self.wrapped(sort::EMPTY, self.env.null()?)
    }

    #[inline]
    fn boolean(&self, value: bool) -> Result<'e> {
        self.env.boolean(value)
    }

    #[inline]
    fn int(&self, value: i32) -> Result<'e> {
        self.env.int32(value)
    }

    #[inline]
    fn bigint(&self, value: i64) -> Result<'e> {
        if self.decode_options.bigints { self.env.bigint(value) } else { self.env.integer(value) }
    }

    #[inline]
    fn double(&self, value: f64) -> Result<'e> {
        self.env.number(value)
    }

    #[inline]
    fn utf8(&self, ty: &Type, value: &[u8]) -> Result<'e> {
        if value.is_ascii() {
            return self.env.ascii(value);
        }
        match std::str::from_utf8(value) {
            Ok(text) => self.env.string(text),
            Err(error) => Err(not_utf8(ty, error).into()),
        }
    }

    fn text(&self, value: &str) -> Result<'e> {
        self.env.string(value)
    }

    fn blob(&self, value: &[u8]) -> Result<'e> {
        self.env.buffer(value)
    }

    fn varint(&self, value: &[u8]) -> Result<'e> {
        match to_i64(value) {
            Some(int) => self.bigint(int),
            None => self.env.bigint_of(value),
        }
    }

    fn decimal(&self, scale: i32, digits: &[u8]) -> Result<'e> {
        let parts = [self.big(digits), self.env.int32(scale)];
        self.wrapped(sort::DECIMAL, self.env.array_of(parts.into_iter())?)
    }

    fn uuid(&self, value: [u8; 16]) -> Result<'e> {
        self.env.ascii(&uuid_text(value))
    }

    fn inet(&self, value: IpAddr) -> Result<'e> {
        self.env.string(&value.to_string())
    }

    fn timestamp(&self, milliseconds: i64) -> Result<'e> {
        if (-LAST_DATE..=LAST_DATE).contains(&milliseconds) {
            return self.env.date(milliseconds as f64);
        }
        self.env.bigint(milliseconds)
    }

    fn date(&self, days: i32) -> Result<'e> {
        self.env.string(&date::text(days))
    }

    fn time(&self, nanoseconds: i64) -> Result<'e> {
        let int = self.env.bigint(nanoseconds)?;
        // The server does not validate times; invalid ones are returned as they are.
        if (0..DAY).contains(&nanoseconds) { self.wrapped(sort::TIME, int) } else { Ok(int) }
    }

    fn duration(&self, value: Duration) -> Result<'e> {
        let Duration { months, days, nanoseconds } = value;
        let parts = [self.env.int32(months), self.env.int32(days), self.env.bigint(nanoseconds)];
        self.wrapped(sort::DURATION, self.env.array_of(parts.into_iter())?)
    }

    fn list<I: Elements<Value<'e>, Failure>>(&self, _: &Type, items: &mut I) -> Result<'e> {
        self.array(items)
    }

    fn set<I: Elements<Value<'e>, Failure>>(&self, _: &Type, items: &mut I) -> Result<'e> {
        self.wrapped(sort::SET, self.array(items)?)
    }

    fn vector<I: Elements<Value<'e>, Failure>>(&self, element: &Type, items: &mut I) -> Result<'e> {
        if matches!(element, Type::Float)
            && let Some(bytes) = items.take_fixed()
        {
            return self.env.float32_array(f32::read_all(bytes));
        }
        self.array(items)
    }

    fn map<I>(&self, key: &Type, _: &Type, entries: &mut I) -> Result<'e>
    where
        I: MapEntries<Value<'e>, Failure>,
    {
        let flat = self.env.array(2 * entries.len())?;
        for (at, entry) in entries.enumerate() {
            let (key, value) = entry?;
            flat.set_element(2 * at as u32, key)?;
            flat.set_element(2 * at as u32 + 1, value)?;
        }
        let plain = is_string(key) && !self.decode_options.maps;
        self.wrapped(if plain { sort::OTHER } else { sort::MAP }, flat)
    }

    fn tuple<I: Elements<Value<'e>, Failure>>(&self, _: &[Type], components: &mut I) -> Result<'e> {
        self.array(components)
    }

    fn udt<I: Elements<Value<'e>, Failure>>(&self, udt: &Udt, fields: &mut I) -> Result<'e> {
        let env = self.env;
        if self.decode_options.conversion != 0 {
            return self.array(fields);
        }
        let names = || udt.fields.iter().map(|(name, _)| name.as_str());
        let mut key = Vec::with_capacity(64);
        for name in names() {
            key.extend_from_slice(&(name.len() as u32).to_be_bytes());
            key.extend_from_slice(name.as_bytes());
        }
        let array_of_names = || env.array_of(udt.fields.iter().map(|(name, _)| env.string(name)));
        let factory = match self.class_of(udt) {
            Some(class) => {
                class.factories.of(&key, || class.make.call(env, &[array_of_names()?]))?
            }
            None if udt.fields.len() > WIDEST => None,
            None => self
                .environment
                .udt_factories
                .of(&key, || self.hooks.make_factory.call(env, &[array_of_names()?]))?,
        };
        let values = fields.collect::<std::result::Result<Vec<_>, _>>()?;
        if let Some(factory) = factory {
            return factory.0.call(env, &values);
        }
        let flat = env.array(2 * values.len())?;
        for (at, (name, value)) in names().zip(values).enumerate() {
            flat.set_element(2 * at as u32, env.string(name)?)?;
            flat.set_element(2 * at as u32 + 1, value)?;
        }
        self.wrapped(sort::OTHER, flat)
    }
}
