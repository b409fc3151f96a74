//! The blocking face: the calling thread drives the connection itself, without the interpreter.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use spikewire_engine::transport::{Reply, buffer};

use super::signal::Signal;
use super::submit::{ClientSubmit, DatasetSubmit};
use crate::call::Call;
use crate::client::{Pickled, Shared};
use crate::errors::to_python;
use crate::identity::{Registry, Token};
use crate::many::{ManyCall, Next};
use crate::query::QueryCall;
use crate::query::blocking::Query;
use crate::query::job::{self, JobCall};
use crate::space::{Address, Space};
use crate::verbs;
use crate::verbs::Defaults;

static KNOWN: Registry<Shared> = Registry::new();

/// Ends the clients that unpickled datasets brought along.
pub fn close_adopted(py: Python<'_>) {
    for shared in KNOWN.release() {
        if let Some(core) = shared.close() {
            py.detach(|| core.close());
        }
    }
}

/// Ends the threads of submitted calls, of all clients; called when the process exits.
pub fn end_submitted(py: Python<'_>) {
    let open = KNOWN.all().into_iter().filter_map(|shared| shared.running());
    let open: Vec<_> = open.collect();
    py.detach(|| open.iter().for_each(|core| core.end_submitted()));
}

/// A blocking client; `spikewire.Client` is built on it.
#[pyclass(frozen, subclass, weakref, module = "spikewire._native")]
pub struct Client {
    shared: Arc<Shared>,
}

impl Client {
    #[expect(clippy::unused_self, reason = "the verbs call it as a method, as on a dataset")]
    fn space(
        &self,
        namespace: Bound<'_, PyAny>,
        set: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Arc<Space>> {
        Space::named(&namespace, set.as_ref())
    }

    #[expect(clippy::unused_self, reason = "the verbs call it as a method, as on a dataset")]
    fn address<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Address<'py>> {
        Address::whole(key)
    }

    fn defaults(&self) -> Defaults {
        self.shared.defaults.clone()
    }

    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        run(py, &self.shared, call)
    }

    fn run_many<'py>(&self, py: Python<'py>, call: ManyCall) -> PyResult<Bound<'py, PyAny>> {
        run_many(py, &self.shared, call)
    }

    fn run_query(&self, py: Python<'_>, call: QueryCall) -> PyResult<Query> {
        Query::new(py, self.shared.core(py)?, call)
    }

    fn run_job<'py>(&self, py: Python<'py>, call: JobCall) -> PyResult<Bound<'py, PyAny>> {
        job::run(py, self.shared.core(py)?, call, "_start")
    }
}

verbs!(Client, Query, (namespace: Bound<'py, PyAny>, set: Option<Bound<'py, PyAny>>) (namespace, set=None,) {
    #[new]
    #[pyo3(signature = (seeds, **options))]
    fn new(seeds: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let shared = Arc::new(Shared::new(seeds, options)?);
        KNOWN.note(shared.token, &shared);
        Ok(Self { shared })
    }

    /// Finds the cluster; blocks.
    fn _open(&self, py: Python<'_>) -> PyResult<()> {
        self.shared.open(py)
    }

    /// Ends every connection. Calls under way in other threads fail at once with
    /// `ClientClosed` or `ConnectionFailed`, later ones with `ClientClosed`. Closing twice does
    /// nothing.
    fn close(&self, py: Python<'_>) {
        if let Some(core) = self.shared.close() {
            py.detach(|| core.close());
        }
    }

    /// Whether the client is connected and not closed.
    #[getter]
    fn is_connected(&self) -> bool {
        self.shared.is_open()
    }

    /// Whether this process, and not the parent of a fork, made the connections.
    #[getter]
    fn _holds_connections(&self) -> bool {
        self.shared.holds_connections()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.get().shared.shown(slf.as_any())
    }

    fn __reduce__(slf: &Bound<'_, Self>) -> PyResult<()> {
        Err(super::not_picklable(slf.as_any())?)
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn _nodes(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        Ok(super::nodes(&*self.shared.core(py)?))
    }

    fn _info(
        &self,
        py: Python<'_>,
        command: &Bound<'_, PyAny>,
        node: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        super::info(py, &*self.shared.core(py)?, command, node)
    }

    /// The same verbs, each returning a `concurrent.futures.Future` at once.
    #[getter]
    fn submit(&self) -> ClientSubmit {
        ClientSubmit { shared: self.shared.clone() }
    }

    /// Whether a dataset is one of this client.
    fn _owns(&self, dataset: &Dataset) -> bool {
        Arc::ptr_eq(&self.shared, &dataset.shared)
    }

    /// A namespace and a set of this client. Cheap to make and to keep.
    ///
    /// Raises `ValueError` for names that the server does not take. Whether the namespace exists
    /// shows on first use.
    #[pyo3(signature = (namespace, set=None))]
    fn dataset(
        &self,
        namespace: &Bound<'_, PyAny>,
        set: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Dataset> {
        Ok(Dataset { shared: self.shared.clone(), space: Space::named(namespace, set)? })
    }
});

/// A namespace and a set of a blocking client, from `Client.dataset`. Any number of threads
/// may use it.
///
/// Equal when client, namespace and set are. A pickled dataset carries its client's seeds and
/// options: where it is unpickled it finds the client it came from if that lives in the process
/// and is not closed, and else makes one like it that connects on first use, is shared by all
/// datasets from the same client, and is closed when the process exits.
#[pyclass(frozen, module = "spikewire")]
pub struct Dataset {
    shared: Arc<Shared>,
    space: Arc<Space>,
}

impl Dataset {
    #[expect(clippy::unnecessary_wraps, reason = "the verbs call it as a method, as on a client")]
    fn space(&self) -> PyResult<Arc<Space>> {
        Ok(self.space.clone())
    }

    fn address<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Address<'py>> {
        Address::within(&self.space, key)
    }

    fn defaults(&self) -> Defaults {
        self.shared.defaults.clone()
    }

    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        run(py, &self.shared, call)
    }

    fn run_many<'py>(&self, py: Python<'py>, call: ManyCall) -> PyResult<Bound<'py, PyAny>> {
        run_many(py, &self.shared, call)
    }

    fn run_query(&self, py: Python<'_>, call: QueryCall) -> PyResult<Query> {
        Query::new(py, self.shared.core(py)?, call)
    }

    fn run_job<'py>(&self, py: Python<'py>, call: JobCall) -> PyResult<Bound<'py, PyAny>> {
        job::run(py, self.shared.core(py)?, call, "_start")
    }
}

