//! What every step has: its keys, its options, and the steps before it.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyType};

use super::home::Home;
use super::link::Link;
use super::verb::Verb;
use crate::errors::type_error;

/// The common base of all builder steps. Started by a session, or by the previous step.
#[pyclass(subclass, module = "spikewire._native")]
#[derive(Default)]
pub struct StepBase {
    home: Option<Py<Home>>,
    pub verb: Verb,
    keys: Option<Py<PyAny>>,
    /// Whether it is about one key by itself.
    pub single: bool,
    before: Option<Arc<Link<StepBase>>>,
    options: Option<Py<PyDict>>,
}

impl StepBase {
    /// A step of this class.
    pub fn made<'py>(
        class: &Bound<'py, PyType>,
        home: &Bound<'py, Home>,
        verb: Verb,
        keys: Bound<'py, PyAny>,
        single: bool,
        before: Option<Arc<Link<Self>>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (home, keys) = (Some(home.clone().unbind()), Some(keys.unbind()));
        let step = class.call0()?;
        *step.cast::<Self>()?.borrow_mut() =
            Self { home, verb, keys, single, before, options: None };
        Ok(step)
    }

    /// The client that it is of.
    pub fn home<'a, 'py>(&'a self, py: Python<'py>) -> PyResult<&'a Bound<'py, Home>> {
        self.home
            .as_ref()
            .map(|home| home.bind(py))
            .ok_or_else(|| type_error("a step is begun by a session: client.session().query(key)"))
    }

    pub fn keys<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let keys = self.keys.as_ref().map(|keys| keys.bind(py).clone());
        keys.unwrap_or_else(|| py.None().into_bound(py))
    }

    pub fn options<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyDict>> {
        self.options.as_ref().map(|options| options.bind(py).clone())
    }

    /// Whether it is a call on one record.
    pub fn is_alone(&self) -> bool {
        self.single && self.before.is_none()
    }

    /// What it needs to make such a call.
    pub fn alone<'py>(&self, py: Python<'py>) -> PyResult<Alone<'py>> {
        Ok(Alone { home: self.home(py)?.clone(), key: self.keys(py), options: self.options(py) })
    }

    /// The chain that ends with a step.
    pub fn link(step: &Bound<'_, Self>) -> Arc<Link<Self>> {
        Link::new(step.clone().unbind(), step.borrow().before.clone())
    }

    /// The steps of the chain, in order.
    pub fn chain<'py>(step: &Bound<'py, Self>) -> Vec<Bound<'py, Self>> {
        let (py, before) = (step.py(), step.borrow().before.clone());
        let before = before.iter().flat_map(|link| link.all()).map(|step| step.bind(py).clone());
        let mut steps: Vec<_> = std::iter::once(step.clone()).chain(before).collect();
        steps.reverse();
        steps
    }

    /// A step like this one, with options of its own.
    pub fn copied<'py>(step: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let py = step.py();
        let of = step.borrow();
        if of.keys(py).hasattr(pyo3::intern!(py, "__next__"))? {
            return Err(type_error(
                "the keys come from an iterator, which only one step can read: give a list",
            ));
        }
        let options = of.options(py).map(|options| options.copy()).transpose()?;
        let copied = Self {
            home: of.home.as_ref().map(|home| home.clone_ref(py)),
            verb: of.verb,
            keys: Some(of.keys(py).unbind()),
            single: of.single,
            before: of.before.clone(),
            options: options.map(Bound::unbind),
        };
        let made = step.get_type().call0()?;
        *made.cast::<Self>()?.borrow_mut() = copied;
        Ok(made)
    }
}

/// What a call on one record is made of.
pub struct Alone<'py> {
    pub home: Bound<'py, Home>,
    pub key: Bound<'py, PyAny>,
    pub options: Option<Bound<'py, PyDict>>,
}

impl<'py> Alone<'py> {
    /// Calls the verb of that name as a program would.
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
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// The client, or the view of one.
    #[getter(_verbs)]
    fn verbs(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.home(py)?.get().verbs.clone_ref(py))
    }

    /// The method that began it.
    #[getter(_verb)]
    fn verb_name(&self) -> &'static str {
        self.verb.name()
    }

    /// Its keys, as they were given.
    #[getter(_keys)]
    fn given_keys<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.keys(py)
    }

    #[setter(_keys)]
    fn set_keys(&mut self, keys: Py<PyAny>) {
        self.keys = Some(keys);
    }

    /// Whether it is about one key by itself.
    #[getter(_single)]
    fn is_single(&self) -> bool {
        self.single
    }

    /// The step before it.
    #[getter(_before)]
    fn before(&self, py: Python<'_>) -> Option<Py<Self>> {
        self.before.as_ref().map(|link| link.step().clone_ref(py))
    }

    /// The options that were given, if any.
    #[getter(_options)]
    fn given_options<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyDict>> {
        self.options(py)
    }

    /// What it does about a record that is there, or is not.
    #[getter(_exists)]
    fn rule<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyString>> {
        self.verb.rule(py).cloned()
    }

    /// How records that are not there are treated.
    #[getter(_treated)]
    fn missing<'py>(&self, py: Python<'py>) -> Bound<'py, PyString> {
        self.verb.missing(py).clone()
    }

    /// Sets an option.
    fn _set<'py>(
        slf: Bound<'py, Self>,
        name: &Bound<'py, PyAny>,
        value: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, Self>> {
        let py = slf.py();
        let options = slf.borrow().options(py);
        let options = options.unwrap_or_else(|| {
            let options = PyDict::new(py);
            slf.borrow_mut().options = Some(options.clone().unbind());
            options
        });
        options.set_item(name, value)?;
        Ok(slf)
    }

    fn __copy__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Self::copied(slf)
    }
}
