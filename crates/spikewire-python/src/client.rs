//! What the two clients have in common: options, connecting, closing, forks.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::RwLock;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use spikewire_engine::Options;
use spikewire_protocol::host::parse_hosts;

use crate::arguments::{count, replica, seconds};
use crate::core::{Core, not_connected};
use crate::errors::{to_python, type_error, type_name, value_error};
use crate::space::text;
use crate::verbs::Defaults;

/// A client's options and, once it is connected, its running half.
#[derive(Debug)]
pub struct Shared {
    options: Options,
    pub defaults: Defaults,
    state: RwLock<State>,
}

#[derive(Debug, Clone, Default)]
enum State {
    #[default]
    New,
    Open(Arc<Core>),
    Closed,
}

impl Shared {
    /// Checks seeds and options.
    pub fn new(seeds: &Bound<'_, PyAny>, options: Option<&Bound<'_, PyDict>>) -> PyResult<Self> {
        let mut checked = Options::new(Vec::new());
        let mut send_key = false;
        for (name, value) in options.into_iter().flatten() {
            set(&mut checked, &mut send_key, text("option", &name)?, &value)?;
        }
        checked.seeds = parse_hosts(&seed_text(seeds)?, 3000)
            .map_err(|error| value_error(format!("seeds: {error}")))?;
        let defaults = Defaults { policy: checked.policy, send_key };
        Ok(Self { options: checked, defaults, state: RwLock::default() })
    }

    /// Finds the cluster, unless that is done already; blocks without holding the interpreter.
    pub fn open(&self, py: Python<'_>) -> PyResult<()> {
        match &*self.state.read() {
            State::Open(core) if core.is_own() => return Ok(()),
            State::Closed => return Err(not_connected(py, true)),
            _ => {}
        }
        let opened = py.detach(|| Core::open(self.options.clone()));
        let core = Arc::new(opened.map_err(|error| to_python(py, &error, None))?);
        let mut state = self.state.write();
        match &*state {
            // Somebody else was faster, or closed the client meanwhile.
            State::Open(other) if other.is_own() => core.close(),
            State::Closed => {
                core.close();
                return Err(not_connected(py, true));
            }
            _ => *state = State::Open(core),
        }
        Ok(())
    }

    /// The running half. In the child of a fork it is made anew on first use.
    pub fn core(&self, py: Python<'_>) -> PyResult<Arc<Core>> {
        loop {
            match &*self.state.read() {
                State::Open(core) if core.is_own() => return Ok(core.clone()),
                State::Open(core) => core.cluster.abandon(),
                State::New => return Err(not_connected(py, false)),
                State::Closed => return Err(not_connected(py, true)),
            }
            self.open(py)?;
        }
    }

    /// Whether commands can be sent.
    pub fn is_open(&self) -> bool {
        matches!(&*self.state.read(), State::Open(_))
    }

    /// Closes for good; the running half, if there was one, is handed out for its end.
    pub fn close(&self) -> Option<Arc<Core>> {
        match std::mem::replace(&mut *self.state.write(), State::Closed) {
            State::Open(core) => Some(core),
            _ => None,
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
const NAMES: &str = "cluster_name, connect_timeout, connections_per_node, error_rate_window, \
                     idle_timeout, ip_map, max_error_rate, max_retries, pipeline_depth, \
                     queue_limit, racks, replica, retry_in_doubt, send_key, \
                     sleep_between_retries, socket_timeout, tend_interval, timeout, \
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
        "replica" => options.policy.replica = replica(text(name, value)?)?,
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
