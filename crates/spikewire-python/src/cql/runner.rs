//! What runs a statement: the calling thread, an event loop, or the session's own thread.

use std::sync::Arc;

use pyo3::prelude::*;
use spikewire_cassandra::Error;
use spikewire_cassandra::connection::Cassandra;
use spikewire_cassandra::session::Call;
use spikewire_transport::blocking::pause;
use spikewire_transport::topology::Target as _;
use spikewire_transport::{OrderKey, Tick, deadline};

use super::classes::Classes;
use super::core::Core;
use super::job::{Job, Progress, Start, start};
use super::options::Opening;
use super::ticket::{self, Ticket};
use crate::bridge::connections::LoopConnections;
use crate::bridge::connections::LoopTable;
use crate::bridge::driver_thread;
use crate::bridge::errors::Raise as _;
use crate::bridge::future::FutureBase;
use crate::bridge::gil_fairness;
use crate::bridge::lifecycle::{Lifecycle, Running as _};
use crate::bridge::signal::{detached, detached_command};
use crate::bridge::submitter::{SubmittedCall, Submitter, wait_for};
use crate::stages::Watch;

pub use super::job::Request;

/// What blocking and asynchronous sessions share.
#[derive(Debug)]
pub struct Shared {
    pub opening: Opening,
    pub lifecycle: Lifecycle<Core>,
    pub classes: Arc<Classes>,
}

/// The connections of an event loop.
pub type Connections = LoopConnections<Cassandra, Ticket>;

impl Shared {
    /// Connects unless the session is open already. Blocks, detached from the interpreter. Returns
    /// whether it was not open before.
    pub fn open(&self, py: Python<'_>) -> PyResult<bool> {
        self.lifecycle.open(py, self.connect())
    }

    /// The core. In a forked child it is recreated on first use.
    pub fn core(&self, py: Python<'_>) -> PyResult<Arc<Core>> {
        self.lifecycle.core(py, || self.connect())
    }

    fn connect(&self) -> impl FnOnce() -> Result<Core, Error> + Send + use<> {
        let (options, classes) = (self.opening.options.clone(), self.classes.clone());
        || Core::open(options, classes)
    }

    /// Closes the session.
    pub fn close(&self, py: Python<'_>) {
        if let Some(core) = self.lifecycle.close() {
            py.detach(|| core.close());
        }
    }
}

/// Runs the requests of verbs.
pub trait Runner {
    /// What blocking and asynchronous sessions share.
    fn shared(&self) -> &Arc<Shared>;

    /// The core.
    #[inline]
    fn core(&self, py: Python<'_>) -> PyResult<Arc<Core>> {
        self.shared().core(py)
    }

    /// Runs a request. Returns its result, or a future of it.
    fn run<'py>(
        &self,
        py: Python<'py>,
        core: &Arc<Core>,
        request: Request<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>>;
}

/// Runs statements in the calling thread.
pub struct Blocking(pub Arc<Shared>);

impl Runner for Blocking {
    fn shared(&self) -> &Arc<Shared> {
        &self.0
    }

    fn run<'py>(
        &self,
        py: Python<'py>,
        core: &Arc<Core>,
        request: Request<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (mut job, mut call) = match start(py, core, request)? {
            Start::Done(result) => return Ok(result),
            Start::Send(job, call) => (job, call),
        };
        loop {
            // In a driver's own thread nothing would send it.
            if (call.speculates() && !driver_thread::is_any())
                || core.submitter.must_send(call.target.order())
            {
                return self.submit(py, core, job, call);
            }
            match ask(py, core, call, &mut job)? {
                Progress::Done(result) => return Ok(result),
                Progress::Send(next) => call = next,
            }
        }
    }
}

