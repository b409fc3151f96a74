//! Values as Lua code holds them. Lists, maps and bytes are shared: code that changes a list it
//! found in a map changes the map's.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::fmt::{self, Write as _};
use std::rc::Rc;

use mlua::{Error, Lua, Result};
use spikewire_protocol::value::Value;

use crate::bounds::Bounds;
use crate::types::{Bytes, GeoJson, List, Map, Sketch};

/// Nesting beyond this is refused.
const DEPTH: usize = 64;
/// What a value in a container is counted as, besides its text.
pub const COST: usize = 48;
/// Values between two looks at the clock.
const LOOK: usize = 1024;

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

/// What is shared: the items of a list, the pairs of a map, bytes.
pub trait Content {
    /// Moves the containers among the values to `out`.
    fn take_containers(&mut self, out: &mut Vec<Val>);
    /// Every value that may be a container.
    fn each(&self, visit: &mut dyn FnMut(&Val));
}

impl Content for Vec<u8> {
    fn take_containers(&mut self, _: &mut Vec<Val>) {}
    fn each(&self, _: &mut dyn FnMut(&Val)) {}
}

impl Content for Vec<Val> {
    fn take_containers(&mut self, out: &mut Vec<Val>) {
        out.extend(std::mem::take(self).into_iter().filter(Val::is_container));
    }

    fn each(&self, visit: &mut dyn FnMut(&Val)) {
        self.iter().for_each(visit);
    }
}

impl Content for BTreeMap<MapKey, Val> {
    fn take_containers(&mut self, out: &mut Vec<Val>) {
        out.extend(std::mem::take(self).into_values().filter(Val::is_container));
    }

    fn each(&self, visit: &mut dyn FnMut(&Val)) {
        self.values().for_each(visit);
    }
}

/// What a list, map or bytes holds, and the memory it was counted as.
#[derive(Debug)]
pub struct Shared<T: Content> {
    pub inner: RefCell<T>,
    counted: Cell<usize>,
    /// Whether it was put into a container.
    is_nested: Cell<bool>,
    pub bounds: Rc<Bounds>,
}

impl<T: Content> Shared<T> {
    pub fn new(inner: T, bounds: &Rc<Bounds>) -> Rc<Self> {
        inner.each(&mut Val::mark_nested);
        Rc::new(Self {
            inner: RefCell::new(inner),
            counted: Cell::new(0),
            is_nested: Cell::new(false),
            bounds: bounds.clone(),
        })
    }

    /// Counts memory that is about to be used.
    pub fn grow(&self, bytes: usize) -> Result<()> {
        self.bounds.check_time()?;
        self.bounds.take(bytes)?;
        self.counted.set(self.counted.get() + bytes);
        Ok(())
    }

    /// Gives back memory that is not used any more.
    pub fn shrink(&self, bytes: usize) {
        let bytes = bytes.min(self.counted.get());
        self.counted.set(self.counted.get() - bytes);
        self.bounds.give(bytes);
    }

    fn address(&self) -> *const () {
        std::ptr::from_ref(self).cast()
    }

    /// Refuses a value that contains this container: it would contain itself.
    pub fn admit(&self, value: &Val) -> Result<()> {
        if !value.is_container() {
            return Ok(());
        }
        let itself = || Err(Error::runtime("a list or map cannot contain itself"));
        if value.address() == Some(self.address()) {
            return itself();
        }
        value.mark_nested();
        // What was never put anywhere is in no other container.
        if !self.is_nested.get() {
            return Ok(());
        }
        let mut seen = HashSet::new();
        let mut left = vec![value.clone()];
        let mut looked = 0;
        while let Some(next) = left.pop() {
            let Some(address) = next.address() else { continue };
            if address == self.address() {
                return itself();
            }
            if !seen.insert(address) {
                continue;
            }
            looked += next.each(&mut |inner| {
                if inner.is_container() {
                    left.push(inner.clone());
                }
            });
            if looked >= LOOK {
                looked = 0;
                self.bounds.check_time()?;
            }
        }
        Ok(())
    }
}

impl<T: Content> Drop for Shared<T> {
    fn drop(&mut self) {
        self.bounds.give(self.counted.get());
        let mut containers = Vec::new();
        self.inner.get_mut().take_containers(&mut containers);
        if !containers.is_empty() {
            let boxed = containers.into_iter().map(|value| Box::new(value) as Box<dyn Any>);
            self.bounds.drop_all(boxed);
        }
    }
}

/// How much a value may still take when it is copied out.
#[derive(Debug)]
struct Budget<'a> {
    bounds: &'a Bounds,
    left: usize,
    looked: usize,
}

