//! The asyncio face: verbs return futures, completed on the loop's own thread.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use spikewire_sync::RwLock;

use super::classes::{Face, Runner};
use super::driver::Driver;
use crate::admin::task::{AdminOrigin, AdminRun, Origin};
use crate::call::Call;
use crate::client::Shared;
use crate::core::Core;
use crate::errors::type_error;
use crate::event_loop::running_loop;
use crate::identity::Registry;
use crate::many::BatchCall;
use crate::query::QueryCall;
use crate::query::asynchronous::AsyncQuery;
use crate::space::Space;

/// What an asyncio client's datasets share with it.
pub struct Loops {
    shared: Shared,
    /// One driver per event loop; few, so a search beats a map.
    drivers: RwLock<Vec<(Arc<Core>, Py<Driver>)>>,
}

static KNOWN: Registry<Loops> = Registry::new();

impl Drop for Loops {
    /// Event loops hold on to their drivers, so these are closed when their client is gone.
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
}

impl Runner for Loops {
    fn shared(&self) -> &Shared {
        &self.shared
    }

    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        self.driver(py)?.1.get().submit(py, call)
    }

    fn run_many<'py>(&self, py: Python<'py>, call: BatchCall) -> PyResult<Bound<'py, PyAny>> {
        let (core, driver) = self.driver(py)?;
        driver.get().submit_many(py, core.cluster.clone(), call)
    }
}

impl AdminOrigin for Loops {
    fn core(&self, py: Python<'_>) -> PyResult<Arc<Core>> {
        self.shared.core(py)
    }

    fn administer<'py>(&self, py: Python<'py>, run: AdminRun) -> PyResult<Bound<'py, PyAny>> {
        let (core, driver) = self.driver(py)?;
        driver.get().administer(py, core.cluster.clone(), run)
    }
}

impl Face for Loops {
    type Query = AsyncQuery;
    const START: &'static str = "_start_soon";

    fn known() -> &'static Registry<Self> {
        &KNOWN
    }

    fn check(options: &Bound<'_, PyDict>) -> PyResult<()> {
        if options.contains("submit_limit")? {
            return Err(type_error(
                "submit_limit is an option of Client: AsyncClient has no submit, its verbs return \
                 futures anyway",
            ));
        }
        Ok(())
    }

    fn of(shared: Shared) -> Self {
        Self { shared, drivers: RwLock::default() }
    }

    fn query(&self, py: Python<'_>, call: QueryCall) -> PyResult<AsyncQuery> {
        AsyncQuery::new(py, self.shared.core(py)?, call)
    }

    /// Ends the drivers; the one of the running loop at once.
    fn end(&self, py: Python<'_>) -> PyResult<()> {
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
    pub(super) face: Arc<Loops>,
}

impl AsyncClient {
    /// What the clients of both faces share.
    pub fn shared(&self) -> &Shared {
        &self.face.shared
    }

    /// Where its administrative commands run.
    pub fn admin_origin(&self) -> Origin {
        self.face.clone()
    }
}

/// A namespace and a set of an asyncio client, from `AsyncClient.dataset`. Any event loop may
/// use it; verbs return `asyncio.Future` objects of the running one.
///
/// Equal when client, namespace and set are. A pickled dataset carries its client's seeds and
/// options: where it is unpickled it finds the client it came from if that lives in the process
/// and is not closed, and else makes one like it that is shared by all datasets from the same
/// client and closed when the process exits, or when no dataset uses it and newer ones have come.
/// Such a client connects inside the first verb, which holds up the event loop until the cluster is
/// found.
#[pyclass(frozen, module = "spikewire")]
pub struct AsyncDataset {
    pub(super) face: Arc<Loops>,
    pub(super) space: Arc<Space>,
}
