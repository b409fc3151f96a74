//! What the blocking and the asynchronous client have in common: options, connecting, closing,
//! forks.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use spikewire_aerospike::{ClientOptions, Options};

use crate::aerospike::core::Core;
use crate::aerospike::identity::{Token, token};
use crate::aerospike::record_type::RecordType;
use crate::aerospike::secrets;
use crate::aerospike::space::Space;
use crate::aerospike::value::Codec;
use crate::aerospike::verbs::Defaults;
use crate::arguments::{Hosts, OptionArgument, SUBMIT_LIMIT, submit_limit, text};
use crate::bridge::lifecycle::Lifecycle;
use crate::bridge::python_code::PythonCode;
use crate::errors::invalid_argument;
use crate::stages::Stages;

/// A client's options and, once it is connected, its core.
#[derive(Debug)]
pub struct Shared {
    pub token: Token,
    options: Options,
    /// The options as they were passed, for pickling.
    pickled_options: Py<PyDict>,
    pub defaults: Defaults,
    /// The maximum number of submitted calls in flight.
    pub submit_limit: usize,
    /// Timing of the stages of calls, if enabled.
    pub stages: Stages,
    lifecycle: Lifecycle<Core>,
}

const SEEDS: Hosts =
    Hosts { names: "seeds", name: "seed", example: "127.0.0.1:3000", opener: "Client" };

/// The contents of a pickled dataset: its client's token, seeds and options, then its own names and
/// the type of its records.
pub type Pickled<'py> =
    (Bound<'py, PyBytes>, String, Bound<'py, PyDict>, String, Option<String>, Option<Py<PyAny>>);

impl Shared {
    /// A client that the program creates and opens. Checks seeds and options.
    pub fn new(seeds: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Self::parse(seeds, options, token()?, false)
    }

    /// A client for an unpickled dataset whose own client does not exist in this process.
    pub fn adopted(
        token: Token,
        seeds: &Bound<'_, PyAny>,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        Self::parse(seeds, Some(&secrets::with_secrets(options)?), token, true)
    }

    fn parse(
        seeds: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
        token: Token,
        lazy: bool,
    ) -> PyResult<Self> {
        let py = seeds.py();
        let _code = PythonCode::enter(py);
        let mut checked = ClientOptions::default();
        let mut limit = SUBMIT_LIMIT;
        let mut codec = None;
        for (name, value) in options.into_iter().flatten() {
            match text("option", &name)? {
                "codec" => codec = Some(Arc::new(Codec::new(&value)?)),
                "submit_limit" => limit = submit_limit(&value)?,
                name => {
                    let others = ["codec", "submit_limit"];
                    checked.set(name, &OptionArgument(value), &others)?;
                }
            }
        }
        checked.set_seeds(&SEEDS.join(seeds)?).map_err(invalid_argument)?;
        let defaults = Defaults { commands: checked.defaults(), codec };
        // A copy, because the caller may later change a list or dict in it.
        let pickled_options = match options {
            Some(options) => {
                py.import("copy")?.call_method1("deepcopy", (options,))?.cast_into()?
            }
            None => PyDict::new(py),
        };
        let (options, stages) = (checked.finish().map_err(invalid_argument)?, Stages::default());
        let (pickled_options, lifecycle) =
            (pickled_options.unbind(), Lifecycle::new(lazy, joined(&options)));
        let submit_limit = limit;
        Ok(Self { token, options, pickled_options, defaults, submit_limit, stages, lifecycle })
    }

    /// What a dataset of this client needs to find or recreate it in any process, without secrets.
    pub fn pickled<'py>(&self, py: Python<'py>, space: &Space) -> PyResult<Pickled<'py>> {
        let set = space.set_name().map(str::to_owned);
        let token = PyBytes::new(py, &self.token);
        let options = secrets::without_secrets(self.pickled_options.bind(py))?;
        let of = RecordType::of(space).map(|of| of.class(py).clone().unbind());
        Ok((token, self.seeds(), options, space.namespace.to_string(), set, of))
    }

    pub fn seeds(&self) -> String {
        joined(&self.options)
    }

    /// The client's `repr`: seeds and state. No options, because some are secrets.
    pub fn repr(&self, class: &Bound<'_, PyAny>) -> PyResult<String> {
        Ok(format!("<{} {}, {}>", class.get_type().name()?, self.seeds(), self.lifecycle))
    }

    /// Connects to the cluster unless connected already. Blocks, detached from the interpreter.
    /// Returns whether the client was not connected before.
    pub fn open(&self, py: Python<'_>) -> PyResult<bool> {
        let options = self.options.clone();
        self.lifecycle.open(py, || Core::open(options))
    }

    /// The core. In a forked child it is recreated on first use.
    pub fn core(&self, py: Python<'_>) -> PyResult<Arc<Core>> {
        self.lifecycle.core(py, || {
            let options = self.options.clone();
            || Core::open(options)
        })
    }

    /// The core, if there is one.
    pub fn running(&self) -> Option<Arc<Core>> {
        self.lifecycle.running()
    }

    /// Whether a namespace is strongly consistent; `None` if that is not known.
    pub fn is_strong(&self, namespace: &str) -> Option<bool> {
        let snapshot = self.running()?.cluster.snapshot();
        snapshot.namespaces.get(namespace).map(|map| map.strong)
    }

    /// Whether the client is open and its cluster has a node.
    pub fn is_connected(&self) -> bool {
        let has_nodes = |core: Arc<Core>| !core.cluster.snapshot().nodes.is_empty();
        self.lifecycle.is_open() && self.running().is_some_and(has_nodes)
    }

    /// Whether this process has connections of this client.
    pub fn holds_connections(&self) -> bool {
        self.lifecycle.holds_connections()
    }

    /// Whether the client was closed for good.
    pub fn is_closed(&self) -> bool {
        self.lifecycle.is_closed()
    }

    /// Closes the client for good. Returns its core, if there was one, so that the caller shuts it
    /// down.
    pub fn close(&self) -> Option<Arc<Core>> {
        self.lifecycle.close()
    }
}

/// The seeds as one comma-separated string.
fn joined(options: &Options) -> String {
    let seeds: Vec<String> = options.seeds.iter().map(ToString::to_string).collect();
    seeds.join(",")
}
