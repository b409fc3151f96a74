//! Recordings of live traffic: what kinds of calls there were, when, how large and how they ended.
//! No keys, no values and no names of bins, sets or namespaces; equal records have equal numbers
//! within one recording only. Queries and jobs are not recorded.
//!
//! ```
//! use spikewire::Client;
//! use spikewire::recording::{RecordOptions, Trace};
//!
//! # let cluster = spikewire_aerospike_server::Cluster::start(Default::default()).unwrap();
//! # let seeds = cluster.seeds();
//! # let client = Client::connect(seeds)?;
//! # let path = std::env::temp_dir().join(format!("spikewire-{}.trace", std::process::id()));
//! // let path = "evening.trace";
//! let options = RecordOptions { share: 1.0, ..RecordOptions::default() };
//! let recording = client.record(&path, options)?;
//! client.dataset("test", "users")?.put("alice", [("age", 28)])?;
//! assert_eq!(recording.stop()?.calls, 1);
//!
//! let trace = Trace::read(&path, false)?;
//! assert_eq!(trace.labels[trace.calls.operation[0] as usize], "put");
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Calls never wait for a recording: what its thread cannot keep up with is left out and counted
//! ([`RecordingSummary::dropped`]).

pub use spikewire_aerospike::recording::{
    Calls, RecordError, RecordOptions, Recording, RecordingState, RecordingSummary, Trace,
    TraceError,
};
