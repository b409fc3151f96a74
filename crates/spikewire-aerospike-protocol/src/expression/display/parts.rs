//! Formats the parts of paths: bin names, values, and steps to one element.

use std::fmt::{Display, Formatter, Result};

use super::{bin, write_value};
use crate::cdt::Step;
use crate::cdt::context::{At, Inside};
use crate::value::Value;
use crate::value_type::Type;

/// Formats a bin name.
pub struct Text<'a>(pub &'a [u8]);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        bin(f, self.0)
    }
}

struct ValueText<'a>(&'a Value);

impl Display for ValueText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        write_value(f, self.0)
    }
}

/// A step to one element; `None` if it does not say into what.
pub fn step_text(step: &Step<&[u8]>) -> Option<String> {
    let (open, close) = match step.inside {
        Inside::List => (".[", "]"),
        Inside::Map => (".{", "}"),
        Inside::Either => return None,
    };
    Some(match &step.at {
        At::Key(key) => key_step(key)?,
        At::Index(index) => format!("{open}{index}{close}"),
        At::Rank(rank) => format!("{open}#{rank}{close}"),
        At::Value(value) => format!("{open}={}{close}", value_text(value)?),
    })
}

/// A packed value.
fn value(packed: &[u8]) -> Option<Value> {
    // Decode it as the only element of a list.
    let list = [&[0x91], packed].concat();
    match Value::decode(Type::List.particle(), &list) {
        Ok(Value::List(items)) if items.len() == 1 => items.into_iter().next(),
        _ => None,
    }
}

/// Formats a packed value.
pub fn value_text(packed: &[u8]) -> Option<String> {
    value(packed).map(|value| ValueText(&value).to_string())
}

/// `.key`, or `.{@5}` if the key is not text.
pub fn key_step(key: &[u8]) -> Option<String> {
    match value(key)? {
        // Keys are written like bin names.
        Value::Str(name) => Some(Text(name.as_bytes()).to_string()[1..].to_owned()),
        other => Some(format!(".{{@{}}}", ValueText(&other))),
    }
}

/// The values of a list, without its brackets.
pub fn list_text(packed: &[u8]) -> Option<String> {
    match Value::decode(Type::List.particle(), packed) {
        // A single value would not be read as a list again.
        Ok(Value::List(items)) if items.len() > 1 => {
            let items: Vec<_> = items.iter().map(|item| ValueText(item).to_string()).collect();
            Some(items.join(", "))
        }
        _ => None,
    }
}
