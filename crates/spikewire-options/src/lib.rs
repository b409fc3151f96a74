//! Options by name: how engines read the values of a host language, with their bounds and the error
//! messages for invalid ones. What an option means is in the crate that has it.
//!
//! | module | contents |
//! |---|---|
//! | `value` | the value of an option in a host language |
//! | `bounds` | bounds of counts and durations by the name of the option |
//! | `literal` | values without a host language: from URLs, variables and files |
//! | [`opening`] | which options a client is opened with, and where each comes from |
//! | [`parse`] | counts, durations and keywords, checked |
//! | `percentile` | percentiles of latencies by name |
//! | `secret`, `credentials` | passwords, and the users they go with |
//! | `invalid_argument` | why a value is rejected |

#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
#![forbid(unsafe_code)]

mod bounds;
mod credentials;
mod invalid_argument;
mod literal;
pub mod opening;
pub mod parse;
mod percentile;
mod secret;
mod value;

pub use bounds::Bounds;
pub use credentials::check_credentials;
pub use invalid_argument::{InvalidArgument, InvalidArgumentClass};
pub use literal::Literal;
pub use percentile::{percentile, percentile_of};
pub use secret::Secret;
pub use value::{Form, OptionValue};
