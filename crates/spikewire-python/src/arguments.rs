//! Keyword arguments of the verbs: checked before a byte is encoded.

use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDelta, PyDeltaAccess, PyFloat, PyInt, PyList, PyString, PyTuple};

use spikewire_engine::{Policy, ReplicaPolicy};
use spikewire_protocol::limits;
use spikewire_protocol::message::{Header, info2, info3};

use crate::errors::{about, overflow, shown, type_error, type_name, value_error};
use crate::expression::filter_bytes;
use crate::value::bin_name;

/// An argument for which `None` means something, so that leaving it out must be told apart.
pub enum Given<'py> {
    No,
    Yes(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for Given<'py> {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self::Yes(value.to_owned()))
    }
}

/// Seconds as a Python number: finite and not negative.
pub fn seconds(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    if let Ok(delta) = value.cast::<PyDelta>() {
        let whole = i64::from(delta.get_days()) * 86_400 + i64::from(delta.get_seconds());
        let whole = u64::try_from(whole).map_err(|_| {
            value_error(format!("{what} must not be negative, got {}", shown(value)))
        })?;
        return Ok(Duration::new(whole, delta.get_microseconds() as u32 * 1000));
    }
    let number = if value.is_instance_of::<PyBool>() {
        None
    } else if value.is_instance_of::<PyInt>() {
        // An integer that no float can hold is out of bounds all the same.
        Some(value.extract().unwrap_or(f64::INFINITY))
    } else {
        value.extract::<f64>().ok()
    };
    let Some(number) = number else {
        return Err(type_error(format!(
            "{what} must be seconds as a number or a timedelta, not {}",
            type_name(value)
        )));
    };
    // 100 years: far beyond any use, and safe to add to any clock.
    if !(0.0..=3.2e9).contains(&number) {
        return Err(value_error(format!(
            "{what} must be a number of seconds from 0 to 3.2e9, got {}",
            shown(value)
        )));
    }
    // Zero often means no limit, so what is more than zero must not become it.
    let least = Duration::from_nanos(u64::from(number > 0.0));
    Ok(Duration::from_secs_f64(number).max(least))
}

/// A whole number within bounds.
pub fn count(what: &str, value: &Bound<'_, PyAny>, min: u64, max: u64) -> PyResult<u64> {
    if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        return Err(type_error(format!("{what} must be int, not {}", type_name(value))));
    }
    match value.extract::<u64>() {
        Ok(count) if (min..=max).contains(&count) => Ok(count),
        _ => Err(value_error(format!("{what} must be from {min} to {max}, got {}", shown(value)))),
    }
}

/// The replica policy of that name.
pub fn replica(value: &str) -> PyResult<ReplicaPolicy> {
    Ok(match value {
        "master" => ReplicaPolicy::Master,
        "sequence" => ReplicaPolicy::Sequence,
        "any" => ReplicaPolicy::Any,
        "prefer-rack" => ReplicaPolicy::PreferRack,
        _ => {
            return Err(value_error(format!(
                "replica must be 'master', 'sequence', 'any' or 'prefer-rack', got {value:?}"
            )));
        }
    })
}

/// The limits of one call: the client's defaults, changed by what the caller gave.
pub fn policy(base: &Policy, timeout: Option<&Bound<'_, PyAny>>) -> PyResult<Policy> {
    let mut policy = *base;
    if let Some(timeout) = timeout {
        policy.timeout = seconds("timeout", timeout)?;
    }
    Ok(policy)
}

/// The bytes of a filter expression.
pub fn filter(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec<u8>>> {
    let Some(value) = value else { return Ok(None) };
    match filter_bytes(value) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) => Err(about(value.py(), error, "where")),
    }
}

/// The expiration slot of a write.
pub fn ttl(value: Option<&Bound<'_, PyAny>>) -> PyResult<u32> {
    let Some(value) = value else { return Ok(limits::TTL_DEFAULT) };
    if let Ok(word) = value.cast::<PyString>() {
        return match word.to_str()? {
            "default" => Ok(limits::TTL_DEFAULT),
            "never" => Ok(limits::TTL_NEVER),
            "unchanged" => Ok(limits::TTL_UNCHANGED),
            word => Err(value_error(format!(
                "ttl must be seconds, a timedelta, 'default', 'never' or 'unchanged', got {word:?}"
            ))),
        };
    }
    let whole = if let Ok(delta) = value.cast::<PyDelta>() {
        if delta.get_microseconds() != 0 {
            return Err(value_error(format!("ttl must be whole seconds, got {}", shown(value))));
        }
        i64::from(delta.get_days()) * 86_400 + i64::from(delta.get_seconds())
    } else if value.is_instance_of::<PyInt>() && !value.is_instance_of::<PyBool>() {
        value.extract().unwrap_or(i64::MAX)
    } else if let Ok(float) = value.cast::<PyFloat>() {
        return Err(value_error(format!(
            "ttl must be whole seconds (int), a timedelta, 'default', 'never' or 'unchanged', \
             got the float {float}"
        )));
    } else {
        return Err(type_error(format!(
            "ttl must be whole seconds (int), a timedelta, 'default', 'never' or 'unchanged', \
             not {}",
            type_name(value)
        )));
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

/// Puts the expected generation into the header.
pub fn generation(header: &mut Header, value: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    if let Some(value) = value {
        if value.is_instance_of::<PyInt>() && value.extract::<u32>().is_err() {
            return Err(overflow(format!(
                "generation must be from 0 to 65535, got {}",
                shown(value)
            )));
        }
        header.generation = count("generation", value, 0, 0xFFFF)? as u32;
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

/// The bin names of a read, each checked.
pub fn bins(value: &Bound<'_, PyAny>, mut each: impl FnMut(&str)) -> PyResult<()> {
    let mut name = |name: &Bound<'_, PyAny>| bin_name(name).map(&mut each);
    if let Ok(list) = value.cast::<PyList>() {
        return list.iter().try_for_each(|item| name(&item));
    }
    if let Ok(items) = value.cast::<PyTuple>() {
        return items.iter().try_for_each(|item| name(&item));
    }
    Err(type_error(format!("bins must be a list or tuple of bin names, not {}", type_name(value))))
}
