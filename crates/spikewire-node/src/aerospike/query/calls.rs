//! Functions exported to JavaScript for queries.

use std::rc::Rc;

use spikewire_aerospike::query::Partitions;

use super::plan::spec;
use super::reading::RunningQuery;
use crate::aerospike::arguments::text;
use crate::aerospike::client::Client;
use crate::binding::Call;
use crate::js::{Result, Value};

/// `query(client, space, options, after, index)`: creates a query and returns its number; nothing
/// is sent yet.
pub fn query<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let client = Client::of(call)?;
    let environment = &call.host.environment;
    let (space, spec) = spec(call, 1)?;
    let plan = spec.plan(&client.defaults.policy)?;
    let running = RunningQuery::new(environment, &client, plan, space.set.is_empty())?;
    call.env.uint32(environment.resources.add(Rc::new(running))).map(Some)
}

/// The query in a call's first argument; the second is the number of records consumed.
fn running(call: &Call<'_>) -> Result<Rc<RunningQuery>> {
    let running = call.host.environment.resources.get::<RunningQuery>(call.index(0)?)?;
    running.consume(call.index(1)?);
    Ok(running)
}

/// `queryRead(query, consumed, page)`: more records; see [`RunningQuery::read`]. A page of 0 means
/// none.
pub fn read<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let page = call.index(2)?;
    let page = (page > 0).then_some(u64::from(page));
    running(call)?.read(call.env, page).map(Some)
}

/// `queryWait(query, consumed, slot)`: settles when there may be more records.
pub fn wait<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    running(call)?.wait(call.env, call.index(2)?)?;
    Ok(None)
}

/// `queryCursor(query, consumed)`: the cursor behind the records consumed.
pub fn cursor<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    call.env.buffer(&running(call)?.cursor()).map(Some)
}

/// `queryOver(query, consumed)`: whether it is certain that there are no more records.
pub fn over<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    call.env.boolean(running(call)?.is_over()).map(Some)
}

/// `queryAborted(client, namespace, first, count)`: counts a query of these partitions that was
/// ended by the program as an error of their nodes.
pub fn aborted<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let client = Client::of(call)?;
    let namespace = text("namespace", call.argument(1))?;
    let partitions = Partitions::range(call.index(2)?.into(), call.index(3)?.into())?;
    client.cluster.count_aborted_query(&namespace, partitions.ids());
    Ok(None)
}

/// `queryClose(query, consumed)`: ends the query and returns the cursor. Its number is free
/// afterwards.
pub fn close<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let environment = &call.host.environment;
    let running = running(call)?;
    environment.resources.remove(call.index(0)?);
    let cursor = running.cursor();
    // Closed first, since no values can be created in a worker that is being terminated.
    running.close();
    if let Some(slot) = running.take_waiting() {
        environment.done(call.env, slot);
        environment.report_done(call.env);
    }
    call.env.buffer(&cursor).map(Some)
}
