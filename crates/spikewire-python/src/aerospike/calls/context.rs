//! The path to a list or map that is nested in a bin.

use std::fmt::Write as _;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use spikewire_aerospike_protocol::cdt::context::{self, At, Create, Inside};
use spikewire_aerospike_protocol::operation::pack_step;
use spikewire_aerospike_protocol::value::particle::LIST;

use super::CallArguments;
use crate::aerospike::arguments::{flags, objects};
use crate::aerospike::value::particle;
use crate::errors::invalid_argument;

/// A step of the path to a nested list or map, created by the functions of `spikewire.ctx`.
#[pyclass(frozen, eq, module = "spikewire.ctx")]
#[derive(PartialEq)]
pub struct Step {
    step: context::Step<Vec<u8>>,
}

impl Step {
    fn borrowed(&self) -> context::Step<&[u8]> {
        let context::Step { inside, create, persist, .. } = self.step;
        let at = match &self.step.at {
            At::Index(index) => At::Index(*index),
            At::Rank(rank) => At::Rank(*rank),
            At::Key(key) => At::Key(key.as_slice()),
            At::Value(value) => At::Value(value.as_slice()),
        };
        context::Step { inside, at, create, persist }
    }
}

#[pymethods]
impl Step {
    /// `kind` is the function's name. `create` is the order of what is made where it is missing.
    #[new]
    #[pyo3(signature = (kind, at, create=None, pad=false, persist_index=false))]
    fn new(
        kind: &str,
        at: &Bound<'_, PyAny>,
        create: Option<&str>,
        #[pyo3(from_py_with = flags::pad)] pad: bool,
        #[pyo3(from_py_with = flags::persist_index)] persist_index: bool,
    ) -> PyResult<Self> {
        let arguments = PyTuple::new(at.py(), [at])?;
        let step = pack_step(kind, &CallArguments(&arguments), create, pad, persist_index);
        Ok(Self { step: step? })
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut bytes = Vec::new();
        context::encode(std::slice::from_ref(&self.step), &mut bytes);
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        hasher.finish()
    }

    /// As Python writes it.
    pub fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let inside = match self.step.inside {
            Inside::Either => "",
            Inside::List => "list_",
            Inside::Map => "map_",
        };
        let (what, at) = match &self.step.at {
            At::Index(index) => ("index", index.to_string()),
            At::Rank(rank) => ("rank", rank.to_string()),
            At::Key(key) => ("key", wire_value_repr(py, key)?),
            At::Value(value) => ("value", wire_value_repr(py, value)?),
        };
        let (order, pad) = match (self.step.inside, self.step.create) {
            (_, Create::No) => (None, false),
            (_, Create::Unordered) => (Some("unordered"), false),
            (Inside::Map, Create::OrderedOrPadded) => (Some("key"), false),
            (Inside::Map, Create::FullyOrdered) => (Some("key_value"), false),
            (_, Create::OrderedOrPadded) => (Some("unordered"), true),
            (_, Create::FullyOrdered) => (Some("ordered"), false),
        };
        let create = if order.is_some() { "_create" } else { "" };
        let mut text = format!("ctx.{inside}{what}{create}({at}");
        if let Some(order) = order {
            let _ = write!(text, ", order='{order}'");
        }
        for (name, flag) in [("pad", pad), ("persist_index", self.step.persist)] {
            if flag {
                let _ = write!(text, ", {name}=True");
            }
        }
        text.push(')');
        Ok(text)
    }
}

/// A packed value, formatted as in Python.
fn wire_value_repr(py: Python<'_>, packed: &[u8]) -> PyResult<String> {
    // Wrapped in a list, as its only element.
    let list = [&[0x91], packed].concat();
    Ok(particle(py, LIST, &list)?.get_item(0)?.repr()?.to_string())
}

/// A path, checked when it is encoded.
pub struct Path<'py> {
    steps: Vec<Bound<'py, Step>>,
}

impl<'py> Path<'py> {
    /// A path of these steps. `None` or an empty path is the bin itself.
    pub fn new(ctx: Option<&Bound<'py, PyAny>>) -> PyResult<Self> {
        let Some(ctx) = ctx else { return Ok(Self { steps: Vec::new() }) };
        let kinds = ("steps from spikewire.ctx", "a step from spikewire.ctx");
        Ok(Self { steps: objects("ctx", ctx, kinds)? })
    }

    /// The steps, for encoding.
    pub fn steps(&self) -> Vec<context::Step<&[u8]>> {
        self.steps.iter().map(|step| step.get().borrowed()).collect()
    }

    /// The packed path alone; `None` for the bin itself.
    pub fn packed(&self) -> PyResult<Option<Vec<u8>>> {
        let steps = self.steps();
        context::check(&steps).map_err(invalid_argument)?;
        Ok(context::packed(&steps))
    }

    /// The steps as they were passed.
    pub fn into_steps(self) -> Vec<Py<Step>> {
        self.steps.into_iter().map(Bound::unbind).collect()
    }
}
