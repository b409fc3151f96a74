//! What a command is, whatever drives it: where it goes, when it is tried again, and whether a
//! failed write may have been applied.
//!
//! | module | what it holds |
//! |---|---|
//! | here | a command on one record |
//! | `route` | which node it goes to |
//! | [`batch`] | many records in one call |
//! | `underway` | a batch, for drivers of many commands |
//! | [`query`] | scans and index queries |
//! | `function` | a function that the cluster runs on records |

pub mod batch;
mod function;
pub mod query;
mod route;
mod underway;

pub use function::Function;
pub use route::{Aim, Router, Target};
pub use underway::{Step, Underway};

use spikewire_transport as transport;
pub use spikewire_transport::{Attempts, deadline};

use crate::error::Error;
use crate::options::ReplicaPolicy;

/// A request on its way, owned by the transport until its ticket is completed.
pub type Command<T> = transport::Command<Target, ReplicaPolicy, T>;

/// How one attempt ended badly.
pub type Failure = transport::Failure<Error>;

/// What follows a failed attempt.
pub type Verdict = transport::Verdict<Error>;
