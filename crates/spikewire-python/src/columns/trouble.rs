//! What may be wrong with a value: gathered without the interpreter, raised once there is one.

use pyo3::prelude::*;

use spikewire_protocol::Malformed;

use crate::errors::{overflow, type_error, value_error};

/// Which exception it becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Type,
    Value,
    Overflow,
}

/// A value that does not go where it should.
#[derive(Debug, Clone)]
pub struct Trouble {
    class: Class,
    message: String,
}

impl Trouble {
    /// The value is of another kind than the column: `TypeError`.
    pub fn kind(message: impl Into<String>) -> Self {
        Self { class: Class::Type, message: message.into() }
    }

    /// The kind is right, the value is not: `ValueError`.
    pub fn value(message: impl Into<String>) -> Self {
        Self { class: Class::Value, message: message.into() }
    }

    /// A number beyond the column's bounds: `OverflowError`.
    pub fn overflow(message: impl Into<String>) -> Self {
        Self { class: Class::Overflow, message: message.into() }
    }

    /// Says where inside a value it is.
    pub fn within(self, place: &str) -> Self {
        Self { message: format!("{place}: {}", self.message), ..self }
    }

    /// The exception; `place` names row, key and column.
    pub fn raise(&self, place: &str) -> PyErr {
        self.clone().within(place).into()
    }
}

impl From<Trouble> for PyErr {
    fn from(trouble: Trouble) -> Self {
        match trouble.class {
            Class::Type => type_error(trouble.message),
            Class::Value => value_error(trouble.message),
            Class::Overflow => overflow(trouble.message),
        }
    }
}

impl From<Malformed> for Trouble {
    fn from(error: Malformed) -> Self {
        Self::value(error.to_string())
    }
}
