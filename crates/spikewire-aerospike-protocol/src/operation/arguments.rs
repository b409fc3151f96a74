//! Traits for the arguments of a host language: common parameters, and the values of operations and
//! of expressions.

use super::Words;
use crate::expression::{Expression, Fault};

/// The arguments of one operation, by their position in its [`Signature`](super::Signature). Names
/// are for error messages.
pub trait Arguments {
    /// The error for an invalid argument.
    type Error: From<Fault>;

    /// Number of arguments.
    fn count(&self) -> usize;
    /// Whether an option is absent.
    fn is_absent(&self, at: usize) -> bool;
    /// An integer within bounds, which must be a constant; see [`within`].
    fn bits(&self, at: usize, name: &'static str, bounds: (i64, i64)) -> Result<i64, Self::Error>;
    /// True or false.
    fn flag(&self, at: usize, name: &'static str) -> Result<bool, Self::Error>;
    /// The number of a keyword; see [`number_of`].
    fn word(&self, at: usize, name: &'static str, known: &Words) -> Result<i64, Self::Error>;
}

/// Requirements on a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueForm {
    /// Any value that can be stored in a list.
    Any,
    /// A value that can be a map key.
    Key,
    /// A list.
    List,
    /// A map.
    Map,
    /// Bytes.
    Bytes,
    /// A list of sketches.
    Sketches,
    /// A text.
    Text,
    /// A list of texts.
    Texts,
}

/// Arguments of an operation, with packed values.
pub trait ValueArguments: Arguments {
    /// A value as an element of a list.
    fn packed(
        &self,
        at: usize,
        name: &'static str,
        form: ValueForm,
    ) -> Result<Vec<u8>, Self::Error>;
    /// An integer.
    fn integer(&self, at: usize, name: &'static str) -> Result<i64, Self::Error>;
}

/// Arguments of an operation inside an expression, with expressions as values.
pub trait OperandArguments: Arguments {
    /// An expression, or a value converted to a constant.
    fn operand(&self, at: usize, name: &'static str) -> Result<Expression, Self::Error>;
}

/// Looks up the number of a keyword.
pub fn number_of(known: &Words, name: &str, word: &str) -> Result<i64, Fault> {
    let number = known.iter().find(|(known, _)| *known == word).map(|(_, number)| *number);
    number.ok_or_else(|| Fault::of_value(format!("{name} must be {}, got '{word}'", one_of(known))))
}

/// Checks a number against its bounds.
pub fn within(name: &str, number: i64, (from, to): (i64, i64)) -> Result<i64, Fault> {
    if (from..=to).contains(&number) {
        return Ok(number);
    }
    Err(Fault::of_value(format!("{name} must be from {from} to {to}, got {number}")))
}

/// The keywords as a phrase: `'a', 'b' or 'c'`.
pub fn one_of(known: &Words) -> String {
    let known: Vec<_> = known.iter().map(|(word, _)| format!("'{word}'")).collect();
    match known.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => known.concat(),
    }
}
