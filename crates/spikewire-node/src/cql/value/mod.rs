//! Conversion between JavaScript and CQL values.
//!
//! | module | what it holds |
//! |---|---|
//! | here | shared by both directions |
//! | [`encode`] | values of statements |
//! | [`decode`] | values of results |
//! | [`date`] | dates as text |

mod date;
mod decode;
mod encode;

pub use decode::{CqlDecoder, uuid_text};
pub use encode::HostValue;

/// How a session converts values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CqlDecodeOptions {
    /// Return every `bigint`, `counter` and `varint` as a bigint; otherwise only those beyond 2^53
    /// - 1.
    pub bigints: bool,
    /// Return every map as a `Map`; otherwise only those with non-string keys.
    pub maps: bool,
    /// The number of the conversion of the program's side that makes rows of the values; 0: none.
    /// Values for one are made of arrays only: sets, the keys and values of maps in turn, the
    /// fields of user-defined types, digits and scale of decimals, the parts of durations.
    pub conversion: u32,
    /// The number of the session's [`Classes`](super::classes::Classes).
    pub classes: u32,
    /// Return rows as an Arrow IPC stream.
    pub as_stream: bool,
    /// The length of the request in bytes, if results tell lengths.
    pub sent: Option<u32>,
}

/// Kinds of objects, with the numbers used by the hooks `classify`, `unwrap` and `wrap`.
pub mod sort {
    /// Any other object; wrapped: an object of alternating names and values.
    pub const OTHER: u32 = 0;
    /// A `Map`; unwrapped: alternating keys and values.
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
    /// `EMPTY`, in both directions.
    pub const EMPTY: u32 = 7;
    /// A `Proxy`; unwrapped: an object with its content, or the reason why there is none.
    pub const PROXY: u32 = 8;
    /// A `ShortTuple` of a drop-in; unwrapped: an array.
    pub const SHORT_TUPLE: u32 = 9;
}
