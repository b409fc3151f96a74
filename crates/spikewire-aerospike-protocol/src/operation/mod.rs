//! List, map, bit, sketch and string operations by name, from the arguments of a caller in any language.
//! This is the only place where they are checked and composed, for `operate` and for expressions.
//!
//! A host language implements [`ValueArguments`] and [`OperandArguments`]; [`Family::pack`] builds
//! an operation from them, [`Family::call`] a part of an expression.
//!
//! | module | what it holds |
//! |---|---|
//! | [`list`], [`map`], [`bit`], [`hll`], [`string`] | the operations of each family; generated from `tools/verbs` |
//! | [`words`] | words that arguments may be, and their numbers; generated as well |
//! | [`arguments`] | what a host's arguments have to offer |
//! | `pack`, `operands` | arguments become bytes, or operands of an expression |
//! | `path` | path operations, which are no family: their arguments are steps and expressions |
//! | [`converter`] | what both are to the operations |
//! | `checks` | what is invalid although each argument is valid |
//! | [`compose`] | an operation of any family, built and encoded |

pub mod arguments;
pub mod bit;
mod checks;
pub mod compose;
pub mod converter;
pub mod hll;
pub mod list;
pub mod map;
mod operands;
mod pack;
mod path;
pub mod string;
pub mod words;

pub use self::arguments::{
    Arguments, OperandArguments, ValueArguments, ValueForm, number_of, one_of, within,
};
pub use self::compose::{ComposedOperation, Family, particle_of};
pub use self::converter::ArgumentConverter;
pub use self::pack::pack_step;
pub use self::path::{context_step, pack_path, pack_path_step, path_operation};
use crate::expression::Type;

/// A parameter of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Whether it is optional.
    pub is_option: bool,
}

const fn argument(name: &'static str) -> Parameter {
    Parameter { name, is_option: false }
}

const fn option(name: &'static str) -> Parameter {
    Parameter { name, is_option: true }
}

/// The result of an operation inside an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// The modified operand: the operation modifies.
    Changed,
    /// A value of this type.
    Value(Type),
    /// An element.
    Element,
    /// Depends on `returning`.
    Returning,
}

/// Parameters and result of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    /// Its number on the wire.
    pub code: u8,
    /// Its parameters, in the order of the arguments.
    pub parameters: &'static [Parameter],
    /// Its result inside an expression.
    pub gives: Gives,
}

impl Signature {
    /// The position of the parameter with this name.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|it| it.name == name)
    }
}

/// Keywords and their numbers.
pub type Words = [(&'static str, i64)];

#[cfg(test)]
mod tests;
