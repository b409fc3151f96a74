//! The asyncio face: verbs return futures, completed on the loop's own thread.

use std::sync::Arc;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyType};
use spikewire_sync::RwLock;

use super::driver::Driver;
use crate::call::Call;
use crate::client::{Pickled, Shared};
use crate::core::Core;
use crate::errors::type_error;
use crate::identity::{Registry, Token};
use crate::many::ManyCall;
use crate::query::QueryCall;
use crate::query::asynchronous::AsyncQuery;
use crate::query::job::{self, JobCall};
use crate::space::{Address, Space};
use crate::verbs;
use crate::verbs::Defaults;

/// What an asyncio client's datasets share with it.
struct Loops {
    shared: Arc<Shared>,
    /// One driver per event loop; few, so a search beats a map.
    drivers: RwLock<Vec<(Arc<Core>, Py<Driver>)>>,
}

/// The event loop that runs in this thread.
fn running_loop(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    static GET: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    GET.import(py, "asyncio", "get_running_loop")?.call0().map_err(|error| {
        if !error.is_instance_of::<PyRuntimeError>(py) {
            return error;
        }
        PyRuntimeError::new_err(
            "no running event loop: call the verbs of AsyncClient and AsyncDataset in a \
             coroutine, run for example by asyncio.run(); without asyncio use spikewire.Client",
        )
    })
}

static KNOWN: Registry<Loops> = Registry::new();

/// Ends the clients that unpickled datasets brought along.
pub fn close_adopted(py: Python<'_>) -> PyResult<()> {
    KNOWN.release().iter().try_for_each(|loops| loops.close(py))
}

impl Drop for Loops {
    /// Event loops hold on to their drivers, so these are told that nobody needs them any more.
    fn drop(&mut self) {
        let drivers = std::mem::take(self.drivers.get_mut());
        if drivers.is_empty() {
            return;
        }
        let mut drivers = Some(drivers);
        Python::try_attach(|py| {
            for (core, driver) in drivers.take().unwrap_or_default() {
                let driver = driver.bind(py);
                if core.is_own()
                    && let Err(error) = Driver::close_soon(driver)
                {
                    error.write_unraisable(py, Some(driver));
                }
            }
        });
        // The interpreter is gone, and with it the loops; their memory is not ours to touch.
        std::mem::forget(drivers);
    }
}

impl Loops {
    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        self.driver(py)?.1.get().submit(py, call)
    }

    fn run_many<'py>(&self, py: Python<'py>, call: ManyCall) -> PyResult<Bound<'py, PyAny>> {
        let (core, driver) = self.driver(py)?;
        driver.get().submit_many(py, core.cluster.clone(), call)
    }

    /// The driver of the loop that runs in this thread, started when it is the first time.
    fn driver(&self, py: Python<'_>) -> PyResult<(Arc<Core>, Py<Driver>)> {
        let event_loop = running_loop(py)?;
        let core = self.shared.core(py)?;
        // No lock is held when Python code runs: a finalizer may come back here, or close.
        let own = {
            let drivers = self.drivers.read();
            let mut drivers = drivers.iter();
            let own = drivers
                .find(|(of, driver)| driver.get().is_on(&event_loop) && Arc::ptr_eq(of, &core));
            own.map(|(_, driver)| driver.clone_ref(py))
        };
        if let Some(driver) = own {
            return Ok((core, driver));
        }
        let driver = Driver::start(py, core.cluster.clone(), &event_loop)?;
        // Loops that are closed never turn again; nor do those of a parent process.
        let all: Vec<_> = {
            let drivers = self.drivers.read();
            drivers.iter().map(|(of, driver)| (of.clone(), driver.clone_ref(py))).collect()
        };
        let (dead, _): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|(of, driver)| !of.is_own() || driver.get().is_dead(py));
        let is_dead = |driver: &Py<Driver>| dead.iter().any(|(_, other)| other.is(driver));
        {
            let mut drivers = self.drivers.write();
            drivers.retain(|(_, driver)| !is_dead(driver));
            drivers.push((core.clone(), driver.clone_ref(py)));
        }
        let mut ended = dead.iter().filter(|(of, _)| of.is_own());
        ended.try_for_each(|(_, driver)| driver.get().close(py))?;
        Ok((core, driver))
    }

    /// Ends the drivers; the one of the running loop at once.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let Some(core) = self.shared.close() else { return Ok(()) };
        let here = running_loop(py).ok();
        let drivers = std::mem::take(&mut *self.drivers.write());
        for (of, driver) in drivers {
            let driver = driver.bind(py);
            if !of.is_own() {
                // Its descriptor is shared with the parent of the fork: let it be.
            } else if here.as_ref().is_some_and(|here| driver.get().is_on(here)) {
                driver.get().close(py)?;
            } else {
                Driver::close_soon(driver)?;
            }
        }
        py.detach(|| core.close());
        Ok(())
    }
}

/// An asyncio client; `spikewire.AsyncClient` is built on it.
#[pyclass(frozen, subclass, weakref, module = "spikewire._native")]
pub struct AsyncClient {
    loops: Arc<Loops>,
}

