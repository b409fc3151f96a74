//! Values by their types. What a type needs, what may not be sent and what arrives are written once;
//! the host languages say how their values are read ([`Source`]) and made ([`Sink`]).
//!
//! | module | what it holds |
//! |---|---|
//! | `source` | [`Source`]: a host's value, as something to send |
//! | `misfit` | [`Misfit`]: why it cannot be sent, and where |
//! | `encode` | [`encode()`]: the traversal, with all checks |
//! | `sink` | [`Sink`]: what makes a host's values |
//! | `decode` | [`decode()`]: the traversal |
//! | `vint` | integers of variable length, durations |
//! | `number` | [`Varint`] and [`Decimal`] |
//! | `fixed` | many numbers of one width at once |
//! | `own` | [`Value`], which is Rust's, and [`Values`], its sink |
//! | `rust` | Rust's other types as sources |

mod decode;
mod encode;
mod fixed;
mod misfit;
mod number;
mod own;
mod rust;
mod sink;
mod source;
mod vint;

pub use decode::decode;
pub use encode::{encode, encode_bound};
pub use fixed::Fixed;
pub use misfit::{Misfit, Place, Problem, Step};
pub use number::{Decimal, Varint, shortest};
pub use own::{Value, Values};
pub use rust::{Date, Time, Timestamp, Unset, Uuid};
pub use sink::{Elements, Entry, MapEntries, Sink};
pub use source::{Accept, AcceptEntries, Presence, Source, Unfit};
pub use vint::Duration;