impl Budget<'_> {
    fn spend(&mut self, bytes: usize) -> Result<()> {
        self.looked += 1;
        if self.looked >= LOOK {
            self.looked = 0;
            self.bounds.check_time()?;
        }
        let memory = self.bounds.limits().memory;
        self.left = self.left.checked_sub(bytes).ok_or_else(|| {
            Error::runtime(format!(
                "a value takes more than {memory} bytes, with every shared list and map in each \
                 of its places"
            ))
        })?;
        Ok(())
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

    /// What is stored or sent, and the memory it was counted as. A list that is in several places
    /// is copied for each of them.
    pub fn to_value(&self, bounds: &Bounds) -> Result<Value> {
        self.to_value_within(bounds, bounds.limits().memory).map(|(value, _)| value)
    }

    /// The same, within so many bytes; tells also how many it takes.
    pub fn to_value_within(&self, bounds: &Bounds, bytes: usize) -> Result<(Value, usize)> {
        let mut budget = Budget { bounds, left: bytes, looked: 0 };
        let value = self.nested(DEPTH, &mut budget)?;
        Ok((value, bytes - budget.left))
    }

    fn nested(&self, depth: usize, budget: &mut Budget<'_>) -> Result<Value> {
        let deeper = || {
            let message = format!("a value nested deeper than {DEPTH} levels");
            depth.checked_sub(1).ok_or_else(|| Error::runtime(message))
        };
        budget.spend(self.full_cost())?;
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
                let items = items.iter().map(|item| item.nested(depth, budget));
                Value::List(items.collect::<Result<_>>()?)
            }
            Self::Map(map) => {
                let depth = deeper()?;
                let pairs = map.0.inner.borrow();
                let pairs = pairs.iter().map(|(key, value)| {
                    budget.spend(key.cost())?;
                    Ok((key.to_value(), value.nested(depth, budget)?))
                });
                Value::Map(pairs.collect::<Result<_>>()?)
            }
        })
    }

    /// As text, for logs and messages.
    pub fn show(&self, bounds: &Bounds) -> Result<String> {
        let value = self.to_value(bounds)?;
        let mut text = Text { text: String::new(), most: bounds.limits().memory };
        write!(text, "{value:?}")
            .map_err(|_| Error::MemoryError("not enough memory".to_owned()))?;
        Ok(text.text)
    }

    fn is_container(&self) -> bool {
        matches!(self, Self::List(_) | Self::Map(_))
    }

    /// Notes that a container is in another one.
    fn mark_nested(&self) {
        match self {
            Self::List(list) => list.0.is_nested.set(true),
            Self::Map(map) => map.0.is_nested.set(true),
            _ => {}
        }
    }

    /// What tells one container from others.
    fn address(&self) -> Option<*const ()> {
        match self {
            Self::List(list) => Some(list.0.address()),
            Self::Map(map) => Some(map.0.address()),
            _ => None,
        }
    }

    /// Visits what a container holds; tells how much there was to look at.
    fn each(&self, visit: &mut dyn FnMut(&Self)) -> usize {
        let mut count = 1;
        let mut counting = |value: &Self| {
            count += 1;
            visit(value);
        };
        match self {
            Self::List(list) => list.0.inner.borrow().each(&mut counting),
            Self::Map(map) => map.0.inner.borrow().each(&mut counting),
            _ => {}
        }
        count
    }

    /// What a copy of this takes; nested values count themselves.
    fn full_cost(&self) -> usize {
        match self {
            Self::Bytes(bytes) => COST + bytes.len(),
            _ => self.cost(),
        }
    }

    /// What a container counts this as; nested containers count themselves.
    pub fn cost(&self) -> usize {
        COST + match self {
            Self::Str(text) => text.len(),
            Self::GeoJson(text) => text.0.len(),
            Self::Sketch(sketch) => sketch.0.len(),
            _ => 0,
        }
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

    /// The key as Lua code gets to hold it.
    pub fn to_val(&self, bounds: &Rc<Bounds>) -> Result<Val> {
        Ok(match self {
            Self::Int(int) => Val::Int(*int),
            Self::Str(text) => Val::Str(text.clone()),
            Self::Bytes(bytes) => Val::Bytes(Bytes::new(bytes.to_vec(), bounds)?),
        })
    }

    /// The key as it is stored or sent.
    fn to_value(&self) -> Value {
        match self {
            Self::Int(int) => Value::Int(*int),
            Self::Str(text) => Value::Str(text.to_string()),
            Self::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
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

/// Text that grows no longer than it may.
struct Text {
    text: String,
    most: usize,
}

impl fmt::Write for Text {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.text.len() + part.len() > self.most {
            return Err(fmt::Error);
        }
        self.text.push_str(part);
        Ok(())
    }
}

fn unsupported(what: &str) -> Error {
    Error::runtime(format!("{what} cannot be stored"))
}
