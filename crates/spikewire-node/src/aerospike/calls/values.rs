//! Encodes the values of operations.

use spikewire_aerospike_protocol::msgpack;
use spikewire_aerospike_protocol::operation::{ValueArguments, ValueForm};
use spikewire_aerospike_protocol::value::particle;

use super::{OperationArguments, spelled};
use crate::aerospike::value::encode::{sort_of, whole, without_proxy};
use crate::aerospike::value::{Place, classify, element as append};
use crate::errors::{kind_name, number_text};
use crate::hooks::Hooks;
use crate::js::create::MAX_SAFE;
use crate::js::{Failure, Result, Type, Value};

/// Encodes a value as a list element.
pub fn element(hooks: &Hooks, name: &str, value: Value<'_>) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    append(hooks, &mut out, value, &Place::Argument(name))?;
    Ok(out)
}

/// A 64-bit integer.
pub fn integer(name: &str, value: Value<'_>) -> Result<i64> {
    match value.kind() {
        Type::Number => {
            let number = value.number().unwrap_or(f64::NAN);
            if number.fract() == 0.0 && number.abs() <= MAX_SAFE as f64 {
                return Ok(number as i64);
            }
            Err(Failure::of_range(format!(
                "{name} must be a whole number up to 2^53 - 1, or a bigint, got {}",
                number_text(number)
            )))
        }
        Type::BigInt => match value.bigint() {
            Some(Ok(int)) => Ok(int),
            _ => Err(Failure::of_range(format!("{name}: the bigint does not fit 64 bits signed"))),
        },
        _ => Err(Failure::of_type(format!(
            "{name} must be a whole number, not {}",
            kind_name(value)
        ))),
    }
}

/// Rejects values that cannot be keys of a map.
pub fn check_key(name: &str, key: Value<'_>) -> Result<()> {
    let allowed = match key.kind() {
        Type::String | Type::BigInt => true,
        Type::Number => key.number().and_then(whole).is_some(),
        Type::Object => key.with_bytes(|_| ()).is_some(),
        _ => false,
    };
    if allowed {
        return Ok(());
    }
    Err(Failure::of_type(format!(
        "{name}: a map key must be a string, a whole number, a bigint or a Buffer, not {}",
        crate::errors::describe(key)
    )))
}

/// Encodes an array as a list.
fn list(hooks: &Hooks, name: &str, items: Value<'_>) -> Result<Vec<u8>> {
    if items.is_array() {
        return element(hooks, name, items);
    }
    let content = without_proxy(hooks, items, &Place::Argument(name))?;
    if content.is_array() {
        return element(hooks, name, content);
    }
    Err(Failure::of_type(format!("{name} must be an array, not {}", kind_name(items))))
}

fn map(hooks: &Hooks, name: &str, entries: Value<'_>) -> Result<Vec<u8>> {
    let is_map = |entries: Value<'_>| {
        Ok::<_, Failure>(
            entries.kind() == Type::Object
                && !entries.is_array()
                && entries.with_bytes(|_| ()).is_none()
                && (entries.is_plain_object()?
                    || sort_of(hooks, entries)? == classify::MAP
                    || entries.has_no_prototype()?),
        )
    };
    let content = if entries.is_array() {
        entries
    } else {
        without_proxy(hooks, entries, &Place::Argument(name))?
    };
    if is_map(content)? {
        return element(hooks, name, content);
    }
    Err(Failure::of_type(format!(
        "{name} must be a plain object or a Map, not {}",
        kind_name(entries)
    )))
}

fn bytes(name: &str, value: Value<'_>) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    let encoded = value.with_bytes(|bytes| msgpack::bytes(&mut out, particle::BLOB, bytes));
    if encoded.is_some() {
        return Ok(out);
    }
    Err(Failure::of_type(format!(
        "{name} must be a Buffer, Uint8Array or ArrayBuffer, not {}",
        kind_name(value)
    )))
}

fn sketches(hooks: &Hooks, name: &str, all: Value<'_>) -> Result<Vec<u8>> {
    let packed = list(hooks, name, all)?;
    let all = without_proxy(hooks, all, &Place::Argument(name))?;
    for at in 0..all.len()? {
        let sketch = all.element(at)?;
        if sketch.kind() != Type::Object || sort_of(hooks, sketch)? != classify::HLL {
            return Err(Failure::of_type(format!(
                "{name}[{at}] must be a HyperLogLog, not {}",
                kind_name(sketch)
            )));
        }
    }
    Ok(packed)
}

fn text(hooks: &Hooks, name: &str, value: Value<'_>) -> Result<Vec<u8>> {
    if value.kind() != Type::String {
        return Err(Failure::of_type(format!("{name} must be a string, not {}", kind_name(value))));
    }
    element(hooks, name, value)
}

fn texts(hooks: &Hooks, name: &str, all: Value<'_>) -> Result<Vec<u8>> {
    let packed = list(hooks, name, all)?;
    let all = without_proxy(hooks, all, &Place::Argument(name))?;
    for at in 0..all.len()? {
        let value = all.element(at)?;
        if value.kind() != Type::String {
            return Err(Failure::of_type(format!(
                "{name}[{at}] must be a string, not {}",
                kind_name(value)
            )));
        }
    }
    Ok(packed)
}

impl ValueArguments for OperationArguments<'_, '_> {
    fn packed(&self, at: usize, name: &'static str, form: ValueForm) -> Result<Vec<u8>> {
        let (value, name, hooks) = (self.get(at)?, &spelled(name), self.hooks);
        match form {
            ValueForm::Any => element(hooks, name, value),
            ValueForm::Key => {
                check_key(name, value)?;
                element(hooks, name, value)
            }
            ValueForm::List => list(hooks, name, value),
            ValueForm::Map => map(hooks, name, value),
            ValueForm::Bytes => bytes(name, value),
            ValueForm::Sketches => sketches(hooks, name, value),
            ValueForm::Text => text(hooks, name, value),
            ValueForm::Texts => texts(hooks, name, value),
        }
    }

    fn integer(&self, at: usize, name: &'static str) -> Result<i64> {
        integer(&spelled(name), self.get(at)?)
    }
}
