//! Arguments of any kind of call: options, durations, counts, texts.
//!
//! JavaScript has already rejected unknown names; here the values are checked.

use std::borrow::Cow;
use std::ffi::{CStr, CString};
use std::fmt::Display;
use std::time::Duration;

use spikewire_options::{Form, OptionValue, parse};

use crate::errors::{describe, kind_name};
use crate::js::create::MAX_SAFE;
use crate::js::failure::camel;
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

    /// The value of an option by the engine's name.
    pub fn argument(&self, name: &str) -> Result<Option<OptionArgument<'e>>> {
        let name = CString::new(camel(name)).unwrap_or_default();
        Ok(self.get(&name)?.map(OptionArgument))
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

/// An option's value as it was passed. Names are the engine's.
#[derive(Clone, Copy)]
pub struct OptionArgument<'e>(pub Value<'e>);

impl OptionValue for OptionArgument<'_> {
    type Error = Failure;
    const LIST: &'static str = "an array";
    const MAP: &'static str = "an object";

    fn spelling(name: &str) -> Cow<'_, str> {
        Cow::Owned(camel(name))
    }

    fn form(&self) -> Form {
        match self.0.kind() {
            Type::Undefined | Type::Null => Form::None,
            Type::Boolean => Form::Flag,
            Type::String => Form::Text,
            Type::Object if self.0.is_array() => Form::List,
            Type::Object => Form::Map,
            _ => Form::Other,
        }
    }

    fn kind(&self) -> String {
        kind_name(self.0)
    }

    fn describe(&self) -> impl Display {
        describe(self.0)
    }

    fn describe_span(&self) -> impl Display {
        format!("{} ms", describe(self.0))
    }

    fn flag(&self, name: &str) -> Result<bool> {
        flag(&camel(name), self.0)
    }

    fn count(&self, name: &str, bounds: (u64, u64)) -> Result<u64> {
        count(&camel(name), self.0, bounds)
    }

    fn integer(&self) -> Option<i64> {
        if self.0.kind() == Type::BigInt {
            return self.0.bigint().and_then(std::result::Result::ok);
        }
        let whole = |number: &f64| number.fract() == 0.0 && number.abs() <= MAX_SAFE as f64;
        self.0.number().filter(whole).map(|number| number as i64)
    }

    fn number(&self) -> Option<f64> {
        self.0.number()
    }

    fn span(&self, name: &str) -> Result<Duration> {
        span(&camel(name), self.0)
    }

    fn seconds(&self, name: &str) -> Result<Duration> {
        self.count(name, (0, u32::MAX.into())).map(Duration::from_secs)
    }

    fn text(&self, name: &str) -> Result<String> {
        text(&camel(name), self.0)
    }

    fn bytes<T>(&self, name: &str, read: impl FnOnce(&[u8]) -> T) -> Result<T> {
        let wrong = || self.wrong_type(format_args!("{name} must be a Buffer or Uint8Array"));
        self.0.with_bytes(read).ok_or_else(wrong)
    }

    fn elements(&self, _: &str) -> Result<Vec<Self>> {
        (0..self.0.len()?).map(|at| Ok(Self(self.0.element(at)?))).collect()
    }

    fn entries(&self, name: &str) -> Result<Vec<(String, Self)>> {
        let names = self.0.own_names()?;
        let mut entries = Vec::new();
        for at in 0..names.len()? {
            let key = names.element(at)?;
            let value = self.0.get(key)?;
            if value.kind() != Type::Undefined {
                entries.push((text(&format!("a name in {}", camel(name)), key)?, Self(value)));
            }
        }
        Ok(entries)
    }
}
