//! Reasons to reject a call.

use std::fmt;

use spikewire_aerospike::Error;
use spikewire_aerospike_protocol::expression::Fault;
use spikewire_aerospike_protocol::request::TooLarge;
use spikewire_options::{InvalidArgument, InvalidArgumentClass};

/// Shorthand for results of the binding.
pub type Result<T> = std::result::Result<T, Failure>;

/// The reason a call is rejected; it becomes a JavaScript exception.
#[derive(Debug)]
pub enum Failure {
    /// JavaScript code raised an exception, which is pending.
    Pending,
    /// A value of the wrong type: `TypeError`.
    Type(String),
    /// A value of the right type that cannot be used: `RangeError`.
    Range(String),
    /// A failure of the engine: an error of the package.
    Engine(Error),
    /// A failure of the engine for Cassandra: an error of `spikewire/cql`.
    Cassandra(spikewire_cassandra::Error),
}

impl Failure {
    /// A value of the wrong type.
    pub fn of_type(message: impl Into<String>) -> Self {
        Self::Type(message.into())
    }

    /// A value that cannot be used.
    pub fn of_range(message: impl Into<String>) -> Self {
        Self::Range(message.into())
    }

    /// Prefixes the message with what it is about.
    #[must_use]
    pub fn about(self, what: impl fmt::Display) -> Self {
        match self {
            Self::Type(message) => Self::Type(format!("{what}: {message}")),
            Self::Range(message) => Self::Range(format!("{what}: {message}")),
            other => other,
        }
    }
}

impl From<InvalidArgument> for Failure {
    fn from(error: InvalidArgument) -> Self {
        let message = camel(error.message());
        match error.class() {
            InvalidArgumentClass::Type => Self::Type(message),
            InvalidArgumentClass::Value => Self::Range(message),
        }
    }
}

impl From<TooLarge> for Failure {
    fn from(error: TooLarge) -> Self {
        Self::Range(camel(&error.to_string()))
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Type(why) => Self::Type(camel(&why)),
            Fault::Value(why) => Self::Range(camel(&why)),
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Engine(error)
    }
}

/// Converts names in an engine's message to camelCase: `read_touch` becomes `readTouch`. Quoted
/// words are values and unchanged.
pub fn camel(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let (mut quote, mut before, mut raise) = (None, ' ', false);
    let mut rest = message.chars().peekable();
    while let Some(char) = rest.next() {
        match quote {
            Some(open) if char == open => quote = None,
            None if matches!(char, '"' | '\'' | '`') && !before.is_alphanumeric() => {
                quote = Some(char);
            }
            _ => {}
        }
        let joins = char == '_'
            && quote.is_none()
            && before.is_ascii_lowercase()
            && rest.peek().is_some_and(char::is_ascii_lowercase);
        if joins {
            raise = true;
        } else if raise {
            out.push(char.to_ascii_uppercase());
            raise = false;
        } else {
            out.push(char);
        }
        before = char;
    }
    out
}
