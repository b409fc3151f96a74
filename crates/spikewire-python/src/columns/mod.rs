//! Batches as columns: rows go from the wire straight into the memory of arrays, and back.
//!
//! | room | what |
//! |---|---|
//! | `item` | one value on the wire, as columns read it |
//! | `trouble` | what may be wrong with a value, a row or an option |
//! | `rows` | the rows of a batch as columns walk them |
//! | `numpy` | structured NumPy arrays |
//! | `arrow` | Arrow tables |
//! | `pandas` | pandas frames, from the same columns |
//! | `source` | the way in: tables that become records |

mod arrow;
mod item;
mod numpy;
mod pandas;
mod rows;
pub mod source;
mod trouble;

pub use arrow::{ArrowTable, Columns, Shelf, refused};
pub use item::Item;
pub use numpy::{Filling, Strip, Wanted, get_numpy, to_numpy};
pub use pandas::to_pandas;
pub use rows::{Extra, Stop, errors, missing};
