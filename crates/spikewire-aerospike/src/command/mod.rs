//! Commands, independent of their driver: routing, retries, and whether a failed write may have
//! been applied.
//!
//! | module | what it holds |
//! |---|---|
//! | here | a command on its way |
//! | `spec` | what a command is besides record and operations: options, checked; its request |
//! | `rules` | time to live, generation, existence, read mode |
//! | [`parse`] | words, spans and counts that hosts read from arguments |
//! | `operations` | operations on their way into a request, and the host's values in them |
//! | `response` | what a reply means, and its bins on their way to the host's values |
//! | `set_ref` | a namespace and a set |
//! | `refusal` | why a command is not composed |
//! | `route` | which node it goes to |
//! | [`batch`] | many records in one call |
//! | [`blocking`] | commands of blocking callers |
//! | `execution` | a batch, for drivers of many commands |
//! | [`query`] | scans and index queries |
//! | `function` | a function that the cluster runs on records |

pub mod batch;
pub mod blocking;
mod execution;
mod function;
mod operations;
pub mod parse;
pub mod query;
mod refusal;
mod response;
mod retry;
mod route;
mod rules;
mod set_ref;
mod spec;

pub use execution::{BatchExecution, BatchOwner, BatchTicket};
pub use function::Function;
pub use operations::{
    OperationRef, Operations, Source, check_bin_name, check_index_bin, check_operand,
    check_read_name,
};
pub use refusal::{Refusal, RefusalClass};
pub use response::{Judgement, ResponseKind, Sink, judge_row, read_bins};
pub use retry::{MAX_RETRIES, RetryOptions, multiplier};
pub use route::{Aim, Router, Target};
pub use rules::{ExistsRule, GenerationRule, ReadMode, ReadTouch, Ttl};
pub use set_ref::SetRef;
pub use spec::{
    BinSelection, CommandDefaults, CommandSpec, Prepared, ReadOptions, ReadRules, WriteOptions,
    limits,
};

use spikewire_transport as transport;
pub use spikewire_transport::{Attempts, deadline};

use crate::error::Error;
use crate::options::ReplicaPolicy;

/// A request in progress, owned by the transport until its ticket is completed.
pub type Command<T> = transport::Command<Target, ReplicaPolicy, T>;

/// The failure of one attempt.
pub type Failure = transport::Failure<Error>;

/// What to do after a failed attempt.
pub type Verdict = transport::Verdict<Error>;
