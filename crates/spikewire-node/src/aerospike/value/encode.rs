//! Encodes JavaScript values to particles, straight into the request buffer.

use spikewire_aerospike_protocol::value::{ParticleType, geojson, particle};
use spikewire_aerospike_protocol::{limits, msgpack};

use super::{Place, classify};
use crate::errors::{describe, kind_name};
use crate::hooks::Hooks;
use crate::js::create::MAX_SAFE;
use crate::js::{Failure, Result, Type, Value};

/// Appends the particle of `value` and returns its type.
#[inline]
pub fn encode(
    hooks: &Hooks,
    out: &mut Vec<u8>,
    value: Value<'_>,
    place: &Place<'_>,
) -> Result<ParticleType> {
    match value.kind() {
        Type::Number => {
            let number = value.number().unwrap_or(f64::NAN);
            if let Some(int) = whole(number) {
                out.extend_from_slice(&int.to_be_bytes());
                return Ok(particle::INTEGER);
            }
            out.extend_from_slice(&number.to_be_bytes());
            Ok(particle::FLOAT)
        }
        Type::String => {
            text(out, value, place)?;
            Ok(particle::STRING)
        }
        Type::Boolean => {
            out.push(u8::from(value.boolean() == Some(true)));
            Ok(particle::BOOL)
        }
        Type::BigInt => {
            out.extend_from_slice(&bigint(value, place)?.to_be_bytes());
            Ok(particle::INTEGER)
        }
        Type::Null => Ok(particle::NULL),
        Type::Object => object(hooks, out, value, place),
        _ => Err(unsupported(value, place)),
    }
}

/// The integer that a number represents: any up to 2^53 - 1, except minus zero.
#[inline]
pub fn whole(number: f64) -> Option<i64> {
    let exact = number.fract() == 0.0 && number.abs() <= MAX_SAFE as f64;
    (exact && (number != 0.0 || number.is_sign_positive())).then_some(number as i64)
}

fn object(
    hooks: &Hooks,
    out: &mut Vec<u8>,
    value: Value<'_>,
    place: &Place<'_>,
) -> Result<ParticleType> {
    if value.is_array() {
        nested(hooks, out, value, place, limits::NESTING)?;
        return Ok(particle::LIST);
    }
    if let Some(len) = value.with_bytes(|bytes| (out.extend_from_slice(bytes), bytes.len()).1) {
        check_attached(value, len, place)?;
        return Ok(particle::BLOB);
    }
    let plain = value.is_plain_object()?;
    let sort = if plain { classify::OTHER } else { sort_of(hooks, value)? };
    if plain || sort == classify::OTHER && value.has_no_prototype()? {
        properties(hooks, out, value, place, limits::NESTING)?;
        return Ok(particle::MAP);
    }
    let content = unwrapped(hooks, value, sort, place)?;
    match sort {
        classify::PROXY => object(hooks, out, content, place),
        classify::DOUBLE => {
            out.extend_from_slice(&content.number().unwrap_or(f64::NAN).to_be_bytes());
            Ok(particle::FLOAT)
        }
        classify::GEOJSON => {
            geojson(out, &text_of(content, place)?);
            Ok(particle::GEOJSON)
        }
        classify::HLL => {
            let bytes = content.with_bytes(|bytes| out.extend_from_slice(bytes));
            bytes.ok_or_else(|| unsupported(value, place))?;
            Ok(particle::HLL)
        }
        classify::MAP => {
            pairs(hooks, out, content, place, limits::NESTING)?;
            Ok(particle::MAP)
        }
        classify::MARKER => Err(stored_marker(content, place)?),
        _ => Err(unsupported(value, place)),
    }
}

/// Appends `value` as an element of a list or map.
pub fn element(
    hooks: &Hooks,
    out: &mut Vec<u8>,
    value: Value<'_>,
    place: &Place<'_>,
) -> Result<()> {
    nested(hooks, out, value, place, limits::NESTING)
}

