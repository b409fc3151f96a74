//! Operations on lists and maps, at the top of a bin or nested inside it.
//!
//! An operation is an array of its number and its arguments, sent as the value of a message
//! operation with code 3 (reads) or 4 (modifies). [`Op`] is the decoded form. Its values are any
//! [`Argument`] when encoding, and slices of the request when decoding.
//!
//! | module | contents |
//! |---|---|
//! | [`list`], [`map`] | the operations |
//! | [`select`] | ways to select elements: index, rank, key, value, ranges, and inverted |
//! | [`return_type`] | what an operation on selected elements returns |
//! | [`context`] | the path to a nested list or map, and what it creates |
//! | [`flags`] | order and write flags |
//! | `map_order` | the order of the pairs of maps in operands |

pub(crate) mod call;
pub mod context;
pub mod flags;
pub mod list;
pub mod map;
mod map_order;
pub mod return_type;
pub mod select;

pub use call::{Argument, Blob, elements, int};
pub use context::Step;
pub use list::ListOp;
pub use map::MapOp;
pub use map_order::sort_maps;
pub use select::By;

pub use crate::msgpack::take;

use self::call::Arguments;
use crate::msgpack;
use crate::result_code::ResultCode;

/// Operation number that wraps an operation together with a context.
const WRAPPED: u8 = 0xff;
/// Number of the first map operation.
const FIRST_OF_MAPS: i64 = 64;

/// An operation on a list or a map.
#[derive(Debug, Clone, PartialEq)]
pub enum Op<V, N = i64> {
    /// On a list.
    List(ListOp<V, N>),
    /// On a map.
    Map(MapOp<V, N>),
}

impl<V, N> Op<V, N> {
    /// Whether it is sent with the code for modifying operations.
    pub fn modifies(&self) -> bool {
        match self {
            Self::List(op) => op.modifies(),
            Self::Map(op) => op.modifies(),
        }
    }
}

impl<V: Argument, N: Argument> Op<V, N> {
    /// Appends the value of a message operation: this operation on the list or map at `context`, or
    /// on the bin itself if that is empty.
    pub fn encode<S: Argument>(&self, context: &[Step<S>], out: &mut Vec<u8>) {
        if !context.is_empty() {
            msgpack::array(out, 3);
            msgpack::uint(out, u64::from(WRAPPED));
            context::encode(context, out);
        }
        match self {
            Self::List(op) => op.encode(out),
            Self::Map(op) => op.encode(out),
        }
    }
}

/// A decoded operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Request<'a> {
    /// The path to the list or map; empty for the bin itself.
    pub context: Vec<Step<&'a [u8]>>,
    /// The operation.
    pub op: Op<&'a [u8]>,
}

impl<'a> Request<'a> {
    /// Reads the value of a message operation. The error is the result code of the rejection.
    pub fn decode(payload: &'a [u8]) -> Result<Self, ResultCode> {
        let malformed = |_| ResultCode::PARAMETER;
        let (number, mut arguments) = Arguments::open(payload).map_err(malformed)?;
        if number != i64::from(WRAPPED) {
            return Ok(Self { context: Vec::new(), op: Self::op(number, arguments)? });
        }
        let context = arguments.value().map_err(malformed)?;
        let inner = arguments.value().map_err(malformed)?;
        arguments.end().map_err(malformed)?;
        let (number, arguments) = Arguments::open(inner).map_err(malformed)?;
        let op = Self::op(number, arguments)?;
        Ok(Self { context: context::decode(context)?, op })
    }

    fn op(number: i64, mut arguments: Arguments<'a>) -> Result<Op<&'a [u8]>, ResultCode> {
        let op = if number < FIRST_OF_MAPS {
            ListOp::decode(number, &mut arguments).map(Op::List)
        } else {
            MapOp::decode(number, &mut arguments).map(Op::Map)
        };
        let op = op.map_err(|_| ResultCode::PARAMETER)?;
        arguments.end().map_err(|_| ResultCode::PARAMETER)?;
        Ok(op)
    }
}

#[cfg(test)]
mod tests;
