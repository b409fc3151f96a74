//! Python objects to particles, written directly into the request buffer.

use std::fmt::Write as _;

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMapping, PyMemoryView,
    PyString, PyTuple,
};

use spikewire_aerospike_protocol::cdt::sort_maps;
use spikewire_aerospike_protocol::value::{ElementEncoding, Encoding, ParticleEncoding, particle};
use spikewire_aerospike_protocol::{limits, msgpack};

use super::{GeoJSON, HyperLogLog, Marker, Place, changed, foreign, ordered, pairs};
use crate::errors::{
    LazyRepr, RequestError, overflow, repr_of, type_error, type_name, value_error,
};

/// Appends the particle of `value` and returns its type.
pub fn encode(out: &mut Vec<u8>, value: &Bound<'_, PyAny>, place: &Place<'_>) -> PyResult<u8> {
    write::<ParticleEncoding>(out, value, place, limits::NESTING)
}

/// Appends `value` as an element of a list or map.
pub fn element(out: &mut Vec<u8>, value: &Bound<'_, PyAny>, place: &Place<'_>) -> PyResult<()> {
    nested(out, value, place, limits::NESTING)
}

fn nested(
    out: &mut Vec<u8>,
    value: &Bound<'_, PyAny>,
    place: &Place<'_>,
    depth: usize,
) -> PyResult<()> {
    place.check_depth(depth).map_err(RequestError::from)?;
    write::<ElementEncoding>(out, value, place, depth)
}

#[inline]
fn write<E: Encoding>(
    out: &mut Vec<u8>,
    value: &Bound<'_, PyAny>,
    place: &Place<'_>,
    depth: usize,
) -> PyResult<E::Tag> {
    if let Ok(int) = value.cast_exact::<PyInt>() {
        return Ok(E::integer(out, integer(int, place)?));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(E::bytes(out, particle::STRING, utf8(text, place)?.as_bytes()));
    }
    if let Ok(float) = value.cast::<PyFloat>() {
        return Ok(E::float(out, float.value()));
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(E::boolean(out, flag.is_true()));
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(E::bytes(out, particle::BLOB, bytes.as_bytes()));
    }
    if value.is_none() {
        return Ok(E::nil(out));
    }
    write_other::<E>(out, value, place, depth)
}

/// The less frequent types, kept out of line.
fn write_other<E: Encoding>(
    out: &mut Vec<u8>,
    value: &Bound<'_, PyAny>,
    place: &Place<'_>,
    depth: usize,
) -> PyResult<E::Tag> {
    let count = |len| place.count(len).map_err(RequestError::from);
    if let Ok(int) = value.cast::<PyInt>() {
        return Ok(E::integer(out, integer(int, place)?));
    }
    if let Ok(list) = value.cast::<PyList>() {
        let len = list.len();
        let tag = E::list(out, count(len)?);
        let mut read = 0;
        for item in list.iter() {
            nested(out, &item, &Place::Index(place, read), depth - 1)?;
            read += 1;
        }
        return if read == len { Ok(tag) } else { Err(changed("list")) };
    }
    if let Ok(items) = value.cast::<PyTuple>() {
        let tag = E::list(out, count(items.len())?);
        for (at, item) in items.iter().enumerate() {
            nested(out, &item, &Place::Index(place, at), depth - 1)?;
        }
        return Ok(tag);
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let start = out.len();
        let is_ordered = !dict.is_exact_instance_of::<PyDict>() && ordered::is_ordered(dict);
        let pairs = pairs(dict);
        let tag = E::map(out, count(pairs.len() + usize::from(is_ordered))?);
        if is_ordered {
            msgpack::map_flags(out, ordered::KEY_ORDERED);
        }
        for pair in pairs {
            let (key, item) = pair?;
            entry(out, &key, &item, place, depth)?;
        }
        if is_ordered {
            sort_maps(out, start);
        }
        return Ok(tag);
    }
    if let Ok(geo) = value.cast::<GeoJSON>() {
        return Ok(E::geojson(out, &geo.get().text));
    }
    if let Ok(sketch) = value.cast::<HyperLogLog>() {
        return Ok(E::bytes(out, particle::HLL, &sketch.get().bytes));
    }
    if let Ok(marker) = value.cast::<Marker>() {
        let allowed = place.allows_markers();
        let tag = if allowed { E::marker(out, marker.get().wire()) } else { None };
        return tag
            .ok_or_else(|| type_error(format!("{place}: {} cannot be stored", repr_of(value))));
    }
    if let Some(plain) = plain(value, place)? {
        let depth = depth - 1;
        place.check_depth(depth).map_err(RequestError::from)?;
        return write::<E>(out, &plain, place, depth);
    }
    if let Some(tag) = foreign::bytes(value, place, |bytes| E::bytes(out, particle::BLOB, bytes))? {
        return Ok(tag);
    }
    if let Ok(mapping) = value.cast::<PyMapping>() {
        let items = mapping.items()?;
        let tag = E::map(out, count(items.len())?);
        for pair in items.iter() {
            let (key, item): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            entry(out, &key, &item, place, depth)?;
        }
        return Ok(tag);
    }
    Err(unsupported(value, place))
}

