//! Library functions whose work grows with their arguments: they look at the clock before they
//! start. Each is a single instruction for Lua, so the checks of running code come too late for
//! calls that follow each other.

use std::rc::Rc;

use mlua::{Error, Function, Lua, LuaString, MultiValue, Result, Table, Value};

use crate::bounds::Bounds;
use crate::pace::keep_pace;

/// Functions by library; the library without a name is that of globals.
const COSTLY: [(&str, &[&str]); 4] = [
    ("", &["rawequal", "tonumber"]),
    ("string", &["byte", "char", "format", "lower", "reverse", "sub", "upper"]),
    ("table", &["unpack"]),
    ("utf8", &["char", "codepoint", "len", "offset"]),
];
/// Functions whose work also grows with their format.
const FORMATTED: [&str; 3] = ["pack", "packsize", "unpack"];
/// Maximum length of their format.
const FORMAT: usize = 1024;
/// Operators that read numbers from strings.
const OPERATORS: [&str; 8] =
    ["__add", "__sub", "__mul", "__mod", "__pow", "__div", "__idiv", "__unm"];

/// Replaces Lua's own functions.
pub fn register(lua: &Lua, bounds: &Rc<Bounds>) -> Result<()> {
    for (library, names) in COSTLY {
        let table = if library.is_empty() { lua.globals() } else { lua.globals().get(library)? };
        for name in names {
            table.set(*name, checked(lua, bounds, table.get(*name)?, name)?)?;
        }
    }
    let string: Table = lua.globals().get("string")?;
    for name in FORMATTED {
        let plain = checked(lua, bounds, string.get(name)?, name)?;
        let short = lua.create_function(move |_, arguments: MultiValue| {
            if let Some(Value::String(format)) = arguments.front()
                && format.as_bytes().len() > FORMAT
            {
                return Err(Error::runtime(format!("the format is longer than {FORMAT} bytes")));
            }
            plain.call::<MultiValue>(arguments)
        })?;
        string.set(name, short)?;
    }
    if let Some(meta) = lua.type_metatable::<LuaString>() {
        for name in OPERATORS {
            meta.set(name, checked(lua, bounds, meta.get(name)?, name)?)?;
        }
    }
    // Each step of an iteration skips all bytes that continue a character.
    let utf8: Table = lua.globals().get("utf8")?;
    let (plain, own) = (utf8.get::<Function>("codes")?, bounds.clone());
    let codes = lua.create_function(move |lua, arguments: MultiValue| {
        let (step, text, start): (Function, Value, Value) = plain.call(arguments)?;
        Ok((checked(lua, &own, step, "codes")?, text, start))
    })?;
    utf8.set("codes", checked(lua, bounds, codes, "codes")?)
}

/// A function that looks at the clock first.
fn checked(lua: &Lua, bounds: &Rc<Bounds>, plain: Function, name: &str) -> Result<Function> {
    let (own, name) = (bounds.clone(), format!("'{name}'"));
    lua.create_function(move |lua, arguments: MultiValue| {
        own.check_time()?;
        let results = plain.call::<MultiValue>(arguments).map_err(|error| match error {
            // Lua does not know what the caller calls it.
            Error::RuntimeError(text) => Error::RuntimeError(text.replacen("'?'", &name, 1)),
            other => other,
        })?;
        keep_pace(lua, &own)?;
        Ok(results)
    })
}
