//! Errors of expressions and of arguments of operations.

/// Why an expression, or an argument of an operation, is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Incompatible types.
    #[error("{0}")]
    Type(String),
    /// Anything else, such as a number of operands, a name or a size.
    #[error("{0}")]
    Value(String),
}

impl Fault {
    pub(crate) fn of_type(message: impl Into<String>) -> Self {
        Self::Type(message.into())
    }

    pub(crate) fn of_value(message: impl Into<String>) -> Self {
        Self::Value(message.into())
    }

    /// The same fault, prefixed with the name of the offending part.
    #[must_use]
    pub fn within(self, what: &str) -> Self {
        match self {
            Self::Type(why) => Self::Type(format!("{what}: {why}")),
            Self::Value(why) => Self::Value(format!("{what}: {why}")),
        }
    }
}
