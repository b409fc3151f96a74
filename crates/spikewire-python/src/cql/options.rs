//! The options of a session, from keyword arguments.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use spikewire_cassandra::Options;
use spikewire_cassandra::authenticator::Password;
use spikewire_cassandra::options::{Host, PORT, Speculation};
use spikewire_cql::consistency::Consistency;
use spikewire_cql::version::Version;

use super::security;
use crate::arguments::{check_pairs, redacted_url};
use crate::arguments::{count, seconds};
use crate::bridge::errors::{repr_of, type_error, type_name, utf8, value_error};
pub use crate::bridge::keywords::{flag, optional, text};

/// The names of all options.
pub const NAMES: [&str; 32] = [
    "address_map",
    "application",
    "authenticator",
    "compression",
    "connect_timeout",
    "connections_per_node",
    "consistency",
    "heartbeat",
    "idle_timeout",
    "keyspace",
    "local_datacenter",
    "local_rack",
    "max_error_rate",
    "max_retries",
    "page_size",
    "password",
    "pipeline_depth",
    "protocol_version",
    "queue_limit",
    "reconnect",
    "remote_datacenters",
    "schema_agreement",
    "serial_consistency",
    "shard_aware_port",
    "socket_timeout",
    "speculative_attempts",
    "speculative_delay",
    "submit_limit",
    "timeout",
    "timestamps",
    "tls",
    "user",
];

/// The default for the maximum number of submitted statements in flight.
const SUBMIT_LIMIT: usize = 2048;

/// The parsed options of a session.
#[derive(Debug, Clone)]
pub struct Opening {
    pub options: Options,
    pub submit_limit: usize,
}

/// Parses contact points and keyword arguments.
pub fn read(points: &Bound<'_, PyAny>, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Opening> {
    let mut options = Options::new(contact_points(points)?);
    let mut submit_limit = SUBMIT_LIMIT;
    let (mut user, mut password) = (None, None);
    for (name, value) in keywords.into_iter().flatten() {
        let name: String = name.extract()?;
        let name = name.as_str();
        let value = &value;
        match name {
            "keyspace" => options.keyspace = optional(name, value, text)?,
            "protocol_version" => options.version = optional(name, value, version)?,
            "compression" => options.compression = compression(value)?,
            "tls" => options.encryption = security::encryption(value)?,
            "authenticator" => {
                options.authenticator =
                    optional(name, value, |_, value| security::authenticator(value))?;
            }
            "user" => user = optional(name, value, text)?,
            "password" => password = optional(name, value, text)?,
            "local_datacenter" => options.local_datacenter = optional(name, value, text)?,
            "local_rack" => options.local_rack = optional(name, value, text)?,
            "remote_datacenters" => options.remote_datacenters = flag(name, value)?,
            "address_map" => options.address_map = addresses(name, value)?,
            "connect_timeout" => options.connect_timeout = span(name, value, 1)?,
            "heartbeat" => options.heartbeat = span(name, value, 100)?,
            "reconnect" => options.reconnect = pauses(name, value)?,
            "idle_timeout" => options.idle = span(name, value, 100)?,
            "schema_agreement" => options.schema_agreement = seconds(name, value)?,
            "timeout" => options.limits.timeout = seconds(name, value)?,
            "socket_timeout" => options.limits.socket_timeout = seconds(name, value)?,
            "max_retries" => options.limits.max_retries = count(name, value, 0, 1000)? as u32,
            "speculative_delay" => options.limits.speculation.delay = optional(name, value, delay)?,
            "speculative_attempts" => options.limits.speculation.attempts = copies(name, value)?,
            "connections_per_node" => {
                options.connections_per_node = count(name, value, 1, 1024)? as usize;
            }
            "shard_aware_port" => options.shard_aware_port = flag(name, value)?,
            "pipeline_depth" => options.depth = count(name, value, 1, 32_767)? as usize,
            "queue_limit" => options.queue = count(name, value, 0, 100_000_000)? as usize,
            "submit_limit" => submit_limit = count(name, value, 1, 1_000_000)? as usize,
            "max_error_rate" => options.max_error_rate = count(name, value, 0, 1 << 30)? as u32,
            "consistency" => options.consistency = consistency(name, value)?,
            "serial_consistency" => {
                options.serial_consistency = optional(name, value, consistency)?;
            }
            "page_size" => options.page_size = optional(name, value, page_size)?,
            "timestamps" => options.timestamps = flag(name, value)?,
            "application" => options.application = application(value)?,
            _ => {
                let names = NAMES.join(", ");
                return Err(type_error(format!(
                    "unknown session option {name:?}; there are: {names}"
                )));
            }
        }
    }
    match (user, password) {
        (None, None) => {}
        (Some(_), Some(_)) if options.authenticator.is_some() => {
            return Err(value_error("an authenticator takes the place of user and password"));
        }
        (Some(user), Some(password)) => {
            let password = Password::new(user, password).map_err(value_error)?;
            options.authenticator = Some(Arc::new(password));
        }
        _ => return Err(value_error("user and password go together")),
    }
    Ok(Opening { options, submit_limit })
}

