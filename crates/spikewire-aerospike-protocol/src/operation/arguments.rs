//! What a host's arguments have to offer, in any language: those that every operation takes alike,
//! and the values of operations and of expressions.

use super::Words;
use crate::expression::{Expression, Fault};

/// The arguments of one operation, by their places in its [`Signature`](super::Signature). Names are
/// for error messages.
pub trait Arguments {
    /// Why an argument is refused.
    type Error: From<Fault>;

    /// How many arguments there are.
    fn count(&self) -> usize;
    /// Whether an option was left out.
    fn is_absent(&self, at: usize) -> bool;
    /// An integer within bounds that is known when the operation is made; see [`within`].
    fn bits(&self, at: usize, name: &'static str, bounds: (i64, i64)) -> Result<i64, Self::Error>;
    /// True or false.
    fn flag(&self, at: usize, name: &'static str) -> Result<bool, Self::Error>;
    /// The number of a word; see [`number_of`].
    fn word(&self, at: usize, name: &'static str, known: &Words) -> Result<i64, Self::Error>;
}

/// What a value has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueForm {
    /// Anything that can be stored in a list.
    Any,
    /// What can be stored as the key of a map.
    Key,
    /// A list.
    List,
    /// A map.
    Map,
    /// Bytes.
    Bytes,
    /// A list of sketches.
    Sketches,
}

/// Arguments of an operation, whose values are packed.
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

/// Arguments of an operation inside an expression, whose values are expressions.
pub trait OperandArguments: Arguments {
    /// An expression, or the constant that a value is.
    fn operand(&self, at: usize, name: &'static str) -> Result<Expression, Self::Error>;
}

/// The number of a word among those that are known.
pub fn number_of(known: &Words, name: &str, word: &str) -> Result<i64, Fault> {
    let found = known.iter().find(|(known, _)| *known == word).map(|(_, number)| *number);
    found.ok_or_else(|| Fault::of_value(format!("{name} must be {}, got '{word}'", one_of(known))))
}

/// A number within its bounds.
pub fn within(name: &str, number: i64, (from, to): (i64, i64)) -> Result<i64, Fault> {
    if (from..=to).contains(&number) {
        return Ok(number);
    }
    Err(Fault::of_value(format!("{name} must be from {from} to {to}, got {number}")))
}

/// The words as a sentence lists them: `'a', 'b' or 'c'`.
pub fn one_of(known: &Words) -> String {
    let known: Vec<_> = known.iter().map(|(word, _)| format!("'{word}'")).collect();
    match known.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => known.concat(),
    }
}
