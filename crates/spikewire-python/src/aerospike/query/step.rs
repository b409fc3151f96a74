//! What a task awaits on a query: more records, a page or a batch.
//!
//! A step returns at once whatever is available, and yields a future to the event loop only if
//! nothing is. The coroutines and generators around it are written in Python
//! (`spikewire/query.py`): they cost less per record than a native awaitable, which has to end each
//! wait with an exception.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use spikewire_aerospike::transport::stream::Advance;

use super::batches::Batches;
use super::on_loop::QueryOnLoop;
use super::page::Page;
use super::reading::Reading;
use crate::aerospike::record::Record;
use crate::bridge::query_turns::QueryTurns;

/// The number of refills without waiting after which other tasks get to run.
const FAIR: u32 = 4;

/// What is awaited.
pub enum StepGoal {
    Records(Refills),
    Page,
    Batch(Box<Batches>),
}

/// The records of an iteration, refilled again and again.
pub struct Refills {
    ready: Py<ReadyRecords>,
    count: AtomicU32,
    /// Whether other tasks have run since the last attempt to get records.
    has_yielded: AtomicBool,
}

impl Refills {
    pub fn of(py: Python<'_>, reading: &Arc<Reading>) -> PyResult<Self> {
        let ready = Py::new(py, ReadyRecords { reading: reading.clone() })?;
        Ok(Self { ready, count: AtomicU32::new(0), has_yielded: AtomicBool::new(false) })
    }
}

/// An awaitable that gives what is wanted, or `None` when there is no more; to be awaited again for
/// the next.
#[pyclass(frozen, module = "spikewire._native")]
pub struct QueryStep {
    query: Py<QueryOnLoop>,
    goal: StepGoal,
}

/// The outcome of a step.
enum StepProgress<'py> {
    /// The task waits for this future or, if `None`, until the loop has run the other tasks.
    Yield(Bound<'py, PyAny>),
    Value(Bound<'py, PyAny>),
    Over,
}

impl QueryStep {
    pub fn of<'py>(query: &Bound<'py, QueryOnLoop>, goal: StepGoal) -> PyResult<Bound<'py, Self>> {
        Bound::new(query.py(), Self { query: query.clone().unbind(), goal })
    }

    fn advance<'py>(&self, py: Python<'py>) -> PyResult<StepProgress<'py>> {
        let progress = match &self.goal {
            StepGoal::Records(refills) => self.records(py, refills),
            StepGoal::Page => self.page(py),
            StepGoal::Batch(batches) => self.batch(py, batches),
        };
        if matches!(progress, Ok(StepProgress::Over) | Err(_)) {
            self.query.get().end_driver(py);
        }
        progress
    }

    fn records<'py>(&self, py: Python<'py>, refills: &Refills) -> PyResult<StepProgress<'py>> {
        let query = self.query.get();
        let reading = &query.reading;
        let ready = || Ok(StepProgress::Value(refills.ready.bind(py).clone().into_any()));
        if reading.has_ready() {
            return ready();
        }
        if !refills.has_yielded.swap(true, Relaxed) {
            if reading.is_crowded() {
                return QueryTurns::wait(py).map(StepProgress::Yield);
            }
            if refills.count.fetch_add(1, Relaxed) % FAIR == FAIR - 1 {
                return Ok(StepProgress::Yield(py.None().into_bound(py)));
            }
        }
        refills.has_yielded.store(false, Relaxed);
        match reading.advance(py, None, false)? {
            Advance::Wait => query.wait(py).map(StepProgress::Yield),
            Advance::Over => Ok(StepProgress::Over),
            Advance::Ready | Advance::Again => ready(),
        }
    }

    fn page<'py>(&self, py: Python<'py>) -> PyResult<StepProgress<'py>> {
        let query = self.query.get();
        let reading = &query.reading;
        match reading.advance(py, reading.page_size, false)? {
            Advance::Wait => query.wait(py).map(StepProgress::Yield),
            Advance::Again => QueryTurns::wait(py).map(StepProgress::Yield),
            Advance::Ready | Advance::Over => {
                let page = Bound::new(py, Page::of(py, reading)?)?;
                Ok(StepProgress::Value(page.into_any()))
            }
        }
    }

    fn batch<'py>(&self, py: Python<'py>, batches: &Batches) -> PyResult<StepProgress<'py>> {
        let query = self.query.get();
        match batches.advance(py, false)? {
            Advance::Ready => batches.finish(py).map(StepProgress::Value),
            Advance::Over => Ok(StepProgress::Over),
            Advance::Wait => query.wait(py).map(StepProgress::Yield),
            Advance::Again if query.reading.is_crowded() => {
                QueryTurns::wait(py).map(StepProgress::Yield)
            }
            Advance::Again => Ok(StepProgress::Yield(py.None().into_bound(py))),
        }
    }
}

#[pymethods]
impl QueryStep {
    fn __await__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match self.advance(py)? {
            StepProgress::Yield(waited) => Ok(Some(waited)),
            StepProgress::Value(value) => Err(PyStopIteration::new_err(value.unbind())),
            StepProgress::Over => Ok(None),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.query)
    }
}

/// Goes through the records that are ready, and ends where they do.
#[pyclass(frozen, module = "spikewire._native")]
pub struct ReadyRecords {
    reading: Arc<Reading>,
}

#[pymethods]
impl ReadyRecords {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> Option<Py<Record>> {
        self.reading.make_room(py);
        self.reading.pop()
    }
}