impl Blocking {
    /// Has the session's own thread send a statement for which there may be speculative copies, or
    /// which must not overtake others, and waits for it.
    #[cold]
    fn submit<'py>(
        &self,
        py: Python<'py>,
        core: &Core,
        job: Job,
        call: Call,
    ) -> PyResult<Bound<'py, PyAny>> {
        let thread = thread_of(py, core, &self.0)?;
        let now = Tick::now();
        let until = deadline(&call.policy, now);
        let SubmittedCall { future, promise } = thread.enter(py, until, call.target.order())?;
        let promise = promise.map_err(|full| full.raise(py))?;
        let watch = submitted(core, &call);
        let sent = gil_fairness::command_sent();
        thread.send(ticket::command(call, now, promise.into(), job, (sent, watch)));
        wait_for(&future)
    }
}

/// Sends a call and waits until its job has received the reply.
fn ask<'py>(py: Python<'py>, core: &Core, call: Call, job: &mut Job) -> PyResult<Progress<'py>> {
    let send = |draft| detached_command(py, |interrupted| core.blocking.send(draft, interrupted));
    let pause = |at| detached(py, |interrupted| pause(at, interrupted));
    Ok(core.blocking.run_steps(call, send, pause, |answer| job.on_reply(py, answer))??)
}

/// Runs statements on the running event loop.
pub struct Loops {
    /// Declared first, so dropped before the core that it uses.
    pub loops: LoopTable<Cassandra, Ticket>,
    pub shared: Arc<Shared>,
}

impl Loops {
    /// The connections of the running event loop.
    pub fn connections(&self, py: Python<'_>, core: &Core) -> PyResult<Arc<Connections>> {
        self.loops.here(py, || Ok(core), |core| core.session.cluster())
    }
}

impl Runner for Loops {
    fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    fn run<'py>(
        &self,
        py: Python<'py>,
        core: &Arc<Core>,
        request: Request<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let connections = self.connections(py, core)?;
        let started = start(py, core, request)?;
        let (future, promise) = connections.promise(py)?;
        match started {
            Start::Done(result) => promise.settle(py, Ok(result)),
            Start::Send(job, call) => {
                let now = call.execution.since();
                let takes_turn = call.timed && core.stages.takes_turn();
                let cluster = || core.session.cluster().clone();
                let watch = takes_turn.then(|| Watch::on_loop(cluster(), &future)).transpose()?;
                let with = (gil_fairness::command_sent(), watch);
                connections.submit(
                    py,
                    ticket::command(call, now, promise.into(), job, with),
                    now,
                )?;
            }
        }
        Ok(future)
    }
}

/// A session's own thread.
pub fn thread_of<'a>(
    py: Python<'_>,
    core: &'a Core,
    shared: &Shared,
) -> PyResult<&'a Submitter<Cassandra, Ticket>> {
    Submitter::of(py, &core.submitter, core.session.cluster(), shared.opening.submit_limit)
}

/// The timing of a call that another thread completes.
fn submitted(core: &Core, call: &Call) -> Option<Box<Watch>> {
    call.timed.then(|| Box::new(Watch::Submitted(core.session.cluster().clone(), None)))
}

/// Runs statements in the session's own thread.
pub struct Submitting(pub Arc<Shared>);

impl Runner for Submitting {
    fn shared(&self) -> &Arc<Shared> {
        &self.0
    }

    fn run<'py>(
        &self,
        py: Python<'py>,
        core: &Arc<Core>,
        request: Request<'_, 'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let thread = thread_of(py, core, &self.0)?;
        let started = start(py, core, request)?;
        let (until, key) = match &started {
            Start::Done(_) => (Tick::NEVER, OrderKey::NONE),
            Start::Send(_, call) => {
                (deadline(&call.policy, call.execution.since()), call.target.order())
            }
        };
        let SubmittedCall { future, promise } = thread.enter(py, until, key)?;
        match (promise, started) {
            (Ok(promise), Start::Done(result)) => promise.settle(py, Ok(result)),
            (Ok(promise), Start::Send(job, call)) => {
                let (now, watch) = (call.execution.since(), submitted(core, &call));
                let with = (gil_fairness::command_sent(), watch);
                thread.send(ticket::command(call, now, promise.into(), job, with));
            }
            (Err(full), _) => FutureBase::settle(&future, Err(full.raise(py))),
        }
        Ok(future.into_any())
    }
}
