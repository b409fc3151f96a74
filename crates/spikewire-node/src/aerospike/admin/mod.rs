//! Administrative commands: arguments in, the engine's procedure, results out. The event loop's own
//! driver asks the nodes; no thread waits.
//!
//! | module | what it holds |
//! |---|---|
//! | here | info, truncation, starting and cancelling commands |
//! | [`indexes`] | secondary indexes |
//! | [`modules`] | modules of Lua functions |
//! | [`users`], [`roles`] | users and roles |
//! | [`result`] | results as JavaScript values, and jobs that were started |

pub mod indexes;
pub mod modules;
mod result;
pub mod roles;
pub mod users;

pub use self::result::BackgroundJob;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use spikewire_aerospike::admin::truncate::Truncate;
use spikewire_aerospike::admin::{self, AdminValue, Ask, InfoCommand, Procedure, Recipients};
use spikewire_aerospike::transport::Next;

use crate::aerospike::client::Client;
use crate::aerospike::ticket::AdminPromise;
use crate::arguments::{span, text};
use crate::binding::Call;
use crate::errors::{describe, kind_name};
use crate::js::{Failure, Result, Value};

/// Starts a command of the client in the first argument, for the slot in the second.
pub fn begin<'e, P>(call: &Call<'e>, procedure: P) -> Result<Option<Value<'e>>>
where
    P: Procedure<Output: Into<AdminValue>> + Send + 'static,
{
    let (client, slot) = (Client::of(call)?, call.index(1)?);
    let mut next = Next::default();
    let procedure = procedure.map(Into::<AdminValue>::into);
    let promise = AdminPromise::new(client.pledge(slot));
    admin::start(client.cluster.clone(), procedure, promise, &mut next);
    client.driver.submit_all(call.env, next);
    Ok(None)
}

/// An optional string.
fn optional_text(what: &str, value: Value<'_>) -> Result<Option<String>> {
    value.present().map(|value| text(what, value)).transpose()
}

/// The elements of an array.
fn elements<'e, T>(
    what: &str,
    array: Value<'e>,
    read: impl Fn(Value<'e>) -> Result<T>,
) -> Result<Vec<T>> {
    if !array.is_array() {
        return Err(Failure::of_type(format!("{what} must be an array, not {}", kind_name(array))));
    }
    let items = (0..array.len()?).map(|at| read(array.element(at)?));
    items.collect::<Result<_>>().map_err(|failure| failure.about(what))
}

/// An array of strings.
fn texts(what: &str, array: Value<'_>) -> Result<Vec<String>> {
    elements(what, array, |item| text("an element", item))
}

/// How long to wait; zero: no limit.
fn limit(value: Value<'_>) -> Result<Duration> {
    span("timeout", value)
}

/// `info(client, slot, command, node)`: a node's answer; without a node's name, that of any node.
pub fn info<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let command = InfoCommand::new(text("command", call.argument(2))?)?;
    let nodes = match optional_text("node", call.argument(3))? {
        Some(name) => {
            let client = Client::of(call)?;
            Recipients::These(vec![client.cluster.member(&name)?])
        }
        None => Recipients::Any,
    };
    begin(call, Ask::info(nodes, command))
}

/// `truncate(client, slot, namespace, set, before)`: deletes all records; `before` is an optional
/// `Date`.
pub fn truncate<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let namespace = text("namespace", call.argument(2))?;
    let set = optional_text("set", call.argument(3))?;
    let before = call.argument(4).present().map(moment).transpose()?;
    begin(call, Truncate::new(&namespace, set.as_deref(), before)?)
}

fn moment(value: Value<'_>) -> Result<SystemTime> {
    let at = value.date().ok_or_else(|| {
        Failure::of_type(format!("before must be a Date, not {}", kind_name(value)))
    })?;
    let since = Duration::try_from_secs_f64(at / 1e3).ok();
    let moment = since.and_then(|since| UNIX_EPOCH.checked_add(since));
    moment.ok_or_else(|| {
        let at = if at.is_nan() { "an invalid Date".to_owned() } else { describe(value) };
        Failure::of_range(format!("before must be a Date from the year 2010 on, got {at}"))
    })
}

/// `giveUp(client, slot)`: stops waiting for an administrative command, which keeps the environment
/// alive no longer.
pub fn cancel<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let slot = call.index(1)?;
    if let Ok(client) = Client::of(call) {
        client.cancel(slot);
        client.abandon(call.env, slot);
    }
    Ok(None)
}
