//! Canned replies over Cassandra's native protocol, versions 4 and 5: what is left of a server when
//! clients are to be measured and not the server. It is no database. Tables can be made, statements
//! prepared and executed, but nothing is stored: a write is answered as done, a read with rows that
//! the server makes up.
//!
//! ```
//! use spikewire_cql_server::{Options, Server};
//!
//! let server = Server::start(&Options::default())?;
//! println!("connect to {}", server.address());
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! It is one node that owns the whole ring. `system.local`, `system.peers_v2` and the tables of
//! `system_schema` say so, so that drivers connect, and know the tables that were made. A SELECT that
//! names the whole primary key gets one row, in which the columns of the key hold what was asked for;
//! any other SELECT gets [`Options::rows`] rows, page by page. There are no conditional writes, no
//! functions, no passwords, no TLS and no events; what is not understood is refused. It can be divided
//! into shards ([`Sharded`]): then it counts what comes to each.
//!
//! | module | what it holds |
//! |---|---|
//! | `server` | the socket that listens, and a thread for each connection |
//! | `shards` | a server that is divided, as those of Scylla are |
//! | `conversation` | one connection without its socket: bytes in, replies out |
//! | `catalog` | keyspaces, tables and prepared statements |
//! | `table` | a table and its columns |
//! | `system` | what clients ask about the node and the schema |
//! | `statement` | a statement with its tables looked up: its markers, its columns, its answer |
//! | `canned` | rows that are made up |
//! | `text` | statements as texts |

#![forbid(unsafe_code)]

mod canned;
mod catalog;
mod conversation;
mod server;
mod shards;
mod statement;
mod system;
mod table;
mod text;

pub use server::{Options, Server};
pub use shards::{ShardAwarePort, Sharded, Traffic};
