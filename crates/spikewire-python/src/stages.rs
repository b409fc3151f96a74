//! The stages of calls that only this side sees: until the caller goes on, and making objects of a
//! reply.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use pyo3::intern;
use pyo3::prelude::*;
use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::command::batch::Batch as Rows;
#[cfg(doc)]
use spikewire_transport::Metrics;
use spikewire_transport::metrics::{Began, Keeps, Observed, Stage};

/// Of so many calls on an event loop one has its hand-over timed: that takes a callback.
const EVERY: u32 = 16;

/// What a client keeps of its calls, and whether it times their stages.
#[derive(Debug, Default)]
pub struct Stages {
    /// [`Metrics::keeps`], where a call finds it without the running half.
    keeps: AtomicU8,
    calls: AtomicU32,
}

impl Stages {
    /// From here on it is that.
    pub fn turn(&self, keeps: Keeps) {
        self.keeps.store(keeps.bits(), Relaxed);
    }

    /// A call begins.
    #[inline]
    pub fn begin(&self) -> Began {
        Keeps::from_bits(self.keeps.load(Relaxed)).begin()
    }

    /// Whether it is this call's turn to have its hand-over timed.
    pub fn takes_turn(&self) -> bool {
        self.calls.fetch_add(1, Relaxed).is_multiple_of(EVERY)
    }
}

/// What of a future's call is timed once its reply is here.
pub enum Watch {
    /// A future of an event loop.
    OnLoop(Py<HandOver>),
    /// A submitted call: when its reply was taken.
    Submitted(Arc<dyn Observed>, Option<Tick>),
}

impl Watch {
    /// Of a future of an event loop, before anything waits for it: what does is called back right
    /// after this.
    pub fn on_loop(cluster: Arc<dyn Observed>, future: &Bound<'_, PyAny>) -> PyResult<Box<Self>> {
        let py = future.py();
        let over = Bound::new(py, HandOver { cluster, done: AtomicU64::new(0) })?;
        future.call_method1(intern!(py, "add_done_callback"), (&over,))?;
        Ok(Box::new(Self::OnLoop(over.unbind())))
    }

    /// Its reply is taken, and waits for the interpreter.
    pub fn taken(&mut self) {
        if let Self::Submitted(_, taken) = self {
            *taken = Some(Tick::now());
        }
    }

    /// Its objects are about to be made.
    pub fn goes_on(&self) -> Option<Tick> {
        match self {
            Self::OnLoop(_) => None,
            Self::Submitted(cluster, taken) => cluster.metrics().goes_on(*taken),
        }
    }

    /// The rows of a batch are there, and the interpreter is.
    pub fn rows_go_on(&self, rows: &Rows) {
        if let Self::Submitted(cluster, _) = self {
            cluster.metrics().goes_on(rows.answered());
        }
    }

    /// They are made, and the future is about to be done.
    pub fn decoded(&self, since: Option<Tick>) {
        match self {
            Self::OnLoop(over) => over.get().done.store(Tick::now().0, Relaxed),
            Self::Submitted(cluster, _) => cluster.metrics().decoded(since),
        }
    }
}

/// What the loop calls right before it calls what waits for a future.
#[pyclass(frozen, module = "spikewire._native")]
pub struct HandOver {
    cluster: Arc<dyn Observed>,
    /// When the future was done; zero for one that was cancelled.
    done: AtomicU64,
}

#[pymethods]
impl HandOver {
    fn __call__(&self, _future: &Bound<'_, PyAny>) {
        let done = self.done.load(Relaxed);
        if done > 0 {
            self.cluster.metrics().stage(Stage::HandOver, Tick::now().since(Tick(done)));
        }
    }
}
