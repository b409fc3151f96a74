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

pub use self::arrow::{fill_keys, table_builder};
pub use self::numpy::{ArrayOptions, Filling, NewArray, QueryArray, to_numpy};
pub use self::pandas::to_pandas;
pub use self::rows::{extra_columns, row_error};
pub use crate::columns::{ArrowTable, arrow_error, errors, missing};
