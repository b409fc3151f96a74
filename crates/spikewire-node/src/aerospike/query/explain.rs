//! How a query would be executed: asked on a separate thread.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use spikewire_aerospike::query::Explanation;
use spikewire_aerospike::transport::Stream;
use spikewire_aerospike::{Error, Kind};
use spikewire_aerospike_protocol::query::{Collection, Range};
use spikewire_aerospike_protocol::value::particle as of;

use super::aggregate::CancelFlag;
use super::plan::spec;
use crate::aerospike::client::Client;
use crate::aerospike::value::decode::{Decoder, particle};
use crate::binding::Call;
use crate::js::{Env, Result, Value, work};

/// `explain(client, slot, space, options, after, index)`: settles with the parts of a plan; returns
/// the number by which the wait can be cancelled.
pub fn explain<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (client, slot) = (Client::of(call)?, call.index(1)?);
    let environment = call.host.environment.clone();
    let (_, spec) = spec(call, 2)?;
    let plan = spec.plan(&client.defaults.policy)?;
    let cancelled = Arc::new(AtomicBool::new(false));
    let number = environment.resources.add(Rc::new(CancelFlag(cancelled.clone())));
    let (cluster, streams) = (client.cluster.clone(), client.streams.clone());
    let decode_options = client.decode_options.get();
    let pledge = client.pledge(slot);
    let run = move || {
        let gives_up = || cancelled.load(Relaxed) || cluster.is_closed();
        Stream::explain(streams, plan, &gives_up)
    };
    work::spawn(call.env, "spikewire.explain", run, move |env, outcome| {
        environment.resources.remove(number);
        let outcome = outcome
            .unwrap_or_else(|_| Err(Error::new(Kind::Malformed, "the plan could not be read")));
        let result = outcome.map_err(Into::into).and_then(|explanation| {
            let decoder = Decoder::new(env, &environment, decode_options)?;
            parts(env, &decoder, &explanation)
        });
        environment.settle(env, pledge.release(), result);
    })?;
    call.env.uint32(number).map(Some)
}

/// The parts in the order of `PlanParts`.
fn parts<'e>(env: Env<'e>, decoder: &Decoder<'e, '_>, it: &Explanation) -> Result<Value<'e>> {
    let text = |text: Option<&str>| match text {
        Some(text) => env.string(text),
        None => env.undefined(),
    };
    let collection = it.collection.filter(|it| *it != Collection::Value);
    let values = match &it.range {
        None => env.undefined()?,
        Some(Range::Int(low, high)) => {
            env.array_of([env.bigint(*low), env.bigint(*high)].into_iter())?
        }
        Some(Range::Str(text)) => env.string(text)?,
        Some(Range::Blob(bytes)) => env.buffer(bytes)?,
        Some(Range::Geo(text)) => {
            // Places have a count of cells in front, which is 0.
            particle(decoder, of::GEOJSON, &[&[0; 3], text.as_bytes()].concat())?
        }
    };
    let parts = [
        env.string(it.access.name())?,
        env.boolean(it.on_server)?,
        text(it.index.as_deref())?,
        text(it.bin.as_deref())?,
        text(collection.map(Collection::name))?,
        values,
        text(it.text.as_deref())?,
        text(it.node.as_deref())?,
        text(Some(it.reason.as_str()).filter(|reason| !reason.is_empty()))?,
    ];
    env.array_of(parts.into_iter().map(Ok))
}
