//! Connecting, closing, and information about the cluster.

use std::rc::Rc;
use std::sync::Arc;

use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::CommandDefaults;
use spikewire_aerospike::{ClientOptions, Error, Kind};

use crate::aerospike::client::Client;
use crate::aerospike::value::decode::DecodeOptions;
use crate::arguments::{self, OptionArgument};
use crate::binding::Call;
use crate::connecting::Connecting;
use crate::environment::Environment;
use crate::js::{Env, Failure, Result, Value, work};

/// `connect(slot, seeds, names, values, bigints, doubles, maps)`: settles with the handle of a
/// client, and returns the number to abandon it with. Options are the engine's names, and values, in
/// two arrays.
pub fn connect<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let slot = call.index(0)?;
    let seeds = arguments::text("seeds", call.argument(1))?;
    let mut checked = ClientOptions::default();
    let (names, values) = (call.argument(2), call.argument(3));
    for at in 0..names.len()? {
        let name = arguments::text("an option", names.element(at)?)?;
        checked.set(&name, &OptionArgument(values.element(at)?), &[])?;
    }
    checked.set_seeds(&seeds)?;
    let flag = |at: usize| call.argument(at).boolean().unwrap_or_default();
    let decode_options =
        DecodeOptions { bigints: flag(4), doubles: flag(5), maps: flag(6), encoded: false };
    let defaults = checked.defaults();
    let environment = call.host.environment.clone();
    // Certificates are read on that thread, too.
    let open = move || spikewire_aerospike::connect(checked.finish()?);
    let running = work::spawn(call.env, "spikewire.connect", open, move |env, opened| {
        let result = opened
            .unwrap_or_else(|_| Err(Error::new(Kind::Connection, "connecting panicked")))
            .map_err(Failure::from)
            .and_then(|cluster| start(env, &environment, cluster, defaults, decode_options));
        environment.settle(env, slot, result);
    })?;
    Connecting::add(call, running).map(Some)
}

fn start<'e>(
    env: Env<'e>,
    environment: &Rc<Environment>,
    cluster: Arc<Cluster>,
    defaults: CommandDefaults,
    decode_options: DecodeOptions,
) -> Result<Value<'e>> {
    if environment.is_ending() {
        cluster.close();
        return Err(Error::new(Kind::Closed, "the environment is being torn down").into());
    }
    let client = Client::start(env, environment, cluster.clone(), defaults, decode_options);
    let client = client.inspect_err(|_| cluster.close())?;
    env.uint32(environment.resources.add(Rc::new(client)))
}

/// `close(client, slot)`: closes every connection; calls in flight fail.
pub fn close<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let environment = call.host.environment.clone();
    let slot = call.index(1)?;
    let Ok(client) = Client::of(call) else {
        environment.done(call.env, slot);
        environment.report_done(call.env);
        return Ok(None);
    };
    environment.resources.remove(call.index(0)?);
    client.driver.close(call.env);
    let (cluster, streams) = (client.cluster.clone(), client.streams.clone());
    let end = move || {
        cluster.close();
        // Last, because running work returns its connections until the cluster is closed.
        streams.close();
    };
    work::spawn(call.env, "spikewire.close", end, move |env, _| {
        environment.settle(env, slot, env.undefined());
    })?;
    Ok(None)
}

/// `abandon(client, slot)`: a call in flight keeps the environment alive no longer.
pub fn abandon<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let slot = call.index(1)?;
    // A closed client has no calls in flight.
    if let Ok((client, _)) = Client::of_call(call) {
        client.abandon(call.env, slot);
    }
    Ok(None)
}

/// `nodes(client)`: name, address, version and features (separated by commas) of each node, one
/// after the other.
pub fn nodes<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let client = Client::of(call)?;
    let snapshot = client.cluster.snapshot();
    let texts: Vec<String> = snapshot
        .nodes
        .iter()
        .flat_map(|node| {
            let features = node.features.names().join(",");
            [node.name.clone(), node.address.to_string(), node.build.to_string(), features]
        })
        .collect();
    call.env.array_of(texts.iter().map(|text| call.env.string(text))).map(Some)
}

/// `encodedCollections(client, encoded)`: whether calls that are made from now on return lists and
/// maps of bins as Buffers with their encoding.
pub fn encoded_collections<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let client = Client::of(call)?;
    let encoded = call.argument(1).boolean() == Some(true);
    client.decode_options.set(DecodeOptions { encoded, ..client.decode_options.get() });
    Ok(None)
}
