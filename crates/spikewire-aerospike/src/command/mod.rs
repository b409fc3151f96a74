//! Commands, independent of their driver: requests, replies, batches.
//!
//! | module | what it holds |
//! |---|---|
//! | here | a command on its way |
//! | `spec` | what a command is besides record and operations: options, checked; its request |
//! | `operations` | operations on their way into a request, and the host's values in them |
//! | `response` | what a reply means, and its bins on their way to the host's values |
//! | `row_kind` | what is done to the records of a batch's rows |
//! | `set_ref` | a namespace and a set |
//! | [`batch`] | many records in one call |
//! | [`blocking`] | commands of blocking callers |
//! | `rounds` | the rounds of a batch, on the calling thread |
//! | `execution` | a batch, for drivers of many commands |
//! | `near` | commands on one record that the near cache answers or has to know of |
//! | `refresh` | the thread that keeps the near cache current |
//! | `function` | a function that the cluster runs on records |

pub mod batch;
pub mod blocking;
mod execution;
mod function;
mod near;
mod operations;
mod refresh;
mod response;
mod rounds;
mod row_kind;
mod set_ref;
mod spec;

pub use execution::{BatchExecution, BatchOwner, BatchTicket};
pub use function::Function;
pub use near::{CachedReply, NearLookup, look_up};
pub use operations::{
    OperationRef, Operations, OwnedOperation, Source, check_bin_name, check_index_bin,
    check_operand, check_read_name, code_of,
};
pub use response::{Judgement, ResponseKind, ResponseOutcome, Sink, judge_row, read_bins};
pub use set_ref::SetRef;
pub use spec::{
    BinSelection, CommandDefaults, CommandSpec, Prepared, ReadOptions, ReadRules, WriteOptions,
    limits,
};

use spikewire_transport as transport;
pub use spikewire_transport::{Attempts, deadline};

use crate::model::{Error, ReplicaPolicy};
pub use crate::model::{
    ExistsRule, GenerationRule, InvalidArgument, InvalidArgumentClass, MAX_RETRIES, ReadMode,
    ReadTouch, RetryOptions, Ttl, multiplier, multiplier_of, parse,
};
pub use crate::route::{Aim, Router, Target};

/// A request in progress, owned by the transport until its ticket is completed.
pub type Command<T> = transport::Command<Target, ReplicaPolicy, T>;

/// The failure of one attempt.
pub type Failure = transport::Failure<Error>;

/// What to do after a failed attempt.
pub type Verdict = transport::Verdict<Error>;