fn nested(
    hooks: &Hooks,
    out: &mut Vec<u8>,
    value: Value<'_>,
    place: &Place<'_>,
    depth: usize,
) -> Result<()> {
    if depth == 0 {
        return Err(Failure::of_range(format!(
            "{}: nested deeper than {} levels, or in a cycle",
            place.root(),
            limits::NESTING
        )));
    }
    match value.kind() {
        Type::Number => {
            let number = value.number().unwrap_or(f64::NAN);
            match whole(number) {
                Some(int) => msgpack::int(out, int),
                None => msgpack::float(out, number),
            }
        }
        Type::String => string(out, value, place)?,
        Type::Boolean => msgpack::boolean(out, value.boolean() == Some(true)),
        Type::BigInt => msgpack::int(out, bigint(value, place)?),
        Type::Null => msgpack::nil(out),
        Type::Object if value.is_array() => {
            let len = value.len()?;
            msgpack::array(out, len);
            for at in 0..len {
                let item = value.element(at)?;
                nested(hooks, out, item, &Place::Index(place, at), depth - 1)?;
            }
        }
        Type::Object => {
            let blob = |bytes: &[u8]| {
                msgpack::bytes(out, particle::BLOB, bytes);
                bytes.len()
            };
            if let Some(len) = value.with_bytes(blob) {
                return check_attached(value, len, place);
            }
            let plain = value.is_plain_object()?;
            let sort = if plain { classify::OTHER } else { sort_of(hooks, value)? };
            if plain || sort == classify::OTHER && value.has_no_prototype()? {
                return properties(hooks, out, value, place, depth);
            }
            let content = unwrapped(hooks, value, sort, place)?;
            match sort {
                classify::PROXY => nested(hooks, out, content, place, depth)?,
                classify::DOUBLE => msgpack::float(out, content.number().unwrap_or(f64::NAN)),
                classify::GEOJSON => {
                    msgpack::bytes(out, particle::GEOJSON, text_of(content, place)?.as_bytes());
                }
                classify::HLL => {
                    let bytes =
                        content.with_bytes(|bytes| msgpack::bytes(out, particle::HLL, bytes));
                    bytes.ok_or_else(|| unsupported(value, place))?;
                }
                classify::MAP => pairs(hooks, out, content, place, depth)?,
                classify::MARKER => {
                    if !matches!(place.root(), Place::Argument(_)) {
                        return Err(stored_marker(content, place)?);
                    }
                    out.extend_from_slice(marker(&text_of(content, place)?));
                }
                _ => return Err(unsupported(value, place)),
            }
        }
        _ => return Err(unsupported(value, place)),
    }
    Ok(())
}

fn stored_marker(content: Value<'_>, place: &Place<'_>) -> Result<Failure> {
    let name = text_of(content, place)?.to_ascii_uppercase();
    Ok(Failure::of_type(format!("{place}: op.{name} cannot be stored")))
}

/// The bytes of a marker: greater than every value, or equal to any.
fn marker(name: &str) -> &'static [u8] {
    if name == "infinity" { &[0xd4, 0xff, 0x01] } else { &[0xd4, 0xff, 0x00] }
}

/// The properties of a plain object, as a map with string keys.
fn properties(
    hooks: &Hooks,
    out: &mut Vec<u8>,
    value: Value<'_>,
    place: &Place<'_>,
    depth: usize,
) -> Result<()> {
    let names = value.own_names()?;
    let len = names.len()?;
    msgpack::map(out, len);
    for at in 0..len {
        let name = names.element(at)?;
        if name.kind() == Type::Symbol {
            let message = format!("{place}: the name of a property must be a string, not a symbol");
            return Err(Failure::of_type(message));
        }
        string(out, name, place)?;
        let item = value.get(name)?;
        let name = describe(name);
        nested(hooks, out, item, &Place::Entry(place, &name), depth - 1)?;
    }
    Ok(())
}

