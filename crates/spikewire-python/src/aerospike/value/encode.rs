//! Python objects to particles, written directly into the request buffer.

use std::fmt::Write as _;

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{
    PyBool, PyByteArray, PyBytes, PyDict, PyFloat, PyInt, PyList, PyMapping, PyMemoryView,
    PyString, PyTuple,
};

use spikewire_aerospike_protocol::cdt::sort_maps;
use spikewire_aerospike_protocol::value::{geojson, particle};
use spikewire_aerospike_protocol::{limits, msgpack};

use super::{GeoJSON, HyperLogLog, Marker, Place, changed, foreign, ordered, pairs};
use crate::errors::{overflow, repr_of, type_error, type_name, value_error};

/// Appends the particle of `value` and returns its type.
pub fn encode(out: &mut Vec<u8>, value: &Bound<'_, PyAny>, place: &Place<'_>) -> PyResult<u8> {
    if let Ok(int) = value.cast_exact::<PyInt>() {
        out.extend_from_slice(&integer(int, place)?.to_be_bytes());
        return Ok(particle::INTEGER);
    }
    if let Ok(text) = value.cast::<PyString>() {
        out.extend_from_slice(utf8(text, place)?.as_bytes());
        return Ok(particle::STRING);
    }
    if let Ok(float) = value.cast::<PyFloat>() {
        out.extend_from_slice(&float.value().to_be_bytes());
        return Ok(particle::FLOAT);
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        out.push(u8::from(flag.is_true()));
        return Ok(particle::BOOL);
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        out.extend_from_slice(bytes.as_bytes());
        return Ok(particle::BLOB);
    }
    if value.is_none() {
        return Ok(particle::NULL);
    }
    if let Ok(int) = value.cast::<PyInt>() {
        out.extend_from_slice(&integer(int, place)?.to_be_bytes());
        return Ok(particle::INTEGER);
    }
    if let Ok(geo) = value.cast::<GeoJSON>() {
        geojson(out, &geo.get().text);
        return Ok(particle::GEOJSON);
    }
    if let Ok(sketch) = value.cast::<HyperLogLog>() {
        out.extend_from_slice(&sketch.get().bytes);
        return Ok(particle::HLL);
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        nested(out, value, place, limits::NESTING)?;
        return Ok(particle::LIST);
    }
    if value.is_instance_of::<PyDict>() {
        nested(out, value, place, limits::NESTING)?;
        return Ok(particle::MAP);
    }
    if let Some(plain) = plain(value, place)? {
        return encode(out, &plain, place);
    }
    if foreign::bytes(value, place, |bytes| out.extend_from_slice(bytes))?.is_some() {
        return Ok(particle::BLOB);
    }
    if value.cast::<PyMapping>().is_ok() {
        nested(out, value, place, limits::NESTING)?;
        return Ok(particle::MAP);
    }
    Err(unsupported(value, place))
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
    if depth == 0 {
        return Err(value_error(format!(
            "{}: nested deeper than {} levels",
            place.root(),
            limits::NESTING
        )));
    }
    if let Ok(text) = value.cast::<PyString>() {
        msgpack::bytes(out, particle::STRING, utf8(text, place)?.as_bytes());
    } else if let Ok(flag) = value.cast::<PyBool>() {
        msgpack::boolean(out, flag.is_true());
    } else if let Ok(int) = value.cast::<PyInt>() {
        msgpack::int(out, integer(int, place)?);
    } else if let Ok(float) = value.cast::<PyFloat>() {
        msgpack::float(out, float.value());
    } else if value.is_none() {
        msgpack::nil(out);
    } else if let Ok(bytes) = value.cast::<PyBytes>() {
        msgpack::bytes(out, particle::BLOB, bytes.as_bytes());
    } else if let Ok(list) = value.cast::<PyList>() {
        let len = list.len();
        msgpack::array(out, length(len, place)?);
        let mut read = 0;
        for item in list.iter() {
            nested(out, &item, &Place::Index(place, read), depth - 1)?;
            read += 1;
        }
        if read != len {
            return Err(changed("list"));
        }
    } else if let Ok(items) = value.cast::<PyTuple>() {
        msgpack::array(out, length(items.len(), place)?);
        for (at, item) in items.iter().enumerate() {
            nested(out, &item, &Place::Index(place, at), depth - 1)?;
        }
    } else if let Ok(dict) = value.cast::<PyDict>() {
        let start = out.len();
        let is_ordered = !dict.is_exact_instance_of::<PyDict>() && ordered::is_ordered(dict);
        let pairs = pairs(dict);
        msgpack::map(out, length(pairs.len() + usize::from(is_ordered), place)?);
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
    } else if let Ok(geo) = value.cast::<GeoJSON>() {
        msgpack::bytes(out, particle::GEOJSON, geo.get().text.as_bytes());
    } else if let Ok(sketch) = value.cast::<HyperLogLog>() {
        msgpack::bytes(out, particle::HLL, &sketch.get().bytes);
    } else if let Ok(marker) = value.cast::<Marker>() {
        if !matches!(place.root(), Place::Argument(_)) {
            return Err(type_error(format!("{place}: {} cannot be stored", repr_of(value))));
        }
        out.extend_from_slice(&marker.get().wire());
    } else if let Some(plain) = plain(value, place)? {
        return nested(out, &plain, place, depth - 1);
    } else if let Some(done) =
        foreign::bytes(value, place, |bytes| msgpack::bytes(out, particle::BLOB, bytes))?
    {
        return Ok(done);
    } else if let Ok(mapping) = value.cast::<PyMapping>() {
        let items = mapping.items()?;
        msgpack::map(out, length(items.len(), place)?);
        for pair in items.iter() {
            let (key, item): (Bound<'_, PyAny>, Bound<'_, PyAny>) = pair.extract()?;
            entry(out, &key, &item, place, depth)?;
        }
    } else {
        return Err(unsupported(value, place));
    }
    Ok(())
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
        let inner = Place::Key(place, key);
        if let Some(plain) = plain(key, &inner)? {
            return entry(out, &plain, item, place, depth);
        }
        return Err(type_error(format!(
            "{}: a map key must be int, str or bytes, not {}",
            inner,
            type_name(key)
        )));
    }
    nested(out, key, &Place::Key(place, key), depth - 1)?;
    nested(out, item, &Place::Entry(place, key), depth - 1)
}

fn length(len: usize, place: &Place<'_>) -> PyResult<u32> {
    u32::try_from(len).map_err(|_| value_error(format!("{place}: more than 2^32 elements")))
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
         dict, GeoJSON or HyperLogLog",
        type_name(value)
    ))
}
