//! Conversion between JavaScript values and particles.
//!
//! | module | what it holds |
//! |---|---|
//! | here | shared by both directions: objects of the package's own classes |
//! | [`encode`] | values to particles |
//! | [`decode`] | particles to values |
//! | [`place`] | the position of a value, for messages |

pub mod decode;
pub mod encode;
pub mod place;

pub use encode::{element, encode};
pub use place::Place;

/// Kinds of objects, with the numbers used by the hooks `classify`, `unwrap` and `wrap`.
pub mod classify {
    /// An object that cannot be stored.
    pub const OTHER: u32 = 0;
    /// A whole number that is stored as a float; unwrapped: the number.
    pub const DOUBLE: u32 = 1;
    /// A `GeoJSON`; unwrapped: its text.
    pub const GEOJSON: u32 = 2;
    /// A `HyperLogLog`; unwrapped: its bytes.
    pub const HLL: u32 = 3;
    /// A `Map`; unwrapped: an array of alternating keys and values.
    pub const MAP: u32 = 4;
    /// A marker for arguments of operations; unwrapped: its name, `"infinity"` or `"wildcard"`.
    pub const MARKER: u32 = 5;
    /// A `Proxy`; unwrapped: an object with its content, or the reason why there is none.
    pub const PROXY: u32 = 6;
    /// A map that is stored ordered by its keys; unwrapped: an array of alternating keys and values.
    pub const ORDERED_MAP: u32 = 7;
}
