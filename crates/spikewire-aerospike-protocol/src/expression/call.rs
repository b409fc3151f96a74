//! List, map, bit, sketch and string operations inside expressions.

use super::{Constant, Expression, Fault, Node, Type};
use crate::cdt::context::{self, Inside};
use crate::cdt::{self, take};
use crate::msgpack::{Reader, Token};

/// A list, map, bit, sketch or string operation inside an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The result type; `None` if not known yet.
    pub result: Option<Type>,
    /// 0: lists and maps, 1: bits, 2: sketches, 3: strings.
    pub system: u8,
    /// Whether it modifies, in which case the result is the modified container.
    pub modifies: bool,
    /// The path to a nested container, in `MessagePack`.
    pub context: Option<Vec<u8>>,
    /// The operation's number.
    pub number: i64,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// What it works on.
    pub on: Expression,
}

/// An argument of a [`Call`].
#[derive(Debug, Clone, PartialEq)]
pub enum Argument {
    /// A scalar or map in `MessagePack`.
    Raw(Vec<u8>),
    /// An expression to be evaluated first; all lists are passed this way.
    Expression(Expression),
}

/// Lists and maps, in [`Call::system`].
pub const CDT: u8 = 0;
/// Bits, in [`Call::system`].
pub const BITS: u8 = 1;
/// Sketches, in [`Call::system`].
pub const HLL: u8 = 2;
/// Strings, in [`Call::system`].
pub const STRINGS: u8 = 3;

/// Number of the first map operation; list operations are below it.
const FIRST_OF_MAPS: i64 = 64;

/// Placeholder for an expression while an operation is written: the index of that expression among
/// the operands. No argument looks like this on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot(pub u8);

const SLOT: [u8; 2] = [0xd4, 0x53];

impl cdt::Argument for Slot {
    fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&[SLOT[0], SLOT[1], self.0]);
    }
}

impl From<&Expression> for Argument {
    fn from(operand: &Expression) -> Self {
        match operand.node() {
            Node::Constant(Constant::Packed(Type::List, _)) => Self::Expression(operand.clone()),
            Node::Constant(_) => Self::Raw(operand.image()),
            _ => Self::Expression(operand.clone()),
        }
    }
}

/// A list of two operands, which the server does not evaluate.
fn pair(operands: &[Expression], first: u8, second: u8) -> Result<Argument, Fault> {
    let mut packed = vec![0x92];
    for at in [first, second] {
        let operand = operands.get(usize::from(at)).map(Expression::node);
        let Some(Node::Constant(constant @ (Constant::Int(_) | Constant::Bytes(..)))) = operand
        else {
            return Err(Fault::of_type(
                "what to find and its replacement must be constants in an expression",
            ));
        };
        constant.write(&mut packed);
    }
    Expression::constant(Constant::Packed(Type::List, packed)).map(Argument::Expression)
}

impl Call {
    /// Builds a call from the operation that `write` appends, with [`Slot`]s for `operands`.
    pub fn new(
        system: u8,
        modifies: bool,
        write: impl FnOnce(&mut Vec<u8>),
        operands: &[Expression],
        on: Expression,
    ) -> Result<Self, Fault> {
        let mut bytes = Vec::new();
        write(&mut bytes);
        let mut reader = Reader::new(&bytes);
        let (Token::Array(count @ 1..), Token::Int(number)) = (reader.next()?, reader.next()?)
        else {
            return Err(Fault::of_value("an operation without a number"));
        };
        let mut arguments = Vec::with_capacity(reader.capacity(count, 1));
        for _ in 1..count {
            arguments.push(match take(&mut reader)? {
                [a, b, slot] if [*a, *b] == SLOT && usize::from(*slot) < operands.len() => {
                    Argument::from(&operands[usize::from(*slot)])
                }
                [0x92, a, b, first, c, d, second]
                    if [*a, *b, *c, *d] == [SLOT[0], SLOT[1], SLOT[0], SLOT[1]] =>
                {
                    pair(operands, *first, *second)?
                }
                raw => Argument::Raw(raw.to_vec()),
            });
        }
        Ok(Self { result: None, system, modifies, context: None, number, arguments, on })
    }

    /// The type of the operand that the operation works on, if the operation determines it.
    fn wants(&self) -> Option<Type> {
        match self.system {
            BITS => return Some(Type::Blob),
            HLL => return Some(Type::Hll),
            STRINGS => return Some(Type::Str),
            _ => {}
        }
        let Some(context) = &self.context else {
            return Some(if self.number < FIRST_OF_MAPS { Type::List } else { Type::Map });
        };
        match context::decode(context).ok()?.first()?.inside {
            Inside::Either => None,
            Inside::List => Some(Type::List),
            Inside::Map => Some(Type::Map),
        }
    }
}

impl Expression {
    /// A list, map, bit, sketch or string operation. A modifying one returns the modified operand.
    pub fn call(mut call: Call) -> Result<Self, Fault> {
        let on = call.on.clone();
        call.on = match (call.system, call.wants()) {
            (BITS, _) => on.refined(Type::Blob, "a bit operation")?,
            (HLL, _) => on.refined(Type::Hll, "a sketch operation")?,
            (STRINGS, _) => on.refined(Type::Str, "a string operation")?,
            (CDT, expected) => match (on.kind, expected) {
                (None, Some(expected)) => on.refined(expected, "a list or map operation")?,
                (None | Some(Type::List | Type::Map), _) => on,
                (Some(kind), _) => {
                    return Err(Fault::of_type(format!(
                        "a list or map operation works on LIST or MAP, not {kind}"
                    )));
                }
            },
            (other, _) => {
                return Err(Fault::of_value(format!("no operations have the number {other}")));
            }
        };
        if call.modifies && call.result.is_none() {
            call.result = call.on.kind.or(call.wants());
        }
        let kind = call.result;
        Self::make(Node::Call(call), kind)
    }

    /// Checks a call against the type of its operand, once that is known.
    pub(super) fn fits(call: &Call, on: Option<Type>) -> Result<(), Fault> {
        let fits = match call.system {
            CDT => matches!(on, None | Some(Type::List | Type::Map)),
            BITS => matches!(on, None | Some(Type::Blob)),
            STRINGS => matches!(on, None | Some(Type::Str)),
            _ => matches!(on, None | Some(Type::Hll)),
        };
        if fits { Ok(()) } else { Err(Fault::of_type("an operation on a value of another type")) }
    }
}
