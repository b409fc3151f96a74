//! Statements as arguments, and the options of one execution.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use spikewire_cassandra::statement::StatementOptions;
use spikewire_cassandra::statement_job;

use super::batch::Batch;
use super::core::Core;
use super::options::{consistency, copies, delay, flag, optional, page_size, text};
use super::prepared::Single;
use crate::arguments::{count, seconds};
use crate::bridge::errors::{type_error, type_name, value_error};

/// The statement to execute.
pub type Statement = statement_job::Statement<Py<PyAny>>;

/// Statements as arguments.
pub trait ReadStatement: Sized {
    /// Parses the first argument of a verb.
    fn read(statement: &Bound<'_, PyAny>) -> PyResult<Self>;
}

impl ReadStatement for Statement {
    fn read(statement: &Bound<'_, PyAny>) -> PyResult<Self> {
        match Single::read(statement)? {
            Some(Single::Text(text)) => return Ok(Self::Text(text)),
            Some(Single::Prepared(known)) => return Ok(Self::Prepared(known)),
            Some(Single::Bound(known, values)) => return Ok(Self::Bound(known, values)),
            None => {}
        }
        if let Ok(batch) = statement.cast::<Batch>() {
            return Ok(Self::Batch(batch.get().content()));
        }
        Err(type_error(format!(
            "a statement must be a str, a prepared one or a batch, not {}",
            type_name(statement)
        )))
    }
}

/// Parses the keywords of an execution; `core` knows the nodes.
///
/// `None` if there are none, which is the usual case.
#[inline]
pub fn options(
    core: &Core,
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<Option<Box<StatementOptions>>> {
    keywords
        .filter(|keywords| !keywords.is_empty())
        .map(|keywords| read(core, keywords).map(Box::new))
        .transpose()
}

fn read(core: &Core, keywords: &Bound<'_, PyDict>) -> PyResult<StatementOptions> {
    let mut options = StatementOptions::default();
    for (name, value) in keywords {
        let name = name.cast::<PyString>()?.to_str()?.to_owned();
        let (name, value) = (name.as_str(), &value);
        match name {
            "consistency" => options.consistency = optional(name, value, consistency)?,
            "serial_consistency" => {
                options.serial_consistency = optional(name, value, consistency)?;
            }
            "page_size" => options.page_size = optional(name, value, page_size)?,
            "paging_state" => options.paging_state = optional(name, value, bytes)?,
            "timestamp" => {
                options.timestamp = optional(name, value, |name, value| {
                    let what = "must be an int of microseconds since 1970";
                    value.extract().map_err(|_| type_error(format!("{name} {what}")))
                })?;
            }
            "idempotent" => options.idempotent = optional(name, value, flag)?,
            "tracing" => options.tracing = flag(name, value)?,
            "payload" => options.payload = payload(value)?,
            "keyspace" => options.keyspace = optional(name, value, text)?.map(Arc::from),
            "now_in_seconds" => {
                let seconds =
                    optional(name, value, |name, value| count(name, value, 0, i32::MAX as u64))?;
                options.now_in_seconds = seconds.map(|seconds| seconds as i32);
            }
            "timeout" => options.timeout = optional(name, value, seconds)?,
            "socket_timeout" => options.socket_timeout = optional(name, value, seconds)?,
            "max_retries" => {
                let retries = optional(name, value, |name, value| count(name, value, 0, 1000))?;
                options.max_retries = retries.map(|retries| retries as u32);
            }
            "speculative_delay" => {
                options.speculation_mut().delay = Some(optional(name, value, delay)?);
            }
            "speculative_attempts" => {
                options.speculation_mut().attempts = optional(name, value, copies)?;
            }
            "node" => options.node = optional(name, value, |_, value| node(core, value))?,
            _ => {
                return Err(type_error(format!(
                    "unknown option {name:?}; there are: consistency, idempotent, keyspace, \
                     max_retries, node, now_in_seconds, page_size, paging_state, payload, \
                     serial_consistency, socket_timeout, speculative_attempts, speculative_delay, \
                     timeout, timestamp, tracing"
                )));
            }
        }
    }
    Ok(options)
}

fn bytes(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Arc<[u8]>> {
    match value.cast::<PyBytes>() {
        Ok(bytes) => Ok(bytes.as_bytes().into()),
        Err(_) => Err(type_error(format!("{name} must be bytes, not {}", type_name(value)))),
    }
}

fn payload(value: &Bound<'_, PyAny>) -> PyResult<Vec<(String, Option<Vec<u8>>)>> {
    let wrong = || type_error("payload must be a dict of str to bytes or None");
    let dict = value.cast::<PyDict>().map_err(|_| wrong())?;
    dict.iter()
        .map(|(name, value)| {
            let name: String = name.extract().map_err(|_| wrong())?;
            let value = optional("payload", &value, bytes).map_err(|_| wrong())?;
            Ok((name, value.map(|bytes| bytes.to_vec())))
        })
        .collect()
}

fn node(
    core: &Core,
    value: &Bound<'_, PyAny>,
) -> PyResult<Arc<spikewire_cassandra::cluster::Node>> {
    let address = text("node", value)?;
    let snapshot = core.session.cluster().snapshot();
    let node = snapshot.nodes.iter().find(|node| node.address.to_string() == address);
    node.cloned().ok_or_else(|| {
        let known: Vec<String> = snapshot.nodes.iter().map(ToString::to_string).collect();
        value_error(format!("node {address:?} is not known; there are: {}", known.join(", ")))
    })
}
