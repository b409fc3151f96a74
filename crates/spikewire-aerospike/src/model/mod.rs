//! What describes calls and their errors, without nodes and connections: the lowest room.
//!
//! | file | what it holds |
//! |---|---|
//! | `options` | how a client and its calls behave: limits, policies |
//! | `parse`, `rules`, `retry` | options of calls as hosts have them: keywords and rules; their bounds |
//! | `hedging` | second requests for reads whose reply is late |
//! | `login` | who logs in and how |
//! | `error` | what can go wrong |
//! | `name` | names that travel inside other text, checked |

mod error;
mod hedging;
mod login;
mod name;
mod options;
pub mod parse;
mod retry;
mod rules;

pub use error::{Error, Kind, Result};
pub use hedging::{Hedge, Hedging};
pub use login::{Auth, Login};
pub use name::Name;
pub use options::{Backoff, NearCacheOptions, Options, Policy, ReplicaPolicy, ShareReads};
pub use retry::{CommitLevel, MAX_RETRIES, RetryOptions, multiplier, multiplier_of};
pub(crate) use rules::write_header;
pub use rules::{ExistsRule, GenerationRule, ReadMode, ReadTouch, Ttl};
pub use spikewire_options::{InvalidArgument, InvalidArgumentClass, Secret};
