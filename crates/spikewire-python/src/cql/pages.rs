//! The rows of a result as bytes: what rows and columns are made of.

use std::sync::Arc;

use spikewire_cassandra::statement::Shape;

use super::classes::Classes;

/// Rows as they came with one reply.
#[derive(Debug)]
pub struct Page {
    /// Their cells.
    pub cells: Vec<u8>,
    /// How many rows there are.
    pub count: usize,
}

/// The pages of a result and what reads them.
pub struct Pages {
    /// The columns; `None` where the statement has no rows.
    pub shape: Option<Arc<Shape>>,
    /// In the order in which they came.
    pub all: Vec<Page>,
    pub classes: Arc<Classes>,
}
