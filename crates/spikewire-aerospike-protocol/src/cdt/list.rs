//! List operations.

use super::call::{Argument, Arguments, Call};
use super::select::By;
use crate::Malformed;

/// Numbers of the operations on the wire.
mod number {
    pub const SET_ORDER: i64 = 0;
    pub const APPEND: i64 = 1;
    pub const APPEND_ITEMS: i64 = 2;
    pub const INSERT: i64 = 3;
    pub const INSERT_ITEMS: i64 = 4;
    pub const POP: i64 = 5;
    pub const POP_RANGE: i64 = 6;
    pub const REMOVE: i64 = 7;
    pub const REMOVE_RANGE: i64 = 8;
    pub const SET: i64 = 9;
    pub const TRIM: i64 = 10;
    pub const CLEAR: i64 = 11;
    pub const INCREMENT: i64 = 12;
    pub const SORT: i64 = 13;
    pub const SIZE: i64 = 16;
    pub const GET: i64 = 17;
    pub const GET_RANGE: i64 = 18;
    pub const JOIN: i64 = 28;
}

/// An operation on a list. `order` are the order flags of a list that has to be created, `flags`
/// those of [`super::flags::list_write`]. `N` is the type of indexes and counts.
#[derive(Debug, Clone, PartialEq)]
pub enum ListOp<V, N = i64> {
    /// Make it ordered or unordered.
    SetOrder(i64),
    /// Append a value.
    Append {
        /// The value.
        value: V,
        /// Order flags.
        order: i64,
        /// Write flags.
        flags: i64,
    },
    /// Append the values of a list.
    AppendItems {
        /// The list.
        items: V,
        /// Order flags.
        order: i64,
        /// Write flags.
        flags: i64,
    },
    /// Insert a value before an index.
    Insert {
        /// The index.
        index: N,
        /// The value.
        value: V,
        /// Write flags.
        flags: i64,
    },
    /// Insert the values of a list before an index.
    InsertItems {
        /// The index.
        index: N,
        /// The list.
        items: V,
        /// Write flags.
        flags: i64,
    },
    /// Remove one element and return it.
    Pop(N),
    /// Remove a range of elements and return them.
    PopRange(N, Option<N>),
    /// Remove one element.
    Remove(N),
    /// Remove a range of elements.
    RemoveRange(N, Option<N>),
    /// Replace the element at an index.
    Set {
        /// The index.
        index: N,
        /// The value.
        value: V,
        /// Write flags.
        flags: i64,
    },
    /// Remove all but a range of elements.
    Trim(N, N),
    /// Remove all elements.
    Clear,
    /// Add to the number at an index; 1 by default.
    Increment {
        /// The index.
        index: N,
        /// The amount.
        delta: Option<V>,
        /// Order flags.
        order: i64,
        /// Write flags.
        flags: i64,
    },
    /// Sort, with flags of [`super::flags::list_sort`].
    Sort(i64),
    /// The number of elements.
    Size,
    /// The element at an index.
    Get(N),
    /// A range of elements.
    GetRange(N, Option<N>),
    /// The strings, joined with a separator.
    Join(Option<V>),
    /// The selected elements, and what to return of them (see [`super::return_type`]).
    GetBy(i64, By<V, N>),
    /// The same, removing them.
    RemoveBy(i64, By<V, N>),
}

impl<V, N> ListOp<V, N> {
    /// Whether it is sent with the code for modifying operations.
    pub fn modifies(&self) -> bool {
        !matches!(
            self,
            Self::Size | Self::Get(_) | Self::GetRange(..) | Self::Join(_) | Self::GetBy(..)
        )
    }
}

