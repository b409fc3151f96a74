//! The Spikewire engine for Aerospike: everything between a composed request and its reply.
//!
//! | room | what it holds |
//! |---|---|
//! | [`cluster`] | seeds, the tender, nodes, the partition map: one immutable snapshot, shared |
//! | [`transport`] | multiplexed connections and the drivers that turn them |
//! | [`admin`] | info, indexes, modules, jobs: state machines without I/O, and what runs them |
//! | [`command`] | what a command is: routing, retries, doubt; the same for every driver |
//! | `framing` | Aerospike's frames, for what opens connections |
//! | `security` | encryption and logging in, at every node |
//! | `options`, `client_options` | how it behaves; the options by name, with their bounds |
//! | `error`, [`clock`] | what can go wrong, what time it is |
//! | `hedging` | second requests for reads whose answer is late |
//! | `name` | names that travel inside other text, checked |
//!
//! It does not depend on any host language, and the protocol crate does not depend on it.

#![forbid(unsafe_code)]

pub mod admin;
mod client_options;
pub mod cluster;
pub mod command;
mod error;
mod framing;
mod hedging;
mod name;
mod options;
mod security;
pub mod transport;

pub use spikewire_transport::clock;

pub use client_options::{ClientOptions, OptionValue};
pub use error::{Error, Kind, Result};
pub use hedging::{Hedge, Hedging};
pub use name::Name;
pub use options::{Backoff, Options, Policy, ReplicaPolicy};
pub use security::{Auth, Credentials, Login, Secret};
pub use spikewire_transport::tls::{Pem, Tls, TlsError, TlsOptions};
