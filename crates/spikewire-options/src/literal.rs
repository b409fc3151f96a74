//! Values of options without a host language: from URLs, environment variables and files.

use std::fmt::{self, Display};
use std::time::Duration;

use crate::{Form, InvalidArgument, OptionValue, parse};

/// A value that is written in Rust, with the names of types as in JSON.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// No value.
    None,
    /// True or false.
    Flag(bool),
    /// A number; as a duration, in seconds.
    Number(f64),
    /// A duration in seconds, which hosts have in their own unit.
    Span(f64),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// Values by name.
    Map(Vec<(String, Self)>),
}

impl From<bool> for Literal {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<f64> for Literal {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<i32> for Literal {
    fn from(number: i32) -> Self {
        Self::Number(number.into())
    }
}

impl From<&str> for Literal {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Literal {
    /// A list of these elements.
    pub fn list<const N: usize>(elements: [impl Into<Self>; N]) -> Self {
        Self::List(elements.map(Into::into).into())
    }
}

impl<V: Into<Self>, const N: usize> From<[(&str, V); N]> for Literal {
    fn from(entries: [(&str, V); N]) -> Self {
        Self::Map(entries.map(|(name, value)| (name.to_owned(), value.into())).into())
    }
}

impl Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => flag.fmt(f),
            Self::Number(number) | Self::Span(number) => number.fmt(f),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::None | Self::List(_) | Self::Map(_) => f.write_str(&self.kind()),
        }
    }
}

impl OptionValue for Literal {
    type Error = InvalidArgument;
    const LIST: &'static str = "a list";
    const MAP: &'static str = "a map";

    fn form(&self) -> Form {
        match self {
            Self::None => Form::None,
            Self::Flag(_) => Form::Flag,
            Self::Number(_) | Self::Span(_) => Form::Other,
            Self::Text(_) => Form::Text,
            Self::List(_) => Form::List,
            Self::Map(_) => Form::Map,
        }
    }

    fn kind(&self) -> String {
        let kind = match self {
            Self::None => "null",
            Self::Flag(_) => "boolean",
            Self::Number(_) | Self::Span(_) => "number",
            Self::Text(_) => "string",
            Self::List(_) => "list",
            Self::Map(_) => "map",
        };
        kind.to_owned()
    }

    fn describe(&self) -> impl Display {
        self
    }

    fn flag(&self, name: &str) -> Result<bool, InvalidArgument> {
        match self {
            Self::Flag(flag) => Ok(*flag),
            _ => Err(self.wrong_type(format_args!("{name} must be boolean"))),
        }
    }

    fn count(&self, name: &str, bounds: (u64, u64)) -> Result<u64, InvalidArgument> {
        let Self::Number(number) = self else {
            return Err(self.wrong_type(format_args!("{name} must be a whole number")));
        };
        let whole = (number.fract() == 0.0 && *number >= 0.0).then_some(*number as u64);
        parse::count(name, whole, bounds, number)
    }

    fn integer(&self) -> Option<i64> {
        self.number().filter(|number| number.fract() == 0.0).map(|number| number as i64)
    }

    fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) | Self::Span(number) => Some(*number),
            _ => None,
        }
    }

    fn span(&self, name: &str) -> Result<Duration, InvalidArgument> {
        match self {
            Self::Number(number) | Self::Span(number) => parse::seconds(name, *number, number),
            _ => Err(self.wrong_type(format_args!("{name} must be seconds as a number"))),
        }
    }

    fn text(&self, name: &str) -> Result<String, InvalidArgument> {
        match self {
            Self::Text(text) => Ok(text.clone()),
            _ => Err(self.wrong_type(format_args!("{name} must be a string"))),
        }
    }

    fn bytes<T>(&self, name: &str, read: impl FnOnce(&[u8]) -> T) -> Result<T, InvalidArgument> {
        match self {
            Self::Text(text) => Ok(read(text.as_bytes())),
            _ => Err(self.wrong_type(format_args!("{name} must be bytes"))),
        }
    }

    fn elements(&self, _: &str) -> Result<Vec<Self>, InvalidArgument> {
        match self {
            Self::List(elements) => Ok(elements.clone()),
            _ => Ok(Vec::new()),
        }
    }

    fn entries(&self, _: &str) -> Result<Vec<(String, Self)>, InvalidArgument> {
        match self {
            Self::Map(entries) => Ok(entries.clone()),
            _ => Ok(Vec::new()),
        }
    }
}
