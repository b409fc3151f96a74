//! The asyncio face: verbs return futures, completed on the loop's own thread.

use std::sync::Arc;

use parking_lot::RwLock;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;

use super::driver::Driver;
use crate::call::Call;
use crate::client::Shared;
use crate::core::Core;
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
    GET.import(py, "asyncio", "get_running_loop")?.call0()
}

impl Loops {
    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        let event_loop = running_loop(py)?;
        let core = self.shared.core(py)?;
        {
            let drivers = self.drivers.read();
            let mut drivers = drivers.iter();
            let own = drivers
                .find(|(of, driver)| driver.get().is_on(&event_loop) && Arc::ptr_eq(of, &core));
            if let Some((_, driver)) = own {
                let driver = driver.clone_ref(py);
                return driver.get().submit(py, call);
            }
        }
        let driver = Driver::start(py, core.cluster.clone(), &event_loop)?;
        {
            let mut drivers = self.drivers.write();
            // Loops that are closed never turn again; nor do those of a parent process.
            drivers.retain(|(of, driver)| of.is_own() && !driver.get().is_dead(py));
            drivers.push((core, driver.clone_ref(py)));
        }
        driver.get().submit(py, call)
    }

    /// Ends the drivers; the one of the running loop at once.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let Some(core) = self.shared.close() else { return Ok(()) };
        let here = running_loop(py).ok();
        for (_, driver) in std::mem::take(&mut *self.drivers.write()) {
            let driver = driver.bind(py);
            if here.as_ref().is_some_and(|here| driver.get().is_on(here)) {
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
    fn address<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Address<'py>> {
        Address::whole(key)
    }

    fn defaults(&self) -> PyResult<Defaults> {
        Ok(self.loops.shared.defaults)
    }

    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        self.loops.run(py, call)
    }
}

verbs!(AsyncClient {
    #[new]
    #[pyo3(signature = (seeds, **options))]
    fn new(seeds: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let shared = Arc::new(Shared::new(seeds, options)?);
        Ok(Self { loops: Arc::new(Loops { shared, drivers: RwLock::default() }) })
    }

    /// Blocks; the Python half calls it off the loop.
    fn _open(&self, py: Python<'_>) -> PyResult<()> {
        self.loops.shared.open(py)
    }

    fn _close(&self, py: Python<'_>) -> PyResult<()> {
        self.loops.close(py)
    }

    #[getter]
    fn is_connected(&self) -> bool {
        self.loops.shared.is_open()
    }

    fn _nodes(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        Ok(super::nodes(&*self.loops.shared.core(py)?))
    }

    fn _info(&self, py: Python<'_>, command: &str, node: Option<&str>) -> PyResult<String> {
        super::info(py, &*self.loops.shared.core(py)?, command, node)
    }

    #[pyo3(signature = (namespace, set=None))]
    fn dataset(&self, namespace: &str, set: Option<&str>) -> PyResult<AsyncDataset> {
        Ok(AsyncDataset { loops: self.loops.clone(), space: Space::new(namespace, set)? })
    }
});

/// A namespace and a set of an asyncio client.
#[pyclass(frozen, module = "spikewire")]
pub struct AsyncDataset {
    loops: Arc<Loops>,
    space: Arc<Space>,
}

impl AsyncDataset {
    fn address<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Address<'py>> {
        Address::within(&self.space, key)
    }

    fn defaults(&self) -> PyResult<Defaults> {
        Ok(self.loops.shared.defaults)
    }

    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        self.loops.run(py, call)
    }
}

verbs!(AsyncDataset {
    #[getter]
    fn namespace(&self) -> &str {
        &self.space.namespace
    }

    #[getter]
    fn set(&self) -> Option<&str> {
        self.space.set_name()
    }

    fn __eq__(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.loops, &other.loops) && self.space.same_as(&other.space)
    }

    fn __hash__(&self) -> u64 {
        super::hash(&self.space, Arc::as_ptr(&self.loops).addr())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        super::shown(py, "AsyncDataset", &self.space)
    }
});
