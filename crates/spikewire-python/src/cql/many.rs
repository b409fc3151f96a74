//! One statement with the parameters of many rows: a limited number of them are in flight, and
//! there is no future, task or callback into Python per row.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread::{self, Thread};

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyIterator, PyList};
use spikewire_cassandra::Error;
use spikewire_cassandra::many::{self, ManyOptions};
use spikewire_cassandra::statement::StatementOptions;
use spikewire_sync::Mutex;
use spikewire_transport::Tick;
use spikewire_transport::permits::{SIGNAL_POLL, park};

use super::bind::is_input_error;
use super::core::Core;
use super::job::{Goal, Request, Start, start};
use super::runner::{Blocking, Connections, Loops, Runner, Shared, thread_of};
use super::statement::Statement;
use super::ticket::{self, Delivery, Promise, Taker};
use crate::arguments::OptionArgument;
use crate::bridge::errors::{closed, repr_of, type_error, value_error};
use crate::bridge::forks::forks;
use crate::bridge::keywords::text;
use crate::bridge::signal::{Interrupted, detached};

/// How a call with many rows goes, checked: rows in flight, whether there are results, whether
/// errors are among them, and when it ends.
pub type HowMany = (usize, bool, bool, u64);

/// Checks the arguments.
#[pyfunction]
#[pyo3(signature = (concurrency, errors, results, deadline, /))]
pub fn how_many(
    concurrency: &Bound<'_, PyAny>,
    errors: &Bound<'_, PyAny>,
    results: bool,
    deadline: &Bound<'_, PyAny>,
) -> PyResult<HowMany> {
    if concurrency.is_instance_of::<PyBool>() {
        return Err(type_error("concurrency must be an int"));
    }
    let rows = match concurrency.extract::<usize>() {
        Ok(rows) => Some(rows),
        Err(error) if error.is_instance_of::<PyOverflowError>(concurrency.py()) => None,
        Err(error) => return Err(error),
    };
    let errors = text("errors", errors)?;
    let how =
        ManyOptions::read(rows, &repr_of(concurrency), errors, results).map_err(value_error)?;
    let limit = many::deadline(&OptionArgument(deadline.clone()), how.results)?;
    let ends = limit.map_or(Tick::NEVER, |limit| Tick::now().after(limit));
    Ok((how.concurrency, how.results, how.returns_errors, ends.0))
}

/// The state shared by the rows of one call.
pub struct Flow {
    state: Mutex<FlowState>,
    /// Set when no more rows are to be sent: one failed, or the caller gave up.
    stopped: AtomicBool,
    returns_errors: bool,
    /// When the call ends, whatever has come by then.
    ends: Tick,
    fork_generation: u32,
}

#[derive(Default)]
struct FlowState {
    /// Whether it ended that way: outcomes are not wanted any more.
    expired: bool,
    started: usize,
    in_flight: usize,
    /// The results in the order of the rows, if they are wanted.
    results: Option<Vec<Option<Py<PyAny>>>>,
    /// The row that failed first.
    failed: Option<(usize, PyErr)>,
    waits: Option<Waits>,
}

/// Waits until at most `most` rows are in flight.
struct Waits {
    most: usize,
    waiter: Waiter,
}

enum Waiter {
    Thread(Thread),
    Future(Promise),
}

impl Flow {
    /// Whether no more rows are taken, because one failed, the caller gave up or time is over.
    fn is_over(&self) -> bool {
        self.stopped.load(Relaxed) || (self.ends != Tick::NEVER && self.ends <= Tick::now())
    }

    /// The time is over: what has come is the result. Returns what waited for more.
    fn expire(&self) -> Option<Waiter> {
        self.stopped.store(true, Relaxed);
        let mut state = self.state.lock();
        state.expired = true;
        state.waits.take().map(|waits| waits.waiter)
    }

    /// Registers another row and returns its number.
    fn begin(&self) -> usize {
        let mut state = self.state.lock();
        let row = state.started;
        state.started += 1;
        state.in_flight += 1;
        if let Some(results) = &mut state.results {
            results.push(None);
        }
        row
    }

    /// Registers the end of a row. Called in the thread that drives the connections.
    fn end(&self, py: Python<'_>, row: usize, outcome: PyResult<Bound<'_, PyAny>>) {
        let outcome = match outcome {
            Err(error) if self.returns_errors => Ok(error.into_value(py).into_any()),
            other => other.map(Bound::unbind),
        };
        // Nothing is dropped, and no Python code runs, while the state is locked.
        let mut left_over = (None, None);
        let waiter = {
            let mut state = self.state.lock();
            state.in_flight -= 1;
            match outcome {
                outcome if state.expired => match outcome {
                    Ok(result) => left_over.0 = Some(result),
                    Err(error) => left_over.1 = Some(error),
                },
                Ok(result) => match state.results.as_mut().map(|results| &mut results[row]) {
                    Some(place) => *place = Some(result),
                    None => left_over.0 = Some(result),
                },
                Err(error) if state.failed.is_none() => {
                    self.stopped.store(true, Relaxed);
                    state.failed = Some((row, error));
                }
                // Rows that were withdrawn because of the first one fail as well.
                Err(error) => left_over.1 = Some(error),
            }
            if state.waits.as_ref().is_some_and(|waits| state.in_flight <= waits.most) {
                state.waits.take()
            } else {
                None
            }
        };
        drop(left_over);
        match waiter.map(|waits| waits.waiter) {
            Some(Waiter::Thread(thread)) => thread.unpark(),
            Some(Waiter::Future(promise)) => promise.settle(py, Ok(py.None().into_bound(py))),
            None => {}
        }
    }
}

