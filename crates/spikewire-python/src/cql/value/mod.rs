//! Python values to CQL and back. The encoding of each type is implemented in `spikewire-cql`.
//!
//! | module | contents |
//! |---|---|
//! | [`host_value`] | Python objects as values of statements |
//! | [`decode`] | values of results as Python objects |
//! | [`library`] | classes of the standard library that both use |
//! | [`marks`] | `UNSET` and `EMPTY` |
//! | `single` | one value of a type, outside of statements and rows |
//! | `uuids` | creating UUIDs without their constructor |

mod decode;
mod host_value;
pub mod library;
mod marks;
mod single;
mod uuids;

pub use decode::{ValueDecoder, value};
pub use host_value::HostValue;
pub use marks::Mark;
pub use single::{decode_value, encode_value};
