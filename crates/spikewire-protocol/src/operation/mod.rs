//! List, map, bit and sketch operations by their names, from the arguments of a caller in any
//! language: the one place where they are checked and put together, for `operate` and for
//! expressions alike.
//!
//! What an argument becomes is up to a [`Given`]: bytes for an operation, a part of the tree for
//! an expression.
//!
//! | module | what it holds |
//! |---|---|
//! | [`list`], [`map`], [`bit`], [`hll`] | the operations of each family; generated from `tools/verbs` |
//! | [`words`] | words that arguments may be, and their numbers; generated as well |
//! | [`given`] | what arguments come from |
//! | `checks` | what is refused although each argument is sound |
//! | [`compose`] | an operation of any family, made and written |

pub mod bit;
mod checks;
pub mod compose;
pub mod given;
pub mod hll;
pub mod list;
pub mod map;
pub mod words;

pub use self::compose::{Composed, Family};
pub use self::given::{Given, one_of, word};
use crate::expression::Type;

/// A parameter of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Whether it may be left out.
    pub is_option: bool,
}

const fn argument(name: &'static str) -> Parameter {
    Parameter { name, is_option: false }
}

const fn option(name: &'static str) -> Parameter {
    Parameter { name, is_option: true }
}

/// What an operation gives inside an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// What it works on, as it would be: the operation modifies.
    Changed,
    /// A value of this type.
    Value(Type),
    /// An element.
    Element,
    /// What `returning` says.
    Returning,
}

/// What an operation takes and gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    /// Its number on the wire.
    pub code: u8,
    /// Its parameters; arguments are given in this order.
    pub parameters: &'static [Parameter],
    /// What it gives inside an expression.
    pub gives: Gives,
}

impl Signature {
    /// The place of the parameter with this name.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|it| it.name == name)
    }
}

/// Words, and the numbers that they stand for.
pub type Words = [(&'static str, i64)];

#[cfg(test)]
mod tests;