/// Encodes alternating keys and values as a map.
fn pairs(
    hooks: &Hooks,
    out: &mut Vec<u8>,
    flat: Value<'_>,
    place: &Place<'_>,
    depth: usize,
) -> Result<()> {
    let len = flat.len()?;
    msgpack::map(out, len / 2);
    for at in (0..len).step_by(2) {
        let (key, item) = (flat.element(at)?, flat.element(at + 1)?);
        let name = describe(key);
        let bytes = || key.with_bytes(|_| ()).is_some();
        let whole_number = || key.number().is_some_and(|number| whole(number).is_some());
        let allowed = match key.kind() {
            Type::String | Type::BigInt => true,
            Type::Number => whole_number(),
            Type::Object => bytes(),
            _ => false,
        };
        let inner = Place::Key(place, &name);
        if !allowed {
            return Err(Failure::of_type(format!(
                "{inner}: a key of a map must be a whole number, bigint, string or Buffer, not {}",
                kind_name(key)
            )));
        }
        nested(hooks, out, key, &inner, depth - 1)?;
        nested(hooks, out, item, &Place::Entry(place, &name), depth - 1)?;
    }
    Ok(())
}

/// The kind of an object.
pub fn sort_of(hooks: &Hooks, value: Value<'_>) -> Result<u32> {
    hooks.classify.call(value.env(), &[value])?.index()
}

/// The content of an object of this kind.
fn unwrapped<'e>(
    hooks: &Hooks,
    value: Value<'e>,
    sort: u32,
    place: &Place<'_>,
) -> Result<Value<'e>> {
    if sort == classify::OTHER {
        return Err(unsupported(value, place));
    }
    let content = hooks.unwrap.call(value.env(), &[value])?;
    if sort == classify::PROXY && content.kind() == Type::String {
        return Err(Failure::of_type(format!("{place}: {}", text_of(content, place)?)));
    }
    Ok(content)
}

/// The object that a `Proxy` stands for; any other value as it is.
pub fn without_proxy<'e>(hooks: &Hooks, value: Value<'e>, place: &Place<'_>) -> Result<Value<'e>> {
    if value.kind() != Type::Object || sort_of(hooks, value)? != classify::PROXY {
        return Ok(value);
    }
    unwrapped(hooks, value, classify::PROXY, place)
}

/// Rejects a detached buffer, whose bytes otherwise look empty.
fn check_attached(value: Value<'_>, len: usize, place: &Place<'_>) -> Result<()> {
    if len > 0 || !value.is_detached() {
        return Ok(());
    }
    Err(Failure::of_type(format!(
        "{place}: the {} is detached: it has no memory",
        kind_name(value)
    )))
}

fn text(out: &mut Vec<u8>, value: Value<'_>, place: &Place<'_>) -> Result<()> {
    value.append_text(out).map(drop).map_err(|failure| failure.about(place))
}

fn text_of(value: Value<'_>, place: &Place<'_>) -> Result<String> {
    Ok(value.text().map_err(|failure| failure.about(place))?.unwrap_or_default())
}

/// Encodes a string as an element.
fn string(out: &mut Vec<u8>, value: Value<'_>, place: &Place<'_>) -> Result<()> {
    let mut bytes = Vec::new();
    text(&mut bytes, value, place)?;
    msgpack::bytes(out, particle::STRING, &bytes);
    Ok(())
}

fn bigint(value: Value<'_>, place: &Place<'_>) -> Result<i64> {
    match value.bigint() {
        Some(Ok(int)) => Ok(int),
        _ => Err(Failure::of_range(format!("{place}: the bigint does not fit 64 bits signed"))),
    }
}

fn unsupported(value: Value<'_>, place: &Place<'_>) -> Failure {
    Failure::of_type(format!(
        "{place}: cannot store a value of type {}; use number, bigint, string, boolean, null, \
         Buffer, Array, Map, a plain object, Double, GeoJSON or HyperLogLog",
        kind_name(value)
    ))
}
