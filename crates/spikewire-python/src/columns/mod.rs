//! Batches as columns: rows go directly from the wire into the memory of arrays, and back.
//!
//! The parts that do not need Python are in the crate `spikewire-columns`.
//!
//! | module | contents |
//! |---|---|
//! | `rows` | access to the rows of a batch, keyword arguments and exceptions |
//! | `numpy` | structured NumPy arrays |
//! | `arrow` | Arrow tables |
//! | `pandas` | pandas frames, from the same columns |
//! | `source` | the other direction: tables that become records |

mod arrow;
mod numpy;
mod pandas;
mod rows;
pub mod source;

pub use arrow::{ArrowTable, fill, fill_keys, refused, table_builder};
pub use numpy::{Filling, Layout, Library, Memory, NewArray, Strip, Wanted, to_numpy};
pub use pandas::{module, to_pandas};
pub use rows::{column_error, errors, extra_columns, missing, row_error, row_error_in_batch};
