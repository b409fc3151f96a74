//! Records as columns: values go from the wire straight into the memory of arrays.
//!
//! No language is in here: a binding says which columns it wants, hands over messages, and takes
//! the arrays.
//!
//! | module | what it holds |
//! |---|---|
//! | [`wire_value`] | one value on the wire, borrowed, with containers still packed |
//! | [`error`] | what may be wrong with a value, and in which row and column |
//! | [`extra`] | the columns that do not come from bins: key, generation, time to live |
//! | [`arrow`] | columns of Arrow arrays, with or without a schema |
//! | [`fixed`] | rows of fields with a fixed size, as in a structured array |
//! | [`cql`] | rows of CQL as Arrow columns |

#![forbid(unsafe_code)]

pub mod arrow;
pub mod cql;
pub mod error;
pub mod extra;
pub mod fixed;
mod parts;
pub mod wire_value;

pub use error::{ColumnError, ErrorClass, RowError};
pub use extra::ExtraColumns;
pub use wire_value::WireValue;
