//! The Spikewire engine for Aerospike: everything between a composed request and its reply.
//!
//! Rooms, from the lowest to the highest; each uses only those above it in this table:
//!
//! | room | what it holds |
//! |---|---|
//! | [`model`] | options, policies, errors, names: no nodes, no connections |
//! | `security` | encryption and logging in, at every node |
//! | `near_cache` | replies for keys that are hot, without sockets |
//! | `compression` | compressed requests and replies |
//! | `marks` | flags by which requests say how they are sent, and what replies are to say |
//! | `framing` | Aerospike's frames: where they end, what they mean, the handshake |
//! | [`cluster`] | seeds, the cluster worker, nodes, the partition map: one immutable snapshot, shared |
//! | `route` | which node a command goes to |
//! | [`query`] | scans and index queries, without I/O: options, progress, cursors |
//! | [`transport`] | multiplexed connections and the drivers that turn them; streams of records |
//! | [`command`] | requests and replies, single or in batches; the same for every driver |
//! | [`transaction`] | transactions over several records: state machines without I/O |
//! | [`admin`] | info, indexes, modules, jobs: state machines without I/O, and what runs them |
//! | `aggregation`, `background_job` | queries that end in one value; queries that change records |
//! | [`recording`] | traces of live traffic, to send the like to another cluster |
//! | `opening` | connecting to a cluster, with connections that are ready |
//! | `client_options` | the options by name, with their bounds |
//! | `url_scheme` | the options in URLs and environment variables |
//!
//! It does not depend on any host language, and the protocol crate does not depend on it.

#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
#![forbid(unsafe_code)]

pub mod admin;
#[cfg(feature = "aggregate")]
pub mod aggregation;
pub mod background_job;
mod client_options;
pub mod cluster;
pub mod command;
mod compression;
mod framing;
mod marks;
pub mod model;
mod near_cache;
mod opening;
pub mod query;
pub mod recording;
mod route;
mod security;
pub mod transaction;
pub mod transport;
mod url_scheme;

pub use spikewire_transport::clock;

pub use client_options::ClientOptions;
pub use model::{
    Auth, Backoff, CommitLevel, Error, Hedge, Hedging, Kind, Login, Name, NearCacheOptions,
    Options, Policy, ReplicaPolicy, Result, Secret, ShareReads,
};
pub use opening::connect;
pub use security::Credentials;
pub use spikewire_aerospike_protocol::error_details::{DetailLevel, ErrorDetails};
pub use spikewire_transport::tls::{Pem, RevocationCheck, Tls, TlsError, TlsOptions};
pub use url_scheme::{URL_SCHEME, UrlChecks};
