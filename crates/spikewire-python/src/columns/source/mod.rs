//! Tables whose cells are read directly from their memory.
//!
//! | module | contents |
//! |---|---|
//! | [`arrow`] | Arrow tables and streams |
//! | [`numpy`] | structured arrays |
//! | [`frame`] | pandas |

pub mod arrow;
pub mod frame;
pub mod numpy;

use pyo3::prelude::*;

pub use arrow::Arrays;
pub use frame::is_frame;

use spikewire_columns::source::Cells;

/// Some rows of a table: the values of each selected column.
pub struct Piece {
    pub rows: usize,
    pub columns: Vec<Box<dyn Cells>>,
}

/// The source of a table's rows. Called detached from the interpreter, because a producer may need
/// it in threads of its own.
pub trait Pieces: Send {
    /// The next rows; `None` at the end.
    fn next(&mut self) -> PyResult<Option<Piece>>;
}
