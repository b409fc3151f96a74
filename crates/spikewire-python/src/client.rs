//! What the two clients have in common: options, connecting, closing, forks.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use spikewire_sync::RwLock;

use spikewire_engine::Options;
use spikewire_engine::command::{CommandDefaults, ReadMode};
use spikewire_protocol::host::parse_hosts;

use crate::arguments::{self, count, replica, seconds};
use crate::core::{Core, not_connected};
use crate::errors::{to_python, type_error, type_name, value_error};
use crate::identity::{Token, token};
use crate::space::{Space, text};
use crate::value::Codec;
use crate::verbs::Defaults;

/// A client's options and, once it is connected, its running half.
#[derive(Debug)]
pub struct Shared {
    pub token: Token,
    options: Options,
    /// The options as they were given, for pickles.
    given: Py<PyDict>,
    pub defaults: Defaults,
    /// Submitted calls in flight at once.
    pub submit_limit: usize,
    /// Whether it connects when it is first needed, because no program opens it.
    lazy: bool,
    state: RwLock<State>,
}

/// Submitted calls in flight at once, unless the client says otherwise.
const SUBMIT_LIMIT: usize = 2048;

/// What a pickled dataset carries: its client's token, seeds and options, then its own names.
pub type Pickled<'py> = (Bound<'py, PyBytes>, String, Bound<'py, PyDict>, String, Option<String>);

#[derive(Debug, Clone, Default)]
enum State {
    #[default]
    New,
    Open(Arc<Core>),
    Closed,
}

impl Shared {
    /// A client that a program makes and opens. Checks seeds and options.
    pub fn new(seeds: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        Self::parse(seeds, options, token(seeds.py())?, false)
    }

    /// A client that an unpickled dataset needs and that this process does not have.
    pub fn adopted(
        token: Token,
        seeds: &Bound<'_, PyAny>,
        options: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        Self::parse(seeds, Some(options), token, true)
    }

    fn parse(
        seeds: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyDict>>,
        token: Token,
        lazy: bool,
    ) -> PyResult<Self> {
        let py = seeds.py();
        let mut checked = Options::new(Vec::new());
        let (mut send_key, mut submit_limit) = (false, SUBMIT_LIMIT);
        let mut read_mode = ReadMode::default();
        let mut codec = None;
        for (name, value) in options.into_iter().flatten() {
            match text("option", &name)? {
                "codec" => codec = Some(Arc::new(Codec::new(&value)?)),
                "read_mode" => read_mode = arguments::read_mode(&value)?,
                "submit_limit" => {
                    submit_limit = count("submit_limit", &value, 1, 1_000_000)? as usize;
                }
                name => set(&mut checked, &mut send_key, name, &value)?,
            }
        }
        checked.seeds = parse_hosts(&seed_text(seeds)?, 3000)
            .map_err(|error| value_error(format!("seeds: {error}")))?;
        let commands = CommandDefaults { policy: checked.policy, send_key, read_mode };
        let defaults = Defaults { commands, codec };
        // A copy: the caller may change a list or a dict among them later.
        let given = match options {
            Some(options) => {
                py.import("copy")?.call_method1("deepcopy", (options,))?.cast_into()?
            }
            None => PyDict::new(py),
        };
        let (given, state) = (given.unbind(), RwLock::default());
        Ok(Self { token, options: checked, given, defaults, submit_limit, lazy, state })
    }

    /// What a dataset of this client needs to find or make it anywhere.
    pub fn pickled<'py>(&self, py: Python<'py>, space: &Space) -> Pickled<'py> {
        let set = space.set_name().map(str::to_owned);
        let token = PyBytes::new(py, &self.token);
        (token, self.seeds(), self.given.bind(py).clone(), space.namespace.to_string(), set)
    }

    pub fn seeds(&self) -> String {
        let seeds: Vec<String> = self.options.seeds.iter().map(ToString::to_string).collect();
        seeds.join(",")
    }

    /// Seeds and state, never an option: some are secrets.
    pub fn shown(&self, class: &Bound<'_, PyAny>) -> PyResult<String> {
        let state = match &*self.state.read() {
            State::New => "not connected",
            State::Open(_) => "connected",
            State::Closed => "closed",
        };
        Ok(format!("<{} {}, {state}>", class.get_type().name()?, self.seeds()))
    }

    /// Finds the cluster, unless that is done already; blocks without holding the interpreter.
    pub fn open(&self, py: Python<'_>) -> PyResult<()> {
        match self.state() {
            State::Open(core) if core.is_own() => return Ok(()),
            // The parent's: without this, dropping it would wait for a thread that is not here.
            State::Open(core) => core.cluster.abandon(),
            State::Closed => return Err(not_connected(py, true)),
            State::New => {}
        }
        let opened = py.detach(|| Core::open(self.options.clone()));
        let core = Arc::new(opened.map_err(|error| to_python(py, &error, None))?);
        let late = {
            let mut state = self.state.write();
            match &*state {
                // Another thread was faster, or closed the client meanwhile.
                State::Open(other) if other.is_own() => Some((core, false)),
                State::Closed => Some((core, true)),
                _ => {
                    *state = State::Open(core);
                    None
                }
            }
        };
        let Some((late, closed)) = late else { return Ok(()) };
        py.detach(|| late.close());
        if closed { Err(not_connected(py, true)) } else { Ok(()) }
    }

    /// The state as it is now. No lock is held when Python code runs: that may let go of the
    /// interpreter to a thread that waits for the lock, or run a finalizer that needs it.
    fn state(&self) -> State {
        self.state.read().clone()
    }

    /// The running half. In the child of a fork it is made anew on first use.
    pub fn core(&self, py: Python<'_>) -> PyResult<Arc<Core>> {
        loop {
            match self.state() {
                State::Open(core) if core.is_own() => return Ok(core),
                State::Open(_) => {}
                State::New if self.lazy => {}
                State::New => return Err(not_connected(py, false)),
                State::Closed => return Err(not_connected(py, true)),
            }
            self.open(py)?;
        }
    }

    /// The running half if there is one.
    pub fn running(&self) -> Option<Arc<Core>> {
        match self.state() {
            State::Open(core) => Some(core),
            _ => None,
        }
    }

    /// Whether commands can be sent.
    pub fn is_open(&self) -> bool {
        matches!(&*self.state.read(), State::Open(_))
    }

    /// Whether this process holds connections of it.
    pub fn holds_connections(&self) -> bool {
        matches!(&*self.state.read(), State::Open(core) if core.is_own())
    }

    /// Whether it was closed, so that it can never be used again.
    pub fn is_closed(&self) -> bool {
        matches!(&*self.state.read(), State::Closed)
    }

    /// Closes for good; the running half, if there was one, is handed out for its end.
    pub fn close(&self) -> Option<Arc<Core>> {
        match std::mem::replace(&mut *self.state.write(), State::Closed) {
            State::Open(core) => Some(core),
            _ => None,
        }
    }
}

