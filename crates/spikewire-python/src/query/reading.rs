//! A query under way, for both faces: records are decoded a few at a time, and how far the caller
//! came is known to the record.

use std::collections::VecDeque;
use std::os::fd::{AsRawFd as _, RawFd};
use std::sync::Arc;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyNone, PyTuple};
use spikewire_sync::Mutex;

use spikewire_engine::clock::Tick;
use spikewire_engine::command::query::QueryPlan;
use spikewire_engine::transport::Stream;
use spikewire_engine::transport::stream::{Found, Mark, Stopper};
use spikewire_engine::{Error, Kind};
use spikewire_protocol::message::{op, ops_in};
use spikewire_protocol::query::{Point, Row};
use spikewire_protocol::value::particle;
use spikewire_protocol::void_time;

use super::plan::QueryCall;
use crate::call::Decoding;
use crate::core::Core;
use crate::errors::{self, value_error};
use crate::gil_fairness::ScanGuard;
use crate::record::{Bins, Record};
use crate::space::Space;
use crate::value::{self, Codec, bin};

/// Most records that are decoded ahead of whoever takes them.
const RUN: usize = 256;
/// The same while commands on single records come.
const SHORT_RUN: usize = 32;
/// A run that lasts longer than this is followed by a shorter one, so that a slow taker is not
/// mistaken for one that stopped.
const LONG: Duration = Duration::from_millis(50);

/// How often a query that waits on an event loop looks whether its nodes are still there.
const PATIENCE: Duration = Duration::from_millis(100);

/// What came of a try to have more records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advance {
    /// Some are ready.
    Ready,
    /// There are none now.
    Wait,
    /// There will be none.
    Over,
    /// Some came, and others should have their turn.
    Again,
}

/// A query under way.
pub struct Reading {
    core: Arc<Core>,
    stopper: Arc<Stopper>,
    pub page_size: Option<u64>,
    shape: Shape,
    guard: ScanGuard,
    state: Mutex<State>,
}

/// What becomes of a row.
struct Shape {
    space: Arc<Space>,
    operations: Option<usize>,
    codec: Option<Arc<Codec>>,
    /// The bins of which an operation gives something else than their value.
    plain: Vec<String>,
}

struct State {
    /// Not here while somebody reads.
    stream: Option<Stream>,
    run: VecDeque<Ready>,
    /// Records of the next run.
    most: usize,
    /// When the present run was made.
    since: Tick,
    /// Where the batch that is being made began.
    mark: Option<Mark>,
    /// Whether records were taken one by one: the rest is not for batches.
    iterated: bool,
    /// The sets that were seen, when the query is about a whole namespace.
    spaces: Vec<Arc<Space>>,
}

/// A record that nobody has seen yet.
struct Ready {
    record: Py<Record>,
    point: Point,
    before: Option<Point>,
}

impl Reading {
    pub fn new(py: Python<'_>, core: Arc<Core>, call: QueryCall) -> PyResult<Self> {
        let QueryCall { space, plan, codec, .. } = call;
        let QueryPlan { query, limits, tracker, left, page_size, operations } = plan;
        let parts = ops_in(&query.ops).filter(|step| step.code != op::READ);
        let plain = parts.map(|step| String::from_utf8_lossy(step.name).into_owned()).collect();
        let stream = Stream::new(core.streams.clone(), query, limits, tracker, left);
        let stream = stream.map_err(|error| {
            let message = format!("the system gives no poller for a query: {error}");
            errors::to_python(py, &Error::new(Kind::Connection, message), None)
        })?;
        Ok(Self {
            core,
            stopper: stream.stopper(),
            page_size,
            shape: Shape { space, operations, codec, plain },
            guard: ScanGuard::new(py),
            state: Mutex::new(State {
                stream: Some(stream),
                run: VecDeque::new(),
                most: 16,
                since: Tick::now(),
                mark: None,
                iterated: false,
                spaces: Vec::new(),
            }),
        })
    }

    /// The next record that is ready.
    #[inline]
    pub fn pop(&self) -> Option<Py<Record>> {
        if self.stopper.is_stopped() {
            return None;
        }
        self.state.lock().run.pop_front().map(|ready| ready.record)
    }

    /// Lets go first who waits for the interpreter with the answer to a short command.
    #[inline]
    pub fn make_room(&self, py: Python<'_>) {
        self.guard.yield_gil(py);
    }

    /// Whether commands on single records come, which should not wait for many records.
    pub fn is_crowded(&self) -> bool {
        self.guard.is_crowded()
    }

    /// Whether [`Self::pop`] has a record.
    pub fn has_ready(&self) -> bool {
        !self.stopper.is_stopped() && !self.state.lock().run.is_empty()
    }

    /// All records that are ready.
    pub fn pop_all(&self) -> Vec<Py<Record>> {
        let run = std::mem::take(&mut self.state.lock().run);
        run.into_iter().map(|ready| ready.record).collect()
    }

