//! What all steps have: keys, options, and the steps before.

use std::mem;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};
use pyo3::{PyTraverseError, PyVisit};

use super::home::{Direct, Home};
use super::link::Link;
use super::verb::Verb;
use crate::bridge::cached::intern;
use crate::errors::type_error;
use crate::gil_cell::GilCell;

/// The common base of all builder steps. Started by a session, or by the previous step.
#[pyclass(frozen, subclass, module = "spikewire._native")]
#[derive(Default)]
pub struct StepBase(GilCell<StepState>);

/// The contents of a step.
#[derive(Default)]
struct StepState {
    home: Option<Py<Home>>,
    verb: Verb,
    keys: Option<Py<PyAny>>,
    single: bool,
    before: Option<Arc<Link<StepBase>>>,
    options: Option<Py<PyDict>>,
}

impl StepBase {
    /// A new step of this class.
    pub fn new_step<'py>(
        class: &Bound<'py, PyType>,
        home: &Bound<'py, Home>,
        verb: Verb,
        keys: Bound<'py, PyAny>,
        single: bool,
        before: Option<Arc<Link<Self>>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (home, keys) = (Some(home.clone().unbind()), Some(keys.unbind()));
        Self::of(class, StepState { home, verb, keys, single, before, options: None })
    }

    fn of<'py>(class: &Bound<'py, PyType>, state: StepState) -> PyResult<Bound<'py, PyAny>> {
        let step = class.call0()?;
        let before = step.cast::<Self>()?.get().0.with(class.py(), |it| mem::replace(it, state));
        drop(before);
        Ok(step)
    }

    /// The client to which the step belongs.
    pub fn home<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Home>> {
        self.0.with(py, |state| state.home(py))
    }

    pub fn verb(&self, py: Python<'_>) -> Verb {
        self.0.with(py, |state| state.verb)
    }

    pub fn keys<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.0.with(py, |state| state.keys(py))
    }

    /// Whether the step was given a single key rather than a sequence.
    pub fn single(&self, py: Python<'_>) -> bool {
        self.0.with(py, |state| state.single)
    }

    pub fn options<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyDict>> {
        self.0.with(py, |state| state.options(py))
    }

    /// What a call on one record needs. `None` if the step is not such a call.
    pub fn single_call<'py>(&self, py: Python<'py>) -> PyResult<Option<SingleCall<'py>>> {
        self.0.with(py, |state| {
            if !state.single || state.before.is_some() {
                return Ok(None);
            }
            let (home, key, options) = (state.home(py)?, state.keys(py), state.options(py));
            Ok(Some(SingleCall { home, verb: state.verb, key, options }))
        })
    }

    fn before(&self, py: Python<'_>) -> Option<Arc<Link<Self>>> {
        self.0.with(py, |state| state.before.clone())
    }

    /// The chain that ends with this step.
    pub fn link(step: &Bound<'_, Self>) -> Arc<Link<Self>> {
        Link::new(step.clone().unbind(), step.get().before(step.py()))
    }

    /// The steps of the chain, in order.
    pub fn chain<'py>(step: &Bound<'py, Self>) -> Vec<Bound<'py, Self>> {
        let (py, before) = (step.py(), step.get().before(step.py()));
        let before = before.iter().flat_map(|link| link.all()).map(|step| step.bind(py).clone());
        let mut steps: Vec<_> = std::iter::once(step.clone()).chain(before).collect();
        steps.reverse();
        steps
    }

    /// A copy of this step with options of its own.
    pub fn copied<'py>(step: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let (py, of) = (step.py(), step.get());
        let keys = of.keys(py);
        if keys.hasattr(intern!(py, "__next__"))? {
            return Err(type_error(
                "the keys come from an iterator, which only one step can read: give a list",
            ));
        }
        let options = of.options(py).map(|options| options.copy()).transpose()?;
        let mut copied = of.0.with(py, |state| StepState {
            home: state.home.as_ref().map(|home| home.clone_ref(py)),
            verb: state.verb,
            keys: None,
            single: state.single,
            before: state.before.clone(),
            options: None,
        });
        (copied.keys, copied.options) = (Some(keys.unbind()), options.map(Bound::unbind));
        Self::of(&step.get_type(), copied)
    }
}

