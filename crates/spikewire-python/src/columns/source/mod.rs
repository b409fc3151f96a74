//! Records from columns: tables whose rows are encoded directly from their memory.
//!
//! | module | contents |
//! |---|---|
//! | `choice` | which columns become the key and the bins |
//! | `windows` | rows as batches, one piece of the table at a time |
//! | `cell` | one value and how it is encoded |
//! | `nested` | columns made of other columns |
//! | `arrow` | Arrow tables and streams |
//! | `numpy` | structured arrays |
//! | `frame` | pandas |
//! | `keys` | columns of keys |

mod arrow;
mod cell;
mod choice;
mod frame;
mod keys;
mod nested;
mod numpy;
mod windows;

use pyo3::prelude::*;

pub use arrow::Arrays;
pub use choice::{Choice, Table, open};
pub use frame::is_frame;
pub use keys::keys;
pub use windows::Windows;

use cell::Cells;

/// Some rows of a table: the values of each selected column.
struct Piece {
    rows: usize,
    columns: Vec<Box<dyn Cells>>,
}

/// The source of a table's rows. Called detached from the interpreter, because a producer may need
/// it in threads of its own.
trait Pieces: Send {
    fn next(&mut self) -> PyResult<Option<Piece>>;
}
