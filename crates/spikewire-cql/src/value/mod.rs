//! Encoding and decoding of values. All rules about types are in one place; host languages define
//! how their values are read ([`Source`]) and created ([`Sink`]).
//!
//! | module | contents |
//! |---|---|
//! | `source` | [`Source`]: a host's value to be sent |
//! | `encode_error` | [`EncodeError`]: why it cannot be sent, and where the problem is |
//! | `encode` | [`encode()`]: the traversal, with all checks |
//! | `sink` | [`Sink`]: creates a host's values |
//! | `decode` | [`decode()`]: the traversal |
//! | `vint` | variable-length integers, and durations |
//! | `number` | [`Varint`] and [`Decimal`] |
//! | `order` | the order of sets and maps on servers |
//! | [`calendar`] | dates, and days since 1970-01-01 |
//! | `fixed` | bulk decoding of fixed-width numbers |
//! | `any` | [`Value`], a value of any type, and [`Values`], its sink |
//! | `rust` | other Rust types as sources |

mod any;
pub mod calendar;
mod decode;
mod encode;
mod encode_error;
mod fixed;
mod number;
mod order;
mod rust;
mod sink;
mod source;
mod vint;

pub use any::{Value, Values};
pub use decode::decode;
pub use encode::{encode, encode_bound};
pub use encode_error::{EncodeError, Place, Problem, Step};
pub use fixed::Fixed;
pub use number::{Decimal, Varint, shortest, to_i64};
pub use order::{has_order, in_order};
pub use rust::{Date, Time, Timestamp, Unset, Uuid};
pub use sink::{Elements, Entry, MapEntries, Sink, not_utf8};
pub use source::{Accept, AcceptEntries, Presence, Source, Unfit, single};
pub use vint::Duration;
