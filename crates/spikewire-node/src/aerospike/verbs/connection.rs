//! Connecting, closing, and information about the cluster.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::CommandDefaults;
use spikewire_aerospike::{ClientOptions, Error, Hedge, Kind, OptionValue, TlsOptions};

use crate::aerospike::arguments;
use crate::aerospike::client::Client;
use crate::aerospike::value::decode::DecodeOptions;
use crate::binding::Call;
use crate::environment::Environment;
use crate::errors::kind_name;
use crate::js::failure::camel;
use crate::js::{Env, Failure, Result, Value, work};
use crate::tls;

/// An option's value as passed by the caller.
struct OptionArgument<'e>(Value<'e>);

impl OptionValue for OptionArgument<'_> {
    type Error = Failure;

    fn flag(&self, name: &str) -> Result<bool> {
        arguments::flag(&camel(name), self.0)
    }

    fn count(&self, name: &str, bounds: (u64, u64)) -> Result<u64> {
        arguments::count(&camel(name), self.0, bounds)
    }

    fn span(&self, name: &str) -> Result<Duration> {
        arguments::span(&camel(name), self.0)
    }

    fn multiplier(&self, name: &str) -> Result<f32> {
        arguments::multiplier(&camel(name), self.0)
    }

    fn hedge(&self, name: &str) -> Result<Hedge> {
        arguments::hedge(&camel(name), self.0)
    }

    fn text(&self, name: &str) -> Result<String> {
        arguments::text(&camel(name), self.0)
    }

    fn addresses(&self, name: &str) -> Result<HashMap<String, String>> {
        let invalid = || {
            Failure::of_type(format!(
                "{} must be an object of advertised to reachable addresses, not {}",
                camel(name),
                kind_name(self.0)
            ))
        };
        let names = self.0.own_names().map_err(|_| invalid())?;
        let pairs = (0..names.len()?).map(|at| {
            let advertised = names.element(at)?;
            let reachable = self.0.get(advertised)?.text()?.ok_or_else(invalid)?;
            Ok((advertised.text()?.unwrap_or_default(), reachable))
        });
        pairs.collect()
    }

    fn racks(&self, name: &str) -> Result<Vec<u32>> {
        let what =
            format!("{} must be an array of rack ids (whole numbers from 0 up)", camel(name));
        if !self.0.is_array() {
            return Err(Failure::of_type(what));
        }
        let racks = (0..self.0.len()?).map(|at| {
            let rack = arguments::count(&what, self.0.element(at)?, (0, u64::from(u32::MAX)))?;
            Ok(rack as u32)
        });
        racks.collect()
    }

    fn tls(&self, _: &str) -> Result<Option<TlsOptions>> {
        tls::options(self.0)
    }

    fn is_given(&self) -> bool {
        self.0.present().is_some()
    }
}

/// `connect(slot, seeds, names, values, bigints, doubles, maps)`: settles with the handle of a
/// client. Options are the engine's names, and values, in two arrays.
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
    let decode_options = DecodeOptions { bigints: flag(4), doubles: flag(5), maps: flag(6) };
    let defaults = checked.defaults();
    let environment = call.host.environment.clone();
    // Certificates are read on that thread, too.
    let open = move || Cluster::connect(checked.finish()?);
    work::spawn(call.env, "spikewire.connect", open, move |env, opened| {
        let result = opened
            .unwrap_or_else(|_| Err(Error::new(Kind::Connection, "connecting panicked")))
            .map_err(Failure::from)
            .and_then(|cluster| start(env, &environment, cluster, defaults, decode_options));
        environment.settle(env, slot, result);
    })?;
    Ok(None)
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

/// `nodes(client)`: names and addresses of the nodes, alternating.
pub fn nodes<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let client = Client::of(call)?;
    let snapshot = client.cluster.snapshot();
    let texts: Vec<String> = snapshot
        .nodes
        .iter()
        .flat_map(|node| [node.name.clone(), node.address.to_string()])
        .collect();
    call.env.array_of(texts.iter().map(|text| call.env.string(text))).map(Some)
}
