//! Why a command is not even composed.

use std::fmt;

use spikewire_aerospike_protocol::request::TooLarge;

use crate::error::Error;

/// What is wrong with the arguments of a command. Hosts with several classes of errors for bad
/// input choose by [`Refusal::class`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    class: RefusalClass,
    message: String,
}

/// What sort of bad input it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalClass {
    /// A value of the wrong type.
    Type,
    /// A value of the right type that cannot be used.
    Value,
}

impl Refusal {
    /// A value of the wrong type.
    pub fn of_type(message: impl Into<String>) -> Self {
        Self { class: RefusalClass::Type, message: message.into() }
    }

    /// A value that cannot be used.
    pub fn of_value(message: impl Into<String>) -> Self {
        Self { class: RefusalClass::Value, message: message.into() }
    }

    /// What sort of bad input it is.
    pub fn class(&self) -> RefusalClass {
        self.class
    }

    /// What is wrong, with the culprit's name.
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
