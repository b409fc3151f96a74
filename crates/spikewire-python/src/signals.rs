//! A client's metrics and events. `spikewire.metrics` wraps them in classes.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use spikewire_aerospike::ReplicaPolicy;
use spikewire_aerospike::command::{Router, Target};
use spikewire_transport::LimiterStats;
use spikewire_transport::metrics::{
    self, Event, HotKey, Labels, NearCacheStats, NodeStats, Observed, SlowCommand, Stats, Totals,
};

use crate::aerospike::admin::origin;
use crate::aerospike::arguments;
use crate::aerospike::key::Key;
use crate::aerospike::task::Origin;
use crate::arguments::seconds;
use crate::cql;
use crate::cql::runner::Shared;

/// The counters, gauges and events of a client or session.
#[pyclass(frozen, module = "spikewire._native")]
pub struct Signals {
    source: Source,
}

/// What the metrics belong to.
enum Source {
    Client(Origin),
    Session(Arc<Shared>),
}

impl Signals {
    /// The metrics of the core.
    fn observed(&self, py: Python<'_>) -> PyResult<Arc<dyn Observed>> {
        Ok(match &self.source {
            Source::Client(origin) => origin.core(py)?.cluster.clone(),
            Source::Session(shared) => shared.core(py)?.session.cluster().clone(),
        })
    }

    /// Copies the engine's setting to where calls on the Python side find it.
    fn calls(&self, py: Python<'_>) -> PyResult<()> {
        if let Source::Client(origin) = &self.source {
            let observed = self.observed(py)?;
            origin.stages().turn(observed.metrics().metrics_flags());
        }
        Ok(())
    }
}

#[pymethods]
impl Signals {
    #[new]
    fn new(client: &Bound<'_, PyAny>) -> PyResult<Self> {
        let source = match cql::api::session::shared_of(client) {
            Some(shared) => Source::Session(shared),
            None => Source::Client(origin(client)?),
        };
        Ok(Self { source })
    }

    /// Begins to count commands, or stops.
    fn turn(&self, py: Python<'_>, on: bool) -> PyResult<()> {
        self.observed(py)?.metrics().turn(on);
        self.calls(py)
    }

    /// Whether commands are counted.
    fn is_on(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.observed(py)?.metrics().is_on())
    }

    /// Begins to time the stages of commands, or stops.
    fn time_stages(&self, py: Python<'_>, on: bool) -> PyResult<()> {
        self.observed(py)?.metrics().time_stages(on);
        self.calls(py)
    }

    /// Whether they are timed.
    fn times_stages(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.observed(py)?.metrics().times_stages())
    }

    /// Forgets what was counted.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        let observed = self.observed(py)?;
        py.detach(|| observed.metrics().reset());
        Ok(())
    }

    /// From how long a command takes there is an event of it; `None`: never.
    #[pyo3(name = "report_slower_than", signature = (limit))]
    fn report_slower_than(&self, py: Python<'_>, limit: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let limit = limit.map(|limit| seconds("slower_than", limit)).transpose()?;
        self.observed(py)?.metrics().report_slower_than(limit);
        Ok(())
    }

    /// Keeps events for `wait` from here on, or no more.
    fn listen(&self, py: Python<'_>, listens: bool) -> PyResult<()> {
        self.observed(py)?.metrics().events().listen(listens);
        Ok(())
    }

    /// Waits up to so many seconds for events: their names with what belongs to them, and how
    /// many were lost.
    fn wait<'py>(&self, py: Python<'py>, limit: f64) -> PyResult<(Vec<Bound<'py, PyTuple>>, u64)> {
        let limit = Duration::try_from_secs_f64(limit).unwrap_or_default();
        let observed = self.observed(py)?;
        let events = observed.metrics().events().clone();
        // Not kept during the wait: dropping the last reference is what closes the client.
        drop(observed);
        let (events, lost) = py.detach(|| events.wait(limit));
        let tuples = events.iter().map(|event| event_tuple(py, event)).collect::<PyResult<_>>()?;
        Ok((tuples, lost))
    }

    /// The node that a command on one record goes to first: its name, host and port. `None`
    /// where that is not decided before it is sent, or no node is known.
    #[pyo3(signature = (key, writes, replica=None))]
    fn route(
        &self,
        py: Python<'_>,
        key: &Bound<'_, Key>,
        writes: bool,
        replica: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<(String, String, u16)>> {
        let Source::Client(origin) = &self.source else { return Ok(None) };
        let core = origin.core(py)?;
        let options = core.cluster.options();
        let policy = replica.map(arguments::replica).transpose()?.unwrap_or(options.policy.replica);
        if policy == ReplicaPolicy::Any && !writes {
            return Ok(None);
        }
        let key = key.get();
        let namespace = key.space.namespace.clone();
        let target = Target::record(namespace, &key.digest, writes);
        let router = Router::new(options.racks.clone());
        let node = router.choose(&core.cluster.snapshot(), &target, policy, 0).ok();
        Ok(node.map(|node| (node.name.clone(), node.address.ip().to_string(), node.address.port())))
    }

    /// What the client counted and holds, as plain values.
    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let observed = self.observed(py)?;
        let stats = py.detach(|| observed.stats());
        let known = PyDict::new(py);
        let Stats {
            counting,
            commands,
            in_flight,
            queued,
            stages,
            hedges,
            retries,
            reads_shared,
            rows_late,
            near_cache,
            nodes,
            unreachable,
            tends,
            failed_tends,
            tend_age,
            ..
        } = stats;
        known.set_item("counting", counting)?;
        let all = commands.iter().map(|(labels, totals)| command(py, labels, totals));
        known.set_item("commands", PyList::new(py, all.collect::<PyResult<Vec<_>>>()?)?)?;
        let all = stages.iter().map(|(stage, times)| {
            (stage.name(), times.counts().to_vec(), times.sum().as_secs_f64()).into_pyobject(py)
        });
        known.set_item("stages", PyList::new(py, all.collect::<PyResult<Vec<_>>>()?)?)?;
        let all = nodes.iter().map(|known| node(py, known));
        known.set_item("nodes", PyList::new(py, all.collect::<PyResult<Vec<_>>>()?)?)?;
        known.set_item("unreachable", unreachable.into_iter().collect::<BTreeMap<_, _>>())?;
        known.set_item("in_flight", in_flight)?;
        known.set_item("queued", queued)?;
        known.set_item("hedges_sent", hedges.0)?;
        known.set_item("hedges_won", hedges.1)?;
        known.set_item("retries_sent", retries.0)?;
        known.set_item("retries_denied", retries.1)?;
        known.set_item("reads_shared", reads_shared)?;
        known.set_item("rows_late", rows_late)?;
        known.set_item("near_cache", near_cache.map(|cache| near(py, cache)).transpose()?)?;
        known.set_item("tends", tends)?;
        known.set_item("failed_tends", failed_tends)?;
        known.set_item("tend_age", tend_age.as_secs_f64())?;
        Ok(known)
    }

    /// The upper bounds of the buckets of latencies, in seconds.
    #[staticmethod]
    fn bounds() -> Vec<f64> {
        metrics::bounds().map(|bound| bound.as_secs_f64()).collect()
    }
}