impl Drop for Shared {
    /// The last reference is gone, so its connections end; the client's own `__del__` has warned.
    fn drop(&mut self) {
        let Some(core) = self.close() else { return };
        // Off the interpreter, as ending the background thread may take a moment.
        if Python::try_attach(|py| py.detach(|| core.close())).is_none() {
            core.close();
        }
    }
}

/// Seeds as one comma list: a str, or a list of str.
fn seed_text(seeds: &Bound<'_, PyAny>) -> PyResult<String> {
    if let Ok(seeds) = seeds.cast::<PyString>() {
        return Ok(seeds.to_str()?.to_owned());
    }
    let items: Vec<Bound<'_, PyAny>> = if let Ok(list) = seeds.cast::<PyList>() {
        list.iter().collect()
    } else if let Ok(items) = seeds.cast::<PyTuple>() {
        items.iter().collect()
    } else {
        return Err(type_error(format!(
            "seeds must be a str such as \"127.0.0.1:3000\" or a list of them, not {}",
            type_name(seeds)
        )));
    };
    let parts: Vec<&str> =
        items.iter().map(|item| text("each seed", item)).collect::<PyResult<_>>()?;
    Ok(parts.join(","))
}

/// Every option of a client, by name.
const NAMES: &str = "cluster_name, codec, connect_timeout, connections_per_node, error_rate_window, \
                     idle_timeout, ip_map, max_error_rate, max_retries, pipeline_depth, \
                     queue_limit, racks, read_mode, replica, retry_in_doubt, send_key, \
                     sleep_between_retries, socket_timeout, submit_limit, tend_interval, timeout, \
                     use_services_alternate";

fn set(
    options: &mut Options,
    send_key: &mut bool,
    name: &str,
    value: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let flag = || {
        value.extract::<bool>().map_err(|_| {
            type_error(format!("{name} must be True or False, not {}", type_name(value)))
        })
    };
    let span = |min: Duration| {
        let span = seconds(name, value)?;
        if span < min {
            return Err(value_error(format!("{name} must be at least {} s", min.as_secs_f64())));
        }
        Ok(span)
    };
    let millis = Duration::from_millis;
    match name {
        "cluster_name" => options.cluster_name = Some(text(name, value)?.to_owned()),
        "timeout" => options.policy.timeout = seconds(name, value)?,
        "socket_timeout" => options.policy.socket_timeout = seconds(name, value)?,
        "sleep_between_retries" => options.policy.sleep = seconds(name, value)?,
        "max_retries" => options.policy.max_retries = count(name, value, 0, 1000)? as u32,
        "retry_in_doubt" => options.policy.retry_in_doubt = flag()?,
        "replica" => options.policy.replica = replica(value)?,
        "send_key" => *send_key = flag()?,
        "connect_timeout" => options.connect_timeout = span(millis(1))?,
        "tend_interval" => options.tend_interval = span(millis(50))?,
        "idle_timeout" => options.idle = span(millis(100))?,
        "use_services_alternate" => options.use_services_alternate = flag()?,
        "connections_per_node" => {
            options.connections_per_node = count(name, value, 1, 1024)? as usize;
        }
        "pipeline_depth" => options.depth = count(name, value, 1, 100_000)? as usize,
        "queue_limit" => options.queue = count(name, value, 0, 100_000_000)? as usize,
        "max_error_rate" => options.max_error_rate = count(name, value, 0, 1 << 30)? as u32,
        "error_rate_window" => options.error_rate_window = count(name, value, 1, 3600)? as u32,
        "ip_map" => {
            options.ip_map = value.extract::<HashMap<String, String>>().map_err(|_| {
                type_error("ip_map must be a dict of advertised to reachable addresses (str)")
            })?;
        }
        "racks" => {
            options.racks = value
                .extract::<Vec<u32>>()
                .map_err(|_| type_error("racks must be a list of rack ids (int from 0 up)"))?;
        }
        _ => {
            return Err(type_error(format!("unknown client option {name:?}; there are: {NAMES}")));
        }
    }
    Ok(())
}
