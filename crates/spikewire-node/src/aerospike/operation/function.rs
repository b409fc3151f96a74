//! Calls of Lua functions.

use spikewire_aerospike::command::Function;
use spikewire_aerospike_protocol::msgpack;

use crate::aerospike::value::{Place, element};
use crate::arguments;
use crate::errors::kind_name;
use crate::hooks::Hooks;
use crate::js::{Failure, Result, Value};

/// A Lua function with its arguments.
pub fn function(
    hooks: &Hooks,
    module: Value<'_>,
    name: Value<'_>,
    args: Value<'_>,
) -> Result<Function> {
    let (module, name) = (arguments::text("module", module)?, arguments::text("function", name)?);
    let mut packed = Vec::new();
    let count = match args.present() {
        None => 0,
        Some(list) if list.is_array() => list.len()?,
        Some(other) => {
            return Err(Failure::of_type(format!(
                "args must be an array, not {}",
                kind_name(other)
            )));
        }
    };
    msgpack::array(&mut packed, count);
    for at in 0..count {
        let place = Place::Argument("args");
        element(hooks, &mut packed, args.element(at)?, &Place::Index(&place, at as usize))?;
    }
    Ok(Function::new(&module, &name, packed)?)
}
