//! Converts failures of statements to JavaScript errors; their classes are in
//! `node/src/cql/errors.ts`.

use spikewire_cassandra::Error;
use spikewire_cql::response::error::{Details, Replicas};

use crate::hooks::cql::Hooks;
use crate::js::{Env, Result, Value};

/// The package's error for a failure of the engine.
pub fn of_engine<'e>(env: Env<'e>, hooks: &Hooks, error: &Error) -> Result<Value<'e>> {
    let server = error.server();
    let code = server.map_or_else(|| env.null(), |server| env.int32(server.code.number()))?;
    let node = error.node().map_or_else(|| env.null(), |node| env.string(node))?;
    let details = DetailList { env, into: env.array(0)?, len: 0 };
    let arguments = [
        env.string(error.kind().name())?,
        code,
        env.string(error.message())?,
        node,
        env.uint32(error.attempts())?,
        env.boolean(error.in_doubt())?,
        details.of(server.map(|server| &server.details))?,
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

/// The details of a server's error: names and values, alternating.
struct DetailList<'e> {
    env: Env<'e>,
    into: Value<'e>,
    len: u32,
}

impl<'e> DetailList<'e> {
    fn set(&mut self, name: &str, value: Result<Value<'e>>) -> Result<()> {
        self.into.set_element(self.len, self.env.string(name)?)?;
        self.into.set_element(self.len + 1, value?)?;
        self.len += 2;
        Ok(())
    }

    fn number(&mut self, name: &str, number: i32) -> Result<()> {
        self.set(name, self.env.int32(number))
    }

    fn text(&mut self, name: &str, text: &str) -> Result<()> {
        self.set(name, self.env.string(text))
    }

    fn replicas(&mut self, of: &Replicas) -> Result<()> {
        self.text("consistency", &of.consistency.name().to_ascii_lowercase())?;
        self.number("received", of.received)?;
        self.number("required", of.required)
    }

    fn of(mut self, details: Option<&Details>) -> Result<Value<'e>> {
        let env = self.env;
        match details {
            None | Some(Details::None | Details::Unprepared(_)) => {}
            Some(Details::Unavailable(of) | Details::CasWriteUnknown(of)) => self.replicas(of)?,
            Some(Details::WriteTimeout { replicas, write_type, contentions }) => {
                self.replicas(replicas)?;
                self.text("writeType", write_type.name())?;
                let contentions = contentions.map(u32::from);
                self.set("contentions", contentions.map_or_else(|| env.null(), |n| env.uint32(n)))?;
            }
            Some(Details::ReadTimeout { replicas, data_present }) => {
                self.replicas(replicas)?;
                self.set("dataPresent", env.boolean(*data_present))?;
            }
            Some(Details::ReadFailure { replicas, failures, data_present }) => {
                self.replicas(replicas)?;
                self.number("failures", failures.count)?;
                self.set("dataPresent", env.boolean(*data_present))?;
            }
            Some(Details::WriteFailure { replicas, failures, write_type }) => {
                self.replicas(replicas)?;
                self.number("failures", failures.count)?;
                self.text("writeType", write_type.name())?;
            }
            Some(Details::FunctionFailure { keyspace, function, arguments }) => {
                self.text("keyspace", keyspace)?;
                self.text("functionName", function)?;
                let arguments = arguments.iter().map(|argument| env.string(argument));
                self.set("argumentTypes", env.array_of(arguments))?;
            }
            Some(Details::AlreadyExists { keyspace, table }) => {
                self.text("keyspace", keyspace)?;
                let table = if table.is_empty() { env.null() } else { env.string(table) };
                self.set("table", table)?;
            }
        }
        Ok(self.into)
    }
}