    /// Makes records ready: a run of them, or, with `page`, until that many are. `wait`: whether
    /// this thread waits for them, without the interpreter.
    pub fn advance(&self, py: Python<'_>, page: Option<u64>, wait: bool) -> PyResult<Advance> {
        self.check(py)?;
        let pace = self.pace();
        let mut held = self.hold()?;
        let in_pieces = page.is_some() && !wait && self.is_crowded();
        loop {
            if self.take(py, &mut held, page, pace)? {
                return Ok(Advance::Ready);
            }
            if held.stream().is_over() {
                return Ok(Advance::Over);
            }
            let pause = if wait { None } else { Some(Duration::ZERO) };
            let filled = py.detach(|| {
                self.guard.end_turn();
                let filled = held.stream().fill(pause);
                if wait && matches!(filled, Ok(true)) {
                    self.guard.begin_turn();
                }
                filled
            });
            match filled {
                Ok(true) if in_pieces => return Ok(Advance::Again),
                Ok(true) => {}
                Ok(false) if wait => py.check_signals()?,
                Ok(false) => return Ok(Advance::Wait),
                Err(error) => {
                    // The lock is free again when Python code runs.
                    drop(held);
                    return Err(self.failure(py, &error));
                }
            }
        }
    }

    /// Decodes what has arrived. Whether enough is ready.
    fn take(
        &self,
        py: Python<'_>,
        held: &mut Held<'_>,
        page: Option<u64>,
        pace: usize,
    ) -> PyResult<bool> {
        let ready = self.state.lock().run.len() as u64;
        let most = if let Some(page) = page {
            held.stream().set_page(Some(page.saturating_sub(ready)));
            page.saturating_sub(ready).min(RUN as u64) as usize
        } else {
            held.stream().set_page(None);
            pace
        };
        if most == 0 {
            return Ok(true);
        }
        let mut made = Vec::with_capacity(most);
        let mut spaces = std::mem::take(&mut self.state.lock().spaces);
        let (now, shape) = (void_time::now(), &self.shape);
        let taken = held.stream().take(most, |found| -> PyResult<()> {
            let Found { row, before } = found;
            let record = Py::new(py, shape.record(py, &row, now, &mut spaces)?)?;
            made.push(Ready { record, point: row.point, before });
            Ok(())
        });
        let count = {
            let mut state = self.state.lock();
            state.spaces = spaces;
            state.run.extend(made);
            state.since = Tick::now();
            let count = state.run.len() as u64;
            state.iterated |= page.is_none() && count > 0;
            count
        };
        let taken = taken?;
        Ok(page.map_or(taken > 0, |page| count >= page))
    }

    /// How many records the next run has, after how long the one before it lasted.
    fn pace(&self) -> usize {
        let mut state = self.state.lock();
        let lasted = Tick::now().since(state.since);
        let most = if self.is_crowded() { SHORT_RUN } else { RUN };
        state.most = if lasted > LONG { state.most / 4 } else { state.most * 2 }.clamp(1, most);
        state.most
    }

