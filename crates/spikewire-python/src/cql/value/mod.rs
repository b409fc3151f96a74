//! Python values to CQL and back. The encoding of each type is implemented in `spikewire-cql`.
//!
//! | module | contents |
//! |---|---|
//! | [`given`] | Python objects as values of statements |
//! | [`making`] | values of results as Python objects |
//! | [`library`] | classes of the standard library that both use |
//! | [`marks`] | `UNSET` and `EMPTY` |
//! | `single` | one value of a type, outside of statements and rows |
//! | `uuids` | creating UUIDs without their constructor |

mod given;
pub mod library;
mod making;
mod marks;
mod single;
mod uuids;

pub use given::Given;
pub use making::{Making, value};
pub use marks::Mark;
pub use single::{decode_value, encode_value};
