//! Formats the parts of paths: bin names, values, and steps to one element.

use std::fmt::{Display, Formatter, Result};

use super::{bin, write_value};
use crate::cdt::context::{At, Inside};
use crate::cdt::{Step, flags};
use crate::expression::DEPTH;
use crate::msgpack::{self, Reader, Token, take};
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
    let mut reader = Reader::new(packed);
    let mut text = String::new();
    write_packed(&mut text, &mut reader, DEPTH)?;
    reader.is_at_end().then_some(text)
}

/// Appends a packed value, with what only arguments and constants have: the order of lists and maps,
/// wildcards and infinity.
fn write_packed(text: &mut String, reader: &mut Reader<'_>, depth: u16) -> Option<()> {
    let depth = depth.checked_sub(1)?;
    let before = *reader;
    match reader.next().ok()? {
        Token::Array(count) => {
            let is_sorted = is_ordered(reader, count)?;
            text.push('[');
            for at in 0..count - u32::from(is_sorted) {
                text.push_str(if at == 0 { "" } else { ", " });
                write_packed(text, reader, depth)?;
            }
            text.push_str(if is_sorted { "]:SORTED" } else { "]" });
        }
        Token::Map(count) => {
            let is_ordered = is_ordered(reader, count)?;
            if is_ordered {
                // The flags have a value, as keys have.
                reader.next().ok()?;
            }
            text.push('{');
            for at in 0..count - u32::from(is_ordered) {
                text.push_str(if at == 0 { "" } else { ", " });
                write_packed(text, reader, depth)?;
                text.push_str(": ");
                write_packed(text, reader, depth)?;
            }
            text.push_str(if is_ordered || count == 0 { "}" } else { "}:UNORDERED" });
        }
        _ => {
            *reader = before;
            match take(reader).ok()? {
                packed if *packed == msgpack::INFINITY => text.push_str("INF"),
                packed if *packed == msgpack::WILDCARD => text.push('*'),
                packed => text.push_str(&ValueText(&value(packed)?).to_string()),
            }
        }
    }
    Some(())
}

/// Whether a list or map of this many parts has order flags, which are consumed; `None` if they
/// are others than a text can say.
fn is_ordered(reader: &mut Reader<'_>, count: u32) -> Option<bool> {
    match reader.flags() {
        None => Some(false),
        Some(flags::ORDERED) if count > 0 => Some(true),
        Some(_) => None,
    }
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
    let text = value_text(packed)?;
    let items = text.strip_prefix('[')?.strip_suffix(']')?;
    match Value::decode(Type::List.particle(), packed) {
        // A single value is a list if a comma follows.
        Ok(Value::List(values)) if values.len() == 1 => Some(format!("{items},")),
        Ok(Value::List(values)) if values.is_empty() => None,
        _ => Some(items.to_owned()),
    }
}
