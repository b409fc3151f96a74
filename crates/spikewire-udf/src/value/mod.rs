//! Values as Lua code holds them. Lists, maps and bytes are shared: code that changes a list found
//! in a map changes the one in the map.
//!
//! | module | contents |
//! |---|---|
//! | `shared` | shared content of lists, maps and bytes |
//! | `lua` | conversion of values to and from Lua |
//! | `stored` | values as they are stored and sent |
//!
//! The operations of Lua code on lists, maps and bytes are in `crate::types`.

mod lua;
mod shared;
mod stored;

use std::collections::BTreeMap;
use std::rc::Rc;

use mlua::{Error, Result};
use spikewire_aerospike_protocol::value::Value;

use self::shared::Content;
use crate::bounds::Bounds;

pub use self::shared::SharedContent;

/// Memory counted for a value in a container, besides its text.
pub const COST: usize = 48;
/// Values processed between two checks of the time.
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

/// The key of a map, in wire order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum MapKey {
    Int(i64),
    Str(Rc<str>),
    Bytes(Rc<[u8]>),
}

/// Bytes; clones share them.
#[derive(Debug, Clone)]
pub struct Bytes(pub Rc<SharedContent<Vec<u8>>>);

impl Bytes {
    /// New bytes.
    pub fn new(bytes: Vec<u8>, bounds: &Rc<Bounds>) -> Result<Self> {
        let len = bytes.len();
        let shared = SharedContent::new(bytes, bounds);
        shared.grow(len)?;
        Ok(Self(shared))
    }

    /// A copy of them.
    pub fn to_vec(&self) -> Vec<u8> {
        self.0.inner.borrow().clone()
    }

    /// Number of bytes.
    pub fn len(&self) -> usize {
        self.0.inner.borrow().len()
    }
}

/// A list; clones are the same list.
#[derive(Debug, Clone)]
pub struct List(pub Rc<SharedContent<Vec<Val>>>);

impl List {
    /// A list of these values.
    pub fn new(items: Vec<Val>, bounds: &Rc<Bounds>) -> Result<Self> {
        let cost = items.iter().map(Val::cost).sum();
        let list = SharedContent::new(items, bounds);
        list.grow(cost)?;
        Ok(Self(list))
    }
}

/// A map; clones are the same map.
#[derive(Debug, Clone)]
pub struct Map(pub Rc<SharedContent<BTreeMap<MapKey, Val>>>);

impl Map {
    /// A map of these pairs.
    pub fn new(pairs: BTreeMap<MapKey, Val>, bounds: &Rc<Bounds>) -> Result<Self> {
        let cost = pairs.iter().map(|(key, value)| key.cost() + value.cost()).sum();
        let map = SharedContent::new(pairs, bounds);
        map.grow(cost)?;
        Ok(Self(map))
    }
}

/// `geojson`: GeoJSON text.
#[derive(Debug, Clone)]
pub struct GeoJson(pub Rc<str>);

/// A HyperLogLog sketch.
#[derive(Debug, Clone)]
pub struct Sketch(pub Rc<[u8]>);

impl Val {
    fn is_container(&self) -> bool {
        matches!(self, Self::List(_) | Self::Map(_))
    }

    /// Records that a container is in another one.
    fn mark_nested(&self) {
        match self {
            Self::List(list) => list.0.mark_nested(),
            Self::Map(map) => map.0.mark_nested(),
            _ => {}
        }
    }

    /// Identifies a container.
    fn address(&self) -> Option<*const ()> {
        match self {
            Self::List(list) => Some(list.0.address()),
            Self::Map(map) => Some(map.0.address()),
            _ => None,
        }
    }

    /// Visits the values in a container; returns how many there were.
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

    /// Memory of a copy; nested values count themselves.
    fn full_cost(&self) -> usize {
        match self {
            Self::Bytes(bytes) => COST + bytes.len(),
            _ => self.cost(),
        }
    }

    /// Memory counted for this in a container; nested containers count themselves.
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
    /// Converts a value to a key.
    pub fn new(key: &Val) -> Result<Self> {
        Ok(match key {
            Val::Int(int) => Self::Int(*int),
            Val::Str(text) => Self::Str(text.clone()),
            Val::Bytes(bytes) => Self::Bytes(bytes.to_vec().into()),
            _ => return Err(Error::runtime("a map key is an integer, a string or bytes")),
        })
    }

    /// The key as Lua code holds it.
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

    /// Memory counted for the key in a map.
    pub fn cost(&self) -> usize {
        COST + match self {
            Self::Int(_) => 0,
            Self::Str(text) => text.len(),
            Self::Bytes(bytes) => bytes.len(),
        }
    }
}
