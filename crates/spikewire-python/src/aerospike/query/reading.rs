//! A running query, for both APIs. Records are decoded a few at a time, and the caller's position
//! is known to the record.

use std::os::fd::{AsRawFd as _, RawFd};
use std::sync::Arc;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyNone, PyTuple};
use spikewire_sync::Mutex;

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::transport::Stream;
use spikewire_aerospike::transport::stream::{
    Advance, Demand, MAX_RUN, QueryPage, QueryReader, ReadError, Stopper,
};
use spikewire_aerospike::{Error, Kind};
use spikewire_aerospike_protocol::message::{op, ops_in};
use spikewire_aerospike_protocol::query::Row;
use spikewire_aerospike_protocol::void_time;

use super::plan::QueryCall;
use crate::aerospike::call::{Decoding, row_results};
use crate::aerospike::core::Core;
use crate::aerospike::record::{Bins, Record};
use crate::aerospike::space::Space;
use crate::aerospike::value::{Codec, particle};
use crate::bridge::gil_fairness::ScanGuard;
use crate::bridge::lifecycle::Running as _;
use crate::errors::{self, value_error};

/// The maximum number of records decoded ahead while commands on single records arrive.
const SHORT_RUN: usize = 32;
/// If a run takes longer than this, the next one is shorter, so that a slow reader is not mistaken
/// for one that has stopped.
const LONG: Duration = Duration::from_millis(50);

/// A running query.
pub struct Reading {
    core: Arc<Core>,
    stopper: Arc<Stopper>,
    pub page_size: Option<u64>,
    shape: RecordShape,
    guard: ScanGuard,
    /// `None` while it is in use.
    state: Mutex<Option<Box<ReadingState>>>,
}

/// How to convert a row to a record.
struct RecordShape {
    space: Arc<Space>,
    has_results: bool,
    codec: Option<Arc<Codec>>,
    /// The bins for which an operation returns something other than their value.
    plain: Vec<String>,
}

struct ReadingState {
    reader: QueryReader<Py<Record>>,
    /// The number of records in the next run.
    most: usize,
    /// When the current run was decoded.
    since: Tick,
    /// The sets seen so far, if the query covers a whole namespace.
    spaces: Vec<Arc<Space>>,
}

impl Reading {
    pub fn new(py: Python<'_>, core: Arc<Core>, call: QueryCall) -> PyResult<Self> {
        let QueryCall { space, plan, codec, .. } = call;
        let (page_size, has_results) = (plan.page_size, plan.operations.is_some());
        let parts = ops_in(&plan.query.ops).filter(|step| step.code != op::READ);
        let plain = parts.map(|step| String::from_utf8_lossy(step.name).into_owned()).collect();
        let reader = QueryReader::new(core.streams.clone(), plan);
        let mut reader = reader.map_err(|error| errors::to_python(py, &error, None))?;
        Ok(Self {
            core,
            stopper: reader.stream().stopper(),
            page_size,
            shape: RecordShape { space, has_results, codec, plain },
            guard: ScanGuard::new(py),
            state: Mutex::new(Some(Box::new(ReadingState {
                reader,
                most: 16,
                since: Tick::now(),
                spaces: Vec::new(),
            }))),
        })
    }

    /// The query's `repr`.
    pub fn repr(&self, class: &str) -> String {
        let Space { namespace, set, .. } = &*self.shape.space;
        let set = if set.is_empty() { "all sets" } else { set };
        let state = if self.stopper.is_stopped() { "closed" } else { "open" };
        format!("<{class} of {namespace}, {set}, {state}>")
    }

    /// The next record that is ready.
    #[inline]
    pub fn pop(&self) -> Option<Py<Record>> {
        if self.stopper.is_stopped() {
            return None;
        }
        self.state.lock().as_mut()?.reader.pop()
    }

    /// Yields to threads that wait for the interpreter because a short command was answered.
    #[inline]
    pub fn make_room(&self, py: Python<'_>) {
        self.guard.yield_gil(py);
    }

    /// Whether commands on single records arrive, which should not have to wait for many records.
    pub fn is_crowded(&self) -> bool {
        self.guard.is_crowded()
    }

    /// Whether [`Self::pop`] has a record.
    pub fn has_ready(&self) -> bool {
        let state = self.state.lock();
        !self.stopper.is_stopped() && state.as_ref().is_some_and(|it| it.reader.has_ready())
    }

