//! Lua functions on records and on streams of records, in a sandbox with bounds on time and
//! memory.
//!
//! The embedded cluster runs them where the records are; a client runs the reduce stage of an
//! aggregation over what the nodes sent. A [`Library`] holds the registered modules; a [`Machine`]
//! has them loaded, for one thread. What Lua code sees stands in the modules: [`record`] objects
//! and the `aerospike` object that stores them, the types `list`, `map`, `bytes` and `geojson`, and
//! streams. Lua's own libraries are there as far as they cannot reach out: `string`, `table`,
//! `math`, `utf8`, and the clock of `os`.
//!
//! | module | what it holds |
//! |---|---|
//! | `library`, `machine` | registered modules; what runs their functions |
//! | `sandbox`, `bounds` | what Lua code cannot reach, and how much it may use |
//! | `strings`, `pattern`, `tables` | functions of Lua's libraries that can be ended like Lua code |
//! | [`record`], `stream` | records and streams as Lua code sees them |
//! | `value` | values as Lua code holds them, on the way to Lua and back |
//! | `types` | what Lua code can do with lists, maps, bytes and `GeoJSON` |
//! | `failure` | why a function gave no result |

#![forbid(unsafe_code)]

mod bounds;
mod failure;
mod library;
mod machine;
mod pattern;
pub mod record;
mod sandbox;
mod stream;
mod strings;
mod tables;
mod types;
mod value;

pub use bounds::Limits;
pub use failure::Failure;
pub use library::{CompileError, Library, check};
pub use machine::Machine;
pub use record::Record;
pub use stream::{Pipeline, Side};
