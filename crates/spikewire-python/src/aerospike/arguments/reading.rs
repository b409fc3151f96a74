//! Arguments of reads: replica, priority, read mode, shared requests, and whether the read renews
//! the TTL.

use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt};

use spikewire_aerospike::command::{ReadMode, ReadTouch, parse};
use spikewire_aerospike::{DetailLevel, ReplicaPolicy, ShareReads};
use spikewire_transport::Priority;

use super::seconds;
use crate::arguments::text;
use crate::errors::{LazyRepr, invalid_argument, type_error, type_name};

/// The replica policy with this name.
pub fn replica(value: &Bound<'_, PyAny>) -> PyResult<ReplicaPolicy> {
    parse::replica(text("replica", value)?).map_err(invalid_argument)
}

/// The priority with this name.
pub fn priority(value: &Bound<'_, PyAny>) -> PyResult<Priority> {
    Priority::parse(text("priority", value)?).map_err(invalid_argument)
}

/// How much servers are asked to say about errors, by name.
pub fn error_details(value: &Bound<'_, PyAny>) -> PyResult<DetailLevel> {
    parse::error_details(text("error_details", value)?).map_err(invalid_argument)
}

/// The total timeout of one call.
pub fn timeout(value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    seconds("timeout", value)
}

/// The read mode with this name.
pub fn read_mode(value: &Bound<'_, PyAny>) -> PyResult<ReadMode> {
    parse::read_mode(text("read_mode", value)?).map_err(invalid_argument)
}

/// Which requests a read shares, by name.
pub fn share_reads(value: &Bound<'_, PyAny>) -> PyResult<ShareReads> {
    parse::share_reads(text("share_reads", value)?).map_err(invalid_argument)
}

/// Whether, and when, a read renews the record's time to live.
pub fn read_touch(value: &Bound<'_, PyAny>) -> PyResult<ReadTouch> {
    if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        return Err(type_error(format!("read_touch must be int, not {}", type_name(value))));
    }
    let number = value.extract().unwrap_or(i64::MAX);
    ReadTouch::percent(number, LazyRepr(value)).map_err(invalid_argument)
}
