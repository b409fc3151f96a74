//! Map operations.

use super::call::{Argument, Arguments, Call};
use super::select::By;
use crate::Malformed;

/// Numbers of the operations on the wire.
mod number {
    pub const SET_ORDER: i64 = 64;
    pub const ADD: i64 = 65;
    pub const ADD_ITEMS: i64 = 66;
    pub const PUT: i64 = 67;
    pub const PUT_ITEMS: i64 = 68;
    pub const REPLACE: i64 = 69;
    pub const REPLACE_ITEMS: i64 = 70;
    pub const INCREMENT: i64 = 73;
    pub const DECREMENT: i64 = 74;
    pub const CLEAR: i64 = 75;
    pub const SIZE: i64 = 96;
}

/// An operation on a map. `order` are the order flags of a map that has to be created, `flags`
/// those of [`super::flags::map_write`]. `N` is the type of indexes and counts.
#[derive(Debug, Clone, PartialEq)]
pub enum MapOp<V, N = i64> {
    /// Set the order.
    SetOrder(i64),
    /// Set a key that must not exist.
    Add {
        /// The key.
        key: V,
        /// Its value.
        value: V,
        /// Order flags.
        order: i64,
    },
    /// Set the pairs of a map; none of its keys may exist.
    AddItems {
        /// The map.
        items: V,
        /// Order flags.
        order: i64,
    },
    /// Set a key.
    Put {
        /// The key.
        key: V,
        /// Its value.
        value: V,
        /// Order flags.
        order: i64,
        /// Write flags.
        flags: i64,
    },
    /// Set the pairs of a map.
    PutItems {
        /// The map.
        items: V,
        /// Order flags.
        order: i64,
        /// Write flags.
        flags: i64,
    },
    /// Set a key that must exist.
    Replace {
        /// The key.
        key: V,
        /// Its value.
        value: V,
    },
    /// Set the pairs of a map; all of its keys must exist.
    ReplaceItems(V),
    /// Add to the number at a key; 1 by default.
    Increment {
        /// The key.
        key: V,
        /// The amount.
        delta: Option<V>,
        /// Order flags.
        order: i64,
    },
    /// Subtract from the number at a key; 1 by default.
    Decrement {
        /// The key.
        key: V,
        /// The amount.
        delta: Option<V>,
        /// Order flags.
        order: i64,
    },
    /// Remove all pairs.
    Clear,
    /// The number of pairs.
    Size,
    /// The selected pairs, and what to return of them (see [`super::return_type`]).
    GetBy(i64, By<V, N>),
    /// The same, removing them.
    RemoveBy(i64, By<V, N>),
}

impl<V, N> MapOp<V, N> {
    /// Whether it is sent with the code for modifying operations.
    pub fn modifies(&self) -> bool {
        !matches!(self, Self::Size | Self::GetBy(..))
    }
}

impl<V: Argument, N: Argument> MapOp<V, N> {
    /// Appends the operation.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let call = Call::new(out);
        let some = |flags: &i64| Some(*flags).filter(|flags| *flags != 0);
        match self {
            Self::SetOrder(order) => call.op(number::SET_ORDER).int(*order),
            Self::Add { key, value, order } => {
                call.op(number::ADD).value(key).value(value).int(*order)
            }
            Self::AddItems { items, order } => call.op(number::ADD_ITEMS).value(items).int(*order),
            Self::Put { key, value, order, flags } => {
                call.op(number::PUT).value(key).value(value).int(*order).optional_int(some(flags))
            }
            Self::PutItems { items, order, flags } => {
                call.op(number::PUT_ITEMS).value(items).int(*order).optional_int(some(flags))
            }
            Self::Replace { key, value } => call.op(number::REPLACE).value(key).value(value),
            Self::ReplaceItems(items) => call.op(number::REPLACE_ITEMS).value(items),
            Self::Increment { key, delta, order } => {
                step(call.op(number::INCREMENT).value(key), delta.as_ref(), *order)
            }
            Self::Decrement { key, delta, order } => {
                step(call.op(number::DECREMENT).value(key), delta.as_ref(), *order)
            }
            Self::Clear => call.op(number::CLEAR),
            Self::Size => call.op(number::SIZE),
            Self::GetBy(returns, by) => by.write(call.op(by.map_number(false)).int(*returns)),
            Self::RemoveBy(returns, by) => by.write(call.op(by.map_number(true)).int(*returns)),
        };
    }
}

fn step<'o>(call: Call<'o>, delta: Option<&impl Argument>, order: i64) -> Call<'o> {
    match delta {
        Some(delta) => call.value(delta).int(order),
        None => call.nil().int(order),
    }
}

impl<'a> MapOp<&'a [u8]> {
    pub(super) fn decode(number: i64, args: &mut Arguments<'a>) -> Result<Self, Malformed> {
        if let Some((returns, by, removes)) = By::of_map(number, args)? {
            return Ok(if removes {
                Self::RemoveBy(returns, by)
            } else {
                Self::GetBy(returns, by)
            });
        }
        Ok(match number {
            number::SET_ORDER => Self::SetOrder(args.int()?),
            number::ADD => {
                let (key, value) = (args.value()?, args.value()?);
                Self::Add { key, value, order: args.int_or(0)? }
            }
            number::ADD_ITEMS => Self::AddItems { items: args.value()?, order: args.int_or(0)? },
            number::PUT => {
                let (key, value) = (args.value()?, args.value()?);
                Self::Put { key, value, order: args.int_or(0)?, flags: args.int_or(0)? }
            }
            number::PUT_ITEMS => {
                let items = args.value()?;
                Self::PutItems { items, order: args.int_or(0)?, flags: args.int_or(0)? }
            }
            number::REPLACE => Self::Replace { key: args.value()?, value: args.value()? },
            number::REPLACE_ITEMS => Self::ReplaceItems(args.value()?),
            number::INCREMENT | number::DECREMENT => {
                let (key, delta) = (args.value()?, args.optional_value()?);
                let delta = delta.filter(|delta| *delta != [0xc0]);
                let order = args.int_or(0)?;
                if number == number::INCREMENT {
                    Self::Increment { key, delta, order }
                } else {
                    Self::Decrement { key, delta, order }
                }
            }
            number::CLEAR => Self::Clear,
            number::SIZE => Self::Size,
            _ => return Err(Malformed::new("map operation", "unknown number")),
        })
    }
}