verbs!(Dataset, Query, () () {
    /// The namespace's name.
    #[getter]
    fn namespace(&self) -> &str {
        &self.space.namespace
    }

    /// The set's name; `None` for records without a set.
    #[getter]
    fn set(&self) -> Option<&str> {
        self.space.set_name()
    }

    /// The same verbs, each returning a `concurrent.futures.Future` at once.
    #[getter]
    fn submit(&self) -> DatasetSubmit {
        DatasetSubmit { shared: self.shared.clone(), space: self.space.clone() }
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.shared.token == other.shared.token && self.space.same_as(&other.space)
    }

    fn __hash__(&self) -> u64 {
        super::hash(&self.space, &self.shared.token)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let class: Bound<'py, PyType> = py.get_type::<Self>();
        Ok((class.getattr("_rebuild")?, self.shared.pickled(py, &self.space)))
    }

    /// For unpickling: the client with this token, or one like it.
    #[staticmethod]
    fn _rebuild(
        token: Token,
        seeds: &Bound<'_, PyAny>,
        options: &Bound<'_, PyDict>,
        namespace: &str,
        set: Option<&str>,
    ) -> PyResult<Self> {
        let fits = |shared: &Shared| !shared.is_closed();
        let shared = match KNOWN.find(&token, fits) {
            Some(shared) => shared,
            None => KNOWN.keep(token, Arc::new(Shared::adopted(token, seeds, options)?), fits),
        };
        Ok(Self { shared, space: Space::new(namespace, set)? })
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        super::shown(py, "Dataset", &self.space)
    }
});

fn run<'py>(py: Python<'py>, shared: &Shared, call: Call) -> PyResult<Bound<'py, PyAny>> {
    let core = shared.core(py)?;
    let Call { bytes, target, policy, plan } = call;
    let mut body = buffer::take();
    let signal = Signal::default();
    let outcome = py.detach(|| {
        let look = || signal.look();
        let interrupted = Signal::is_minded().then_some(&look as &dyn Fn() -> bool);
        core.lanes.run_interruptibly(&bytes, &target, &policy, &mut body, interrupted)
    });
    if let Some(error) = signal.raised() {
        return Err(error);
    }
    let result = match &outcome {
        Ok((node, attempts)) if plan.wants_memory() => {
            plan.finish_with(py, std::mem::take(&mut body), node, *attempts)
        }
        Ok((node, attempts)) => {
            plan.finish(py, Ok(Reply { body: &body, node, attempts: *attempts }))
        }
        Err(error) => plan.finish(py, Err(error.clone())),
    };
    buffer::give(body);
    buffer::give(bytes);
    result
}

fn run_many<'py>(py: Python<'py>, shared: &Shared, call: ManyCall) -> PyResult<Bound<'py, PyAny>> {
    let core = shared.core(py)?;
    let ManyCall { mut rows, mut plan } = call;
    loop {
        let signal = Signal::default();
        let outcome = py.detach(|| {
            let look = || signal.look();
            let interrupted = Signal::is_minded().then_some(&look as &dyn Fn() -> bool);
            core.batches.run(&mut rows, interrupted)
        });
        if let Some(error) = signal.raised() {
            return Err(error);
        }
        outcome.map_err(|error| to_python(py, &error, None))?;
        match plan.go_on(py, rows)? {
            Next::Send(more) => rows = more,
            Next::Finish(all) => return plan.finish(py, all),
        }
    }
}
