//! Expressions that a server evaluates on a record, as a filter or as an operation.
//!
//! An [`Expression`] is an immutable tree, built with the functions here, parsed from text
//! ([`text::parse`]) or decoded ([`Expression::decode`]). Types are checked while a tree is built:
//! an operator rejects operands that a server would reject. A bin may be named without a type; the
//! operator that uses it then sets the type (`bin > 25` makes it an integer). An expression whose
//! types are still unknown when it is encoded is an error.
//!
//! ```
//! use spikewire_aerospike_protocol::expression::{Expression as E, Op};
//!
//! let adult = E::apply(Op::Ge, vec![E::bin("age")?, E::from(18_i64)])?;
//! let filter = E::apply(Op::And, vec![adult, E::apply(Op::Eq, vec![E::bin("vip")?, true.into()])?])?;
//! assert_eq!(filter.to_string(), "$.age:INT >= 18 and $.vip:BOOL == true");
//! assert_eq!(E::decode(&filter.filter()?)?, filter);
//! # Ok::<(), spikewire_aerospike_protocol::expression::Fault>(())
//! ```
//!
//! | module | what it holds |
//! |---|---|
//! | [`op`] | the operators and what they take and give |
//! | [`build`] | making trees: types are found and checked here |
//! | `chain` | shared nodes, and chains of one operator |
//! | [`call`] | list, map, bit and sketch operations |
//! | [`path`] | path expressions: many elements at once, filtered by their loop variables |
//! | [`encode`], [`decode`] | the wire form |
//! | [`flag`] | flags of the operations that read and write bins by expressions |
//! | [`display`] | the readable form, which [`text`] reads again |
//! | [`text`] | expressions as people write them |
//! | [`ael`] | expressions as servers from 8.2 on read them |

pub mod ael;
pub mod build;
pub mod call;
mod chain;
pub mod decode;
pub mod display;
pub mod encode;
pub mod flag;
pub mod op;
pub mod path;
pub mod text;

use std::sync::Arc;

pub use self::call::{Argument, Call, Slot};
use self::chain::SharedNode;
pub use self::op::{Meta, Op};
pub use self::path::{LoopPart, PathAction, PathCall, PathOperation, PathReturn, PathStep};
pub use crate::fault::Fault;
use crate::limits;
pub use crate::value_type::Type;

/// Deepest nesting of an expression.
pub const DEPTH: u16 = limits::NESTING as u16;
/// Most bytes of an encoded expression.
pub const SIZE: usize = 1 << 20;

/// A constant inside an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// No value.
    Nil,
    /// True or false.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// String, blob, `GeoJSON` text or sketch.
    Bytes(Type, Vec<u8>),
    /// List or map in `MessagePack`.
    Packed(Type, Vec<u8>),
}

impl Constant {
    /// Its type.
    pub fn kind(&self) -> Type {
        match self {
            Self::Nil => Type::Nil,
            Self::Bool(_) => Type::Bool,
            Self::Int(_) => Type::Int,
            Self::Float(_) => Type::Float,
            Self::Bytes(kind, _) | Self::Packed(kind, _) => *kind,
        }
    }
}

/// The root of an expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// Evaluates to "unknown", of any type.
    Unknown,
    /// A constant.
    Constant(Constant),
    /// An operator on operands.
    Apply(Op, Vec<Expression>),
    /// Metadata of the record.
    Meta(Meta),
    /// The last four bytes of the digest modulo this number.
    DigestModulo(i64),
    /// The stored user key, if it is of this type.
    Key(Type),
    /// A bin, with its type once known.
    Bin(Option<Type>, Vec<u8>),
    /// The particle type of a bin.
    BinType(Vec<u8>),
    /// Whether a string matches a POSIX pattern.
    Regex {
        /// 1 extended, 2 ignore case, 4 newline-sensitive.
        flags: i64,
        /// The pattern.
        pattern: Vec<u8>,
        /// The string.
        on: Expression,
    },
    /// The value of a variable.
    Var(Vec<u8>),
    /// Variable definitions, and the expression that uses them.
    Let(Vec<(Vec<u8>, Expression)>, Expression),
    /// A list, map, bit or sketch operation.
    Call(Call),
    /// A loop variable of a path, with its type once known.
    Loop(Option<Type>, LoopPart),
    /// A path operation.
    Path(PathCall),
}

/// An expression. Cheap to clone: its nodes are shared.
#[derive(Debug, Clone)]
pub struct Expression {
    node: Arc<SharedNode>,
    /// `None` if not known yet.
    kind: Option<Type>,
    depth: u16,
    /// Approximate encoded size in bytes.
    weight: usize,
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.node, &other.node) || self.node() == other.node()
    }
}

impl Expression {
    /// Its root.
    pub fn node(&self) -> &Node {
        self.node.node()
    }

    /// The type of its value; `None` if not known yet.
    pub fn kind(&self) -> Option<Type> {
        self.kind
    }

    /// Whether it is an empty constant list.
    pub fn is_empty_list(&self) -> bool {
        matches!(self.node(), Node::Constant(Constant::Packed(Type::List, packed)) if *packed == [0x90])
    }
}

#[cfg(test)]
mod tests;
