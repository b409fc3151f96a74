//! Time to live, generation, and what a write does about a record that is there or is not.

use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDateTime, PyDelta, PyDeltaAccess, PyFloat, PyInt, PyString, PyType};

use spikewire_protocol::limits;
use spikewire_protocol::message::{Header, info2, info3};

use super::count;
use crate::errors::{overflow, shown, type_error, type_name, value_error};

const TTL_FORMS: &str =
    "whole seconds (int), a timedelta, a datetime, 'default', 'never' or 'unchanged'";

/// The expiration slot of a write.
pub fn ttl(value: Option<&Bound<'_, PyAny>>) -> PyResult<u32> {
    let Some(value) = value else { return Ok(limits::TTL_DEFAULT) };
    if let Ok(word) = value.cast::<PyString>() {
        return match word.to_str()? {
            "default" => Ok(limits::TTL_DEFAULT),
            "never" => Ok(limits::TTL_NEVER),
            "unchanged" => Ok(limits::TTL_UNCHANGED),
            word => Err(value_error(format!("ttl must be {TTL_FORMS}, got {word:?}"))),
        };
    }
    let whole = if let Ok(delta) = value.cast::<PyDelta>() {
        if delta.get_microseconds() != 0 {
            return Err(value_error(format!("ttl must be whole seconds, got {}", shown(value))));
        }
        i64::from(delta.get_days()) * 86_400 + i64::from(delta.get_seconds())
    } else if let Ok(moment) = value.cast::<PyDateTime>() {
        until(moment)?
    } else if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
        value.extract().unwrap_or(i64::MAX)
    } else if let Ok(float) = value.cast::<PyFloat>() {
        return Err(value_error(format!("ttl must be {TTL_FORMS}, got the float {float}")));
    } else {
        return Err(type_error(format!("ttl must be {TTL_FORMS}, not {}", type_name(value))));
    };
    match u32::try_from(whole) {
        Ok(ttl @ 1..=limits::TTL_SECONDS) => Ok(ttl),
        _ => Err(value_error(format!(
            "ttl must be from 1 to {} seconds (10 years), got {}; use ttl='never' for no \
             expiry and ttl='default' for the namespace's own",
            limits::TTL_SECONDS,
            shown(value)
        ))),
    }
}

/// Seconds from now to a moment, rounded up.
fn until(moment: &Bound<'_, PyDateTime>) -> PyResult<i64> {
    if moment.call_method0("utcoffset")?.is_none() {
        return Err(value_error(format!(
            "ttl must be a datetime that knows its time zone, such as datetime.now(timezone.utc) + \
             timedelta(hours=1), got the naive {moment}"
        )));
    }
    let at: f64 = moment.call_method0("timestamp")?.extract()?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64();
    if at <= now {
        return Err(value_error(format!("ttl must be a datetime in the future, got {moment}")));
    }
    // A datetime ends with the year 9999: far within 64 bits.
    Ok((at - now).ceil() as i64)
}

/// A rule for `generation`: write only if this is greater than the record's own generation.
///
/// For copies of records that carry their generation along: an older copy does not overwrite a
/// newer record. `generation` is from 1 to 65535. A record that is not there yet is written.
/// Raises `GenerationMismatch` in the write that uses it.
#[pyclass(frozen, eq, hash, module = "spikewire")]
#[derive(PartialEq, Eq, Hash)]
pub struct Newer {
    generation: u32,
}

#[pymethods]
impl Newer {
    #[new]
    fn new(generation: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { generation: number(generation, 1)? })
    }

    /// What the record's generation must be less than.
    #[getter]
    fn generation(&self) -> u32 {
        self.generation
    }

    fn __repr__(&self) -> String {
        format!("Newer({})", self.generation)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (u32,)) {
        (py.get_type::<Self>(), (self.generation,))
    }
}

fn number(value: &Bound<'_, PyAny>, least: u32) -> PyResult<u32> {
    if value.is_instance_of::<PyInt>() && value.extract::<u32>().is_err() {
        return Err(overflow(format!(
            "generation must be from {least} to 65535, got {}",
            shown(value)
        )));
    }
    Ok(count("generation", value, u64::from(least), 0xFFFF)? as u32)
}

/// Puts the expected generation into the header.
pub fn generation(header: &mut Header, value: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let Some(value) = value else { return Ok(()) };
    if let Ok(newer) = value.cast::<Newer>() {
        header.generation = newer.get().generation;
        header.info2 |= info2::GENERATION_GT;
    } else {
        header.generation = number(value, 0)?;
        header.info2 |= info2::GENERATION;
    }
    Ok(())
}

/// Puts the rule about existing records into the header.
pub fn exists(header: &mut Header, value: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    let Some(value) = value else { return Ok(()) };
    let word = crate::space::text("exists", value)?;
    match word {
        "merge" => {}
        "create" => header.info2 |= info2::CREATE_ONLY,
        "update" => header.info3 |= info3::UPDATE_ONLY,
        "replace" => header.info3 |= info3::CREATE_OR_REPLACE,
        "replace_only" => header.info3 |= info3::REPLACE_ONLY,
        _ => {
            return Err(value_error(format!(
                "exists must be 'merge' (the default: create or update), 'create', 'update', \
                 'replace' or 'replace_only', got {word:?}"
            )));
        }
    }
    Ok(())
}
