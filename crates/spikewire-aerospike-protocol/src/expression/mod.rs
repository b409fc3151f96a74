//! Expressions: what a server computes from one record, as a filter or as an operation's value.
//!
//! An [`Expression`] is an immutable tree; it is made by the functions here, read from text
//! ([`text::parse`]) or read from the wire ([`Expression::decode`]). Types are checked as a tree
//! grows: an operator refuses operands that a server would refuse. A bin may be named without a
//! type; the operator it is used with then gives it one (`bin > 25` makes it an integer), and only
//! what is still without a type when the expression is encoded is an error.
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
//! | [`call`] | list, map, bit and sketch operations |
//! | [`encode`], [`decode`] | the wire form |
//! | [`flag`] | flags of the operations that read and write bins by expressions |
//! | [`display`] | the readable form, which [`text`] reads again |
//! | [`text`] | expressions as people write them |
//!
//! Not here: path expressions (operations 100 and 122 of the wire: selections and loop variables).

pub mod build;
pub mod call;
pub mod decode;
pub mod display;
pub mod encode;
pub mod flag;
pub mod op;
pub mod text;

use std::sync::Arc;

pub use self::call::{Argument, Call, Slot};
pub use self::op::{Meta, Op};
use crate::limits;
use crate::value::particle;

/// Deepest nesting of an expression.
pub const DEPTH: u16 = limits::NESTING as u16;
/// Most bytes of an encoded expression.
pub const SIZE: usize = 1 << 20;

/// The types of values, as expressions count them.
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
    /// Every type, in the order of their numbers.
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

    /// The type with this number on the wire.
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

/// Why an expression cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Types do not go together.
    #[error("{0}")]
    Type(String),
    /// Anything else: a number of operands, a name, a size.
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

    /// The same, with the name of what it is about in front.
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

/// What an expression is at its top.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    /// Evaluates to "unknown", of any type.
    Unknown,
    /// A constant.
    Constant(Constant),
    /// An operator on operands.
    Apply(Op, Vec<Expression>),
    /// Something about the record other than its bins.
    Meta(Meta),
    /// The last four bytes of the digest modulo this number.
    DigestModulo(i64),
    /// The stored user key, if it is of this type.
    Key(Type),
    /// A bin, of a type once that is known.
    Bin(Option<Type>, Vec<u8>),
    /// The particle type of a bin.
    BinType(Vec<u8>),
    /// Whether a string matches a POSIX pattern.
    Regex {
        /// 1 extended, 2 ignore case, 4 by lines.
        flags: i64,
        /// The pattern.
        pattern: Vec<u8>,
        /// The string.
        on: Expression,
    },
    /// The value of a variable.
    Var(Vec<u8>),
    /// Variables, and an expression that they hold in.
    Let(Vec<(Vec<u8>, Expression)>, Expression),
    /// An operation of another kind.
    Call(Call),
}

/// An expression. Cheap to clone; what it is made of is shared.
#[derive(Debug, Clone)]
pub struct Expression {
    node: Arc<Node>,
    /// `None` while it is not known.
    kind: Option<Type>,
    depth: u16,
    /// About how many bytes it takes on the wire.
    weight: usize,
}

impl PartialEq for Expression {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.node, &other.node) || self.node == other.node
    }
}

impl Expression {
    /// What it is at its top.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// The type of its value; `None` while it is not known.
    pub fn kind(&self) -> Option<Type> {
        self.kind
    }

    /// Whether it is a constant list without elements.
    pub fn is_empty_list(&self) -> bool {
        matches!(self.node(), Node::Constant(Constant::Packed(Type::List, packed)) if *packed == [0x90])
    }
}

#[cfg(test)]
mod tests;
