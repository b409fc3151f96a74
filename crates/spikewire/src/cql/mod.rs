//! A client for Apache Cassandra and compatible databases with versions 4 and 5 of the native
//! protocol: blocking, and as futures on any executor.
//!
//! Statements share connections, like commands of the other client: requests from many threads or
//! tasks at the same time are sent with one system call, and prepared statements go to a node that
//! holds the row.
//!
//! ```no_run
//! use spikewire::cql::Session;
//!
//! let session = Session::builder().keyspace("shop").connect("db1,db2")?;
//! let insert = session.prepare("INSERT INTO items (id, name) VALUES (?, ?)")?;
//! session.execute(&insert, (1, "pear"))?;
//!
//! let result = session.execute("SELECT name FROM items WHERE id = ?", (1,))?;
//! if let Some((name,)) = result.first::<(String,)>()? {
//!     println!("{name}");
//! }
//! for row in session.query("SELECT id, name FROM items", ())? {
//!     let (id, name): (i32, Option<String>) = row?.read()?;
//!     println!("{id} {name:?}");
//! }
//! # Ok::<(), spikewire::cql::Error>(())
//! ```
//!
//! # Futures
//!
//! [`AsyncSession`] has the same verbs as futures, on any executor; with the feature `tokio`,
//! `AsyncSession::connect_tokio` drives the connections on the runtime of the program.
//!
//! ```no_run
//! use futures::future::try_join_all;
//! use spikewire::cql::AsyncSession;
//!
//! # async fn example() -> spikewire::cql::Result<()> {
//! let session = AsyncSession::connect("db1").await?;
//! let insert = session.prepare("INSERT INTO shop.items (id, name) VALUES (?, ?)").await?;
//! // A thousand statements in flight.
//! try_join_all((0..1000).map(|id| session.execute(&insert, (id, "pear")))).await?;
//! let mut rows = session.query("SELECT id FROM shop.items", ()).await?;
//! while let Some(row) = rows.next().await {
//!     let id: i32 = row?.get("id")?;
//!     println!("{id}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # Values
//!
//! [`ToValue`] lists what can be bound, [`FromValue`] how columns can be read. Values are bound by
//! position, as tuples or slices, or by name with [`named!`](crate::named):
//!
//! ```no_run
//! use spikewire::{cql::Session, named};
//!
//! # fn example(session: &Session) -> spikewire::cql::Result<()> {
//! let insert = session.prepare("INSERT INTO shop.items (id, name) VALUES (?, ?)")?;
//! session.execute(&insert, named! { "id" => 2, "name" => None::<&str> })?;
//! # Ok(())
//! # }
//! ```
//!
//! A user-defined type is a struct with [`fields!`](crate::fields), or a [`Value`].
//!
//! # Errors
//!
//! There is one [`Error`] type: its [`kind`](Error::kind), the error of the
//! [`server`](Error::server) with its details, the [`node`](Error::node), the number of
//! [`attempts`](Error::attempts), and whether a failed write may nevertheless have been applied:
//! [`in_doubt`](Error::in_doubt). Invalid input fails with [`Kind::Invalid`] before anything is
//! sent.
//!
//! | module | contents |
//! |---|---|
//! | `builder`, `call_options` | the options of a session, and of a statement |
//! | `blocking`, `asynchronous` | the two APIs |
//! | `prepared`, `bind`, `batch` | statements, their values, several in one request |
//! | `result`, `row` | results and rows |
//! | `value` | values as Rust types |
//! | `fields` | structs as user-defined types and rows |
//! | `cluster` | nodes |

mod asynchronous;
mod batch;
mod bind;
mod blocking;
mod builder;
mod call_options;
mod cluster;
mod fields;
mod opening;
mod prepared;
mod result;
mod row;
mod span;
mod tuples;
mod value;

pub use asynchronous::{AsyncSession, PageStream, RowStream};
pub use batch::Batch;
pub use bind::{Named, Values};
pub use blocking::{PageIter, RowIter, Session};
pub use builder::Builder;
pub use call_options::CallOptions;
pub use cluster::Node;
pub use opening::Opening;
pub use prepared::{Prepared, Statement};
pub use result::{QueryResult, Rows};
pub use row::{ColumnIndex, FromRow, Row};
pub use spikewire_cassandra::authenticator::{Authenticator, Conversation};
pub use spikewire_cassandra::cluster::schema::{
    ColumnKind, ColumnSchema, Index, Keyspace, Schema, Table, TableOption, UserAggregate,
    UserFunction, View,
};
pub use spikewire_cassandra::{Error, Kind, Result};
pub use spikewire_cql::consistency::Consistency;
pub use spikewire_cql::response::error::details::{Failures, LimitedOperation, Replicas};
pub use spikewire_cql::response::schema::{Change, SchemaChange, Target};
pub use spikewire_cql::response::{Code, Column, Details, ServerError, WriteType};
pub use spikewire_cql::types::{Type, Udt, Vector};
pub use spikewire_cql::value::{
    Accept, AcceptEntries, Date, Decimal, Duration, Elements, EncodeError, MapEntries, Presence,
    Source, Time, Timestamp, Unfit, Unset, Uuid, Value, Varint,
};
pub use spikewire_cql::version::Version;
pub use spikewire_transport::Priority;
pub use spikewire_transport::tls::{Pem, RevocationCheck, Tls, TlsError, TlsOptions};
pub use value::{As, FromValue, ToValue, Unreadable};
