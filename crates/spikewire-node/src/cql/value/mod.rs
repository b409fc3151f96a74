//! JavaScript values as values of CQL, and the reverse.
//!
//! | module | what it holds |
//! |---|---|
//! | here | what both directions share |
//! | [`given`] | values of statements |
//! | [`making`] | values of results |
//! | [`date`] | days as text |

mod date;
mod given;
mod making;

pub use given::Given;
pub use making::{Making, uuid_text};

/// How a session wants its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Reading {
    /// Every `bigint`, `counter` and `varint` as a bigint; else only those that no number holds.
    pub bigints: bool,
    /// Every map as a `Map`; else those whose keys are no strings.
    pub maps: bool,
    /// The number of the session's [`Classes`](super::classes::Classes).
    pub classes: u32,
}

/// Sorts of objects, as the hooks `classify`, `unwrap` and `wrap` number them.
pub mod sort {
    /// None that is known; wrapped: an object of names and values in turns.
    pub const OTHER: u32 = 0;
    /// A `Map`; unwrapped: keys and values in turns.
    pub const MAP: u32 = 1;
    /// A `Set`; unwrapped: an array.
    pub const SET: u32 = 2;
    /// A `Decimal`; unwrapped: digits and scale.
    pub const DECIMAL: u32 = 3;
    /// A `Duration`; unwrapped: months, days and nanoseconds.
    pub const DURATION: u32 = 4;
    /// A `Time`; unwrapped: nanoseconds.
    pub const TIME: u32 = 5;
    /// `UNSET`.
    pub const UNSET: u32 = 6;
    /// `EMPTY`, both ways.
    pub const EMPTY: u32 = 7;
}
