//! Prepared statements as JavaScript refers to them, and the options of an execution.

use std::ffi::CStr;
use std::sync::Arc;

use spikewire_cassandra::Session as Engine;
use spikewire_cassandra::statement::{Prepared as Known, StatementOptions};

use super::job::Statement;
use crate::arguments::{OptionArgument, Options, flag, text};
use crate::environment::Environment;
use crate::environment::notation::type_text;
use crate::environment::resources::Resource;
use crate::js::{Env, Result, Type, Value};

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

/// Creates the JavaScript object of a prepared statement, with a number for it. For a session with
/// a conversion, types are JSON.
pub fn prepared_object<'e>(
    env: Env<'e>,
    environment: &Environment,
    known: &Arc<Known>,
    conversion: u32,
) -> Result<Value<'e>> {
    let strings = |texts: Vec<String>| env.array_of(texts.iter().map(|text| env.string(text)));
    let columns = || known.parameters.iter();
    let number = environment.resources.add(std::rc::Rc::new(Prepared(known.clone())));
    let arguments = [
        env.uint32(number)?,
        env.string(&known.text)?,
        env.buffer(&known.id)?,
        strings(columns().map(|column| column.name.to_string()).collect())?,
        strings(columns().map(|column| type_text(&column.ty, conversion)).collect())?,
        env.array_of(known.key.iter().map(|at| env.uint32((*at).into())))?,
        strings(known.warnings.clone())?,
    ];
    environment.hooks()?.cql()?.make_prepared.call(env, &arguments)
}

/// The names of all options, as JavaScript and the engine spell them.
const NAMES: [(&CStr, &str); 17] = [
    (c"consistency", "consistency"),
    (c"idempotent", "idempotent"),
    (c"keyspace", "keyspace"),
    (c"maxRetries", "max_retries"),
    (c"node", "node"),
    (c"nowInSeconds", "now_in_seconds"),
    (c"pageSize", "page_size"),
    (c"pagingState", "paging_state"),
    (c"payload", "payload"),
    (c"priority", "priority"),
    (c"serialConsistency", "serial_consistency"),
    (c"socketTimeout", "socket_timeout"),
    (c"speculativeAttempts", "speculative_attempts"),
    (c"speculativeDelay", "speculative_delay"),
    (c"timeout", "timeout"),
    (c"timestamp", "timestamp"),
    (c"tracing", "tracing"),
];

/// Reads the options of an execution; `engine` knows the nodes. JavaScript has already rejected
/// unknown names. `None` if there are none, which is the usual case.
pub fn options(engine: &Engine, value: Value<'_>) -> Result<Option<Box<StatementOptions>>> {
    let options = Options::new(value);
    if options.is_empty() {
        return Ok(None);
    }
    let mut read = Box::<StatementOptions>::default();
    for (spelled, name) in NAMES {
        // `null` is meaningful for this one: no copies.
        let value = match name {
            "speculative_delay" => options.get_even_null(spelled)?,
            _ => options.get(spelled)?,
        };
        if let Some(value) = value {
            read.set(name, &OptionArgument(value), engine.cluster())?;
        }
    }
    Ok(Some(read))
}

/// An optional boolean; false if it is left out.
pub fn is_set(name: &str, value: Value<'_>) -> Result<bool> {
    value.present().map_or(Ok(false), |value| flag(name, value))
}
