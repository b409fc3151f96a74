//! Ways to select elements of a list or map.
//!
//! A count of `None` means up to the end; so does an interval without an end.

use super::call::{Argument, Arguments, Call};
use crate::Malformed;

/// Which elements an operation selects. Keys exist in maps only.
#[derive(Debug, Clone, PartialEq)]
pub enum By<V, N = i64> {
    /// One element by its index, negative from the end.
    Index(N),
    /// One element by its rank, negative from the largest.
    Rank(N),
    /// The first element with this value.
    Value(V),
    /// All elements with this value.
    AllByValue(V),
    /// All elements whose value is in this list.
    ValueList(V),
    /// Index and count.
    IndexRange(N, Option<N>),
    /// Values from the first, inclusive, to the second, exclusive.
    ValueInterval(V, Option<V>),
    /// Rank and count.
    RankRange(N, Option<N>),
    /// Rank relative to the position where this value is or would be, and count.
    RelativeRank(V, N, Option<N>),
    /// One element by its key.
    Key(V),
    /// All elements whose key is in this list.
    KeyList(V),
    /// Keys from the first, inclusive, to the second, exclusive.
    KeyInterval(V, Option<V>),
    /// Index relative to the position where this key is or would be, and count.
    RelativeIndex(V, N, Option<N>),
}

/// Numbers of the get and remove operations for each way; 0 if there is none.
struct Numbers {
    list: (i64, i64),
    map: (i64, i64),
}

impl<V, N> By<V, N> {
    fn numbers(&self) -> Numbers {
        let (list, map) = match self {
            Self::Index(_) => ((19, 32), (98, 77)),
            Self::Rank(_) => ((21, 34), (100, 79)),
            Self::Value(_) => ((20, 33), (99, 78)),
            Self::AllByValue(_) => ((22, 35), (102, 82)),
            Self::ValueList(_) => ((23, 36), (108, 83)),
            Self::IndexRange(..) => ((24, 37), (104, 85)),
            Self::ValueInterval(..) => ((25, 38), (105, 86)),
            Self::RankRange(..) => ((26, 39), (106, 87)),
            Self::RelativeRank(..) => ((27, 40), (110, 89)),
            Self::Key(_) => ((0, 0), (97, 76)),
            Self::KeyList(_) => ((0, 0), (107, 81)),
            Self::KeyInterval(..) => ((0, 0), (103, 84)),
            Self::RelativeIndex(..) => ((0, 0), (109, 88)),
        };
        Numbers { list, map }
    }

    /// Whether it selects at most one element.
    pub fn is_single(&self) -> bool {
        matches!(self, Self::Index(_) | Self::Rank(_) | Self::Value(_) | Self::Key(_))
    }

    pub(super) fn list_number(&self, removes: bool) -> i64 {
        let (get, remove) = self.numbers().list;
        debug_assert!(get != 0, "lists have no keys");
        if removes { remove } else { get }
    }

    pub(super) fn map_number(&self, removes: bool) -> i64 {
        let (get, remove) = self.numbers().map;
        if removes { remove } else { get }
    }
}

impl<V: Argument, N: Argument> By<V, N> {
    pub(super) fn write<'o>(&self, call: Call<'o>) -> Call<'o> {
        match self {
            Self::Index(at) | Self::Rank(at) => call.value(at),
            Self::IndexRange(at, count) | Self::RankRange(at, count) => {
                call.value(at).optional_value(count.as_ref())
            }
            Self::Value(value)
            | Self::AllByValue(value)
            | Self::ValueList(value)
            | Self::Key(value)
            | Self::KeyList(value) => call.value(value),
            Self::ValueInterval(begin, end) | Self::KeyInterval(begin, end) => {
                call.value(begin).optional_value(end.as_ref())
            }
            Self::RelativeRank(value, at, count) | Self::RelativeIndex(value, at, count) => {
                call.value(value).value(at).optional_value(count.as_ref())
            }
        }
    }
}

impl<'a> By<&'a [u8]> {
    /// How a list operation selects elements, and whether it removes them; `None` if it does not
    /// select any.
    pub(super) fn of_list(
        number: i64,
        arguments: &mut Arguments<'a>,
    ) -> Result<Option<(i64, Self, bool)>, Malformed> {
        let (way, removes) = match number {
            19..=27 => (number, false),
            32..=40 => (number - 13, true),
            _ => return Ok(None),
        };
        let return_type = arguments.int()?;
        let by = match way {
            19 => Self::Index(arguments.int()?),
            20 => Self::Value(arguments.value()?),
            21 => Self::Rank(arguments.int()?),
            22 => Self::AllByValue(arguments.value()?),
            23 => Self::ValueList(arguments.value()?),
            24 => Self::IndexRange(arguments.int()?, arguments.optional_int()?),
            25 => Self::ValueInterval(arguments.value()?, arguments.optional_value()?),
            26 => Self::RankRange(arguments.int()?, arguments.optional_int()?),
            _ => Self::relative_rank(arguments)?,
        };
        Ok(Some((return_type, by, removes)))
    }

    /// The same for a map operation.
    pub(super) fn of_map(
        number: i64,
        arguments: &mut Arguments<'a>,
    ) -> Result<Option<(i64, Self, bool)>, Malformed> {
        if !matches!(number, 76..=79 | 81..=89 | 97..=100 | 102..=110) {
            return Ok(None);
        }
        let removes = number < 96;
        let return_type = arguments.int()?;
        let by = match number {
            76 | 97 => Self::Key(arguments.value()?),
            77 | 98 => Self::Index(arguments.int()?),
            78 | 99 => Self::Value(arguments.value()?),
            79 | 100 => Self::Rank(arguments.int()?),
            81 | 107 => Self::KeyList(arguments.value()?),
            82 | 102 => Self::AllByValue(arguments.value()?),
            83 | 108 => Self::ValueList(arguments.value()?),
            84 | 103 => Self::KeyInterval(arguments.value()?, arguments.optional_value()?),
            85 | 104 => Self::IndexRange(arguments.int()?, arguments.optional_int()?),
            86 | 105 => Self::ValueInterval(arguments.value()?, arguments.optional_value()?),
            87 | 106 => Self::RankRange(arguments.int()?, arguments.optional_int()?),
            88 | 109 => {
                Self::RelativeIndex(arguments.value()?, arguments.int()?, arguments.optional_int()?)
            }
            _ => Self::relative_rank(arguments)?,
        };
        Ok(Some((return_type, by, removes)))
    }

    fn relative_rank(arguments: &mut Arguments<'a>) -> Result<Self, Malformed> {
        let value = arguments.value()?;
        Ok(Self::RelativeRank(value, arguments.int()?, arguments.optional_int()?))
    }
}
