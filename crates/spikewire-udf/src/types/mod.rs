//! What Lua code can do with the types that bins can have and Lua's own cannot express.

mod bytes;
mod list;
mod map;
mod opaque;

use std::rc::Rc;

use mlua::{Lua, Result, Table};

use crate::bounds::Bounds;

/// Makes the tables `list`, `map`, `bytes` and `geojson`; each can be called to make a value.
pub fn register(lua: &Lua, bounds: &Rc<Bounds>) -> Result<()> {
    list::register(lua, bounds)?;
    map::register(lua, bounds)?;
    bytes::register(lua, bounds)?;
    opaque::register(lua)
}

/// Makes `table` callable: `make` is what a call does; its first argument is the table.
fn callable(lua: &Lua, table: &Table, make: mlua::Function) -> Result<()> {
    let meta = lua.create_table()?;
    meta.set("__call", make)?;
    // Code must not change what other functions of the machine use.
    meta.set("__metatable", false)?;
    table.set_metatable(Some(meta))?;
    Ok(())
}

/// A Lua index, from 1, as one from 0; `None` for what is no place in a list.
fn place(index: Option<i64>) -> Option<usize> {
    index.and_then(|index| index.checked_sub(1)).and_then(|index| usize::try_from(index).ok())
}