/// A row in flight. Its outcome is reported in any case: if it is dropped because a driver ended
/// before its commands did, it fails as closed.
pub struct Share {
    flow: Arc<Flow>,
    row: usize,
    is_reported: AtomicBool,
}

impl Share {
    /// Whether the row is still wanted. Does not need the interpreter.
    pub fn starts(&self) -> bool {
        !self.flow.stopped.load(Relaxed)
    }

    /// Reports the outcome.
    pub fn settle(&self, py: Python<'_>, outcome: PyResult<Bound<'_, PyAny>>) {
        if !self.is_reported.swap(true, Relaxed) {
            self.flow.end(py, self.row, outcome);
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if *self.is_reported.get_mut() || self.flow.fork_generation != forks() {
            return;
        }
        Python::try_attach(|py| {
            // An exception that is already propagating has nothing to do with this row.
            let pending = PyErr::take(py);
            self.settle(py, Err(closed::<Error>(py)));
            if let Some(pending) = pending {
                pending.restore(py);
            }
        });
    }
}

/// What sends the rows.
pub enum Sender {
    /// The session's own thread.
    Thread(Arc<Shared>),
    /// The event loop that was running at the start.
    Loop(Arc<Connections>),
}

/// A runner that can send the rows of `execute_many`.
pub trait Sends: Runner {
    /// What sends them.
    fn sender(&self, py: Python<'_>, core: &Core) -> PyResult<Sender>;
}

impl Sends for Blocking {
    fn sender(&self, _: Python<'_>, _: &Core) -> PyResult<Sender> {
        Ok(Sender::Thread(self.shared().clone()))
    }
}

impl Sends for Loops {
    fn sender(&self, py: Python<'_>, core: &Core) -> PyResult<Sender> {
        Ok(Sender::Loop(self.connections(py, core)?))
    }
}

/// The rows of one `execute_many`.
#[pyclass(frozen, module = "spikewire._native")]
pub struct Many {
    core: Arc<Core>,
    sender: Sender,
    statement: Statement,
    options: Option<Box<StatementOptions>>,
    concurrency: usize,
    flow: Arc<Flow>,
}

impl Many {
    /// A call with this statement, whose parameters follow.
    pub fn new(
        core: Arc<Core>,
        sender: Sender,
        statement: Statement,
        options: Option<Box<StatementOptions>>,
        how: HowMany,
    ) -> PyResult<Self> {
        if !matches!(statement, Statement::Prepared(_)) {
            return Err(type_error("a statement for many rows must be text or prepared"));
        }
        let (concurrency, results, returns_errors, ends) = how;
        let state = FlowState { results: results.then(Vec::new), ..FlowState::default() };
        let flow = Flow {
            state: Mutex::new(state),
            stopped: AtomicBool::new(false),
            returns_errors,
            ends: Tick(ends),
            fork_generation: forks(),
        };
        Ok(Self { core, sender, statement, options, concurrency, flow: Arc::new(flow) })
    }

    fn is_full(&self) -> bool {
        self.flow.state.lock().in_flight >= self.concurrency
    }

    fn send(&self, py: Python<'_>, parameters: &Bound<'_, PyAny>) -> PyResult<()> {
        let share = Share {
            row: self.flow.begin(),
            flow: self.flow.clone(),
            is_reported: AtomicBool::new(false),
        };
        let wants = self.flow.state.lock().results.is_some();
        let goal = if wants { Goal::All } else { Goal::Done };
        let (statement, options) = (self.statement.clone(), self.options.clone());
        let request = Request { goal, statement, parameters: Some(parameters), options };
        let (job, call) = match start(py, &self.core, request) {
            Ok(Start::Send(job, call)) => (job, call),
            Ok(Start::Done(result)) => {
                share.settle(py, Ok(result));
                return Ok(());
            }
            Err(error) => {
                if is_input_error(py, &error) || !self.flow.returns_errors {
                    share.settle(py, Err(error));
                    return Ok(());
                }
                share.settle(py, Ok(py.None().into_bound(py)));
                return Err(error);
            }
        };
        let now = call.execution.since();
        let command =
            ticket::command(call, now, Delivery::Share(Box::new(share)), job, (None, None));
        match &self.sender {
            Sender::Loop(connections) => connections.submit(py, command, now),
            Sender::Thread(shared) => {
                thread_of(py, &self.core, shared)?.send(command);
                Ok(())
            }
        }
    }
}

#[pymethods]
impl Many {
    /// Takes rows of an iterator and sends them until as many are in flight as may; whether there
    /// are no more to take.
    fn feed(&self, rows: &Bound<'_, PyIterator>) -> PyResult<bool> {
        let py = rows.py();
        let mut rows = rows.clone();
        loop {
            if self.flow.is_over() {
                return Ok(true);
            }
            if self.is_full() {
                return Ok(false);
            }
            match rows.next() {
                Some(row) => self.send(py, &row?)?,
                None => return Ok(true),
            }
        }
    }

