//! Canned replies over Cassandra's native protocol, versions 4 and 5: a server that costs next to
//! nothing, for measuring clients. It is not a database. Tables can be created, and statements
//! prepared and executed, but nothing is stored: writes are acknowledged, and reads return made-up
//! rows.
//!
//! ```
//! use spikewire_cql_server::{Options, Server};
//!
//! let server = Server::start(&Options::default())?;
//! println!("connect to {}", server.address());
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! It is a single node that owns the whole ring. `system.local`, `system.peers_v2` and the tables
//! of `system_schema` say so, and describe the tables that were created, so that drivers can
//! connect. A SELECT with the whole primary key returns one row, whose key columns hold the
//! requested values; any other SELECT returns [`Options::rows`] rows in pages. There are no
//! conditional writes, functions, passwords, TLS or events; anything not understood is rejected.
//! The server can be divided into shards ([`Sharded`]), whose traffic it counts, and then speaks
//! Scylla's extensions of version 4 if asked to.
//!
//! | module | contents |
//! |---|---|
//! | `server` | the listening socket, and a thread per connection |
//! | `shards` | a sharded server, like Scylla |
//! | `tablets` | parts of tables that move between shards |
//! | `conversation` | a connection without its socket: bytes in, replies out |
//! | `catalog` | keyspaces, tables and prepared statements |
//! | `table` | a table and its columns |
//! | `system` | system tables about the node and the schema |
//! | `statement` | a resolved statement: its markers, columns and answer |
//! | `canned` | made-up rows |
//! | `text` | parsing statements |

#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
#![forbid(unsafe_code)]

mod canned;
mod catalog;
mod conversation;
mod server;
mod shards;
mod statement;
mod system;
mod table;
mod tablets;
mod text;

pub use server::{Options, Server};
pub use shards::{ShardAwarePort, Sharded, Traffic};
