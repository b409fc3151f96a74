//! The path to a list or map that is nested in a bin.

use std::fmt::Write as _;

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use spikewire_aerospike_protocol::cdt::context::{self, At, Create, Inside};
use spikewire_aerospike_protocol::expression::PathStep;
use spikewire_aerospike_protocol::operation::{context_step, pack_path_step, pack_step};
use spikewire_aerospike_protocol::value::particle::LIST;

use super::CallArguments;
use crate::aerospike::arguments::{flags, objects};
use crate::aerospike::value::particle;
use crate::errors::{invalid_argument, value_error};

/// A step of the path to a nested list or map, created by the functions of `spikewire.ctx`.
#[pyclass(frozen, eq, module = "spikewire.ctx")]
#[derive(PartialEq)]
pub struct Step {
    step: PathStep,
}

impl From<PathStep> for Step {
    fn from(step: PathStep) -> Self {
        Self { step }
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
        Ok(Self { step: PathStep::At(step?) })
    }

    /// A step that names several elements, for path operations.
    #[staticmethod]
    #[pyo3(signature = (kind, keys=None))]
    fn several(py: Python<'_>, kind: &str, keys: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let arguments = PyTuple::new(py, [keys])?;
        let step = pack_path_step(kind, &CallArguments(&arguments), None)?;
        let step = step.ok_or_else(|| value_error(format!("unknown step {kind:?}")))?;
        Ok(Self { step })
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let mut bytes = Vec::new();
        self.step.encode(&mut bytes);
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        hasher.finish()
    }

    /// As Python writes it.
    pub fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let step = match &self.step {
            PathStep::At(step) => step,
            PathStep::KeysIn(keys) => {
                return Ok(format!("ctx.map_keys_in({})", wire_value_repr(py, keys)?));
            }
            PathStep::Children(None) => return Ok("ctx.all_children()".to_owned()),
            PathStep::Children(Some(filter)) => {
                return Ok(format!("ctx.all_children(where=Expression({filter}))"));
            }
            PathStep::And(filter) => {
                let filter = filter.as_ref().map_or("true".to_owned(), ToString::to_string);
                return Ok(format!("ctx.and_where(Expression({filter}))"));
            }
        };
        let inside = match step.inside {
            Inside::Either => "",
            Inside::List => "list_",
            Inside::Map => "map_",
        };
        let (what, at) = match &step.at {
            At::Index(index) => ("index", index.to_string()),
            At::Rank(rank) => ("rank", rank.to_string()),
            At::Key(key) => ("key", wire_value_repr(py, key)?),
            At::Value(value) => ("value", wire_value_repr(py, value)?),
        };
        let (order, pad) = match (step.inside, step.create) {
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
        for (name, flag) in [("pad", pad), ("persist_index", step.persist)] {
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

    /// The path of a path operation.
    pub fn along(path: &Bound<'py, PyAny>) -> PyResult<Self> {
        let kinds = ("steps from spikewire.ctx", "a step from spikewire.ctx");
        Ok(Self { steps: objects("path", path, kinds)? })
    }

    /// The steps of a context, for encoding.
    pub fn steps(&self) -> PyResult<Vec<context::Step<&[u8]>>> {
        let steps = self.steps.iter().enumerate().map(|(at, step)| {
            let step = context_step(&step.get().step);
            step.map_err(|fault| invalid_argument(fault.within(&format!("ctx[{at}]"))))
        });
        steps.collect()
    }

    /// The steps of a path operation.
    pub fn path_steps(&self) -> Vec<PathStep> {
        self.steps.iter().map(|step| step.get().step.clone()).collect()
    }

    /// The packed path alone; `None` for the bin itself.
    pub fn packed(&self) -> PyResult<Option<Vec<u8>>> {
        let steps = self.steps()?;
        context::check(&steps).map_err(invalid_argument)?;
        Ok(context::packed(&steps))
    }

    /// The steps as they were passed.
    pub fn into_steps(self) -> Vec<Py<Step>> {
        self.steps.into_iter().map(Bound::unbind).collect()
    }
}