    /// Sends one row; whether there is room for another one.
    fn add(&self, py: Python<'_>, row: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.send(py, row)?;
        Ok(!self.is_full())
    }

    /// Whether no more rows are taken.
    #[getter]
    fn stopped(&self) -> bool {
        self.flow.is_over()
    }

    /// Seconds until its deadline; `None` without one.
    fn left(&self) -> Option<f64> {
        let ends = self.flow.ends;
        (ends != Tick::NEVER).then(|| ends.since(Tick::now()).as_secs_f64())
    }

    /// Ends it with what has come; rows without a result are late.
    fn expire(&self, py: Python<'_>) {
        match self.flow.expire() {
            Some(Waiter::Future(promise)) => promise.settle(py, Ok(py.None().into_bound(py))),
            Some(Waiter::Thread(thread)) => thread.unpark(),
            None => {}
        }
    }

    /// Whether it ended at its deadline.
    #[getter]
    fn expired(&self) -> bool {
        self.flow.state.lock().expired
    }

    /// Takes no more rows, and withdraws those that have not been sent.
    fn stop(&self) {
        self.flow.stopped.store(true, Relaxed);
    }

    /// Waits until no more than so many are in flight, or until the deadline.
    fn wait(&self, py: Python<'_>, most: usize) -> PyResult<()> {
        detached(py, |interrupted| self.park(most, interrupted))
    }

    /// The same as a future of the event loop.
    fn room<'py>(&self, py: Python<'py>, most: usize) -> PyResult<Bound<'py, PyAny>> {
        let Sender::Loop(connections) = &self.sender else {
            return Err(type_error("there is no event loop"));
        };
        let (future, promise) = connections.promise(py)?;
        let (ready, former) = {
            let mut state = self.flow.state.lock();
            if state.in_flight <= most || state.expired {
                (Some(promise), None)
            } else {
                let waiter = Waiter::Future(promise);
                (None, state.waits.replace(Waits { most, waiter }))
            }
        };
        // The previous waiter, if any, was cancelled.
        drop(former);
        if let Some(promise) = ready {
            promise.settle(py, Ok(py.None().into_bound(py)));
        }
        Ok(future)
    }

    /// How many rows were taken.
    #[getter]
    fn started(&self) -> usize {
        self.flow.state.lock().started
    }

    /// The number of the row that failed, and its error.
    fn failed<'py>(&self, py: Python<'py>) -> Option<(usize, Bound<'py, PyAny>)> {
        let state = self.flow.state.lock();
        let (row, error) = state.failed.as_ref()?;
        Some((*row, error.value(py).clone().into_any()))
    }

    /// The results of all rows, or `None` where they are not wanted.
    fn results<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyList>>> {
        let results = self.flow.state.lock().results.take();
        let Some(results) = results else { return Ok(None) };
        PyList::new(py, results).map(Some)
    }
}

impl Many {
    fn park(&self, most: usize, interrupted: Interrupted<'_>) {
        let waits = || Waits { most, waiter: Waiter::Thread(thread::current()) };
        loop {
            {
                let mut state = self.flow.state.lock();
                if state.in_flight <= most || state.expired {
                    state.waits = None;
                    return;
                }
                state.waits = Some(waits());
            }
            // Each statement ends by its own deadline.
            let ends = self.flow.ends;
            let left = (ends != Tick::NEVER).then(|| ends.since(Tick::now()));
            park(SIGNAL_POLL, left);
            if left.is_some() && ends <= Tick::now() {
                drop(self.flow.expire());
                return;
            }
            if interrupted.is_some_and(|interrupted| interrupted()) {
                return;
            }
        }
    }
}

impl Taker for Share {
    fn starts(&self) -> bool {
        Self::starts(self)
    }

    fn look(&self, look: &mut dyn FnMut(&Py<PyAny>)) {
        let state = self.flow.state.try_lock();
        let waits = state.as_ref().and_then(|state| state.waits.as_ref());
        if let Some(Waits { waiter: Waiter::Future(promise), .. }) = waits {
            promise.look(look);
        }
    }

    fn settle(&self, py: Python<'_>, outcome: PyResult<Bound<'_, PyAny>>) {
        Self::settle(self, py, outcome);
    }
}
