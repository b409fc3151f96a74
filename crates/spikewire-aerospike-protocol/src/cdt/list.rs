//! List operations.

use super::call::{Argument, Arguments, Call};
use super::select::By;
use crate::Malformed;

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
    /// The selected elements, and what to return of them (see [`super::return_type`]).
    GetBy(i64, By<V, N>),
    /// The same, removing them.
    RemoveBy(i64, By<V, N>),
}

impl<V, N> ListOp<V, N> {
    /// Whether it is sent with the code for modifying operations.
    pub fn modifies(&self) -> bool {
        !matches!(self, Self::Size | Self::Get(_) | Self::GetRange(..) | Self::GetBy(..))
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
            Self::SetOrder(order) => call.op(0).int(*order),
            Self::Append { value, order, flags } => {
                order_and_flags(call.op(1).value(value), *order, *flags)
            }
            Self::AppendItems { items, order, flags } => {
                order_and_flags(call.op(2).value(items), *order, *flags)
            }
            Self::Insert { index, value, flags } => {
                write_flags(call.op(3).value(index).value(value), *flags)
            }
            Self::InsertItems { index, items, flags } => {
                write_flags(call.op(4).value(index).value(items), *flags)
            }
            Self::Pop(index) => call.op(5).value(index),
            Self::PopRange(index, count) => call.op(6).value(index).optional_value(count.as_ref()),
            Self::Remove(index) => call.op(7).value(index),
            Self::RemoveRange(index, count) => {
                call.op(8).value(index).optional_value(count.as_ref())
            }
            Self::Set { index, value, flags } => {
                write_flags(call.op(9).value(index).value(value), *flags)
            }
            Self::Trim(index, count) => call.op(10).value(index).value(count),
            Self::Clear => call.op(11),
            Self::Increment { index, delta, order, flags } => {
                let call = call.op(12).value(index);
                match delta {
                    Some(delta) => order_and_flags(call.value(delta), *order, *flags),
                    None if (*order, *flags) == (0, 0) => call,
                    None => order_and_flags(call.nil(), *order, *flags),
                }
            }
            Self::Sort(flags) => write_flags(call.op(13), *flags),
            Self::Size => call.op(16),
            Self::Get(index) => call.op(17).value(index),
            Self::GetRange(index, count) => call.op(18).value(index).optional_value(count.as_ref()),
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
            0 => Self::SetOrder(args.int()?),
            1 => {
                let value = args.value()?;
                Self::Append { value, order: args.int_or(0)?, flags: args.int_or(0)? }
            }
            2 => {
                let items = args.value()?;
                Self::AppendItems { items, order: args.int_or(0)?, flags: args.int_or(0)? }
            }
            3 => {
                let (index, value) = (args.int()?, args.value()?);
                Self::Insert { index, value, flags: args.int_or(0)? }
            }
            4 => {
                let (index, items) = (args.int()?, args.value()?);
                Self::InsertItems { index, items, flags: args.int_or(0)? }
            }
            5 => Self::Pop(args.int()?),
            6 => Self::PopRange(args.int()?, args.optional_int()?),
            7 => Self::Remove(args.int()?),
            8 => Self::RemoveRange(args.int()?, args.optional_int()?),
            9 => {
                let (index, value) = (args.int()?, args.value()?);
                Self::Set { index, value, flags: args.int_or(0)? }
            }
            10 => Self::Trim(args.int()?, args.int()?),
            11 => Self::Clear,
            12 => {
                let (index, delta) = (args.int()?, args.optional_value()?);
                let delta = delta.filter(|delta| *delta != [0xc0]);
                Self::Increment { index, delta, order: args.int_or(0)?, flags: args.int_or(0)? }
            }
            13 => Self::Sort(args.int_or(0)?),
            16 => Self::Size,
            17 => Self::Get(args.int()?),
            18 => Self::GetRange(args.int()?, args.optional_int()?),
            _ => return Err(Malformed::new("list operation", "unknown number")),
        })
    }
}
