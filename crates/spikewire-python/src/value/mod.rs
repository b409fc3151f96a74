//! Python objects to particles and back, each in one pass.
//!
//! | module | what it holds |
//! |---|---|
//! | [`encode`], [`decode`] | the two ways |
//! | [`foreign`], [`codec`] | values of other types that stand for a plain one, by themselves or by the user's functions |
//! | [`wrappers`], [`marker`] | values that Python has no type for; what can be looked for and not stored |
//! | [`buffer`] | bytes as views of the reply |
//! | [`names`] | names of bins, checked; those that were seen before |
//! | [`ordered`] | maps in the order of their keys, for programs that tell them from others |
//! | [`place`] | where a value stands, for error messages |
//! | [`pairs`] | dicts that are changed while they are read |

mod buffer;
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
pub use encode::{element, encode};
pub use foreign::is_array;
pub use marker::Marker;
pub use names::{bin, bin_name, bin_text};
pub use ordered::{_ordered_maps, class as ordered_class};
pub use pairs::{changed, pairs};
pub use place::Place;
pub use wrappers::{GeoJSON, HyperLogLog};
