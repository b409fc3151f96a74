//! Python values to CQL and back. The encoding of each type is implemented in `spikewire-cql`.
//!
//! | module | contents |
//! |---|---|
//! | [`given`] | Python objects as values of statements |
//! | [`making`] | values of results as Python objects |
//! | [`library`] | classes of the standard library that both use |
//! | [`marks`] | `UNSET` and `EMPTY` |
//! | `uuids` | creating UUIDs without their constructor |

mod given;
pub mod library;
mod making;
mod marks;
mod uuids;

pub use given::Given;
pub use making::{Making, value};
pub use marks::Mark;
