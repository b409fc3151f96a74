//! A Lua state that cannot access anything outside and cannot run forever.

use std::rc::Rc;
use std::time::{SystemTime, UNIX_EPOCH};

use mlua::{
    Error, Function, Lua, LuaOptions, MultiValue, Result, StdLib, Table, Value, chunk::ChunkMode,
};

use crate::bounds::{Bounds, Limits};
use crate::failure::message_of;
use crate::pace::keep_pace;
use crate::record::{self, Handle};
use crate::{bytecode, costly, stream, strings, tables, types};

/// Maximum length of a format for `os.date`.
const FORMAT: usize = 1024;
/// Functions that read files, run unregistered code, or control the garbage collector.
const FORBIDDEN: [&str; 6] = ["collectgarbage", "dofile", "load", "loadfile", "print", "require"];
/// The part of the library `os` that is available.
const CLOCK: [&str; 4] = ["clock", "date", "difftime", "time"];

/// A state with safe libraries and a memory limit.
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
        globals.set(name, Value::Nil)?;
    }
    let os: Table = globals.get("os")?;
    let clock = lua.create_table()?;
    for name in CLOCK {
        clock.set(name, os.get::<Value>(name)?)?;
    }
    clock.set("date", lua.create_function(short_date(os.get("date")?))?)?;
    globals.set("os", clock)?;
    let math: Table = globals.get("math")?;
    math.set("sum", lua.create_function(|_, (a, b): (Value, Value)| plus(a, b))?)?;
    guard(&lua, bounds)?;
    forbid_handlers(&lua)?;
    costly::register(&lua, bounds)?;
    strings::register(&lua, bounds)?;
    tables::register(&lua, bounds)?;
    types::register(&lua, bounds)?;
    record::register(&lua)?;
    stream::register(&lua)?;
    aerospike(&lua)?;
    let table: Table = globals.get("table")?;
    globals.set("unpack", table.get::<Function>("unpack")?)?;
    bounds.attach(lua.weak());
    keep_pace(&lua, bounds)?;
    Ok(lua)
}

/// Compiles a module, for globals of its own.
pub fn compile(lua: &Lua, file: &str, source: &str, globals: Table) -> Result<Function> {
    let name = format!("@{file}");
    let text = lua.load(source).set_name(&name).set_mode(ChunkMode::Text).into_function()?;
    let code = bytecode::without_closing(text.dump(false), file)?;
    let chunk = lua.load(code).set_name(&name).set_mode(ChunkMode::Binary);
    chunk.set_environment(globals).into_function()
}

fn plus(a: Value, b: Value) -> Result<Value> {
    Ok(match (a, b) {
        (Value::Integer(a), Value::Integer(b)) => Value::Integer(a.wrapping_add(b)),
        (a, b) => match (a.as_number(), b.as_number()) {
            (Some(a), Some(b)) => Value::Number(a + b),
            _ => return Err(Error::runtime("math.sum takes two numbers")),
        },
    })
}

/// Keeps code that catches errors from catching the end of its time.
fn guard(lua: &Lua, bounds: &Rc<Bounds>) -> Result<()> {
    let plain: Function = lua.globals().get("pcall")?;
    let own = bounds.clone();
    let pcall = lua.create_function(move |lua, arguments: MultiValue| {
        let outcome = plain.call::<MultiValue>(arguments);
        own.check_time()?;
        let mut outcome = outcome?;
        // Errors raised by this crate become text, as those raised by Lua are.
        if let Some(Value::Error(error)) = outcome.get(1) {
            let text = lua.create_string(message_of(error))?;
            outcome = MultiValue::from_vec(vec![Value::Boolean(false), Value::String(text)]);
        }
        Ok(outcome)
    })?;
    lua.globals().set("pcall", pcall.clone())?;
    // The handler runs when the error is caught, not where it is raised. If the hook raised it, no
    // hook would end the handler.
    let xpcall = lua.create_function(move |_, mut arguments: MultiValue| {
        let function = arguments.pop_front().unwrap_or(Value::Nil);
        let Some(Value::Function(handler)) = arguments.pop_front() else {
            return Err(Error::runtime("bad argument #2 to 'xpcall' (function expected)"));
        };
        arguments.push_front(function);
        let mut outcome = pcall.call::<MultiValue>(arguments)?;
        if outcome.front() == Some(&Value::Boolean(true)) {
            return Ok(outcome);
        }
        outcome.pop_front();
        outcome.push_front(Value::Function(handler));
        let mut handled = pcall.call::<MultiValue>(outcome)?;
        handled.pop_front();
        handled.push_front(Value::Boolean(false));
        Ok(handled)
    })?;
    lua.globals().set("xpcall", xpcall)
}