    /// Makes records ready: a run of them, or, with `page`, until this many are ready. `wait`:
    /// whether this thread waits for them, detached from the interpreter.
    pub fn advance(&self, py: Python<'_>, page: Option<u64>, wait: bool) -> PyResult<Advance> {
        self.check(py)?;
        let is_crowded = self.is_crowded();
        let mut held = self.hold()?;
        let demand = match page {
            Some(size) => Demand::Page { size, in_pieces: !wait && is_crowded },
            None => Demand::Run(held.state().run_length(is_crowded)),
        };
        let ReadingState { reader, since, spaces, .. } = held.state();
        let (now, shape) = (void_time::now(), &self.shape);
        let advance = reader.advance(
            demand,
            |row| Py::new(py, shape.record(py, row, now, spaces)?),
            |stream| match self.fill(py, stream, wait)? {
                true => Ok(None),
                false if wait => py.check_signals().map(|()| None).map_err(ReadError::Row),
                false => Ok(Some(Advance::Wait)),
            },
        );
        *since = Tick::now();
        // Released before any Python code runs.
        drop(held);
        advance.map_err(|error| match error {
            ReadError::Row(error) => error,
            ReadError::Query(error) => self.failure(py, &error),
        })
    }

    /// Reads more, detached from the interpreter. Returns whether anything arrived.
    fn fill(&self, py: Python<'_>, stream: &mut Stream, wait: bool) -> Result<bool, Error> {
        let pause = if wait { None } else { Some(Duration::ZERO) };
        py.detach(|| {
            self.guard.end_turn();
            let filled = stream.fill(pause);
            if wait && matches!(filled, Ok(true)) {
                self.guard.begin_turn();
            }
            filled
        })
    }

    /// The caller's position.
    pub fn cursor<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.hold()?.state().reader.cursor()))
    }

    /// Nodes contacted from now on send no bins unless some are selected: the records are only
    /// counted.
    pub fn skip_bins(&self) {
        if let Ok(mut held) = self.hold() {
            held.state().reader.stream().skip_bins();
        }
    }

    /// A page of all records that are ready.
    pub fn page(&self) -> PyResult<QueryPage<Py<Record>>> {
        Ok(self.hold()?.state().reader.page())
    }

    /// The descriptor for an event loop to watch.
    pub fn descriptor(&self) -> PyResult<RawFd> {
        Ok(self.hold()?.state().reader.stream().as_raw_fd())
    }

    /// When to try again even if the descriptor does not become readable.
    pub fn alarm(&self) -> PyResult<Tick> {
        Ok(self.hold()?.state().reader.alarm())
    }

    /// Called when the descriptor is readable. Afterwards it stays unreadable until something else
    /// happens.
    pub fn take_readiness(&self, py: Python<'_>) -> PyResult<()> {
        // If another thread is reading right now, it takes the events too.
        let Ok(mut held) = self.hold() else { return Ok(()) };
        let result = held.state().reader.stream().take_readiness();
        drop(held);
        result.map_err(|error| self.failure(py, &error))
    }

    /// Whether the query has been closed.
    pub fn is_closed(&self) -> bool {
        self.stopper.is_stopped()
    }

    /// Whether the query belongs to this process rather than to the parent of a fork.
    pub fn is_own(&self) -> bool {
        self.core.is_own()
    }

    /// Whether records have results of operations.
    pub fn has_operations(&self) -> bool {
        self.shape.has_results
    }

    /// Gives access to the stream for building a batch. Until the batch is finished, the caller's
    /// position is where it began.
    pub fn with_stream<T>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Stream) -> T,
    ) -> PyResult<T> {
        self.check(py)?;
        let mut held = self.hold()?;
        match held.state().reader.batch() {
            Ok(stream) => Ok(work(stream)),
            Err(error) => Err(value_error(error.message())),
        }
    }

    /// Finishes the batch.
    pub fn end_batch(&self) {
        if let Ok(mut held) = self.hold() {
            held.state().reader.end_batch();
        }
    }

    /// Abandons the batch: its records will be returned again.
    pub fn rewind(&self) {
        if !self.core.is_own() {
            return;
        }
        if let Ok(mut held) = self.hold() {
            held.state().reader.rewind();
        }
    }

    /// Closes the query, so that the nodes stop sending.
    pub fn close(&self) {
        if !self.core.is_own() {
            // A forked child shares the poller and the waker with its parent, which is still
            // reading.
            return;
        }
        self.stopper.stop();
        // A thread that is reading right now is woken, and closes the query when it is done.
        if let Some(state) = self.state.lock().as_mut() {
            state.reader.close();
        }
    }

    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let state = if self.core.is_own() {
            self.stopper.check()
        } else {
            let message = "the query belongs to the process that this one was forked from";
            Err(Error::new(Kind::Closed, message))
        };
        state.map_err(|error| errors::to_python(py, &error, None))
    }

    pub fn failure(&self, py: Python<'_>, error: &Error) -> PyErr {
        let raised = errors::to_python(py, error, None);
        if error.kind() == Kind::Paused {
            let set = self.cursor(py).and_then(|cursor| raised.value(py).setattr("cursor", cursor));
            if let Err(other) = set {
                return other;
            }
        }
        raised
    }

    fn hold(&self) -> PyResult<StateGuard<'_>> {
        let state = self.state.lock().take();
        match state {
            Some(_) => Ok(StateGuard { reading: self, state }),
            None => Err(PyRuntimeError::new_err(
                "another thread is reading from this query: give each thread a query of its own",
            )),
        }
    }
}

