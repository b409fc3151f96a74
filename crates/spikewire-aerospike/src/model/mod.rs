//! What describes calls and their errors, without nodes and connections: the lowest room.
//!
//! | file | what it holds |
//! |---|---|
//! | `options` | how a client and its calls behave: limits, policies |
//! | `parse`, `rules`, `retry` | options as hosts have them: keywords, times, counts; their bounds |
//! | `hedging` | second requests for reads whose reply is late |
//! | `login` | who logs in and how |
//! | `error` | what can go wrong |
//! | `invalid_argument` | why a call is not composed |
//! | `name` | names that travel inside other text, checked |

mod error;
mod hedging;
mod invalid_argument;
mod login;
mod name;
mod options;
pub mod parse;
mod retry;
mod rules;

pub use error::{Error, Kind, Result};
pub use hedging::{Hedge, Hedging};
pub use invalid_argument::{InvalidArgument, InvalidArgumentClass};
pub use login::{Auth, Login, Secret};
pub use name::Name;
pub use options::{Backoff, Options, Policy, ReplicaPolicy};
pub use retry::{MAX_RETRIES, RetryOptions, multiplier};
pub(crate) use rules::write_header;
pub use rules::{ExistsRule, GenerationRule, ReadMode, ReadTouch, Ttl};
