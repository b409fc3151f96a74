//! Records from columns: tables whose rows are encoded straight from their memory.
//!
//! | room | what |
//! |---|---|
//! | `choice` | which columns become the key and the bins |
//! | `windows` | rows as batches, one piece of the table at a time |
//! | `cell` | one value and how it is written |
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

/// Some rows of a table: of each chosen column its values.
struct Piece {
    rows: usize,
    columns: Vec<Box<dyn Cells>>,
}

/// Where the rows of a table come from. Called without the interpreter, as producers may need it
/// on threads of their own.
trait Pieces: Send {
    fn next(&mut self) -> PyResult<Option<Piece>>;
}