impl AsyncClient {
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
        self.loops.shared.defaults.clone()
    }

    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        self.loops.run(py, call)
    }

    fn run_many<'py>(&self, py: Python<'py>, call: ManyCall) -> PyResult<Bound<'py, PyAny>> {
        self.loops.run_many(py, call)
    }

    fn run_query(&self, py: Python<'_>, call: QueryCall) -> PyResult<AsyncQuery> {
        AsyncQuery::new(py, self.loops.shared.core(py)?, call)
    }

    fn run_job<'py>(&self, py: Python<'py>, call: JobCall) -> PyResult<Bound<'py, PyAny>> {
        job::run(py, self.loops.shared.core(py)?, call, "_start_soon")
    }
}

verbs!(AsyncClient, AsyncQuery, (namespace: Bound<'py, PyAny>, set: Option<Bound<'py, PyAny>>) (namespace, set=None,) {
    #[new]
    #[pyo3(signature = (seeds, **options))]
    fn new(seeds: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        if let Some(options) = options
            && options.contains("submit_limit")?
        {
            return Err(type_error(
                "submit_limit is an option of Client: AsyncClient has no submit, its verbs return \
                 futures anyway",
            ));
        }
        let shared = Arc::new(Shared::new(seeds, options)?);
        let loops = Arc::new(Loops { shared, drivers: RwLock::default() });
        KNOWN.note(loops.shared.token, &loops);
        Ok(Self { loops })
    }

    /// Blocks; the Python half calls it off the loop.
    fn _open(&self, py: Python<'_>) -> PyResult<()> {
        self.loops.shared.open(py)
    }

    fn _close(&self, py: Python<'_>) -> PyResult<()> {
        self.loops.close(py)
    }

    /// Whether the client is connected and not closed.
    #[getter]
    fn is_connected(&self) -> bool {
        self.loops.shared.is_open()
    }

    /// Whether this process, and not the parent of a fork, made the connections.
    #[getter]
    fn _holds_connections(&self) -> bool {
        self.loops.shared.holds_connections()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        slf.get().loops.shared.shown(slf.as_any())
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
        Ok(super::nodes(&*self.loops.shared.core(py)?))
    }

    fn _info(
        &self,
        py: Python<'_>,
        command: &Bound<'_, PyAny>,
        node: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        super::info(py, &*self.loops.shared.core(py)?, command, node)
    }

    /// Whether a dataset is one of this client.
    fn _owns(&self, dataset: &AsyncDataset) -> bool {
        Arc::ptr_eq(&self.loops, &dataset.loops)
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
    ) -> PyResult<AsyncDataset> {
        Ok(AsyncDataset { loops: self.loops.clone(), space: Space::named(namespace, set)? })
    }
});

/// A namespace and a set of an asyncio client, from `AsyncClient.dataset`. Any event loop may
/// use it; verbs return `asyncio.Future` objects of the running one.
///
/// Equal when client, namespace and set are. A pickled dataset carries its client's seeds and
/// options: where it is unpickled it finds the client it came from if that lives in the process
/// and is not closed, and else makes one like it that is shared by all datasets from the same
/// client and closed when the process exits. Such a client connects inside the first verb, which
/// holds up the event loop until the cluster is found.
#[pyclass(frozen, module = "spikewire")]
pub struct AsyncDataset {
    loops: Arc<Loops>,
    space: Arc<Space>,
}

impl AsyncDataset {
    #[expect(clippy::unnecessary_wraps, reason = "the verbs call it as a method, as on a client")]
    fn space(&self) -> PyResult<Arc<Space>> {
        Ok(self.space.clone())
    }

    fn address<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Address<'py>> {
        Address::within(&self.space, key)
    }

    fn defaults(&self) -> Defaults {
        self.loops.shared.defaults.clone()
    }

    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        self.loops.run(py, call)
    }

    fn run_many<'py>(&self, py: Python<'py>, call: ManyCall) -> PyResult<Bound<'py, PyAny>> {
        self.loops.run_many(py, call)
    }

    fn run_query(&self, py: Python<'_>, call: QueryCall) -> PyResult<AsyncQuery> {
        AsyncQuery::new(py, self.loops.shared.core(py)?, call)
    }

    fn run_job<'py>(&self, py: Python<'py>, call: JobCall) -> PyResult<Bound<'py, PyAny>> {
        job::run(py, self.loops.shared.core(py)?, call, "_start_soon")
    }
}

verbs!(AsyncDataset, AsyncQuery, () () {
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

    fn __eq__(&self, other: &Self) -> bool {
        self.loops.shared.token == other.loops.shared.token && self.space.same_as(&other.space)
    }

    fn __hash__(&self) -> u64 {
        super::hash(&self.space, &self.loops.shared.token)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let class: Bound<'py, PyType> = py.get_type::<Self>();
        Ok((class.getattr("_rebuild")?, self.loops.shared.pickled(py, &self.space)))
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
        let fits = |loops: &Loops| !loops.shared.is_closed();
        let loops = if let Some(loops) = KNOWN.find(&token, fits) {
            loops
        } else {
            let shared = Arc::new(Shared::adopted(token, seeds, options)?);
            KNOWN.keep(token, Arc::new(Loops { shared, drivers: RwLock::default() }), fits)
        };
        Ok(Self { loops, space: Space::new(namespace, set)? })
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __deepcopy__<'py>(slf: Bound<'py, Self>, _memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        slf
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        super::shown(py, "AsyncDataset", &self.space)
    }
});
