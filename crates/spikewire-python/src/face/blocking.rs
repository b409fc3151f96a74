//! The blocking face: the calling thread drives the connection itself, without the interpreter.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyDict;

use spikewire_engine::transport::{Reply, buffer};

use crate::call::Call;
use crate::client::Shared;
use crate::space::{Address, Space};
use crate::verbs;
use crate::verbs::Defaults;

/// A blocking client; `spikewire.Client` is built on it.
#[pyclass(frozen, subclass, weakref, module = "spikewire._native")]
pub struct Client {
    shared: Arc<Shared>,
}

impl Client {
    fn address<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Address<'py>> {
        Address::whole(key)
    }

    fn defaults(&self) -> PyResult<Defaults> {
        Ok(self.shared.defaults)
    }

    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        run(py, &self.shared, call)
    }
}

verbs!(Client {
    #[new]
    #[pyo3(signature = (seeds, **options))]
    fn new(seeds: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Ok(Self { shared: Arc::new(Shared::new(seeds, options)?) })
    }

    fn _open(&self, py: Python<'_>) -> PyResult<()> {
        self.shared.open(py)
    }

    /// Ends every connection. Calls under way in other threads fail at once.
    fn close(&self, py: Python<'_>) {
        if let Some(core) = self.shared.close() {
            py.detach(|| core.close());
        }
    }

    #[getter]
    fn is_connected(&self) -> bool {
        self.shared.is_open()
    }

    fn _nodes(&self, py: Python<'_>) -> PyResult<Vec<(String, String)>> {
        Ok(crate::face::nodes(&*self.shared.core(py)?))
    }

    fn _info(&self, py: Python<'_>, command: &str, node: Option<&str>) -> PyResult<String> {
        crate::face::info(py, &*self.shared.core(py)?, command, node)
    }

    #[pyo3(signature = (namespace, set=None))]
    fn dataset(&self, namespace: &str, set: Option<&str>) -> PyResult<Dataset> {
        Ok(Dataset { shared: self.shared.clone(), space: Space::new(namespace, set)? })
    }
});

/// A namespace and a set of a blocking client.
#[pyclass(frozen, module = "spikewire")]
pub struct Dataset {
    shared: Arc<Shared>,
    space: Arc<Space>,
}

impl Dataset {
    fn address<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Address<'py>> {
        Address::within(&self.space, key)
    }

    fn defaults(&self) -> PyResult<Defaults> {
        Ok(self.shared.defaults)
    }

    fn run<'py>(&self, py: Python<'py>, call: Call) -> PyResult<Bound<'py, PyAny>> {
        run(py, &self.shared, call)
    }
}

verbs!(Dataset {
    #[getter]
    fn namespace(&self) -> &str {
        &self.space.namespace
    }

    #[getter]
    fn set(&self) -> Option<&str> {
        self.space.set_name()
    }

    fn __eq__(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared) && self.space.same_as(&other.space)
    }

    fn __hash__(&self) -> u64 {
        crate::face::hash(&self.space, Arc::as_ptr(&self.shared).addr())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        crate::face::shown(py, "Dataset", &self.space)
    }
});

fn run<'py>(py: Python<'py>, shared: &Shared, call: Call) -> PyResult<Bound<'py, PyAny>> {
    let core = shared.core(py)?;
    let Call { bytes, target, policy, plan } = call;
    let mut body = buffer::take();
    let outcome = py.detach(|| core.lanes.run(&bytes, &target, &policy, &mut body));
    let result = match &outcome {
        Ok((node, attempts)) => {
            plan.finish(py, Ok(Reply { body: &body, node, attempts: *attempts }))
        }
        Err(error) => plan.finish(py, Err(error.clone())),
    };
    buffer::give(body);
    buffer::give(bytes);
    result
}
