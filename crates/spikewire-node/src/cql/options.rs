//! Options of sessions, read from JavaScript.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use spikewire_cassandra::authenticator::Password;
use spikewire_cassandra::options::{Host, PORT};
use spikewire_cassandra::{Error, Options};
use spikewire_cql::consistency::Consistency;
use spikewire_cql::version::Version;
use spikewire_transport::tls::{Tls, TlsOptions};

use super::value::CqlDecodeOptions;
use crate::arguments::{count, flag, span, text};
use crate::errors::{describe, kind_name};
use crate::js::{Failure, Result, Type, Value};
use crate::tls;

/// The names of all options.
const NAMES: [&str; 33] = [
    "addressMap",
    "application",
    "compression",
    "connectTimeout",
    "connectionsPerNode",
    "consistency",
    "heartbeat",
    "idleTimeout",
    "integers",
    "keyspace",
    "localDatacenter",
    "localRack",
    "maps",
    "maxErrorRate",
    "maxRetries",
    "pageSize",
    "password",
    "pipelineDepth",
    "protocolVersion",
    "queueLimit",
    "reconnect",
    "remoteDatacenters",
    "schemaAgreement",
    "serialConsistency",
    "shardAwarePort",
    "signal",
    "socketTimeout",
    "speculativeAttempts",
    "speculativeDelay",
    "timeout",
    "timestamps",
    "tls",
    "user",
];

/// The parsed options of a session.
#[derive(Debug)]
pub struct SessionOptions {
    options: Options,
    /// TLS options; the system's certificates are read when connecting.
    encryption: Option<TlsOptions>,
    /// How values are converted.
    pub decode_options: CqlDecodeOptions,
}

impl SessionOptions {
    /// The engine's options; blocks while reading certificates.
    pub fn engine_options(self) -> std::result::Result<Options, Error> {
        let encryption = self.encryption.map(|tls| Tls::new(&tls)).transpose();
        let encryption = encryption.map_err(|error| Error::invalid(error.to_string()))?;
        Ok(Options { encryption, ..self.options })
    }
}

/// Parses contact points, and options as two arrays of names and values. The engine validates the
/// values.
pub fn read(points: Value<'_>, names: Value<'_>, values: Value<'_>) -> Result<SessionOptions> {
    let points = text("contact points", points)?;
    let points = Host::parse_list(&points, PORT).map_err(Failure::of_range)?;
    let mut options = Options::new(points);
    let mut decode_options = CqlDecodeOptions::default();
    let mut encryption = None;
    let (mut user, mut password) = (None, None);
    for at in 0..names.len()? {
        let name = text("an option", names.element(at)?)?;
        let (name, value) = (name.as_str(), values.element(at)?);
        match name {
            "keyspace" => options.keyspace = Some(text(name, value)?),
            "protocolVersion" => options.version = Some(version(name, value)?),
            "compression" => {
                options.compression = word(name, value, &["none", "lz4"])? == 1;
            }
            "user" => user = Some(text(name, value)?),
            "password" => password = Some(text(name, value)?),
            "localDatacenter" => options.local_datacenter = Some(text(name, value)?),
            "localRack" => options.local_rack = Some(text(name, value)?),
            "remoteDatacenters" => options.remote_datacenters = flag(name, value)?,
            "addressMap" => options.address_map = pairs(name, value)?.into_iter().collect(),
            "connectTimeout" => options.connect_timeout = span(name, value)?,
            "heartbeat" => options.heartbeat = span(name, value)?,
            "reconnect" => options.reconnect = pauses(name, value)?,
            "idleTimeout" => options.idle = span(name, value)?,
            "schemaAgreement" => options.schema_agreement = span(name, value)?,
            "timeout" => options.limits.timeout = span(name, value)?,
            "socketTimeout" => options.limits.socket_timeout = span(name, value)?,
            "maxRetries" => options.limits.max_retries = number(name, value)?,
            "speculativeDelay" => options.limits.speculation.delay = delay(name, value)?,
            "speculativeAttempts" => options.limits.speculation.attempts = number(name, value)?,
            "shardAwarePort" => options.shard_aware_port = flag(name, value)?,
            "connectionsPerNode" => {
                options.connections_per_node = number(name, value)? as usize;
            }
            "pipelineDepth" => options.depth = number(name, value)? as usize,
            "queueLimit" => options.queue = number(name, value)? as usize,
            "maxErrorRate" => options.max_error_rate = number(name, value)?,
            "consistency" => options.consistency = consistency(name, value)?,
            "serialConsistency" => options.serial_consistency = Some(consistency(name, value)?),
            "pageSize" => options.page_size = Some(page_size(name, value)?),
            "tls" => encryption = tls::options(value)?,
            "timestamps" => options.timestamps = flag(name, value)?,
            "application" => options.application = pairs(name, value)?.into_iter().collect(),
            "integers" => decode_options.bigints = word(name, value, &["auto", "bigint"])? == 1,
            "maps" => decode_options.maps = word(name, value, &["auto", "map"])? == 1,
            _ => {
                let names = NAMES.join(", ");
                return Err(Failure::of_type(format!(
                    "unknown session option {name}; there are: {names}"
                )));
            }
        }
    }
    options.authenticator = match (user, password) {
        (None, None) => None,
        (Some(user), Some(password)) => {
            Some(Arc::new(Password::new(user, password).map_err(Failure::of_range)?))
        }
        _ => return Err(Failure::of_range("user and password go together")),
    };
    Ok(SessionOptions { options, encryption, decode_options })
}

