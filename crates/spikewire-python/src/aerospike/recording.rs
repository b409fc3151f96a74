//! Recordings of a client's calls, and reading them back. `spikewire.recording` wraps both in
//! classes.

use std::path::PathBuf;
use std::sync::Weak;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::recording::{
    Calls, RecordError, RecordOptions, Recording, RecordingSummary, Trace, TraceError,
};

use crate::aerospike::admin::origin;
use crate::aerospike::task::Origin;
use crate::arguments::count;
use crate::errors::{repr_of, to_python, type_error, type_name, value_error};

/// A recording of a client's calls.
#[pyclass(frozen, module = "spikewire._native")]
pub struct RecordingCore {
    recording: Recording,
    /// Whose calls find the flags of metrics on the Python side.
    origin: Origin,
    cluster: Weak<Cluster>,
}

/// State, calls, dropped calls, bytes, seconds.
type SummaryTuple = (&'static str, u64, u64, u64, f64);

#[pymethods]
impl RecordingCore {
    #[new]
    fn new(
        py: Python<'_>,
        client: &Bound<'_, PyAny>,
        path: PathBuf,
        share: &Bound<'_, PyAny>,
        max_bytes: &Bound<'_, PyAny>,
        overwrite: bool,
    ) -> PyResult<Self> {
        let Ok(number) = share.extract::<f64>() else {
            return Err(type_error(format!("share must be a number, not {}", type_name(share))));
        };
        if !(number > 0.0 && number <= 1.0) {
            let share = repr_of(share);
            return Err(value_error(format!("share must be above 0 and at most 1, got {share}")));
        }
        let max_bytes = count("max_bytes", max_bytes, RecordOptions::LEAST_BYTES, 1 << 50)?;
        let options = RecordOptions { share: number, max_bytes, overwrite };
        let origin = origin(client)?;
        let cluster = origin.core(py)?.cluster.clone();
        let recording = py.detach(|| Recording::start(&cluster, &path, options));
        let recording = recording.map_err(|error| record_error(py, error))?;
        let core = Self { recording, origin, cluster: std::sync::Arc::downgrade(&cluster) };
        core.calls();
        Ok(core)
    }

    /// Ends it, and waits until the file is complete.
    fn stop(&self, py: Python<'_>) -> PyResult<SummaryTuple> {
        let summary = py.detach(|| self.recording.stop());
        self.calls();
        Ok(fields(&summary.map_err(|error| record_error(py, error))?))
    }

    /// How it stands.
    fn summary(&self, py: Python<'_>) -> SummaryTuple {
        fields(&py.detach(|| self.recording.summary()))
    }
}

impl RecordingCore {
    /// Copies the engine's flags to where calls on the Python side find them.
    fn calls(&self) {
        if let Some(cluster) = self.cluster.upgrade() {
            self.origin.stages().turn(cluster.metrics().metrics_flags());
        }
    }
}

fn fields(summary: &RecordingSummary) -> SummaryTuple {
    let RecordingSummary { state, calls, dropped, bytes, seconds, .. } = *summary;
    (state.name(), calls, dropped, bytes, seconds)
}

fn record_error(py: Python<'_>, error: RecordError) -> PyErr {
    match error {
        RecordError::Client(error) => to_python(py, &error, None),
        RecordError::File(error) => error.into(),
    }
}

/// Reads the file of a recording: what there is about all calls, and their columns in bytes.
#[pyfunction]
pub fn read_trace(py: Python<'_>, path: PathBuf, partial: bool) -> PyResult<Bound<'_, PyDict>> {
    let trace = py.detach(|| Trace::read(&path, partial)).map_err(|error| match error {
        TraceError::File(error) => {
            std::io::Error::new(error.kind(), format!("{}: {error}", path.display())).into()
        }
        _ => value_error(format!("{}: {error}", path.display())),
    })?;
    let Trace { share, began_micros, version, labels, sets, calls, dropped, micros, state } = trace;
    let fields = PyDict::new(py);
    fields.set_item("share", share)?;
    fields.set_item("began", began_micros as f64 / 1e6)?;
    fields.set_item("version", version)?;
    fields.set_item("labels", labels)?;
    fields.set_item("sets", sets)?;
    fields.set_item("dropped", dropped)?;
    fields.set_item("seconds", micros as f64 / 1e6)?;
    fields.set_item("state", state.name())?;
    let Calls { arrival, latency, operation, result, writes, set, rows, request, reply, key } =
        calls;
    for (name, column) in [("arrival", arrival), ("latency", latency), ("key", key)] {
        let bytes: Vec<u8> = column.iter().flat_map(|number| number.to_ne_bytes()).collect();
        fields.set_item(name, PyBytes::new(py, &bytes))?;
    }
    for (name, column) in [
        ("operation", operation),
        ("result", result),
        ("writes", writes),
        ("set", set),
        ("rows", rows),
        ("request", request),
        ("reply", reply),
    ] {
        let bytes: Vec<u8> = column.iter().flat_map(|number| number.to_ne_bytes()).collect();
        fields.set_item(name, PyBytes::new(py, &bytes))?;
    }
    Ok(fields)
}
