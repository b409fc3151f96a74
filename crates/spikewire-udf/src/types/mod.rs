//! Operations of Lua code on bin types that Lua itself lacks.

mod bytes;
mod list;
mod map;
mod opaque;

use std::rc::Rc;

use mlua::{Lua, Result, Table};

use crate::bounds::Bounds;

/// Creates the tables `list`, `map`, `bytes` and `geojson`; each can be called to create a value.
pub fn register(lua: &Lua, bounds: &Rc<Bounds>) -> Result<()> {
    list::register(lua, bounds)?;
    map::register(lua, bounds)?;
    bytes::register(lua, bounds)?;
    opaque::register(lua)
}

/// Makes `table` callable: `make` is called with the table as its first argument.
fn callable(lua: &Lua, table: &Table, make: mlua::Function) -> Result<()> {
    let meta = lua.create_table()?;
    meta.set("__call", make)?;
    // Code must not change what other functions of the machine use.
    meta.set("__metatable", false)?;
    table.set_metatable(Some(meta))?;
    Ok(())
}

/// Converts a Lua index (from 1) to one from 0; `None` if it is not a valid index.
fn place(index: Option<i64>) -> Option<usize> {
    index.and_then(|index| index.checked_sub(1)).and_then(|index| usize::try_from(index).ok())
}
