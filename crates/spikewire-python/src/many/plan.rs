//! A batch on its way: what is sent, and what becomes of the answers.

use std::sync::Arc;

use pyo3::prelude::*;

use spikewire_engine::command::batch::Batch as Rows;

use crate::call::Answers;
use crate::columns::Filling;
use crate::columns::source::Windows;
use crate::key::Key;
use crate::value::Codec;

/// A composed batch: what is sent, and what its answers become.
pub struct ManyCall {
    pub rows: Rows,
    pub plan: ManyPlan,
}

impl ManyCall {
    /// Whether bytes are to come as views of the replies.
    pub fn with_buffers(mut self, buffers: bool) -> Self {
        self.plan.buffers = buffers;
        self
    }
}

/// What the answers become.
pub struct ManyPlan {
    pub keys: Vec<Key>,
    pub answered: Answered,
    /// What reads the bins.
    pub codec: Option<Arc<Codec>>,
    /// Whether bytes come as views of the replies.
    pub buffers: bool,
    /// For tables: the rows that are still to be sent.
    pub more: Option<Box<Windows>>,
    /// The outcomes of those that were.
    pub done: Option<Rows>,
    /// For `get_numpy`: the array that the records go to.
    pub array: Option<Box<Filling>>,
}

/// Which operations of a row have an answer of their own, for rows that are made of operations.
pub enum Answered {
    /// No row is.
    None,
    /// All rows are, of the same ones.
    Same(Answers),
    /// Each as it says.
    Each(Vec<Option<Answers>>),
}

impl Answered {
    pub fn of(&self, row: usize) -> Option<&Answers> {
        match self {
            Self::None => None,
            Self::Same(answers) => Some(answers),
            Self::Each(rows) => rows[row].as_ref(),
        }
    }
}

/// How it goes on when the rows that were sent are through.
pub enum Window {
    /// More rows of the table.
    Send(Rows),
    /// All of them are through.
    Finish(Rows),
}

impl ManyPlan {
    /// What becomes of rows with these keys, unless more is said.
    pub fn of(keys: Vec<Key>) -> Self {
        Self {
            keys,
            answered: Answered::None,
            codec: None,
            buffers: false,
            more: None,
            done: None,
            array: None,
        }
    }

    /// Takes rows that are through, and says what is next.
    pub fn go_on(&mut self, py: Python<'_>, rows: Rows) -> PyResult<Window> {
        let next = self.more.as_mut().map(|more| more.next(py)).transpose()?.flatten();
        let mut all = self.done.take();
        match &mut all {
            Some(done) => done.absorb(rows),
            None => all = Some(rows),
        }
        let Some((rows, keys)) = next else {
            return Ok(Window::Finish(all.expect("just put there")));
        };
        self.keys.extend(keys);
        self.done = all;
        Ok(Window::Send(rows))
    }

    /// The result that Python holds.
    pub fn finish(mut self, py: Python<'_>, rows: Rows) -> PyResult<Bound<'_, PyAny>> {
        if let Some(array) = self.array.take() {
            return array.finish(py, rows, &self.keys);
        }
        Ok(Bound::new(py, crate::batch::Batch::new(rows, self))?.into_any())
    }
}
