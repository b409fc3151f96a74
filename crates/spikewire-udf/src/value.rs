//! Values as Lua code holds them. Lists, maps and bytes are shared: code that changes a list it
//! found in a map changes the map's.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{Error, Lua, Result};
use spikewire_protocol::value::Value;

use crate::bounds::Bounds;
use crate::types::{Bytes, GeoJson, List, Map, Sketch};

/// Nesting beyond this is refused, as a container may be put into itself.
const DEPTH: usize = 64;
/// What a value in a container is counted as, besides its text.
const COST: usize = 48;

/// A value in a record, list or map.
#[derive(Debug, Clone)]
pub enum Val {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Rc<str>),
    Bytes(Bytes),
    List(List),
    Map(Map),
    GeoJson(GeoJson),
    Sketch(Sketch),
}

/// The key of a map, in the order of the wire.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MapKey {
    Int(i64),
    Str(Rc<str>),
    Bytes(Rc<[u8]>),
}

/// What a list, map or bytes holds, and the memory it was counted as.
#[derive(Debug)]
pub struct Shared<T> {
    pub inner: RefCell<T>,
    counted: std::cell::Cell<usize>,
    pub bounds: Rc<Bounds>,
}

impl<T> Shared<T> {
    pub fn new(inner: T, bounds: &Rc<Bounds>) -> Rc<Self> {
        let counted = std::cell::Cell::new(0);
        Rc::new(Self { inner: RefCell::new(inner), counted, bounds: bounds.clone() })
    }

    /// Counts memory that is about to be used.
    pub fn grow(&self, bytes: usize) -> Result<()> {
        self.bounds.check_time()?;
        self.bounds.take(bytes)?;
        self.counted.set(self.counted.get() + bytes);
        Ok(())
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        self.bounds.give(self.counted.get());
    }
}

impl Val {
    /// What Lua code handed over, where a value can be stored.
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

    /// What Lua code gets to hold.
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

    /// From what is stored or was sent.
    pub fn new(value: &Value, bounds: &Rc<Bounds>) -> Result<Self> {
        Ok(match value {
            Value::Nil => Self::Nil,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Int(int) => Self::Int(*int),
            Value::Float(float) => Self::Float(*float),
            Value::Str(text) => Self::Str(text.as_str().into()),
            Value::Bytes(bytes) => Self::Bytes(Bytes::new(bytes.clone(), bounds)?),
            Value::GeoJson(text) => Self::GeoJson(GeoJson(text.as_str().into())),
            Value::Hll(bytes) => Self::Sketch(Sketch(bytes.as_slice().into())),
            Value::List(items) => {
                let items: Result<Vec<Self>> =
                    items.iter().map(|item| Self::new(item, bounds)).collect();
                Self::List(List::new(items?, bounds)?)
            }
            Value::Map(pairs) => {
                let mut map = BTreeMap::new();
                for (key, value) in pairs {
                    map.insert(MapKey::new(&Self::new(key, bounds)?)?, Self::new(value, bounds)?);
                }
                Self::Map(Map::new(map, bounds)?)
            }
        })
    }

    /// What is stored or sent; refuses a container that contains itself.
    pub fn to_value(&self) -> Result<Value> {
        self.nested(DEPTH)
    }

    fn nested(&self, depth: usize) -> Result<Value> {
        let deeper = || {
            let message = format!("a value nested deeper than {DEPTH} levels");
            depth.checked_sub(1).ok_or_else(|| Error::runtime(message))
        };
        Ok(match self {
            Self::Nil => Value::Nil,
            Self::Bool(flag) => Value::Bool(*flag),
            Self::Int(int) => Value::Int(*int),
            Self::Float(float) => Value::Float(*float),
            Self::Str(text) => Value::Str(text.to_string()),
            Self::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
            Self::GeoJson(text) => Value::GeoJson(text.0.to_string()),
            Self::Sketch(sketch) => Value::Hll(sketch.0.to_vec()),
            Self::List(list) => {
                let depth = deeper()?;
                let items = list.0.inner.borrow();
                Value::List(items.iter().map(|item| item.nested(depth)).collect::<Result<_>>()?)
            }
            Self::Map(map) => {
                let depth = deeper()?;
                let pairs = map.0.inner.borrow();
                let pair = |(key, value): (&MapKey, &Self)| {
                    Ok((key.to_val().nested(depth)?, value.nested(depth)?))
                };
                Value::Map(pairs.iter().map(pair).collect::<Result<_>>()?)
            }
        })
    }

    /// What a container counts this as; nested containers count themselves.
    pub fn cost(&self) -> usize {
        COST + if let Self::Str(text) = self { text.len() } else { 0 }
    }
}

impl MapKey {
    /// A value as a key.
    pub fn new(key: &Val) -> Result<Self> {
        Ok(match key {
            Val::Int(int) => Self::Int(*int),
            Val::Str(text) => Self::Str(text.clone()),
            Val::Bytes(bytes) => Self::Bytes(bytes.to_vec().into()),
            _ => return Err(Error::runtime("a map key is an integer, a string or bytes")),
        })
    }

    /// The key as a value; bytes are a copy that is not counted.
    pub fn to_val(&self) -> Val {
        match self {
            Self::Int(int) => Val::Int(*int),
            Self::Str(text) => Val::Str(text.clone()),
            Self::Bytes(bytes) => Val::Bytes(Bytes::uncounted(bytes.to_vec())),
        }
    }

    /// What a map counts the key as.
    pub fn cost(&self) -> usize {
        COST + match self {
            Self::Int(_) => 0,
            Self::Str(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}

fn unsupported(what: &str) -> Error {
    Error::runtime(format!("{what} cannot be stored"))
}