    /// How far the caller came.
    pub fn cursor<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut held = self.hold()?;
        let unseen: Vec<(Point, Option<Point>)> = {
            let state = self.state.lock();
            if let Some(mark) = &state.mark {
                return Ok(PyBytes::new(py, &held.stream().cursor_of(mark)));
            }
            state.run.iter().map(|ready| (ready.point, ready.before)).collect()
        };
        Ok(PyBytes::new(py, &held.stream().cursor(&unseen)))
    }

    /// Whether every record was seen.
    pub fn is_over(&self) -> PyResult<bool> {
        let mut held = self.hold()?;
        Ok(held.stream().is_over() && self.state.lock().run.is_empty())
    }

    /// The descriptor that an event loop watches.
    pub fn descriptor(&self) -> PyResult<RawFd> {
        Ok(self.hold()?.stream().as_raw_fd())
    }

    /// When to try again even if the descriptor says nothing.
    pub fn alarm(&self) -> PyResult<Tick> {
        Ok(self.hold()?.stream().alarm().min(Tick::now().after(PATIENCE)))
    }

    /// The descriptor was readable: it is silent until something else happens.
    pub fn take_readiness(&self, py: Python<'_>) -> PyResult<()> {
        // Another thread that reads at this moment takes it as well.
        let Ok(mut held) = self.hold() else { return Ok(()) };
        let taken = held.stream().take_readiness();
        drop(held);
        taken.map_err(|error| self.failure(py, &error))
    }

    /// Whether the query was ended.
    pub fn is_closed(&self) -> bool {
        self.stopper.is_stopped()
    }

    /// Whether it belongs to this process and not to the one that this one was forked from.
    pub fn is_own(&self) -> bool {
        self.core.is_own()
    }

    /// Whether records have results of operations.
    pub fn has_operations(&self) -> bool {
        self.shape.operations.is_some()
    }

    /// Lets a batch be made from the stream. Until it is done, the caller is where it began.
    pub fn with_stream<T>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Stream) -> T,
    ) -> PyResult<T> {
        self.check(py)?;
        let mut held = self.hold()?;
        let fresh = {
            let state = self.state.lock();
            if state.iterated || !state.run.is_empty() {
                return Err(value_error(
                    "the query is being iterated over, record by record: make batches of a query \
                     of their own, which can resume from this one's cursor",
                ));
            }
            state.mark.is_none()
        };
        if fresh {
            held.stream().set_page(None);
            let mark = held.stream().mark();
            self.state.lock().mark = Some(mark);
        }
        Ok(work(held.stream()))
    }

    /// The batch is done.
    pub fn unmark(&self) {
        self.state.lock().mark = None;
    }

    /// The batch failed: what is in it comes again.
    pub fn rewind(&self) {
        if !self.core.is_own() {
            return;
        }
        let Ok(mut held) = self.hold() else { return };
        let mark = self.state.lock().mark.take();
        if let Some(mark) = mark {
            held.stream().rewind(mark);
        }
    }

    /// Ends the query: the nodes stop sending.
    pub fn close(&self) {
        if !self.core.is_own() {
            // The child of a fork shares the poller and the waker with its parent, which reads on.
            drop(self.pop_all());
            return;
        }
        self.stopper.stop();
        let stream = self.state.lock().stream.take();
        if let Some(mut stream) = stream {
            stream.close();
            self.state.lock().stream = Some(stream);
        }
        // Whoever reads at this moment is woken, and closes when the stream comes back.
    }

    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let message = if !self.core.is_own() {
            "the query belongs to the process that this one was forked from"
        } else if self.stopper.is_stopped() {
            "the query is closed"
        } else {
            return Ok(());
        };
        Err(errors::to_python(py, &Error::new(Kind::Closed, message), None))
    }

    pub fn failure(&self, py: Python<'_>, error: &Error) -> PyErr {
        let raised = errors::to_python(py, error, None);
        if error.kind() == Kind::Paused {
            let told =
                self.cursor(py).and_then(|cursor| raised.value(py).setattr("cursor", cursor));
            if let Err(other) = told {
                return other;
            }
        }
        raised
    }

    fn hold(&self) -> PyResult<Held<'_>> {
        let stream = self.state.lock().stream.take();
        match stream {
            Some(stream) => Ok(Held { reading: self, stream: Some(stream) }),
            None => Err(PyRuntimeError::new_err(
                "another thread is reading from this query: give each thread a query of its own",
            )),
        }
    }
}

impl Drop for Reading {
    /// A connection that is only owed the end of its answer serves the next query.
    fn drop(&mut self) {
        self.close();
    }
}

/// The stream while it is in use; it goes back whatever happens.
struct Held<'a> {
    reading: &'a Reading,
    stream: Option<Stream>,
}

impl Held<'_> {
    fn stream(&mut self) -> &mut Stream {
        self.stream.as_mut().expect("held until it is dropped")
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if let Some(stream) = &mut self.stream
            && self.reading.stopper.is_stopped()
        {
            stream.close();
        }
        self.reading.state.lock().stream = self.stream.take();
    }
}

impl Shape {
    fn record(
        &self,
        py: Python<'_>,
        row: &Row<'_>,
        now: u64,
        spaces: &mut Vec<Arc<Space>>,
    ) -> PyResult<Record> {
        let (bins, results) = match self.operations {
            None => (Bins::packed(row.ops, self.codec.clone()), None),
            Some(count) => {
                let (bins, results) = self.results(py, row, count)?;
                (bins.into(), Some(results.unbind()))
            }
        };
        Ok(Record {
            bins,
            generation: row.generation,
            ttl: void_time::seconds_left(row.void_time, now),
            space: self.space_of(row.set, spaces)?,
            user: match row.key.and_then(<[u8]>::split_first) {
                Some((of, bytes)) => value::particle(py, *of, bytes)?.unbind(),
                None => PyNone::get(py).to_owned().into_any().unbind(),
            },
            digest: row.point.digest,
            results,
        })
    }

    /// Results of operations: one for each, and the bins they are from.
    fn results<'py>(
        &self,
        py: Python<'py>,
        row: &Row<'_>,
        count: usize,
    ) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyTuple>)> {
        let codec = self.codec.as_deref().map(|codec| Decoding { codec, plain: &self.plain });
        let bins = PyDict::new(py);
        let mut values = Vec::with_capacity(count);
        for op in row.ops() {
            let mut value = value::particle(py, op.particle, op.value)?;
            if let Some(codec) = &codec {
                value = codec.read(op.name, value)?;
            }
            if op.particle != particle::NULL {
                bins.set_item(bin(py, op.name)?, &value)?;
            }
            values.push(value);
        }
        if values.len() != count {
            return Err(value_error(format!(
                "a node gave {} results for {count} operations; operations in queries need server \
             8.1.2 or later",
                values.len()
            )));
        }
        Ok((bins, PyTuple::new(py, values)?))
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
        let space = crate::space::of(&self.space.namespace, Some(name))?;
        spaces.push(space.clone());
        Ok(space)
    }
}
