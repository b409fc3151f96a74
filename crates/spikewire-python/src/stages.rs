//! The stages of calls that only the bindings see: creating objects from a reply, and the time
//! until the caller continues.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering::Relaxed};

use pyo3::prelude::*;
use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::command::batch::Batch as Rows;
#[cfg(doc)]
use spikewire_transport::Metrics;
use spikewire_transport::metrics::{CallStart, MetricsFlags, Observed, Stage};

use crate::bridge::cached::intern;

/// Measures the hand-over of one in this many calls on an event loop, because that takes a
/// callback.
const EVERY: u32 = 16;

/// What a client records about its calls, and whether it times their stages.
#[derive(Debug, Default)]
pub struct Stages {
    /// [`Metrics::metrics_flags`], where calls find it without the core.
    metrics_flags: AtomicU8,
    calls: AtomicU32,
}

impl Stages {
    /// Sets what is recorded from now on.
    pub fn turn(&self, metrics_flags: MetricsFlags) {
        self.metrics_flags.store(metrics_flags.bits(), Relaxed);
    }

    /// Registers the start of a call.
    #[inline]
    pub fn begin(&self) -> CallStart {
        MetricsFlags::from_bits(self.metrics_flags.load(Relaxed)).begin()
    }

    /// Whether the hand-over of this call is to be measured.
    pub fn takes_turn(&self) -> bool {
        self.calls.fetch_add(1, Relaxed).is_multiple_of(EVERY)
    }
}

/// What is timed of a call with a future, once its reply has arrived.
pub enum Watch {
    /// A call with a future of an event loop.
    OnLoop(Py<HandOver>),
    /// A submitted call, with the time when its reply was taken.
    Submitted(Arc<dyn Observed>, Option<Tick>),
}

impl Watch {
    /// For a future of an event loop that nothing waits for yet: the callbacks of later waiters run
    /// right after this one's.
    pub fn on_loop(cluster: Arc<dyn Observed>, future: &Bound<'_, PyAny>) -> PyResult<Box<Self>> {
        let py = future.py();
        let over = Bound::new(py, HandOver { cluster, done: AtomicU64::new(0) })?;
        future.call_method1(intern!(py, "add_done_callback"), (&over,))?;
        Ok(Box::new(Self::OnLoop(over.unbind())))
    }

    /// Called when the reply has been taken and waits for the interpreter.
    pub fn on_reply(&mut self) {
        if let Self::Submitted(_, at) = self {
            *at = Some(Tick::now());
        }
    }

    /// Called just before the reply's objects are created.
    pub fn goes_on(&self) -> Option<Tick> {
        match self {
            Self::OnLoop(_) => None,
            Self::Submitted(cluster, at) => cluster.metrics().goes_on(*at),
        }
    }

    /// Called when the rows of a batch are complete and the interpreter is available.
    pub fn rows_go_on(&self, rows: &Rows) {
        if let Self::Submitted(cluster, _) = self {
            cluster.metrics().goes_on(rows.answered());
        }
    }

    /// Called when the objects have been created, just before the future is completed.
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
    /// When the future was completed; zero if it was cancelled.
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