/// Whether a value can be the key of a map: what is stored as an integer, as text or as bytes.
pub fn is_map_key(key: &Bound<'_, PyAny>) -> bool {
    key.is_instance_of::<PyString>()
        || (key.is_instance_of::<PyInt>() && !key.is_instance_of::<PyBool>())
        || key.is_instance_of::<PyBytes>()
        || key.is_instance_of::<PyByteArray>()
        || key.is_instance_of::<PyMemoryView>()
}

fn entry(
    out: &mut Vec<u8>,
    key: &Bound<'_, PyAny>,
    item: &Bound<'_, PyAny>,
    place: &Place<'_>,
    depth: usize,
) -> PyResult<()> {
    if !is_map_key(key) {
        let inner = Place::Key(place, LazyRepr(key));
        if let Some(plain) = plain(key, &inner)? {
            return entry(out, &plain, item, place, depth);
        }
        return Err(type_error(format!(
            "{inner}: a map key must be int, str or bytes, not {}",
            type_name(key)
        )));
    }
    nested(out, key, &Place::Key(place, LazyRepr(key)), depth - 1)?;
    nested(out, item, &Place::Entry(place, LazyRepr(key)), depth - 1)
}

fn integer(int: &Bound<'_, PyInt>, place: &Place<'_>) -> PyResult<i64> {
    int.extract().map_err(|error: PyErr| {
        if error.is_instance_of::<PyOverflowError>(int.py()) {
            overflow(format!(
                "{place}: the integer {} does not fit 64 bits signed",
                repr_of(int.as_any())
            ))
        } else {
            error
        }
    })
}

fn utf8<'a>(text: &'a Bound<'_, PyString>, place: &Place<'_>) -> PyResult<&'a str> {
    text.to_str().map_err(|error| {
        let mut message = format!("{place}: the str cannot be written as UTF-8");
        let _ = write!(message, " ({error})");
        value_error(message)
    })
}

/// The plain value that represents a value of another type.
pub fn plain<'py>(
    value: &Bound<'py, PyAny>,
    place: &Place<'_>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let Place::Coded(_, codec) = place.root()
        && let Some(plain) = codec.plain(value, place)?
    {
        return Ok(Some(plain));
    }
    foreign::plain(value, place)
}

fn unsupported(value: &Bound<'_, PyAny>, place: &Place<'_>) -> PyErr {
    type_error(format!(
        "{place}: cannot store a value of type {}; use int, float, bool, str, bytes, None, list, \
         dict, GeoJSON, HyperLogLog, or a codec for others",
        type_name(value)
    ))
}