/// Labels, latencies, records, retries and parts, bytes sent and received.
type CommandTuple =
    (&'static str, String, String, &'static str, Vec<u64>, f64, u64, u64, u64, u64, u64);

fn command<'py>(
    py: Python<'py>,
    labels: &Labels,
    totals: &Totals,
) -> PyResult<Bound<'py, PyTuple>> {
    let Labels { operation, namespace, node, result } = labels;
    let Totals { latencies, records, retries, parts, bytes_sent, bytes_received } = totals;
    let whole: CommandTuple = (
        operation,
        namespace.to_string(),
        node.to_string(),
        result,
        latencies.counts().to_vec(),
        latencies.sum().as_secs_f64(),
        *records,
        *retries,
        *parts,
        *bytes_sent,
        *bytes_received,
    );
    whole.into_pyobject(py)
}

fn near(py: Python<'_>, cache: NearCacheStats) -> PyResult<Bound<'_, PyTuple>> {
    let NearCacheStats { hits, misses, revalidations, evictions, entries, bytes, hot_keys } = cache;
    let key = |key: HotKey| {
        let HotKey { namespace, set, digest, reads_per_second } = key;
        (namespace, set, PyBytes::new(py, &digest), reads_per_second)
    };
    let hot_keys: Vec<_> = hot_keys.into_iter().map(key).collect();
    (hits, misses, revalidations, evictions, entries, bytes, hot_keys).into_pyobject(py)
}

fn node<'py>(py: Python<'py>, node: &NodeStats) -> PyResult<Bound<'py, PyTuple>> {
    let NodeStats {
        name, label, address, connections, opened, errors, breaker_open, share, ..
    } = node;
    let LimiterStats { limit, in_flight, waiting, rejections } = node.limiter;
    let limiter = (limit, in_flight, waiting, rejections);
    let NodeStats { connect_times, control_sent, control_received, .. } = node;
    let times = (connect_times.counts().to_vec(), connect_times.sum().as_secs_f64());
    let control = (control_sent, control_received);
    let counters = (times, control);
    (name, address, connections, opened, errors, breaker_open, label, share, limiter, counters)
        .into_pyobject(py)
}

fn event_tuple<'py>(py: Python<'py>, event: &Event) -> PyResult<Bound<'py, PyTuple>> {
    let name = match (event, event.named()) {
        (Event::Slow(slow), (name, _)) => {
            let SlowCommand { operation, namespace, node, result, took, records, attempts } = slow;
            let (namespace, node, took) = (&**namespace, &**node, took.as_secs_f64());
            return (name, *operation, namespace, node, *result, took, *records, *attempts)
                .into_pyobject(py);
        }
        (_, (name, Some(node))) => return (name, &**node).into_pyobject(py),
        (_, (name, None)) => name,
    };
    (name,).into_pyobject(py)
}
