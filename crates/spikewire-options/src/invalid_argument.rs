//! Rejection of options and arguments before anything is sent.

use std::fmt;
use std::io;

/// Why options or arguments are invalid. Hosts with several error classes for bad input
/// choose by [`InvalidArgument::class`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidArgument {
    class: InvalidArgumentClass,
    message: String,
}

/// The class of bad input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InvalidArgumentClass {
    /// A value of the wrong type.
    Type,
    /// An invalid value of the right type.
    Value,
}

impl InvalidArgument {
    /// A value of the wrong type.
    pub fn of_type(message: impl Into<String>) -> Self {
        Self { class: InvalidArgumentClass::Type, message: message.into() }
    }

    /// An invalid value.
    pub fn of_value(message: impl Into<String>) -> Self {
        Self { class: InvalidArgumentClass::Value, message: message.into() }
    }

    /// The class of bad input.
    pub fn class(&self) -> InvalidArgumentClass {
        self.class
    }

    /// What is wrong, including the name of the argument.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for InvalidArgument {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for InvalidArgument {}

impl From<InvalidArgument> for io::Error {
    fn from(error: InvalidArgument) -> Self {
        Self::new(io::ErrorKind::InvalidInput, error.message)
    }
}
