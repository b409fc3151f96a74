//! Setup by the package: its own functions, and names that it refers to by number.

use std::rc::Rc;

use spikewire_aerospike::command::{SetRef, check_bin_name};

use crate::arguments;
use crate::binding::Call;
use crate::hooks::Hooks;
use crate::js::{Failure, Result, Value};

/// `setup(settle, fail, done, makeError, makeFactory, makeRecord, makeBatch, makeRows, failRow,
/// classify, unwrap, wrap)`: called once, when the package is loaded.
pub fn setup<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let hooks = Hooks::keep(call.rest(0))?;
    call.host.environment.set_up(call.env, hooks)?;
    Ok(None)
}

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
    let given = call.argument(0);
    let names = (0..given.len()?).map(|at| {
        let name = arguments::text("a bin name", given.element(at)?)?;
        check_bin_name(&name)?;
        Ok(name)
    });
    let names = names.collect::<Result<Rc<[String]>>>()?;
    let mut shapes = call.host.environment.shapes.borrow_mut();
    shapes.push(names);
    call.env.uint32(shapes.len() as u32 - 1).map(Some)
}
