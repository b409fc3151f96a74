//! Counters and events of a client or session. `node/src/statistics` wraps them in classes.
//!
//! | module | what it holds |
//! |---|---|
//! | here | switches, events, the node of a command |
//! | [`stats`] | statistics as plain values |

pub mod stats;

use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike::ReplicaPolicy;
use spikewire_aerospike::command::{Router, Target};
use spikewire_transport::metrics::{Event, Observed, SlowCommand};

use crate::aerospike::arguments::reading::replica;
use crate::aerospike::client::Client;
use crate::aerospike::key::Address;
use crate::aerospike::operation::{refs, steps};
use crate::arguments::{Options, flag, span};
use crate::binding::Call;
use crate::cql::session::Session;
use crate::js::{Env, Result, Value};

/// The counters of the client or session in a call's first argument.
fn observed(call: &Call<'_>) -> Result<Arc<dyn Observed>> {
    match call.host.environment.resources.get::<Session>(call.index(0)?) {
        Ok(session) => Ok(session.engine.cluster().clone()),
        Err(_) => Ok(Client::of(call)?.cluster.clone()),
    }
}

/// `metricsSwitch(client, counts, stages)`: whether commands are counted, and their stages timed.
pub fn switch<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let observed = observed(call)?;
    let (counts, stages) = (flag("counts", call.argument(1))?, flag("stages", call.argument(2))?);
    observed.metrics().time_stages(stages);
    observed.metrics().turn(counts);
    Ok(None)
}

/// `metricsState(client)`: whether commands are counted, and whether their stages are timed.
pub fn state<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let observed = observed(call)?;
    let flags = [observed.metrics().is_on(), observed.metrics().times_stages()];
    call.env.array_of(flags.into_iter().map(|flag| call.env.boolean(flag))).map(Some)
}

/// `metricsReset(client)`: forgets what was counted.
pub fn reset<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    observed(call)?.metrics().reset();
    Ok(None)
}

/// `metricsSlowerThan(client, limit)`: from how long a command takes there is an event of it;
/// `null`: never.
pub fn slower_than<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let limit = call.argument(1).present().map(|limit| span("slowerThan", limit)).transpose()?;
    observed(call)?.metrics().report_slower_than(limit);
    Ok(None)
}

/// `metricsEvents(client, listens)`: with `null`, the events since the last call, each an array of
/// its name and what belongs to it; otherwise starts or stops keeping them.
pub fn events<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (observed, listens) = (observed(call)?, call.argument(1));
    let queue = observed.metrics().events();
    if !listens.is_absent() {
        queue.listen(flag("listens", listens)?);
        return Ok(None);
    }
    let (events, lost) = queue.wait(Duration::ZERO);
    let env = call.env;
    let known = events.iter().map(|event| event_parts(env, event));
    let array = env.array_of(known)?;
    if lost > 0 {
        let parts = [env.string("events_lost"), env.number(lost as f64)];
        array.set_element(events.len() as u32, env.array_of(parts.into_iter())?)?;
    }
    Ok(Some(array))
}

fn event_parts<'e>(env: Env<'e>, event: &Event) -> Result<Value<'e>> {
    let (name, node) = event.named();
    let name = env.string(name);
    let Event::Slow(slow) = event else {
        let node = node.map_or_else(|| env.null(), |node| env.string(node));
        return env.array_of([name, node].into_iter());
    };
    let SlowCommand { operation, namespace, node, result, took, records, attempts } = slow;
    let parts = [
        name,
        env.string(operation),
        env.string(namespace),
        env.string(node),
        env.string(result),
        env.number(took.as_nanos() as f64 / 1e6),
        env.number(*records as f64),
        env.uint32(*attempts),
    ];
    env.array_of(parts.into_iter())
}

/// `metricsRoute(client, space, key, writes, options)`: the node that a command on one record goes
/// to first, as name, host and port; `null` where that is not decided before it is sent, or no
/// node is known. `writes` may be the operations of the command.
pub fn route<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let client = Client::of(call)?;
    let space = call.host.environment.space(call.argument(1))?;
    let Address { space, digest, .. } = Address::new(space, call.argument(2))?;
    let writes = match call.argument(3).boolean() {
        Some(writes) => writes,
        None => refs(&steps(call.argument(3))?).any(|step| !step.reads()),
    };
    let options = client.cluster.options();
    let policy = replica(&Options::new(call.argument(4)))?.unwrap_or(options.policy.replica);
    if policy == ReplicaPolicy::Any && !writes {
        return call.env.null().map(Some);
    }
    let target = Target::record(space.namespace.clone(), &digest, writes);
    let router = Router::new(options.racks.clone());
    let Ok(node) = router.choose(&client.cluster.snapshot(), &target, policy, 0) else {
        return call.env.null().map(Some);
    };
    let (host, port) = (node.address.ip().to_string(), node.address.port());
    let parts = [call.env.string(&node.name), call.env.string(&host), call.env.uint32(port.into())];
    call.env.array_of(parts.into_iter()).map(Some)
}
