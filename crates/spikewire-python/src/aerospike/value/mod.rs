//! Python objects to particles and back, each in one pass.
//!
//! | module | contents |
//! |---|---|
//! | [`encode`], [`decode`] | the two directions |
//! | [`foreign`], [`codec`] | values of other types: built-in conversions, and the user's |
//! | [`wrappers`], [`marker`] | values for which Python has no type; values to search for |
//! | [`buffer`] | bytes as views of the reply |
//! | [`names`] | bin names: checks, and a cache |
//! | [`ordered`] | maps ordered by key, for programs that tell them apart |
//! | [`place`] | the position of a value, for error messages |
//! | [`pairs`] | dicts that are modified while they are read |

pub mod buffer;
mod codec;
mod decode;
mod encode;
mod foreign;
mod marker;
mod names;
mod ordered;
mod pairs;
mod place;
mod wrappers;

pub use buffer::{Buffer, Views};
pub use codec::Codec;
pub use decode::{is_bytes, is_scalar, particle};
pub use encode::{element, encode, is_map_key, plain};
pub use foreign::is_array;
pub use marker::Marker;
pub use names::{bin, bin_name, bin_text};
pub use ordered::{_ordered_maps, class as ordered_class};
pub use pairs::{changed, pairs};
pub use place::Place;
pub use wrappers::{GeoJSON, HyperLogLog};
