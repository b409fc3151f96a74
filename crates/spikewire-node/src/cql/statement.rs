//! Prepared statements as JavaScript refers to them, and the options of an execution.

use std::sync::Arc;

use spikewire_cassandra::Session as Engine;
use spikewire_cassandra::cluster::Node;
use spikewire_cassandra::statement::{Prepared as Known, SpeculationOptions, StatementOptions};

use super::job::Statement;
use super::options::{consistency, delay, number, page_size};
use crate::arguments::{Options, count, flag, span, text};
use crate::environment::Environment;
use crate::environment::resources::Resource;
use crate::errors::{describe, kind_name};
use crate::js::{Env, Failure, Result, Type, Value};

/// A prepared statement.
pub struct Prepared(pub Arc<Known>);

impl Resource for Prepared {}

/// A prepared statement with its values.
pub struct BoundStatement {
    pub known: Arc<Known>,
    /// The encoded values.
    pub values: Arc<[u8]>,
}

impl Resource for BoundStatement {}

impl BoundStatement {
    /// The bound statement with this number.
    pub fn read(environment: &Environment, value: Value<'_>) -> Result<std::rc::Rc<Self>> {
        environment.resources.get(value.index()?)
    }
}

/// Text, or the number of a prepared statement.
#[inline]
pub fn read_statement(environment: &Environment, value: Value<'_>) -> Result<Statement> {
    if value.kind() == Type::Number {
        let prepared = environment.resources.get::<Prepared>(value.index()?)?;
        return Ok(Statement::Prepared(prepared.0.clone()));
    }
    Ok(Statement::Text(text("a statement", value)?.into()))
}

/// Creates the JavaScript object of a prepared statement, with a number for it.
pub fn prepared_object<'e>(
    env: Env<'e>,
    environment: &Environment,
    known: &Arc<Known>,
) -> Result<Value<'e>> {
    let strings = |texts: Vec<String>| env.array_of(texts.iter().map(|text| env.string(text)));
    let columns = || known.parameters.iter();
    let number = environment.resources.add(std::rc::Rc::new(Prepared(known.clone())));
    let arguments = [
        env.uint32(number)?,
        env.string(&known.text)?,
        env.buffer(&known.id)?,
        strings(columns().map(|column| column.name.to_string()).collect())?,
        strings(columns().map(|column| column.ty.to_string()).collect())?,
        env.array_of(known.key.iter().map(|at| env.uint32((*at).into())))?,
        strings(known.warnings.clone())?,
    ];
    environment.hooks()?.cql()?.make_prepared.call(env, &arguments)
}

/// Reads the options of an execution; `engine` knows the nodes. JavaScript has already rejected
/// unknown names. `None` if there are none, which is the usual case.
pub fn options(engine: &Engine, value: Value<'_>) -> Result<Option<Box<StatementOptions>>> {
    let options = Options::new(value);
    if options.is_empty() {
        return Ok(None);
    }
    let bytes = |value: Value<'_>| {
        value.with_bytes(|bytes| Arc::<[u8]>::from(bytes)).ok_or_else(|| {
            let kind = kind_name(value);
            Failure::of_type(format!("pagingState must be a Buffer or Uint8Array, not {kind}"))
        })
    };
    let whole = |name, value| Ok::<_, Failure>(count(name, value, (0, i32::MAX as u64))? as i32);
    let read = Box::new(StatementOptions {
        consistency: options
            .get(c"consistency")?
            .map(|value| consistency("consistency", value))
            .transpose()?,
        serial_consistency: options
            .get(c"serialConsistency")?
            .map(|value| consistency("serialConsistency", value))
            .transpose()?,
        page_size: options
            .get(c"pageSize")?
            .map(|value| page_size("pageSize", value))
            .transpose()?,
        paging_state: options.get(c"pagingState")?.map(bytes).transpose()?,
        timestamp: options.get(c"timestamp")?.map(timestamp).transpose()?,
        idempotent: options.flag(c"idempotent")?,
        tracing: options.flag(c"tracing")?.unwrap_or_default(),
        payload: options.get(c"payload")?.map(payload).transpose()?.unwrap_or_default(),
        keyspace: options
            .get(c"keyspace")?
            .map(|value| text("keyspace", value).map(Arc::from))
            .transpose()?,
        now_in_seconds: options
            .get(c"nowInSeconds")?
            .map(|value| whole("nowInSeconds", value))
            .transpose()?,
        timeout: options.get(c"timeout")?.map(|value| span("timeout", value)).transpose()?,
        socket_timeout: options
            .get(c"socketTimeout")?
            .map(|value| span("socketTimeout", value))
            .transpose()?,
        speculation: speculation(&options)?.map(Box::new),
        max_retries: options
            .get(c"maxRetries")?
            .map(|value| count("maxRetries", value, (0, 1000)).map(|retries| retries as u32))
            .transpose()?,
        node: options.get(c"node")?.map(|value| node(engine, value)).transpose()?,
    });
    read.check_speculation()?;
    Ok(Some(read))
}

/// Options of speculative executions.
fn speculation(options: &Options<'_>) -> Result<Option<SpeculationOptions>> {
    let wait = options.get_even_null(c"speculativeDelay")?;
    let attempts = options.get(c"speculativeAttempts")?;
    if wait.is_none() && attempts.is_none() {
        return Ok(None);
    }
    Ok(Some(SpeculationOptions {
        delay: wait.map(|wait| delay("speculativeDelay", wait)).transpose()?,
        attempts: attempts.map(|count| number("speculativeAttempts", count)).transpose()?,
    }))
}

fn timestamp(value: Value<'_>) -> Result<i64> {
    let int = match value.kind() {
        Type::Number => value.number().and_then(crate::aerospike::value::encode::whole),
        Type::BigInt => value.bigint().and_then(std::result::Result::ok),
        _ => None,
    };
    int.ok_or_else(|| {
        Failure::of_type(format!(
            "timestamp must be whole microseconds since 1970, a number or a bigint, not {}",
            describe(value)
        ))
    })
}

/// Reads a payload: names and bytes, alternating, as JavaScript has flattened it.
fn payload(value: Value<'_>) -> Result<Vec<(String, Option<Vec<u8>>)>> {
    let flat = value;
    let wrong = || Failure::of_type("payload must be an object of Buffers, or null for some");
    let pair = |at: u32| {
        let (name, bytes) = (flat.element(at)?, flat.element(at + 1)?);
        let bytes = match bytes.present() {
            None => None,
            Some(bytes) => Some(bytes.with_bytes(<[u8]>::to_vec).ok_or_else(wrong)?),
        };
        Ok((text("payload", name)?, bytes))
    };
    if !flat.is_array() {
        return Err(wrong());
    }
    (0..flat.len()?).step_by(2).map(pair).collect()
}

fn node(engine: &Engine, value: Value<'_>) -> Result<Arc<Node>> {
    let address = text("node", value)?;
    let snapshot = engine.cluster().snapshot();
    let node = snapshot.nodes.iter().find(|node| node.address.to_string() == address);
    node.cloned().ok_or_else(|| {
        let known: Vec<String> = snapshot.nodes.iter().map(ToString::to_string).collect();
        Failure::of_range(format!("node {address:?} is not known; there are: {}", known.join(", ")))
    })
}

/// An optional boolean; false if it is left out.
pub fn is_set(name: &str, value: Value<'_>) -> Result<bool> {
    value.present().map_or(Ok(false), |value| flag(name, value))
}
