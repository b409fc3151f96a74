//! Where a call goes, what a read may read, and whether it renews the TTL.

use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt};

use spikewire_engine::command::{ReadMode, ReadTouch, limits};
use spikewire_engine::{Policy, ReplicaPolicy};

use super::seconds;
use crate::errors::{refused, shown, type_error, type_name, value_error};
use crate::space::text;

/// The replica policy of that name.
pub fn replica(value: &Bound<'_, PyAny>) -> PyResult<ReplicaPolicy> {
    Ok(match text("replica", value)? {
        "master" => ReplicaPolicy::Master,
        "sequence" => ReplicaPolicy::Sequence,
        "any" => ReplicaPolicy::Any,
        "prefer-rack" => ReplicaPolicy::PreferRack,
        word => {
            return Err(value_error(format!(
                "replica must be 'master', 'sequence', 'any' or 'prefer-rack', got {word:?}"
            )));
        }
    })
}

/// The limits of one call: the client's defaults, changed by what the caller gave.
pub fn policy(
    base: &Policy,
    timeout: Option<&Bound<'_, PyAny>>,
    chosen: Option<&Bound<'_, PyAny>>,
) -> PyResult<Policy> {
    let (timeout, chosen) = (timeout_of(timeout)?, chosen.map(replica).transpose()?);
    Ok(limits(base, timeout, chosen))
}

/// The total time of one call.
pub fn timeout_of(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Duration>> {
    value.map(|value| seconds("timeout", value)).transpose()
}

/// The read mode of that name.
pub fn read_mode(value: &Bound<'_, PyAny>) -> PyResult<ReadMode> {
    Ok(match text("read_mode", value)? {
        "one" => ReadMode::One,
        "all" => ReadMode::All,
        "session" => ReadMode::Session,
        "linearize" => ReadMode::Linearize,
        "allow_replica" => ReadMode::AllowReplica,
        "allow_unavailable" => ReadMode::AllowUnavailable,
        word => {
            return Err(value_error(format!(
                "read_mode must be 'one', 'all', 'session', 'linearize', 'allow_replica' or \
                 'allow_unavailable', got {word:?}"
            )));
        }
    })
}

/// Whether a read renews the record's time to live.
pub fn read_touch(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<ReadTouch>> {
    let Some(value) = value else { return Ok(None) };
    if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        return Err(type_error(format!("read_touch must be int, not {}", type_name(value))));
    }
    let number = value.extract().unwrap_or(i64::MAX);
    ReadTouch::percent(number, shown(value)).map(Some).map_err(refused)
}
