//! Records as columns: values are decoded from the wire directly into the memory of arrays, and
//! encoded directly from it.
//!
//! This crate is independent of any host language: a binding chooses the columns, passes in
//! messages, and takes the arrays.
//!
//! | module | contents |
//! |---|---|
//! | [`wire_value`] | a value on the wire, borrowed, with containers still packed |
//! | [`error`] | errors in a value, with row and column |
//! | [`extra`] | columns that do not come from bins: key, generation, time to live |
//! | [`arrow`] | Arrow arrays from records, with or without a schema |
//! | [`fixed`] | rows of fixed-size fields, as in a NumPy structured array |
//! | [`cql`] | CQL rows as Arrow columns, and Arrow columns as values of statements |
//! | [`source`] | columns as the source of records |

#![cfg_attr(not(test), warn(clippy::panic, clippy::unwrap_used))]
#![forbid(unsafe_code)]

pub mod arrow;
pub mod cql;
pub mod error;
pub mod extra;
pub mod fixed;
mod parts;
pub mod source;
pub mod wire_value;

pub use error::{ColumnError, ErrorClass, RowError};
pub use extra::ExtraColumns;
pub use wire_value::{WireValue, stored_row};
