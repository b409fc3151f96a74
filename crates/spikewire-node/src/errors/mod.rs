//! Converts failures to JavaScript errors; the package's own classes are in
//! `node/src/aerospike/model/errors.ts`.

mod cql;
mod details;

use spikewire_aerospike::{Error, Kind};

use crate::hooks::Hooks;
use crate::js::call::{builtin_error, throw as raise};
use crate::js::failure::camel;
use crate::js::{Env, Failure, Result, Type, Value};

/// Throws a failure as an exception.
pub fn throw(env: Env<'_>, hooks: Option<&Hooks>, failure: Failure) {
    if let Some(error) = exception(env, hooks, failure) {
        raise(env, error);
    }
}

/// The exception for a failure. `None` if one is pending that cannot be taken.
pub fn exception<'e>(env: Env<'e>, hooks: Option<&Hooks>, failure: Failure) -> Option<Value<'e>> {
    let error = match failure {
        Failure::Pending => return env.take_exception(),
        Failure::Type(message) => argument_error(env, hooks, false, &message),
        Failure::Range(message) => argument_error(env, hooks, true, &message),
        Failure::Engine(error) if error.kind() == Kind::Invalid => {
            argument_error(env, hooks, true, &camel(error.message()))
        }
        Failure::Cassandra(error) => match hooks.and_then(|hooks| hooks.cql.get()) {
            Some(hooks) => cql::of_engine(env, hooks, &error),
            None => builtin_error(env, false, error.message()),
        },
        Failure::Engine(error) => match hooks {
            Some(hooks) => of_engine(env, hooks, &error),
            None => builtin_error(env, false, error.message()),
        },
    };
    error.ok().or_else(|| env.take_exception())
}

/// A `TypeError` or `RangeError`. It is created by the package if that is set up, because in a test
/// runner's context these classes differ from those that Node-API knows.
fn argument_error<'e>(
    env: Env<'e>,
    hooks: Option<&Hooks>,
    range: bool,
    message: &str,
) -> Result<Value<'e>> {
    let Some(hooks) = hooks else { return builtin_error(env, range, message) };
    let class = env.string(if range { "RangeError" } else { "TypeError" })?;
    hooks.make_error.call(env, &[class, env.int32(0)?, env.string(message)?])
}

/// The package's error for a failure of the engine.
pub fn of_engine<'e>(env: Env<'e>, hooks: &Hooks, error: &Error) -> Result<Value<'e>> {
    of_class(env, hooks, error.kind().class_name(), error)
}

/// The same of another class.
pub fn of_class<'e>(env: Env<'e>, hooks: &Hooks, class: &str, error: &Error) -> Result<Value<'e>> {
    let node = error.node().map_or_else(|| env.null(), |node| env.string(node))?;
    let arguments = [
        env.string(class)?,
        env.int32(error.kind().code())?,
        env.string(error.message())?,
        node,
        env.uint32(error.attempts())?,
        env.boolean(error.in_doubt())?,
        error
            .details()
            .map_or_else(|| env.null(), |details| details::object(env, error, details))?,
        error.advice().map_or_else(|| env.null(), |advice| env.string(advice))?,
    ];
    hooks.make_error.call(env, &arguments)
}

/// A value for messages, truncated if it is long.
pub fn describe(value: Value<'_>) -> String {
    let text = match value.kind() {
        Type::Number => value.number().map(number_text),
        Type::String => value.text().ok().flatten().map(|text| format!("{text:?}")),
        Type::Boolean => value.boolean().map(|flag| flag.to_string()),
        Type::BigInt => match value.bigint() {
            Some(Ok(int)) => Some(format!("{int}n")),
            _ => Some("a bigint of more than 64 bits".to_owned()),
        },
        _ => None,
    };
    let text = text.unwrap_or_else(|| kind_name(value));
    match text.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// A number as JavaScript prints it.
pub fn number_text(number: f64) -> String {
    if number.is_infinite() {
        return if number > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() };
    }
    format!("{number}")
}

/// A value's type for messages; the class name of an object.
pub fn kind_name(value: Value<'_>) -> String {
    let kind = value.kind();
    if !matches!(kind, Type::Object) {
        return kind.name().to_owned();
    }
    if value.is_array() {
        return "Array".to_owned();
    }
    let class = value.named(c"constructor").and_then(|class| class.named(c"name"));
    let name = class.and_then(Value::text).ok().flatten().filter(|name| !name.is_empty());
    let _ = value.env().take_exception();
    match name {
        // Node-API sees no prototype behind a `Proxy`.
        Some(name) if value.has_no_prototype().unwrap_or(false) => format!("a Proxy of {name}"),
        name => name.unwrap_or_else(|| "object".to_owned()),
    }
}
