//! Rejection of invalid arguments before a command is composed.

use std::fmt;

use spikewire_aerospike_protocol::request::TooLarge;

use super::Error;

/// Why the arguments of a command are invalid. Hosts with several error classes for bad input
/// choose by [`Refusal::class`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    class: RefusalClass,
    message: String,
}

/// The class of bad input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalClass {
    /// A value of the wrong type.
    Type,
    /// An invalid value of the right type.
    Value,
}

impl Refusal {
    /// A value of the wrong type.
    pub fn of_type(message: impl Into<String>) -> Self {
        Self { class: RefusalClass::Type, message: message.into() }
    }

    /// An invalid value.
    pub fn of_value(message: impl Into<String>) -> Self {
        Self { class: RefusalClass::Value, message: message.into() }
    }

    /// The class of bad input.
    pub fn class(&self) -> RefusalClass {
        self.class
    }

    /// What is wrong, including the name of the argument.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl From<TooLarge> for Refusal {
    fn from(error: TooLarge) -> Self {
        Self::of_value(error.to_string())
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::invalid(refusal.message)
    }
}
