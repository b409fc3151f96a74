//! What the two clients have in common: options, connecting, closing, forks.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use spikewire_sync::RwLock;

use spikewire_aerospike::{ClientOptions, OptionValue, Options};

use crate::arguments::{count, seconds};
use crate::core::{Core, not_connected};
use crate::errors::{Raised, refused, to_python, type_error, type_name};
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
        let mut checked = ClientOptions::default();
        let mut submit_limit = SUBMIT_LIMIT;
        let mut codec = None;
        for (name, value) in options.into_iter().flatten() {
            match text("option", &name)? {
                "codec" => codec = Some(Arc::new(Codec::new(&value)?)),
                "submit_limit" => {
                    submit_limit = count("submit_limit", &value, 1, 1_000_000)? as usize;
                }
                name => checked.set(name, &Given(&value), &["codec", "submit_limit"])?,
            }
        }
        checked.set_seeds(&seed_text(seeds)?).map_err(refused)?;
        let defaults = Defaults { commands: checked.defaults(), codec };
        // A copy: the caller may change a list or a dict among them later.
        let given = match options {
            Some(options) => {
                py.import("copy")?.call_method1("deepcopy", (options,))?.cast_into()?
            }
            None => PyDict::new(py),
        };
        let (given, state) = (given.unbind(), RwLock::default());
        Ok(Self { token, options: checked.options, given, defaults, submit_limit, lazy, state })
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

/// An option's value as it was given.
struct Given<'a, 'py>(&'a Bound<'py, PyAny>);

impl OptionValue for Given<'_, '_> {
    type Error = Raised;

    fn flag(&self, name: &str) -> Result<bool, Raised> {
        let other =
            |_| type_error(format!("{name} must be True or False, not {}", type_name(self.0)));
        Ok(self.0.extract().map_err(other)?)
    }

    fn count(&self, name: &str, (least, most): (u64, u64)) -> Result<u64, Raised> {
        Ok(count(name, self.0, least, most)?)
    }

    fn span(&self, name: &str) -> Result<Duration, Raised> {
        Ok(seconds(name, self.0)?)
    }

    fn text(&self, name: &str) -> Result<String, Raised> {
        Ok(text(name, self.0)?.to_owned())
    }

    fn addresses(&self, name: &str) -> Result<HashMap<String, String>, Raised> {
        let what = "must be a dict of advertised to reachable addresses (str)";
        Ok(self.0.extract().map_err(|_| type_error(format!("{name} {what}")))?)
    }

    fn racks(&self, name: &str) -> Result<Vec<u32>, Raised> {
        let what = "must be a list of rack ids (int from 0 up)";
        Ok(self.0.extract().map_err(|_| type_error(format!("{name} {what}")))?)
    }
}
