//! Lua functions on records and on streams of records, in a sandbox with limits on time and memory.
//!
//! The embedded cluster runs them on its nodes; a client runs the reduce stage of an aggregation
//! over what the nodes sent. A [`Library`] holds the registered modules; a [`Machine`] has them
//! loaded, for one thread. Lua code sees [`record`] objects and the `aerospike` object that stores
//! them, the types `list`, `map`, `bytes` and `geojson`, and streams; the modules document them. Of
//! Lua's own libraries it has the parts that cannot reach out of the sandbox: `string`, `table`,
//! `math`, `utf8`, and the clock of `os`.
//!
//! | module | contents |
//! |---|---|
//! | `library`, `machine` | registered modules; running their functions |
//! | `sandbox`, `bounds` | what Lua code can access, and its limits |
//! | `pace` | how often running code is checked |
//! | `bytecode` | compiled code without to-be-closed variables |
//! | `costly` | library functions whose work grows with their arguments |
//! | `strings`, `pattern`, `tables` | replacements of Lua library functions that can be interrupted |
//! | [`record`], `stream` | records and streams as Lua code sees them |
//! | `value` | values as Lua code holds them, and their conversion |
//! | `types` | the operations of Lua code on lists, maps, bytes and `GeoJSON` |
//! | `failure` | why a function failed |

#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
#![forbid(unsafe_code)]

mod bounds;
mod bytecode;
mod costly;
mod failure;
mod library;
mod machine;
mod pace;
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
