//! Columns as the source of records: their cells are encoded directly from their memory.
//!
//! | module | contents |
//! |---|---|
//! | [`cell`] | one value and how it is encoded |
//! | [`nested`] | columns made of other columns |
//! | `arrow` | Arrow arrays |
//! | [`choice`] | which columns become what |

mod arrow;
pub mod cell;
pub mod choice;
pub mod nested;

pub use arrow::{cells, check};
pub use cell::{Cell, Cells};
