//! A fast client for Aerospike: blocking, and as futures on any executor. With the feature
//! `cassandra`, the module `cql` has one for Apache Cassandra; the rest of this page is about
//! Aerospike.
//!
//! Commands share connections: commands of many threads or tasks at the same time are sent with one
//! system call, and their replies are received with one. There is no pool to size and no runtime
//! required.
//!
//! # Blocking
//!
//! A [`Client`] is connected once and used from any number of threads. A [`Dataset`] is a namespace
//! and one of its sets, and has the verbs.
//!
//! ```
//! use spikewire::{Client, Value, bins};
//!
//! # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
//! # let seeds = cluster.seeds();
//! // let seeds = "db1:3000,db2:3000";
//! let client = Client::connect(seeds)?;
//! let users = client.dataset("test", "users")?;
//!
//! users.put("alice", bins! { "name" => "Alice", "age" => 28 })?;
//! if let Some(alice) = users.get("alice")? {
//!     assert_eq!(alice.get("age"), Some(&Value::Int(28)));
//! }
//! users.add("alice", [("visits", 1)])?;
//! assert!(users.delete("alice")?);
//! # Ok::<(), spikewire::Error>(())
//! ```
//!
//! # Futures
//!
//! An [`AsyncClient`] has the same verbs as futures. They work on any executor, because a thread of
//! the client drives the connections:
//!
//! ```
//! use futures::executor::block_on;
//! use futures::future::try_join_all;
//! use spikewire::AsyncClient;
//!
//! # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
//! # let seeds = cluster.seeds();
//! block_on(async {
//!     let client = AsyncClient::connect(seeds).await?;
//!     let numbers = client.dataset("test", "numbers")?;
//!     // A thousand commands in flight.
//!     try_join_all((0..1000).map(|n| numbers.put(n, [("square", n * n)]))).await?;
//!     let record = numbers.get(30).await?.expect("it was just written");
//!     assert_eq!(record.get("square"), Some(&900.into()));
//!     spikewire::Result::Ok(())
//! })
//! # .unwrap();
//! ```
//!
//! A command is checked and encoded when the verb is called, and sent when its future is first
//! polled. Dropping the future discards the reply and affects no other command.
//!
//! # Tokio
//!
//! With the feature `tokio`, `AsyncClient::connect_tokio` drives the connections on the program's
//! runtime, without a thread and its context switches, which is the better choice there.
#![cfg_attr(feature = "tokio", doc = "```")]
#![cfg_attr(not(feature = "tokio"), doc = "```ignore")]
//! use spikewire::{AsyncClient, op};
//!
//! # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
//! # let seeds = cluster.seeds();
//! # tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(async {
//! let client = AsyncClient::connect_tokio(seeds).await?;
//! let pages = client.dataset("test", "pages")?;
//! let views = tokio::spawn(async move {
//!     let record = pages.operate("home", [op::add("views", 1), op::get("views")]).await?;
//!     spikewire::Result::Ok(record.get("views").cloned())
//! });
//! assert_eq!(views.await.unwrap()?, Some(1.into()));
//! # spikewire::Result::Ok(())
//! # }).unwrap();
//! ```
//!
//! # Keys, values, bins
//!
//! A [`Key`] is an integer, text or bytes; verbs accept anything that converts to one. [`Encode`]
//! lists what can be written to a bin; what is read from one is a [`Value`]. Bins to write are
//! pairs of a name and a value: an array, a vector, a map, or [`bins!`] if the types differ.
//!
//! # Operations and expressions
//!
//! [`op`] creates the steps of [`operate`](Dataset::operate), which are applied in order and
//! atomically: on whole bins, and on their contents with [`op::list`], [`op::map`], [`op::bit`] and
//! [`op::hll`], also nested ([`ctx`]). [`exp`] creates expressions, which the nodes compute from a
//! record: as filters and as values.
//!
//! ```
//! use spikewire::{CallOptions, Client, Order, Returning, Value, exp, op};
//!
//! # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
//! # let seeds = cluster.seeds();
//! # let client = Client::connect(seeds)?;
//! # let users = client.dataset("test", "users")?;
//! let record = users.operate(
//!     "alice",
//!     [
//!         op::list::append_items("log", ["in", "out"]),
//!         op::map::put("cart", "apples", 3).order(Order::Key),
//!         op::map::increment("cart", "pears", 2),
//!         op::map::get_by_rank("cart", -1).returning(Returning::Key),
//!     ],
//! )?;
//! let results: Vec<&Value> = record.bins.iter().map(|bin| &bin.value).collect();
//! assert_eq!(results, [&2.into(), &1.into(), &2.into(), &"apples".into()]);
//!
//! let apples = exp::map::get_by_key(exp::bin("cart"), "apples");
//! let hungry = users.with(CallOptions::new().filter(apples.lt(3)));
//! assert!(hungry.get("alice")?.is_none());
//! # Ok::<(), spikewire::Error>(())
//! ```
//!
//! # Many records in one call
//!
//! [`get_many`](Dataset::get_many) and similar verbs take many keys and return a [`Batch`]: one
//! result per key, in input order. Each node gets its part in one request, all at the same time. A
//! row that fails does not affect the others.
//!
//! # Queries
//!
//! [`Client::query`] and [`Dataset::query`] create a [`Query`]: a scan, or the records that a
//! secondary index finds, filtered and projected by the nodes. Its [`records`](Query::records) are
//! an iterator (a stream on an [`AsyncClient`]) that is read at the caller's pace; its
//! [`pages`](Query::pages) have cursors with which another process can continue. Each record is
//! returned once, even if nodes fail in the meantime. [`operate_all`](Query::operate_all),
//! [`delete_all`](Query::delete_all), [`touch_all`](Query::touch_all) and
//! [`apply_all`](Query::apply_all) make the nodes change the records of a query.
//!
//! [`Client::indexes`] manages the secondary indexes, [`Client::modules`] the modules of Lua
//! functions that [`apply`](Dataset::apply) and [`apply_all`](Query::apply_all) call. With the
//! feature `aggregate`, `Query::aggregate` reduces the records of a query with such a function.
//!
//! # Options
//!
//! [`Client::builder`] sets the options of a client. [`CallOptions`] override them for one call, or
//! for all calls through one dataset:
//!
//! ```
//! use std::time::Duration;
//! use spikewire::{CallOptions, Client, Exists};
//!
//! # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
//! # let seeds = cluster.seeds();
//! let client = Client::builder().timeout(Duration::from_millis(200)).connect(seeds)?;
//!
//! // Every session written through this lives for half an hour.
//! let half_an_hour = CallOptions::new().ttl(Duration::from_secs(1800));
//! let sessions = client.dataset("test", "sessions")?.with(half_an_hour);
//! sessions.put(7, [("user", "alice")])?;
//!
//! // Written only if it was not changed meanwhile.
//! let session = sessions.get(7)?.expect("it was just written");
//! let unchanged = CallOptions::new().generation(session.generation).exists(Exists::Update);
//! sessions.with(unchanged).put(7, [("user", "bob")])?;
//! # Ok::<(), spikewire::Error>(())
//! ```
//!
//! # Security
//!
//! [`Builder::credentials`] authenticates with every node, and [`Builder::tls`] encrypts every
//! connection (feature `tls`, enabled by default). No message or debug output of this crate
//! contains a password. [`Client::users`] and [`Client::roles`] manage users and their permissions.
//!
//! # Errors
//!
//! There is one [`Error`]. Its [`kind`](Error::kind) is the class of failure, and its message
//! describes what happened. For a failed write, [`in_doubt`](Error::in_doubt) says whether it may
//! have been applied nevertheless. Reads, and writes that have not left this machine, are retried
//! within the command's timeout; writes in doubt only on request ([`Builder::retry_in_doubt`]).
//!
//! ```
//! use spikewire::{CallOptions, Client, Exists, Kind, ResultCode};
//!
//! # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
//! # let seeds = cluster.seeds();
//! # let client = Client::connect(seeds)?;
//! # let users = client.dataset("test", "users")?;
//! users.put("alice", [("age", 28)])?;
//! match users.with(CallOptions::new().exists(Exists::Create)).put("alice", [("age", 1)]) {
//!     Ok(()) => unreachable!("she is there already"),
//!     Err(error) => match error.kind() {
//!         Kind::Server(ResultCode::RECORD_EXISTS) => {}
//!         Kind::Timeout if error.in_doubt() => panic!("perhaps written: {error}"),
//!         _ => return Err(error),
//!     },
//! }
//! # Ok::<(), spikewire::Error>(())
//! ```
//!
//! A missing record is not an error for [`get`](Dataset::get), [`exists`](Dataset::exists) and
//! [`delete`](Dataset::delete). Invalid input fails with [`Kind::Invalid`] before anything is sent;
//! nothing is truncated or rounded.
//!
//! # Recordings
//!
//! [`Client::record`] keeps a sample of live traffic without keys and values ([`recording`]);
//! `spikewire lab rehearse` sends the like to another cluster at several times the rate.
//!
//! # Threads
//!
//! | client | what reads and writes the sockets |
//! |---|---|
//! | [`Client`] | the calling thread itself; of many callers, one leads and serves the others |
//! | [`AsyncClient::connect`] | a background thread, or several ([`Builder::threads`]) |
//! | `AsyncClient::connect_tokio` | tasks on the runtime, one for each of its threads, at most 4 |
//!
//! A query has dedicated connections, which are read by the caller that takes its records. With
//! [`AsyncClient::connect`], one thread for all queries wakes the tasks that wait for records.
//!
//! Every client has one more thread, the cluster worker, which keeps track of the cluster. All
//! types are `Send` and `Sync`, and cheap to clone. Connections are closed when the last clone,
//! dataset and future is dropped, or by `close`: then whatever is waiting fails with
//! [`Kind::Closed`].