impl ReadingState {
    /// The number of records in the next run, adapted to the duration of the previous one.
    fn run_length(&mut self, is_crowded: bool) -> usize {
        let most = if is_crowded { SHORT_RUN } else { MAX_RUN };
        let is_long = Tick::now().since(self.since) > LONG;
        self.most = if is_long { self.most / 4 } else { self.most * 2 }.clamp(1, most);
        self.most
    }
}

impl Drop for Reading {
    /// A connection that only has to receive the end of its reply serves the next query.
    fn drop(&mut self) {
        self.close();
    }
}

/// Exclusive access to the reader, which is put back in any case.
struct StateGuard<'a> {
    reading: &'a Reading,
    state: Option<Box<ReadingState>>,
}

impl StateGuard<'_> {
    fn state(&mut self) -> &mut ReadingState {
        self.state.as_mut().expect("held until it is dropped")
    }
}

impl Drop for StateGuard<'_> {
    fn drop(&mut self) {
        if self.reading.is_closed() {
            self.state().reader.close();
        }
        *self.reading.state.lock() = self.state.take();
    }
}

impl RecordShape {
    fn record(
        &self,
        py: Python<'_>,
        row: &Row<'_>,
        now: u64,
        spaces: &mut Vec<Arc<Space>>,
    ) -> PyResult<Record> {
        let (bins, results) = if self.has_results {
            let codec = self.codec.as_deref().map(|codec| Decoding { codec, plain: &self.plain });
            let (bins, results) = row_results(py, row, codec)?;
            (bins.into(), Some(PyTuple::new(py, results)?.unbind()))
        } else {
            (Bins::packed(row.ops, self.codec.clone()), None)
        };
        Ok(Record {
            bins,
            generation: row.generation,
            ttl: void_time::seconds_left(row.void_time, now),
            space: self.space_of(row.set, spaces)?,
            user: match row.user_key() {
                Some((of, bytes)) => particle(py, of, bytes)?.unbind(),
                None => PyNone::get(py).to_owned().into_any().unbind(),
            },
            digest: row.point.digest,
            results,
        })
    }

    fn space_of(&self, set: &[u8], spaces: &mut Vec<Arc<Space>>) -> PyResult<Arc<Space>> {
        if self.space.set.as_bytes() == set || !self.space.set.is_empty() {
            return Ok(self.space.clone());
        }
        if let Some(known) = spaces.iter().position(|space| space.set.as_bytes() == set) {
            return Ok(spaces[known].clone());
        }
        let name = std::str::from_utf8(set)
            .map_err(|_| value_error("a record's set has a name that is not UTF-8"))?;
        let mut space = crate::aerospike::space::of(&self.space.namespace, Some(name))?;
        if let Some(attached) = &self.space.attached {
            space = space.with(attached.clone());
        }
        spaces.push(space.clone());
        Ok(space)
    }
}