fn contact_points(points: &Bound<'_, PyAny>) -> PyResult<Vec<Host>> {
    if let Ok(text) = points.cast::<PyString>() {
        let text = utf8("contact points", text)?;
        if text.contains("://") {
            return Err(value_error(format!(
                "contact points are addresses such as \"127.0.0.1:9042\"; a URL is for \
                 Session.from_url({}) or AsyncSession.from_url",
                redacted_url(text)
            )));
        }
        return Host::parse_list(text, PORT).map_err(value_error);
    }
    if !points.is_instance_of::<PyList>() && !points.is_instance_of::<PyTuple>() {
        return Err(type_error(format!(
            "contact points must be a str such as \"127.0.0.1:9042\" or a list of them, not {}",
            type_name(points)
        )));
    }
    let items: Vec<Bound<'_, PyAny>> = points.try_iter()?.collect::<PyResult<_>>()?;
    check_pairs("contact point", points, &items)?;
    let hosts: Vec<Host> = items
        .iter()
        .map(|point| Host::parse(&text("each contact point", point)?, PORT).map_err(value_error))
        .collect::<PyResult<_>>()?;
    if hosts.is_empty() {
        return Err(value_error("no contact point given"));
    }
    Ok(hosts)
}

pub fn consistency(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Consistency> {
    let word = text(name, value)?;
    word.parse().map_err(|_| {
        let names: Vec<String> =
            Consistency::ALL.iter().map(|level| level.name().to_lowercase()).collect();
        value_error(format!("{name} must be one of {}; got {word:?}", names.join(", ")))
    })
}

pub fn page_size(name: &str, value: &Bound<'_, PyAny>) -> PyResult<i32> {
    Ok(count(name, value, 1, i32::MAX as u64)? as i32)
}

fn span(name: &str, value: &Bound<'_, PyAny>, least: u64) -> PyResult<Duration> {
    let (span, least) = (seconds(name, value)?, Duration::from_millis(least));
    if span < least {
        return Err(value_error(format!("{name} must be at least {} s", least.as_secs_f64())));
    }
    Ok(span)
}

/// The shortest and the longest pause.
fn pauses(name: &str, value: &Bound<'_, PyAny>) -> PyResult<(Duration, Duration)> {
    let both = if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>() {
        value.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>().ok()
    } else {
        None
    };
    let Some((shortest, longest)) = both else {
        return Err(type_error(format!(
            "{name} must be a tuple of two spans, the shortest and the longest pause, such as \
             (0.1, 30); got {}",
            repr_of(value)
        )));
    };
    let (shortest, longest) = (span(name, &shortest, 1)?, seconds(name, &longest)?);
    if longest < shortest {
        return Err(value_error(format!(
            "{name}: the longest pause must not be below the shortest; got {}",
            repr_of(value)
        )));
    }
    Ok((shortest, longest))
}

/// How long to wait for a reply before sending a speculative copy of a statement.
pub fn delay(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    span(name, value, Speculation::SHORTEST.as_millis() as u64)
}

/// The maximum number of speculative copies of a statement.
pub fn copies(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u32> {
    Ok(count(name, value, 1, Speculation::MOST.into())? as u32)
}

fn version(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Version> {
    let number = count(name, value, 4, 5)?;
    Version::from_number(number as u8).ok_or_else(|| value_error(format!("{name} must be 4 or 5")))
}

fn compression(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    if value.is_none() {
        return Ok(false);
    }
    match value.cast::<PyString>() {
        Ok(text) if text.to_str()? == "lz4" => Ok(true),
        _ => {
            Err(value_error(format!("compression must be None or \"lz4\", not {}", repr_of(value))))
        }
    }
}

fn addresses(name: &str, value: &Bound<'_, PyAny>) -> PyResult<HashMap<String, String>> {
    let what = "must be a dict of advertised to reachable addresses (str)";
    value.extract().map_err(|_| type_error(format!("{name} {what}")))
}

fn application(value: &Bound<'_, PyAny>) -> PyResult<Vec<(String, String)>> {
    let pairs: HashMap<String, String> = value.extract().map_err(|_| {
        type_error("application must be a dict of str, such as {\"APPLICATION_NAME\": \"shop\"}")
    })?;
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    pairs.sort();
    Ok(pairs)
}
