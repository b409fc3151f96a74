//! Sets and lists of bin names, to which JavaScript refers by number.

use spikewire_aerospike::command::SetRef;

use crate::aerospike::arguments::bin_names;
use crate::binding::Call;
use crate::js::{Failure, Result, Value};

/// `space(namespace, set)`: the number of a set; JavaScript asks once per set.
pub fn space<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let name = |what: &str, value: Value<'_>| {
        let kind = value.kind();
        let text = value.text().map_err(|failure| failure.about(what))?;
        text.ok_or_else(|| {
            Failure::of_type(format!("{what} must be a string, not {}", kind.name()))
        })
    };
    let namespace = name("namespace", call.argument(0))?;
    let set = call.argument(1).present().map(|set| name("set", set)).transpose()?;
    let space = SetRef::new(&namespace, &set.unwrap_or_default())?;
    call.env.uint32(call.host.environment.add_space(space)).map(Some)
}

/// `shape(names)`: validates a list of bin names and returns its number.
pub fn shape<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let names = bin_names(call.argument(0))?;
    call.env.uint32(call.host.environment.add_shape(names)).map(Some)
}
