//! Conversion of values to and from Lua.

use std::rc::Rc;

use mlua::{Error, Lua, Result};

use super::{Bytes, GeoJson, List, Map, Sketch, Val};
use crate::bounds::Bounds;

impl Val {
    /// The value passed by Lua code, if it can be stored.
    pub fn from_lua(value: mlua::Value) -> Result<Self> {
        Ok(match value {
            mlua::Value::Nil => Self::Nil,
            mlua::Value::Boolean(flag) => Self::Bool(flag),
            mlua::Value::Integer(int) => Self::Int(int),
            mlua::Value::Number(float) => Self::Float(float),
            mlua::Value::String(text) => match text.to_str() {
                Ok(text) => Self::Str(Rc::from(&*text)),
                Err(_) => return Err(Error::runtime("the string is not UTF-8: use bytes")),
            },
            mlua::Value::UserData(object) => {
                if let Ok(list) = object.borrow::<List>() {
                    Self::List(list.clone())
                } else if let Ok(map) = object.borrow::<Map>() {
                    Self::Map(map.clone())
                } else if let Ok(bytes) = object.borrow::<Bytes>() {
                    Self::Bytes(bytes.clone())
                } else if let Ok(text) = object.borrow::<GeoJson>() {
                    Self::GeoJson(text.clone())
                } else if let Ok(sketch) = object.borrow::<Sketch>() {
                    Self::Sketch(sketch.clone())
                } else {
                    return Err(unsupported("this object"));
                }
            }
            mlua::Value::Table(_) => return Err(unsupported("a table (use list or map)")),
            other => return Err(unsupported(&format!("a {}", other.type_name()))),
        })
    }

    /// Like `to_lua`, for code that may ask for the same value again and again: counts the work.
    pub fn copy_to_lua(&self, lua: &Lua, bounds: &Bounds) -> Result<mlua::Value> {
        bounds.work(self.cost())?;
        self.to_lua(lua)
    }

    /// The value for Lua code.
    pub fn to_lua(&self, lua: &Lua) -> Result<mlua::Value> {
        Ok(match self {
            Self::Nil => mlua::Value::Nil,
            Self::Bool(flag) => mlua::Value::Boolean(*flag),
            Self::Int(int) => mlua::Value::Integer(*int),
            Self::Float(float) => mlua::Value::Number(*float),
            Self::Str(text) => mlua::Value::String(lua.create_string(&**text)?),
            Self::Bytes(bytes) => mlua::Value::UserData(lua.create_userdata(bytes.clone())?),
            Self::List(list) => mlua::Value::UserData(lua.create_userdata(list.clone())?),
            Self::Map(map) => mlua::Value::UserData(lua.create_userdata(map.clone())?),
            Self::GeoJson(text) => mlua::Value::UserData(lua.create_userdata(text.clone())?),
            Self::Sketch(sketch) => mlua::Value::UserData(lua.create_userdata(sketch.clone())?),
        })
    }
}

fn unsupported(what: &str) -> Error {
    Error::runtime(format!("{what} cannot be stored"))
}
