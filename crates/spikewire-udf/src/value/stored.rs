//! Values as they are stored and sent.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::rc::Rc;

use mlua::{Error, Result};
use spikewire_aerospike_protocol::value::Value;

use super::{Bytes, GeoJson, LOOK, List, Map, MapKey, Sketch, Val};
use crate::bounds::Bounds;

/// Work counted for writing a piece of text.
const SHOWN: usize = 16;
/// Maximum nesting.
const DEPTH: usize = 64;

/// The remaining memory for a value that is being copied out.
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
    /// From a stored or sent value.
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

    /// The value as it is stored or sent. A list in several places is copied for each of them.
    pub fn to_value(&self, bounds: &Bounds) -> Result<Value> {
        self.to_value_within(bounds, bounds.limits().memory).map(|(value, _)| value)
    }

    /// Like `to_value`, within this many bytes; also returns how many it takes.
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
        let mut text = Text { written: String::new(), bounds, failure: None };
        match write!(text, "{value:?}") {
            Ok(()) => Ok(text.written),
            Err(_) => Err(text.failure.unwrap_or_else(|| Error::runtime("no text"))),
        }
    }
}

/// Text within the limits.
struct Text<'a> {
    written: String,
    bounds: &'a Bounds,
    /// Why it could not be written.
    failure: Option<Error>,
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        let is_late = self.bounds.work(part.len() + SHOWN);
        self.failure = if self.written.len() + part.len() > self.bounds.limits().memory {
            Some(Error::MemoryError("not enough memory".to_owned()))
        } else {
            is_late.err()
        };
        if self.failure.is_some() {
            return Err(fmt::Error);
        }
        self.written.push_str(part);
        Ok(())
    }
}
