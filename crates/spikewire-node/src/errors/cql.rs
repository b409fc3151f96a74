//! Converts failures of statements to JavaScript errors; their classes are in
//! `node/src/cql/errors.ts`.

use spikewire_cassandra::Error;
use spikewire_cql::response::error::DetailValue;

use crate::hooks::cql::Hooks;
use crate::js::failure::camel;
use crate::js::{Env, Result, Value};

/// The package's error for a failure of the engine.
pub fn of_engine<'e>(env: Env<'e>, hooks: &Hooks, error: &Error) -> Result<Value<'e>> {
    let code = error.server().map(|server| server.code.number());
    let code = code.map_or_else(|| env.null(), |number| env.int32(number))?;
    let node = error.node().map_or_else(|| env.null(), |node| env.string(node))?;
    let arguments = [
        env.string(error.class_name())?,
        code,
        env.string(error.message())?,
        node,
        env.uint32(error.attempts())?,
        env.boolean(error.in_doubt())?,
        details(env, error)?,
        failed_attempts(env, error)?,
    ];
    hooks.make_error.call(env, &arguments)
}

/// Node and reason of each attempt, alternating.
fn failed_attempts<'e>(env: Env<'e>, error: &Error) -> Result<Value<'e>> {
    let flat = env.array(0)?;
    for (at, (node, reason)) in error.failed_attempts().enumerate() {
        let node = node.map_or_else(|| env.null(), |node| env.string(node))?;
        flat.set_element(2 * at as u32, node)?;
        flat.set_element(2 * at as u32 + 1, env.string(reason)?)?;
    }
    Ok(flat)
}

/// What a server says besides the message: names and values, alternating.
fn details<'e>(env: Env<'e>, error: &Error) -> Result<Value<'e>> {
    let flat = env.array(0)?;
    let fields = error.server().map(|server| server.details.fields()).unwrap_or_default();
    for (at, (name, value)) in (0..).step_by(2).zip(fields) {
        let (name, value) = match (name, value) {
            ("consistency", DetailValue::Text(level)) => {
                (name, env.string(&level.to_ascii_lowercase()))
            }
            ("function", DetailValue::Text(function)) => ("function_name", env.string(function)),
            (_, DetailValue::Absent) => (name, env.null()),
            (_, DetailValue::Number(number)) => (name, env.int32(number)),
            (_, DetailValue::Flag(flag)) => (name, env.boolean(flag)),
            (_, DetailValue::Text(text)) => (name, env.string(text)),
            (_, DetailValue::Texts(texts)) => {
                ("argument_types", env.array_of(texts.iter().map(|text| env.string(text))))
            }
        };
        flat.set_element(at, env.string(&camel(name))?)?;
        flat.set_element(at + 1, value?)?;
    }
    Ok(flat)
}
