//! Arguments of any kind of call: options, durations, counts, texts.
//!
//! JavaScript has already rejected unknown names; here the values are checked.

use std::ffi::CStr;
use std::time::Duration;

use spikewire_aerospike::command::parse;

use crate::errors::{describe, kind_name};
use crate::js::create::MAX_SAFE;
use crate::js::{Failure, Result, Type, Value};

/// The options of a call: an object, or none.
#[derive(Debug, Clone, Copy)]
pub struct Options<'e>(Option<Value<'e>>);

impl<'e> Options<'e> {
    /// The options as passed to a verb.
    #[inline]
    pub fn new(value: Value<'e>) -> Self {
        Self((value.kind() == Type::Object).then_some(value))
    }

    /// Whether no options were given.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The value of an option; `None` if it is left out.
    pub fn get(&self, name: &CStr) -> Result<Option<Value<'e>>> {
        let Some(options) = self.0 else { return Ok(None) };
        Ok(options.named(name)?.present())
    }

    /// The value of an option for which `null` is meaningful; `None` if it is left out.
    pub fn get_even_null(&self, name: &CStr) -> Result<Option<Value<'e>>> {
        let Some(options) = self.0 else { return Ok(None) };
        let value = options.named(name)?;
        Ok((value.kind() != Type::Undefined).then_some(value))
    }

    /// The value of a boolean option.
    pub fn flag(&self, name: &CStr) -> Result<Option<bool>> {
        let Some(value) = self.get(name)? else { return Ok(None) };
        flag(&name.to_string_lossy(), value).map(Some)
    }
}

/// A boolean.
pub fn flag(what: &str, value: Value<'_>) -> Result<bool> {
    let flag = value.boolean();
    flag.ok_or_else(|| {
        Failure::of_type(format!("{what} must be boolean, not {}", kind_name(value)))
    })
}

/// A string.
pub fn text(what: &str, value: Value<'_>) -> Result<String> {
    let text = value.text().map_err(|failure| failure.about(what))?;
    text.ok_or_else(|| {
        Failure::of_type(format!("{what} must be a string, not {}", kind_name(value)))
    })
}

/// A duration in milliseconds: finite and not negative.
pub fn span(what: &str, value: Value<'_>) -> Result<Duration> {
    let Some(number) = value.number() else {
        return Err(Failure::of_type(format!(
            "{what} must be milliseconds as a number, not {}",
            kind_name(value)
        )));
    };
    Ok(parse::milliseconds(what, number, describe(value))?)
}

/// An integer within bounds.
pub fn count(what: &str, value: Value<'_>, bounds: (u64, u64)) -> Result<u64> {
    let int = match value.kind() {
        Type::Number => {
            let number = value.number().unwrap_or(f64::NAN);
            let whole = number.fract() == 0.0 && number >= 0.0 && number <= MAX_SAFE as f64;
            whole.then_some(number as u64)
        }
        Type::BigInt => {
            value.bigint().and_then(std::result::Result::ok).and_then(|int| int.try_into().ok())
        }
        _ => {
            return Err(Failure::of_type(format!(
                "{what} must be a whole number, not {}",
                kind_name(value)
            )));
        }
    };
    Ok(parse::count(what, int, bounds, describe(value))?)
}
