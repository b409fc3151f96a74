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
//! | [`encode`], [`decode`] | the wire form |
//! | [`flag`] | flags of the operations that read and write bins by expressions |
//! | [`display`] | the readable form, which [`text`] reads again |
//! | [`text`] | expressions as people write them |
//!
//! Not supported: path expressions (operations 100 and 122: selections and loop variables).

pub mod build;
pub mod call;
mod chain;
pub mod decode;
pub mod display;
pub mod encode;
pub mod flag;
pub mod op;
pub mod text;

use std::sync::Arc;

pub use self::call::{Argument, Call, Slot};
use self::chain::SharedNode;
pub use self::op::{Meta, Op};
use crate::limits;
use crate::value::particle;

/// Deepest nesting of an expression.
pub const DEPTH: u16 = limits::NESTING as u16;
/// Most bytes of an encoded expression.
pub const SIZE: usize = 1 << 20;

/// Types of values, with their wire numbers in expressions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Type {
    /// No value.
    Nil = 0,
    /// True or false.
    Bool = 1,
    /// 64-bit signed integer.
    Int = 2,
    /// Text.
    Str = 3,
    /// List.
    List = 4,
    /// Map.
    Map = 5,
    /// Raw bytes.
    Blob = 6,
    /// 64-bit float.
    Float = 7,
    /// `GeoJSON`.
    Geo = 8,
    /// `HyperLogLog` sketch.
    Hll = 9,
}

impl Type {
    /// All types, ordered by number.
    pub const ALL: [Self; 10] = [
        Self::Nil,
        Self::Bool,
        Self::Int,
        Self::Str,
        Self::List,
        Self::Map,
        Self::Blob,
        Self::Float,
        Self::Geo,
        Self::Hll,
    ];

    /// The type with this wire number.
    pub fn from_wire(number: i64) -> Option<Self> {
        usize::try_from(number).ok().and_then(|number| Self::ALL.get(number).copied())
    }

    /// The particle type that bins of this type are stored as.
    pub fn particle(self) -> u8 {
        match self {
            Self::Nil => particle::NULL,
            Self::Bool => particle::BOOL,
            Self::Int => particle::INTEGER,
            Self::Str => particle::STRING,
            Self::List => particle::LIST,
            Self::Map => particle::MAP,
            Self::Blob => particle::BLOB,
            Self::Float => particle::FLOAT,
            Self::Geo => particle::GEOJSON,
            Self::Hll => particle::HLL,
        }
    }

    /// The name in text expressions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nil => "NIL",
            Self::Bool => "BOOL",
            Self::Int => "INT",
            Self::Str => "STRING",
            Self::List => "LIST",
            Self::Map => "MAP",
            Self::Blob => "BLOB",
            Self::Float => "FLOAT",
            Self::Geo => "GEO",
            Self::Hll => "HLL",
        }
    }

    /// The type with this name in text expressions.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|of| of.name() == name)
    }
}

impl std::fmt::Display for Type {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Why an expression is invalid.
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