// docs.rs says of each item which feature it needs.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
// The tokio driver registers a descriptor that it owns with the runtime; nothing else is unsafe.
#![cfg_attr(not(feature = "tokio"), forbid(unsafe_code))]
#![cfg_attr(feature = "tokio", deny(unsafe_code))]

mod aerospike;
#[cfg(feature = "cassandra")]
pub mod cql;
mod driving;
pub mod metrics;
pub mod recording;
mod seeds;
mod setting_text;
#[cfg(feature = "tracing")]
mod span_end;

pub use aerospike::*;
pub use seeds::Seeds;
pub use spikewire_aerospike::command::{ExistsRule as Exists, ReadMode, ReadTouch, Ttl};
pub use spikewire_aerospike::{
    Auth, Backoff, CommitLevel, DetailLevel, Error, ErrorDetails, Hedge, Kind, Pem, ReplicaPolicy,
    Result, RevocationCheck, ShareReads, Tls, TlsError, TlsOptions,
};
pub use spikewire_aerospike_protocol::error_details::trace as error_trace;
pub use spikewire_aerospike_protocol::error_details::{Subcode, subcode};
pub use spikewire_aerospike_protocol::result_code::ResultCode;
pub use spikewire_aerospike_protocol::value::Value;
pub use spikewire_transport::Priority;

/// Bins of different types for verbs that write, without wrapping each in a [`Value`].
///
/// ```
/// # use spikewire::bins;
/// let tags = vec![spikewire::Value::from("a")];
/// let bins = bins! { "name" => "Alice", "age" => 28, "tags" => tags };
/// # assert_eq!(bins.len(), 3);
/// ```
#[macro_export]
macro_rules! bins {
    ($($name:expr => $value:expr),* $(,)?) => {
        [$(($name, &$value as &dyn $crate::Encode)),*]
    };
}

/// The documentation page about Rust, whose examples have to compile.
#[cfg(all(doctest, feature = "cassandra", feature = "metrics", feature = "tracing"))]
#[doc = include_str!("../../../docs/rust.md")]
struct PageAboutRust;

/// The documentation page about Cassandra in Rust, whose examples have to compile.
#[cfg(all(doctest, feature = "cassandra"))]
#[doc = include_str!("../../../docs/rust-cassandra.md")]
struct PageAboutCassandra;

/// The documentation page with one program in every language; the Rust one is run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/side-by-side.md")]
struct PageSideBySide;
