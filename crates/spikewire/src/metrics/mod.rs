//! Metrics and state of a client: [`Client::stats`](crate::Client::stats), and the same for
//! Cassandra sessions.
//!
//! Metrics are disabled by default, which costs a command the check of a flag. When enabled, every
//! command is counted as it ends: by kind, namespace, node and result, with its latency.
//!
//! ```
//! # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
//! # let seeds = cluster.seeds();
//! let client = spikewire::Client::connect(seeds)?;
//! client.metrics().turn(true);
//! let users = client.dataset("test", "users")?;
//! users.put("alice", [("age", 28)])?;
//! users.get("nobody")?;
//! for (labels, totals) in client.stats().commands {
//!     let median = totals.latencies.quantile(0.5);
//!     println!("{} {}: {} in {median:?}", labels.operation, labels.result, totals.records);
//! }
//! # Ok::<(), spikewire::Error>(())
//! ```
//!
//! With the feature `tracing`, [`to_tracing`] forwards client events to the facade
//! [`tracing`](https://docs.rs/tracing): nodes, breakers, slow commands. With the feature
//! `metrics`, a [`Publisher`] passes metrics to the recorder of the facade
//! [`metrics`](https://docs.rs/metrics).

#[cfg(any(feature = "tracing", feature = "metrics"))]
mod bridge;
#[cfg(feature = "metrics")]
mod publisher;
#[cfg(feature = "tracing")]
mod tracing;

#[cfg(any(feature = "tracing", feature = "metrics"))]
pub use self::bridge::Bridge;
#[cfg(feature = "metrics")]
pub use self::publisher::Publisher;
#[cfg(feature = "tracing")]
pub use self::tracing::to_tracing;
pub use spikewire_transport::metrics::{
    Event, Events, Histogram, HotKey, Labels, Metrics, NearCacheStats, NodeStats, Observed,
    SlowCommand, Stage, Stats, Totals, bounds,
};
