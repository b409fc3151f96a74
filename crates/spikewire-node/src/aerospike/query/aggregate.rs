//! Aggregations: the nodes run a stream function on their records, and their results are reduced
//! here, by the same function of the same module, on a separate thread.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use spikewire_aerospike::{Error, Kind};
use spikewire_aerospike_protocol::value::Value as Wire;

use super::plan::spec;
use crate::aerospike::client::Client;
use crate::aerospike::operation;
use crate::aerospike::value::decode::{DecodeOptions, Decoder, particle};
use crate::binding::Call;
use crate::environment::Environment;
use crate::environment::resources::Resource;
use crate::js::{Env, Result, Value, work};

/// The flag that cancels an aggregation, or the wait for a plan.
pub(super) struct CancelFlag(pub Arc<AtomicBool>);

impl Resource for CancelFlag {
    fn end(&self) {
        self.0.store(true, Relaxed);
    }
}

/// `aggregate(client, slot, space, options, after, index, module, function, arguments)`: aggregates
/// records with a stream function; returns the number by which it can be cancelled.
pub fn aggregate<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (client, slot) = (Client::of(call)?, call.index(1)?);
    let environment = call.host.environment.clone();
    let (_, spec) = spec(call, 2)?;
    let argument = |at| call.argument(at);
    let hooks = environment.hooks()?;
    let function = operation::function(hooks, argument(6), argument(7), argument(8))?;
    let plan = spec.aggregate(function, &client.defaults.policy)?;
    let cancelled = Arc::new(AtomicBool::new(false));
    let number = environment.resources.add(Rc::new(CancelFlag(cancelled.clone())));
    let (cluster, decode_options) = (client.cluster.clone(), client.decode_options.get());
    let pledge = client.pledge(slot);
    let run = move || plan.run(&cluster, &|| cancelled.load(Relaxed) || cluster.is_closed());
    work::spawn(call.env, "spikewire.aggregate", run, move |env, outcome| {
        environment.resources.remove(number);
        let outcome = outcome.unwrap_or_else(|_| {
            Err(Error::new(Kind::Malformed, "the function's result could not be reduced"))
        });
        let values = outcome.map_err(Into::into);
        let result = values.and_then(|values| to_array(env, &environment, decode_options, values));
        environment.settle(env, pledge.release(), result);
    })?;
    call.env.uint32(number).map(Some)
}

fn to_array<'e>(
    env: Env<'e>,
    environment: &Environment,
    decode_options: DecodeOptions,
    values: Vec<Wire>,
) -> Result<Value<'e>> {
    let decoder = Decoder::new(env, environment, decode_options)?;
    let mut bytes = Vec::new();
    let values = values.into_iter().map(|value| {
        bytes.clear();
        let of = value.encode(&mut bytes);
        particle(&decoder, of, &bytes)
    });
    env.array_of(values)
}

/// `aggregateGiveUp(number)`: cancels an aggregation. The number is free once its thread has ended.
pub fn cancel<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    if let Ok(cancelled) = call.host.environment.resources.get::<CancelFlag>(call.index(0)?) {
        cancelled.end();
    }
    Ok(None)
}
