//! A batch that is ready to be run: what to send, and how to convert the replies.

use std::sync::Arc;

use pyo3::prelude::*;

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::batch::{Batch as Rows, deadline_of};
use spikewire_aerospike::transaction::Step;

use crate::aerospike::batch::{Batch, RowReader};
use crate::aerospike::columns::Filling;
use crate::aerospike::columns::source::Windows;
use crate::aerospike::transaction_stage::TransactionStage;
use crate::arguments::OptionArgument;
use crate::errors::{invalid_argument, value_error};

/// A built batch: what to send, and how to convert the replies.
pub struct BatchCall {
    pub rows: Rows,
    pub plan: BatchPlan,
}

impl BatchCall {
    /// Sets whether bytes are returned as views of the replies.
    pub fn with_buffers(mut self, buffers: bool) -> Self {
        self.plan.reader.buffers = buffers;
        self
    }

    /// Sets the time by which it returns what has come; `None`: none.
    pub fn within(mut self, deadline: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(deadline) = deadline else { return Ok(self) };
        if self.plan.array.as_ref().is_some_and(|array| array.is_strict()) {
            return Err(value_error(
                "deadline needs a masked array, and missing=\"raise\" asks for a plain one",
            ));
        }
        let deadline = deadline_of(&OptionArgument(deadline.clone()))?;
        self.rows.set_deadline(deadline).map_err(invalid_argument)?;
        Ok(self)
    }
}

/// How to convert the replies.
pub struct BatchPlan {
    pub reader: RowReader,
    /// For tables: the rows that have not been sent yet.
    pub more: Option<Box<Windows>>,
    /// The results of the rows that have.
    pub done: Option<Rows>,
    /// For `get_numpy`: the array that receives the records.
    pub array: Option<Box<Filling>>,
    /// The cluster whose metrics record the stages, if they are timed.
    pub timed: Option<Arc<Cluster>>,
    /// For calls of a transaction, and for its end.
    pub stage: Option<Box<TransactionStage>>,
}

/// What follows when the rows that were sent have finished.
pub enum NextWindow {
    /// More rows of the table.
    Send(Rows),
    /// Nothing, because all rows have finished.
    Finish(Rows),
}

impl From<RowReader> for BatchPlan {
    fn from(reader: RowReader) -> Self {
        Self { reader, more: None, done: None, array: None, timed: None, stage: None }
    }
}

impl BatchPlan {
    /// Processes finished rows and returns what follows.
    pub fn next_window(&mut self, py: Python<'_>, mut rows: Rows) -> PyResult<NextWindow> {
        if let Some(stage) = &mut self.stage {
            match stage.next(rows) {
                Step::Send(rows) => return Ok(NextWindow::Send(rows)),
                Step::Done(done) => rows = done,
            }
        }
        let began = self.timed.as_ref().map(|cluster| (cluster, Tick::now()));
        let next = self.more.as_mut().map(|more| more.next(py)).transpose()?.flatten();
        let all = match self.done.take() {
            Some(mut done) => {
                done.absorb(rows);
                done
            }
            None => rows,
        };
        let Some((mut rows, keys)) = next else { return Ok(NextWindow::Finish(all)) };
        if let Some(stage) = &mut self.stage {
            rows = stage.again(py, rows)?;
        }
        if let Some((cluster, began)) = began {
            cluster.metrics().encoded(began);
        }
        self.reader.keys.extend(keys);
        self.done = Some(all);
        Ok(NextWindow::Send(rows))
    }

    /// The result as a Python object.
    pub fn finish(mut self, py: Python<'_>, rows: Rows) -> PyResult<Bound<'_, PyAny>> {
        if let Some(stage) = &mut self.stage
            && let Some(result) = stage.finish(py, &rows)
        {
            return result;
        }
        if let Some(array) = self.array.take() {
            return array.finish(py, rows, &self.reader.keys);
        }
        Ok(Bound::new(py, Batch::new(rows, self.reader, self.timed))?.into_any())
    }
}
