//! Functions exported to JavaScript for queries.

use std::rc::Rc;

use super::plan::spec;
use super::reading::Reading;
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
    let reading = Reading::new(environment, &client, plan, space.set.is_empty())?;
    call.env.uint32(environment.resources.add(Rc::new(reading))).map(Some)
}

/// The query in a call's first argument; the second is the number of records consumed.
fn reading(call: &Call<'_>) -> Result<Rc<Reading>> {
    let reading = call.host.environment.resources.get::<Reading>(call.index(0)?)?;
    reading.taken(call.index(1)?);
    Ok(reading)
}

/// `queryRead(query, taken, page)`: more records; see [`Reading::read`]. A page of 0 means none.
pub fn read<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let page = call.index(2)?;
    let page = (page > 0).then_some(u64::from(page));
    reading(call)?.read(call.env, page).map(Some)
}

/// `queryWait(query, taken, slot)`: settles when there may be more records.
pub fn wait<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    reading(call)?.wait(call.env, call.index(2)?)?;
    Ok(None)
}

/// `queryCursor(query, taken)`: the cursor behind the records consumed.
pub fn cursor<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    call.env.buffer(&reading(call)?.cursor()).map(Some)
}

/// `queryOver(query, taken)`: whether it is certain that there are no more records.
pub fn over<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    call.env.boolean(reading(call)?.is_over()).map(Some)
}

/// `queryClose(query, taken)`: ends the query and returns the cursor. Its number is free
/// afterwards.
pub fn close<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let environment = &call.host.environment;
    let reading = reading(call)?;
    environment.resources.remove(call.index(0)?);
    let cursor = reading.cursor();
    // Closed first, since no values can be created in a worker that is being terminated.
    reading.close();
    if let Some(slot) = reading.take_waiting() {
        environment.done(call.env, slot);
        environment.tell_done(call.env);
    }
    call.env.buffer(&cursor).map(Some)
}