/// Appends trailing order and write flags; omitted if both are 0.
fn order_and_flags(call: Call<'_>, order: i64, flags: i64) -> Call<'_> {
    match (order, flags) {
        (0, 0) => call,
        (order, 0) => call.int(order),
        (order, flags) => call.int(order).int(flags),
    }
}

fn write_flags(call: Call<'_>, flags: i64) -> Call<'_> {
    call.optional_int(Some(flags).filter(|flags| *flags != 0))
}

impl<V: Argument, N: Argument> ListOp<V, N> {
    /// Appends the operation.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let call = Call::new(out);
        match self {
            Self::SetOrder(order) => call.op(number::SET_ORDER).int(*order),
            Self::Append { value, order, flags } => {
                order_and_flags(call.op(number::APPEND).value(value), *order, *flags)
            }
            Self::AppendItems { items, order, flags } => {
                order_and_flags(call.op(number::APPEND_ITEMS).value(items), *order, *flags)
            }
            Self::Insert { index, value, flags } => {
                write_flags(call.op(number::INSERT).value(index).value(value), *flags)
            }
            Self::InsertItems { index, items, flags } => {
                write_flags(call.op(number::INSERT_ITEMS).value(index).value(items), *flags)
            }
            Self::Pop(index) => call.op(number::POP).value(index),
            Self::PopRange(index, count) => {
                call.op(number::POP_RANGE).value(index).optional_value(count.as_ref())
            }
            Self::Remove(index) => call.op(number::REMOVE).value(index),
            Self::RemoveRange(index, count) => {
                call.op(number::REMOVE_RANGE).value(index).optional_value(count.as_ref())
            }
            Self::Set { index, value, flags } => {
                write_flags(call.op(number::SET).value(index).value(value), *flags)
            }
            Self::Trim(index, count) => call.op(number::TRIM).value(index).value(count),
            Self::Clear => call.op(number::CLEAR),
            Self::Increment { index, delta, order, flags } => {
                let call = call.op(number::INCREMENT).value(index);
                match delta {
                    Some(delta) => order_and_flags(call.value(delta), *order, *flags),
                    None if (*order, *flags) == (0, 0) => call,
                    None => order_and_flags(call.nil(), *order, *flags),
                }
            }
            Self::Sort(flags) => write_flags(call.op(number::SORT), *flags),
            Self::Size => call.op(number::SIZE),
            Self::Get(index) => call.op(number::GET).value(index),
            Self::GetRange(index, count) => {
                call.op(number::GET_RANGE).value(index).optional_value(count.as_ref())
            }
            Self::Join(separator) => call.op(number::JOIN).optional_value(separator.as_ref()),
            Self::GetBy(returns, by) => by.write(call.op(by.list_number(false)).int(*returns)),
            Self::RemoveBy(returns, by) => by.write(call.op(by.list_number(true)).int(*returns)),
        };
    }
}

impl<'a> ListOp<&'a [u8]> {
    pub(super) fn decode(number: i64, args: &mut Arguments<'a>) -> Result<Self, Malformed> {
        if let Some((returns, by, removes)) = By::of_list(number, args)? {
            return Ok(if removes {
                Self::RemoveBy(returns, by)
            } else {
                Self::GetBy(returns, by)
            });
        }
        Ok(match number {
            number::SET_ORDER => Self::SetOrder(args.int()?),
            number::APPEND => {
                let value = args.value()?;
                Self::Append { value, order: args.int_or(0)?, flags: args.int_or(0)? }
            }
            number::APPEND_ITEMS => {
                let items = args.value()?;
                Self::AppendItems { items, order: args.int_or(0)?, flags: args.int_or(0)? }
            }
            number::INSERT => {
                let (index, value) = (args.int()?, args.value()?);
                Self::Insert { index, value, flags: args.int_or(0)? }
            }
            number::INSERT_ITEMS => {
                let (index, items) = (args.int()?, args.value()?);
                Self::InsertItems { index, items, flags: args.int_or(0)? }
            }
            number::POP => Self::Pop(args.int()?),
            number::POP_RANGE => Self::PopRange(args.int()?, args.optional_int()?),
            number::REMOVE => Self::Remove(args.int()?),
            number::REMOVE_RANGE => Self::RemoveRange(args.int()?, args.optional_int()?),
            number::SET => {
                let (index, value) = (args.int()?, args.value()?);
                Self::Set { index, value, flags: args.int_or(0)? }
            }
            number::TRIM => Self::Trim(args.int()?, args.int()?),
            number::CLEAR => Self::Clear,
            number::INCREMENT => {
                let (index, delta) = (args.int()?, args.optional_value()?);
                let delta = delta.filter(|delta| *delta != [0xc0]);
                Self::Increment { index, delta, order: args.int_or(0)?, flags: args.int_or(0)? }
            }
            number::SORT => Self::Sort(args.int_or(0)?),
            number::SIZE => Self::Size,
            number::GET => Self::Get(args.int()?),
            number::GET_RANGE => Self::GetRange(args.int()?, args.optional_int()?),
            number::JOIN => Self::Join(args.optional_value()?),
            _ => return Err(Malformed::new("list operation", "unknown number")),
        })
    }
}
