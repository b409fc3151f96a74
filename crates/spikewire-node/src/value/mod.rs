//! JavaScript values to bytes and back.
//!
//! | module | what it holds |
//! |---|---|
//! | here | what both directions share: objects of the package's own classes |
//! | [`encode`] | values to particles |
//! | [`decode`] | particles to values |
//! | [`place`] | where a value stands, for messages |

pub mod decode;
pub mod encode;
pub mod place;

pub use encode::{element, encode};
pub use place::Place;

/// Sorts of objects, as the hooks `classify`, `unwrap` and `wrap` number them.
pub mod classify {
    /// No object that can be stored.
    pub const OTHER: u32 = 0;
    /// A whole number that is stored as a float; unwrapped: the number.
    pub const DOUBLE: u32 = 1;
    /// A `GeoJSON`; unwrapped: its text.
    pub const GEOJSON: u32 = 2;
    /// A `HyperLogLog`; unwrapped: its bytes.
    pub const HLL: u32 = 3;
    /// A `Map`; unwrapped: its keys and values in turns, in an array.
    pub const MAP: u32 = 4;
    /// A marker for arguments of operations; unwrapped: its name, `"infinity"` or `"wildcard"`.
    pub const MARKER: u32 = 5;
}
