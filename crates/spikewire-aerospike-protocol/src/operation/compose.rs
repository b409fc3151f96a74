//! Builds and encodes operations of any family.

use super::{ArgumentConverter, Gives, Signature, bit, hll, list, map, string};
use crate::bits::BitOp;
use crate::cdt::{self, Argument, Step, return_type as returns};
use crate::expression::call::{BITS, CDT, HLL, STRINGS};
use crate::expression::{Fault, Type};
use crate::hll::HllOp;
use crate::message::op as code;
use crate::particle;
use crate::strings::{StringOp, write};

/// The families of operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// On lists.
    List,
    /// On maps.
    Map,
    /// On the bits of bytes.
    Bit,
    /// On `HyperLogLog` sketches.
    Hll,
    /// On strings.
    String,
}

impl Family {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Map => "map",
            Self::Bit => "bit",
            Self::Hll => "hll",
            Self::String => "string",
        }
    }

    /// The family with this name.
    pub fn named(name: &str) -> Option<Self> {
        [Self::List, Self::Map, Self::Bit, Self::Hll, Self::String]
            .into_iter()
            .find(|it| it.name() == name)
    }

    /// The signature of the operation with this name.
    pub fn signature(self, name: &str) -> Option<&'static Signature> {
        match self {
            Self::List => list::signature(name),
            Self::Map => map::signature(name),
            Self::Bit => bit::signature(name),
            Self::Hll => hll::signature(name),
            Self::String => string::signature(name),
        }
    }

    /// Its system number in expressions.
    pub fn system(self) -> u8 {
        match self {
            Self::List | Self::Map => CDT,
            Self::Bit => BITS,
            Self::Hll => HLL,
            Self::String => STRINGS,
        }
    }

    /// Builds the operation with this name.
    pub fn compose<A: ArgumentConverter>(self, name: &str, arguments: &mut A) -> ComposeResult<A> {
        let unknown = || Fault::of_value(format!("unknown {} operation {name:?}", self.name()));
        let signature = self.signature(name).ok_or_else(unknown)?;
        arguments.exactly(signature.parameters.len())?;
        let operation = match self {
            Self::List => Operation::Cdt(cdt::Op::List(list::make(name, arguments)?)),
            Self::Map => Operation::Cdt(cdt::Op::Map(map::make(name, arguments)?)),
            Self::Bit => Operation::Bit(bit::make(name, arguments)?),
            Self::Hll => Operation::Hll(hll::make(name, arguments)?),
            Self::String => Operation::String(string::make(name, arguments)?),
        };
        Ok(ComposedOperation { signature, operation })
    }
}

/// The particle type of the value of a message operation of any family.
pub fn particle_of(code: u8) -> u8 {
    match code {
        code::STRING_READ | code::STRING_MODIFY => particle::STRING,
        code::TO_STRING => particle::NULL,
        _ => particle::BLOB,
    }
}

/// The result of composing.
pub type ComposeResult<A> = Result<
    ComposedOperation<<A as ArgumentConverter>::Value, <A as ArgumentConverter>::Number>,
    <A as ArgumentConverter>::Error,
>;

/// An operation of any family.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation<V, N> {
    /// On a list or a map.
    Cdt(cdt::Op<V, N>),
    /// On the bits of bytes.
    Bit(BitOp<V, N>),
    /// On a sketch.
    Hll(HllOp<V>),
    /// On a string.
    String(StringOp<V, N>),
}

/// A composed operation.
#[derive(Debug, Clone, PartialEq)]
pub struct ComposedOperation<V, N> {
    /// Its signature.
    pub signature: &'static Signature,
    /// The operation.
    pub operation: Operation<V, N>,
}

impl<V: Argument, N: Argument> ComposedOperation<V, N> {
    /// Whether it modifies.
    pub fn modifies(&self) -> bool {
        self.signature.gives == Gives::Changed
    }

    /// The code of the message operation that carries it.
    pub fn code(&self) -> u8 {
        match (&self.operation, self.modifies()) {
            (Operation::Cdt(_), false) => code::CDT_READ,
            (Operation::Cdt(_), true) => code::CDT_MODIFY,
            (Operation::Bit(_), false) => code::BITS_READ,
            (Operation::Bit(_), true) => code::BITS_MODIFY,
            (Operation::Hll(_), false) => code::HLL_READ,
            (Operation::Hll(_), true) => code::HLL_MODIFY,
            (Operation::String(StringOp::ToText), _) => code::TO_STRING,
            (Operation::String(_), false) => code::STRING_READ,
            (Operation::String(_), true) => code::STRING_MODIFY,
        }
    }

    /// The result type inside an expression; `None` if it is the type of an element, or of the
    /// operand.
    pub fn gives(&self) -> Option<Type> {
        match self.signature.gives {
            Gives::Changed => None,
            Gives::Value(kind) => Some(kind),
            Gives::Element | Gives::Returning => match &self.operation {
                Operation::Cdt(
                    cdt::Op::List(cdt::ListOp::GetBy(returning, by))
                    | cdt::Op::Map(cdt::MapOp::GetBy(returning, by)),
                ) => returns::kind(*returning, by.is_single()),
                _ => None,
            },
        }
    }

    /// Rejects an operation on a string that servers reject wherever it is sent.
    pub(super) fn check_string(&self, is_inside: bool) -> Result<(), Fault> {
        match &self.operation {
            Operation::String(op) if is_inside => match op.flags() {
                Some(flags) if flags & write::CREATE_ONLY != 0 => {
                    Err(Fault::of_value("create_only is about a bin, and excludes ctx"))
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// The order of the container that a path creates for it.
    pub fn order(&self) -> Option<i64> {
        match &self.operation {
            Operation::Cdt(
                cdt::Op::List(cdt::ListOp::SetOrder(order))
                | cdt::Op::Map(cdt::MapOp::SetOrder(order)),
            ) => Some(*order),
            _ => None,
        }
    }

    /// Encodes it for the list or map at `path`, or for the bin itself.
    pub fn encode<S: Argument>(&self, path: &[Step<S>], out: &mut Vec<u8>) {
        match &self.operation {
            Operation::Cdt(op) => op.encode(path, out),
            Operation::Bit(op) => op.encode(out),
            Operation::Hll(op) => op.encode(out),
            Operation::String(op) => op.encode(path, out),
        }
    }
}