/// The index of a value among some words.
fn word(name: &str, value: Value<'_>, words: &[&str]) -> Result<usize> {
    let text = value.text()?;
    let index = text.and_then(|text| words.iter().position(|word| *word == text));
    index.ok_or_else(|| {
        let words: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
        Failure::of_range(format!("{name} must be {}, got {}", words.join(" or "), describe(value)))
    })
}

/// The consistency level with this name.
pub fn consistency(name: &str, value: Value<'_>) -> Result<Consistency> {
    let word = text(name, value)?;
    word.parse().map_err(|_| {
        let names: Vec<String> =
            Consistency::ALL.iter().map(|level| level.name().to_lowercase()).collect();
        Failure::of_range(format!("{name} must be one of {}; got {word:?}", names.join(", ")))
    })
}

/// The number of rows per page.
pub fn page_size(name: &str, value: Value<'_>) -> Result<i32> {
    Ok(count(name, value, (1, i32::MAX as u64))? as i32)
}

/// How long to wait before sending a copy; `null`: no copies.
pub fn delay(name: &str, value: Value<'_>) -> Result<Option<Duration>> {
    value.present().map(|value| span(name, value)).transpose()
}

/// The shortest and the longest pause between attempts to reconnect.
fn pauses(name: &str, value: Value<'_>) -> Result<(Duration, Duration)> {
    if !value.is_array() || value.len()? != 2 {
        return Err(Failure::of_type(format!(
            "{name} must be an array of two spans, the shortest and the longest pause, got {}",
            describe(value)
        )));
    }
    Ok((span(name, value.element(0)?)?, span(name, value.element(1)?)?))
}

/// A whole number; the engine checks its bounds.
pub fn number(name: &str, value: Value<'_>) -> Result<u32> {
    Ok(count(name, value, (0, u32::MAX.into()))? as u32)
}

fn version(name: &str, value: Value<'_>) -> Result<Version> {
    let number = count(name, value, (4, 5))?;
    Version::from_number(number as u8)
        .ok_or_else(|| Failure::of_range(format!("{name} must be 4 or 5")))
}

/// Names and strings of an object, sorted by name.
fn pairs(name: &str, value: Value<'_>) -> Result<Vec<(String, String)>> {
    let invalid = || {
        Failure::of_type(format!("{name} must be an object of strings, not {}", kind_name(value)))
    };
    if value.kind() != Type::Object || value.is_array() {
        return Err(invalid());
    }
    let names = value.own_names()?;
    let pairs: HashMap<String, String> = (0..names.len()?)
        .map(|at| {
            let key = names.element(at)?;
            let text = value.get(key)?.text()?.ok_or_else(invalid)?;
            Ok((key.text()?.ok_or_else(invalid)?, text))
        })
        .collect::<Result<_>>()?;
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    pairs.sort();
    Ok(pairs)
}