/// Lua runs finalizers without hooks, so nothing could end them. Nothing is ever closed (see
/// `bytecode`), and code that relies on it should learn that.
fn forbid_handlers(lua: &Lua) -> Result<()> {
    let plain: Function = lua.globals().get("setmetatable")?;
    let set = lua.create_function(move |_, arguments: MultiValue| {
        if let Some(Value::Table(meta)) = arguments.get(1) {
            for name in ["__gc", "__close"] {
                if !meta.raw_get::<Value>(name)?.is_nil() {
                    let text = format!("a metatable with {name} is not available to functions");
                    return Err(Error::runtime(text));
                }
            }
        }
        plain.call::<MultiValue>(arguments)
    })?;
    lua.globals().set("setmetatable", set)
}

/// `os.date` with a limited format, because its work grows with that.
fn short_date(plain: Function) -> impl Fn(&Lua, MultiValue) -> Result<MultiValue> {
    move |_, arguments| {
        if let Some(Value::String(format)) = arguments.front()
            && format.as_bytes().len() > FORMAT
        {
            return Err(Error::runtime(format!("the format is longer than {FORMAT} bytes")));
        }
        plain.call(arguments)
    }
}

/// The globals of one module. Its code may change them, and the library tables, without affecting
/// other modules.
pub fn environment(lua: &Lua) -> Result<Table> {
    let module = lua.create_table()?;
    lua.globals().for_each(|name: Value, value: Value| {
        let own = match value {
            Value::Table(shared) if shared == lua.globals() => Value::Table(module.clone()),
            Value::Table(shared) => {
                let own = lua.create_table()?;
                shared.for_each(|name: Value, value: Value| own.raw_set(name, value))?;
                own.set_metatable(shared.metatable())?;
                Value::Table(own)
            }
            other => other,
        };
        module.raw_set(name, own)
    })?;
    Ok(module)
}

/// Creates the object `aerospike`, which stores records, and the logging functions.
fn aerospike(lua: &Lua) -> Result<()> {
    type Of = mlua::UserDataRef<Handle>;
    let object = lua.create_table()?;
    let create = |_: &Lua, (_, rec): (Value, Of)| rec.create();
    object.set("create", lua.create_function(create)?)?;
    let update = |_: &Lua, (_, rec): (Value, Of)| rec.update();
    object.set("update", lua.create_function(update)?)?;
    let remove = |_: &Lua, (_, rec): (Value, Of)| Ok(rec.remove());
    object.set("remove", lua.create_function(remove)?)?;
    let exists = |_: &Lua, (_, rec): (Value, Of)| Ok(rec.exists());
    object.set("exists", lua.create_function(exists)?)?;
    let now = |_: &Lua, _: MultiValue| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(now.as_millis() as i64)
    };
    object.set("get_current_time", lua.create_function(now)?)?;
    let nothing = |_: &Lua, _: MultiValue| Ok(0);
    object.set("log", lua.create_function(nothing)?)?;
    lua.globals().set("aerospike", object)?;
    // The embedded cluster has no log, but a wrong format is still an error.
    let format: Function = lua.globals().get::<Table>("string")?.get("format")?;
    for level in ["trace", "debug", "info", "warn"] {
        let format = format.clone();
        let log = move |_: &Lua, arguments: MultiValue| format.call::<()>(arguments);
        lua.globals().set(level, lua.create_function(log)?)?;
    }
    Ok(())
}
