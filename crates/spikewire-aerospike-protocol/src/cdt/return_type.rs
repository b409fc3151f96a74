//! What an operation on selected elements returns.

use crate::value_type::Type;

/// Nothing.
pub const NONE: i64 = 0;
/// Index in the list, or among the sorted keys of the map.
pub const INDEX: i64 = 1;
/// Index counted from the end.
pub const REVERSE_INDEX: i64 = 2;
/// Rank; 0 for the smallest value.
pub const RANK: i64 = 3;
/// Rank counted from the largest value.
pub const REVERSE_RANK: i64 = 4;
/// Number of elements.
pub const COUNT: i64 = 5;
/// Keys of a map.
pub const KEY: i64 = 6;
/// Values.
pub const VALUE: i64 = 7;
/// Keys and values, in the order in which they were found.
pub const KEY_VALUE: i64 = 8;
/// First index and count.
pub const INDEX_RANGE: i64 = 9;
/// The same, counted from the end.
pub const REVERSE_INDEX_RANGE: i64 = 10;
/// First rank and count.
pub const RANK_RANGE: i64 = 11;
/// The same, counted from the largest value.
pub const REVERSE_RANK_RANGE: i64 = 12;
/// Whether any element was selected.
pub const EXISTS: i64 = 13;
/// An unordered map.
pub const UNORDERED_MAP: i64 = 16;
/// A map ordered by key.
pub const ORDERED_MAP: i64 = 17;
/// Added to another type: selects everything else instead.
pub const INVERTED: i64 = 0x10000;

/// The result type for one or several elements; `None` if it is the type of the element.
pub fn kind(returns: i64, single: bool) -> Option<Type> {
    Some(match returns & !INVERTED {
        NONE => Type::Nil,
        COUNT => Type::Int,
        EXISTS => Type::Bool,
        KEY_VALUE | ORDERED_MAP | UNORDERED_MAP => Type::Map,
        INDEX_RANGE..=REVERSE_RANK_RANGE => Type::List,
        VALUE | KEY if single => return None,
        _ if single => Type::Int,
        _ => Type::List,
    })
}
