//! Encodes JavaScript values to particles, straight into the request buffer.

use spikewire_aerospike_protocol::cdt::sort_maps;
use spikewire_aerospike_protocol::value::{
    ElementEncoding, Encoding, ParticleEncoding, ParticleType, particle,
};
use spikewire_aerospike_protocol::{limits, msgpack};

use super::place::Described;
use super::{Place, classify};
use crate::errors::kind_name;
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
    write::<ParticleEncoding>(hooks, out, value, place, limits::NESTING)
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
    place.check_depth(depth)?;
    write::<ElementEncoding>(hooks, out, value, place, depth)
}

#[inline]
fn write<E: Encoding>(
    hooks: &Hooks,
    out: &mut Vec<u8>,
    value: Value<'_>,
    place: &Place<'_>,
    depth: usize,
) -> Result<E::Tag> {
    match value.kind() {
        Type::Number => {
            let number = value.number().unwrap_or(f64::NAN);
            Ok(match whole(number) {
                Some(int) => E::integer(out, int),
                None => E::float(out, number),
            })
        }
        Type::String => text::<E>(out, value, place),
        Type::Boolean => Ok(E::boolean(out, value.boolean() == Some(true))),
        Type::BigInt => Ok(E::integer(out, bigint(value, place)?)),
        Type::Null => Ok(E::nil(out)),
        Type::Object => object::<E>(hooks, out, value, place, depth),
        _ => Err(unsupported(value, place)),
    }
}

/// The integer that a number represents: any up to 2^53 - 1, except minus zero.
#[inline]
pub fn whole(number: f64) -> Option<i64> {
    let exact = number.fract() == 0.0 && number.abs() <= MAX_SAFE as f64;
    (exact && (number != 0.0 || number.is_sign_positive())).then_some(number as i64)
}

fn object<E: Encoding>(
    hooks: &Hooks,
    out: &mut Vec<u8>,
    value: Value<'_>,
    place: &Place<'_>,
    depth: usize,
) -> Result<E::Tag> {
    if value.is_array() {
        let len = value.len()?;
        let tag = E::list(out, len);
        for at in 0..len {
            let item = value.element(at)?;
            nested(hooks, out, item, &Place::Index(place, at as usize), depth - 1)?;
        }
        return Ok(tag);
    }
    let blob = |bytes: &[u8]| (E::bytes(out, particle::BLOB, bytes), bytes.len());
    if let Some((tag, len)) = value.with_bytes(blob) {
        check_attached(value, len, place)?;
        return Ok(tag);
    }
    let plain = value.is_plain_object()?;
    let sort = if plain { classify::OTHER } else { sort_of(hooks, value)? };
    if plain || sort == classify::OTHER && value.has_no_prototype()? {
        return properties::<E>(hooks, out, value, place, depth);
    }
    let content = unwrapped(hooks, value, sort, place)?;
    match sort {
        classify::PROXY => object::<E>(hooks, out, content, place, depth),
        classify::DOUBLE => Ok(E::float(out, content.number().unwrap_or(f64::NAN))),
        classify::GEOJSON => Ok(E::geojson(out, &text_of(content, place)?)),
        classify::HLL => content
            .with_bytes(|bytes| E::bytes(out, particle::HLL, bytes))
            .ok_or_else(|| unsupported(value, place)),
        classify::MAP => pairs::<E>(hooks, out, content, place, depth, false),
        classify::ORDERED_MAP => {
            let start = out.len();
            let tag = pairs::<E>(hooks, out, content, place, depth, true)?;
            sort_maps(out, start);
            Ok(tag)
        }
        classify::MARKER => {
            let name = text_of(content, place)?;
            let infinite = name == "infinity";
            let marker = if infinite { msgpack::INFINITY } else { msgpack::WILDCARD };
            let tag = if place.allows_markers() { E::marker(out, marker) } else { None };
            tag.ok_or_else(|| {
                let name = name.to_ascii_uppercase();
                Failure::of_type(format!("{place}: op.{name} cannot be stored"))
            })
        }
        _ => Err(unsupported(value, place)),
    }
}

/// The properties of a plain object, as a map with string keys.
fn properties<E: Encoding>(
    hooks: &Hooks,
    out: &mut Vec<u8>,
    value: Value<'_>,
    place: &Place<'_>,
    depth: usize,
) -> Result<E::Tag> {
    let names = value.own_names()?;
    let len = names.len()?;
    let tag = E::map(out, len);
    for at in 0..len {
        let name = names.element(at)?;
        if name.kind() == Type::Symbol {
            let message = format!("{place}: the name of a property must be a string, not a symbol");
            return Err(Failure::of_type(message));
        }
        text::<ElementEncoding>(out, name, place)?;
        let item = value.get(name)?;
        nested(hooks, out, item, &Place::Entry(place, Described(name)), depth - 1)?;
    }
    Ok(tag)
}

/// The flags of a map ordered by its keys.
const KEY_ORDERED: u8 = 1;

/// Encodes alternating keys and values as a map. `is_ordered`: it says that it is ordered by its
/// keys.
fn pairs<E: Encoding>(
    hooks: &Hooks,
    out: &mut Vec<u8>,
    flat: Value<'_>,
    place: &Place<'_>,
    depth: usize,
    is_ordered: bool,
) -> Result<E::Tag> {
    let len = flat.len()?;
    let tag = E::map(out, len / 2 + u32::from(is_ordered));
    if is_ordered {
        msgpack::map_flags(out, KEY_ORDERED);
    }
    for at in (0..len).step_by(2) {
        let (key, item) = (flat.element(at)?, flat.element(at + 1)?);
        let bytes = || key.with_bytes(|_| ()).is_some();
        let whole_number = || key.number().is_some_and(|number| whole(number).is_some());
        let allowed = match key.kind() {
            Type::String | Type::BigInt => true,
            Type::Number => whole_number(),
            Type::Object => bytes(),
            _ => false,
        };
        let inner = Place::Key(place, Described(key));
        if !allowed {
            return Err(Failure::of_type(format!(
                "{inner}: a key of a map must be a whole number, bigint, string or Buffer, not {}",
                kind_name(key)
            )));
        }
        nested(hooks, out, key, &inner, depth - 1)?;
        nested(hooks, out, item, &Place::Entry(place, Described(key)), depth - 1)?;
    }
    Ok(tag)
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

fn text<E: Encoding>(out: &mut Vec<u8>, value: Value<'_>, place: &Place<'_>) -> Result<E::Tag> {
    E::bytes_with(out, particle::STRING, |out| value.append_text(out).map(drop))
        .map_err(|failure: Failure| failure.about(place))
}

fn text_of(value: Value<'_>, place: &Place<'_>) -> Result<String> {
    Ok(value.text().map_err(|failure| failure.about(place))?.unwrap_or_default())
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
         Buffer, Array, Map, a plain object, Double, GeoJSON, HyperLogLog, or a codec for others",
        kind_name(value)
    ))
}
