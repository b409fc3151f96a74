//! Setup by the package: its own functions.

use crate::binding::Call;
use crate::hooks::Hooks;
use crate::js::{Result, Value};

/// `setup(settle, fail, done, makeError, makeFactory, makeRecord, makeBatch, makeRows, failRow,
/// classify, unwrap, wrap, postpone, handOver)`: called once, when the package is loaded.
pub fn setup<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let hooks = Hooks::keep(call.rest(0))?;
    call.host.environment.set_up(call.env, hooks)?;
    Ok(None)
}
