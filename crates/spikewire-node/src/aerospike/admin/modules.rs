//! Modules of Lua functions: registering, listing, reading, removing.

use spikewire_aerospike::admin::module::{
    RegisterModule, list_modules, module_source, remove_module,
};

use super::{begin, limit};
use crate::arguments::text;
use crate::binding::Call;
use crate::js::{Result, Value};

/// `moduleRegister(client, slot, name, source, timeout)`: waits until every node has it; 0: no
/// limit.
pub fn register<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (name, source) = (name(call)?, text("source", call.argument(3))?);
    begin(call, RegisterModule::new(&name, &source, limit(call.argument(4))?)?)
}

/// `moduleList(client, slot)`: the modules, sorted by name.
pub fn list<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    begin(call, list_modules())
}

/// `moduleSource(client, slot, name)`
pub fn source<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    begin(call, module_source(&name(call)?)?)
}

/// `moduleRemove(client, slot, name)`
pub fn remove<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    begin(call, remove_module(&name(call)?)?)
}

fn name(call: &Call<'_>) -> Result<String> {
    text("the name of a module", call.argument(2))
}
