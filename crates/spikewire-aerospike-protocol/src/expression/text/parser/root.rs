//! What a path begins at.

use crate::expression::{Expression, Fault, LoopPart, Type};

/// What a path begins at.
pub enum Root {
    /// A bin.
    Bin(String),
    /// An element of another path, or what is known of it.
    Element(LoopPart),
    /// An expression in parentheses, or what a method gives.
    Value(Expression),
}

impl Root {
    pub fn expression(&self, kind: Option<Type>) -> Result<Expression, Fault> {
        match (self, kind) {
            (Self::Bin(name), Some(kind)) => Expression::typed_bin(kind, name),
            (Self::Bin(name), None) => Expression::bin(name),
            (Self::Element(part), kind) => Expression::loop_var(kind, *part),
            (Self::Value(value), Some(kind)) => value.clone().refined(kind, "a path"),
            (Self::Value(value), None) => Ok(value.clone()),
        }
    }
}
