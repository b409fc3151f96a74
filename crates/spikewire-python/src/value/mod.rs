//! Python objects to particles and back, each in one pass.

mod buffer;
mod codec;
mod decode;
mod encode;
mod foreign;
mod marker;
mod names;
mod wrappers;

pub use buffer::{Buffer, Views};
pub use codec::Codec;
pub use decode::{is_bytes, particle};
pub use encode::{Place, bin_name, element, encode};
pub use foreign::is_array;
pub use marker::Marker;
pub use names::bin;
pub use wrappers::{GeoJSON, HyperLogLog};
