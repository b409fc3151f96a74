//! Values that Lua code passes on and does not look into.

use std::rc::Rc;

use mlua::{Lua, MetaMethod, Result, UserData, UserDataMethods};

use super::callable;

/// `geojson`: GeoJSON text.
#[derive(Debug, Clone)]
pub struct GeoJson(pub Rc<str>);

/// A HyperLogLog sketch.
#[derive(Debug, Clone)]
pub struct Sketch(pub Rc<[u8]>);

impl UserData for GeoJson {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| Ok(this.0.to_string()));
    }
}

impl UserData for Sketch {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Len, |_, this, ()| Ok(this.0.len()));
    }
}

pub fn register(lua: &Lua) -> Result<()> {
    let geojson = lua.create_table()?;
    let make = |_: &Lua, (_, text): (mlua::Value, String)| Ok(GeoJson(text.into()));
    callable(lua, &geojson, lua.create_function(make)?)?;
    lua.globals().set("geojson", geojson)
}
