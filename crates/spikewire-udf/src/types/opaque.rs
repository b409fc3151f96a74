//! Values that Lua code can pass on but not look into.

use mlua::{Lua, MetaMethod, Result, UserData, UserDataMethods};

use super::callable;
use crate::value::{GeoJson, Sketch};

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
