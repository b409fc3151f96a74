//! Python values to CQL and back. What each type needs is written in `spikewire-cql`.
//!
//! | module | what it holds |
//! |---|---|
//! | [`given`] | Python objects as values of statements |
//! | [`making`] | values of results as Python objects |
//! | [`library`] | the standard library's classes for both |
//! | [`marks`] | `UNSET` and `EMPTY` |
//! | `uuids` | UUIDs, without their constructor |

mod given;
pub mod library;
mod making;
mod marks;
mod uuids;

pub use given::Given;
pub use making::{Making, value};
pub use marks::Mark;
