//! A batch on its way: what is sent, and what becomes of the answers.

use std::sync::Arc;

use pyo3::prelude::*;

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::batch::Batch as Rows;

use crate::batch::{Batch, RowReader};
use crate::columns::Filling;
use crate::columns::source::Windows;

/// A composed batch: what is sent, and what its answers become.
pub struct BatchCall {
    pub rows: Rows,
    pub plan: BatchPlan,
}

impl BatchCall {
    /// Whether bytes are to come as views of the replies.
    pub fn with_buffers(mut self, buffers: bool) -> Self {
        self.plan.reader.buffers = buffers;
        self
    }
}

/// What the answers become.
pub struct BatchPlan {
    pub reader: RowReader,
    /// For tables: the rows that are still to be sent.
    pub more: Option<Box<Windows>>,
    /// The outcomes of those that were.
    pub done: Option<Rows>,
    /// For `get_numpy`: the array that the records go to.
    pub array: Option<Box<Filling>>,
    /// Whose stages are timed, if they are.
    pub timed: Option<Arc<Cluster>>,
}

/// How it goes on when the rows that were sent are through.
pub enum Window {
    /// More rows of the table.
    Send(Rows),
    /// All of them are through.
    Finish(Rows),
}

impl From<RowReader> for BatchPlan {
    fn from(reader: RowReader) -> Self {
        Self { reader, more: None, done: None, array: None, timed: None }
    }
}

impl BatchPlan {
    /// Takes rows that are through, and says what is next.
    pub fn go_on(&mut self, py: Python<'_>, rows: Rows) -> PyResult<Window> {
        let began = self.timed.as_ref().map(|cluster| (cluster, Tick::now()));
        let next = self.more.as_mut().map(|more| more.next(py)).transpose()?.flatten();
        let mut all = self.done.take();
        match &mut all {
            Some(done) => done.absorb(rows),
            None => all = Some(rows),
        }
        let Some((rows, keys)) = next else {
            return Ok(Window::Finish(all.expect("just put there")));
        };
        if let Some((cluster, began)) = began {
            cluster.metrics().encoded(began);
        }
        self.reader.keys.extend(keys);
        self.done = all;
        Ok(Window::Send(rows))
    }

    /// The result that Python holds.
    pub fn finish(mut self, py: Python<'_>, rows: Rows) -> PyResult<Bound<'_, PyAny>> {
        if let Some(array) = self.array.take() {
            return array.finish(py, rows, &self.reader.keys);
        }
        Ok(Bound::new(py, Batch::new(rows, self.reader, self.timed))?.into_any())
    }
}
