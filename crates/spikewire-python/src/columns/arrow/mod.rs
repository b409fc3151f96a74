//! Arrow columns from a batch.
//!
//! `column` takes the values of one column, `number` is its numbers, `finish` makes the array;
//! `schema` is what the caller asks for, `build` all columns together, `shelf` memory that
//! serves again, `table` what is returned.

mod build;
mod column;
mod finish;
mod number;
mod schema;
mod shelf;
mod table;

pub use build::Columns;
pub use column::{Bytes, Column, Store};
pub use shelf::Shelf;
pub use table::{ArrowTable, refused};