impl StepState {
    fn home<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, Home>> {
        match &self.home {
            Some(home) => Ok(home.bind(py).clone()),
            None => Err(type_error("a step is begun by a session: client.session().query(key)")),
        }
    }

    fn keys<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match &self.keys {
            Some(keys) => keys.bind(py).clone(),
            None => py.None().into_bound(py),
        }
    }

    fn options<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyDict>> {
        self.options.as_ref().map(|options| options.bind(py).clone())
    }
}

/// The parts of a call on one record.
pub struct SingleCall<'py> {
    home: Bound<'py, Home>,
    pub verb: Verb,
    pub key: Bound<'py, PyAny>,
    options: Option<Bound<'py, PyDict>>,
}

impl<'py> SingleCall<'py> {
    /// The verbs, if the call can be made without going through Python.
    pub fn direct(&self) -> Option<&Direct> {
        if self.options.is_none() { self.home.get().direct() } else { None }
    }

    /// Calls the verb with this name through Python, as a program would.
    pub fn call(
        &self,
        verb: &Bound<'py, PyString>,
        what: Option<Bound<'py, PyAny>>,
        more: &[(&Bound<'py, PyString>, Option<Bound<'py, PyAny>>)],
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = verb.py();
        let keywords = match &self.options {
            Some(options) => options.copy()?,
            None => PyDict::new(py),
        };
        for (name, value) in more {
            if let Some(value) = value {
                keywords.set_item(name, value)?;
            }
        }
        let verbs = self.home.get().verbs.bind(py);
        match what {
            Some(what) => verbs.call_method(verb, (&self.key, what), Some(&keywords)),
            None => verbs.call_method(verb, (&self.key,), Some(&keywords)),
        }
    }
}

#[pymethods]
impl StepBase {
    /// Not the steps before: several steps share them.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.0
            .try_with(|state| {
                visit.call(&state.home)?;
                visit.call(&state.keys)?;
                visit.call(&state.options)
            })
            .unwrap_or(Ok(()))
    }

    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// The client, or the view of one.
    #[getter(_verbs)]
    fn verbs(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.home(py)?.get().verbs.clone_ref(py))
    }

    /// Its keys, as they were given.
    #[getter(_keys)]
    fn get_keys<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.keys(py)
    }

    #[setter(_keys)]
    fn set_keys(&self, py: Python<'_>, keys: Py<PyAny>) {
        let before = self.0.with(py, |state| state.keys.replace(keys));
        // Dropping it may run the program's code, which may access this step.
        drop(before);
    }

    /// The method that began it.
    #[getter(_verb)]
    fn verb_name(&self, py: Python<'_>) -> &'static str {
        self.verb(py).name()
    }

    /// Whether it is about one key by itself.
    #[getter(_single)]
    fn is_single(&self, py: Python<'_>) -> bool {
        self.single(py)
    }

    /// The step before it.
    #[getter(_before)]
    fn step_before(&self, py: Python<'_>) -> Option<Py<Self>> {
        self.before(py).map(|link| link.step().clone_ref(py))
    }

    /// The options that were given, if any.
    #[getter(_options)]
    fn get_options<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyDict>> {
        self.options(py)
    }

    /// What it does about a record that is there, or is not.
    #[getter(_exists)]
    fn rule<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyString>> {
        self.verb(py).rule(py).cloned()
    }

    /// How records that are not there are treated.
    #[getter(_treated)]
    fn missing<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.verb(py).missing(py).clone()
    }

    /// Sets an option.
    fn _set<'py>(
        slf: Bound<'py, Self>,
        name: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Self>> {
        let py = slf.py();
        let empty = PyDict::new(py);
        let options = slf.get().0.with(py, |state| match &state.options {
            Some(options) => options.bind(py).clone(),
            None => state.options.insert(empty.unbind()).bind(py).clone(),
        });
        options.set_item(name, value)?;
        Ok(slf)
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::copied(slf)
    }
}
