//! A Lua state that cannot reach out of itself and cannot run for ever.

use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use mlua::{Function, HookTriggers, Lua, LuaOptions, MultiValue, Result, StdLib, Table, VmState};

use crate::bounds::{Bounds, Limits};
use crate::record::{self, Handle};
use crate::{stream, types};

/// How often running code is looked at, in instructions.
const LOOK: u32 = 5_000;
/// What reads files, runs what was not registered, or steers the collector.
const FORBIDDEN: [&str; 6] = ["collectgarbage", "dofile", "load", "loadfile", "print", "require"];
/// What is left of the library `os`.
const CLOCK: [&str; 4] = ["clock", "date", "difftime", "time"];

/// A state with libraries that cannot reach out, and a limit on memory.
pub fn bare(limits: Limits) -> Result<Lua> {
    let libraries = StdLib::TABLE | StdLib::STRING | StdLib::MATH | StdLib::UTF8 | StdLib::OS;
    let lua = Lua::new_with(libraries, LuaOptions::default())?;
    lua.set_memory_limit(limits.memory)?;
    Ok(lua)
}

/// A state in which functions run.
pub fn state(bounds: &Rc<Bounds>) -> Result<Lua> {
    let lua = bare(bounds.limits())?;
    let globals = lua.globals();
    for name in FORBIDDEN {
        globals.set(name, mlua::Value::Nil)?;
    }
    let os: Table = globals.get("os")?;
    let clock = lua.create_table()?;
    for name in CLOCK {
        clock.set(name, os.get::<mlua::Value>(name)?)?;
    }
    globals.set("os", clock)?;
    let table: Table = globals.get("table")?;
    globals.set("unpack", table.get::<Function>("unpack")?)?;
    let math: Table = globals.get("math")?;
    math.set("sum", lua.create_function(|_, (a, b): (mlua::Value, mlua::Value)| plus(a, b))?)?;
    guard(&lua, bounds)?;
    types::register(&lua, bounds)?;
    record::register(&lua)?;
    stream::register(&lua)?;
    aerospike(&lua)?;
    let own = bounds.clone();
    lua.set_hook(HookTriggers::new().every_nth_instruction(LOOK), move |_, _| {
        own.check_time().map(|()| VmState::Continue)
    })?;
    Ok(lua)
}

fn plus(a: mlua::Value, b: mlua::Value) -> Result<mlua::Value> {
    Ok(match (a, b) {
        (mlua::Value::Integer(a), mlua::Value::Integer(b)) => {
            mlua::Value::Integer(a.wrapping_add(b))
        }
        (a, b) => match (a.as_number(), b.as_number()) {
            (Some(a), Some(b)) => mlua::Value::Number(a + b),
            _ => return Err(mlua::Error::runtime("math.sum takes two numbers")),
        },
    })
}

/// Code that catches errors must not catch the end of its time.
fn guard(lua: &Lua, bounds: &Rc<Bounds>) -> Result<()> {
    for name in ["pcall", "xpcall"] {
        let plain: Function = lua.globals().get(name)?;
        let own = bounds.clone();
        let guarded = lua.create_function(move |_, arguments: MultiValue| {
            let outcome = plain.call::<MultiValue>(arguments);
            own.check_time()?;
            outcome
        })?;
        lua.globals().set(name, guarded)?;
    }
    Ok(())
}

/// Makes the object `aerospike`, which stores records, and the functions that log.
fn aerospike(lua: &Lua) -> Result<()> {
    type Of = mlua::UserDataRef<Handle>;
    let object = lua.create_table()?;
    let create = |_: &Lua, (_, rec): (mlua::Value, Of)| rec.create();
    object.set("create", lua.create_function(create)?)?;
    let update = |_: &Lua, (_, rec): (mlua::Value, Of)| rec.update();
    object.set("update", lua.create_function(update)?)?;
    let remove = |_: &Lua, (_, rec): (mlua::Value, Of)| Ok(rec.remove());
    object.set("remove", lua.create_function(remove)?)?;
    let exists = |_: &Lua, (_, rec): (mlua::Value, Of)| Ok(rec.exists());
    object.set("exists", lua.create_function(exists)?)?;
    let now = |_: &Lua, _: MultiValue| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(now.as_millis() as i64)
    };
    object.set("get_current_time", lua.create_function(now)?)?;
    let nothing = |_: &Lua, _: MultiValue| Ok(0);
    object.set("log", lua.create_function(nothing)?)?;
    lua.globals().set("aerospike", object)?;
    // Nobody reads the log of an embedded cluster, but a wrong format is still an error.
    let format: Function = lua.globals().get::<Table>("string")?.get("format")?;
    for level in ["trace", "debug", "info", "warn"] {
        let format = format.clone();
        let log = move |_: &Lua, arguments: MultiValue| format.call::<()>(arguments);
        lua.globals().set(level, lua.create_function(log)?)?;
    }
    Ok(())
}
