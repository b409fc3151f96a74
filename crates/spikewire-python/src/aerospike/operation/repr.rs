//! The `repr` of operations.

use std::fmt::Write as _;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyString, PyTuple};

use spikewire_aerospike_protocol::operation::Family;

use crate::aerospike::calls::context::Step;
use crate::aerospike::expression::Expression;
use crate::aerospike::value::{GeoJSON, HyperLogLog};

/// How an operation was created.
pub struct ReprArguments {
    /// `None` for operations on whole bins.
    pub family: Option<Family>,
    pub kind: Py<PyString>,
    pub arguments: Py<PyTuple>,
    pub pad: bool,
    pub path: Vec<Py<Step>>,
}

/// The `repr` of an operation. Most are never shown, so the text is built on demand; but arguments
/// that could change in the meantime are formatted at once.
pub enum OperationRepr {
    Text(String),
    Lazy(ReprArguments),
}

impl OperationRepr {
    pub fn new(py: Python<'_>, bin: &str, arguments: ReprArguments) -> PyResult<Self> {
        let is_lazy =
            arguments.arguments.bind(py).iter_borrowed().all(|argument| is_constant(&argument));
        Ok(if is_lazy { Self::Lazy(arguments) } else { Self::Text(arguments.text(py, bin)?) })
    }

    pub fn text(&self, py: Python<'_>, bin: &str) -> PyResult<String> {
        match self {
            Self::Text(text) => Ok(text.clone()),
            Self::Lazy(arguments) => arguments.text(py, bin),
        }
    }
}

/// Whether a value can never change.
fn is_constant(value: &Bound<'_, PyAny>) -> bool {
    value.is_none()
        || value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyInt>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyBytes>()
        || value.is_exact_instance_of::<GeoJSON>()
        || value.is_exact_instance_of::<HyperLogLog>()
        || value.is_exact_instance_of::<Expression>()
}

impl ReprArguments {
    pub fn new(
        family: Option<Family>,
        (kind, arguments): (&Bound<'_, PyString>, &Bound<'_, PyTuple>),
    ) -> Self {
        let (kind, arguments) = (kind.clone().unbind(), arguments.clone().unbind());
        Self { family, kind, arguments, pad: false, path: Vec::new() }
    }

    fn text(&self, py: Python<'_>, bin: &str) -> PyResult<String> {
        let kind = self.kind.bind(py).to_str()?;
        let arguments = self.arguments.bind(py);
        let module = self.family.map(|it| format!("{}.", it.name())).unwrap_or_default();
        let mut text = format!("op.{module}{kind}(");
        if !bin.is_empty() {
            let _ = write!(text, "{bin:?}");
        }
        let is_path = kind.starts_with("path.");
        if is_path {
            let _ = write!(text, ", [{}]", self.steps(py)?);
        }
        for (value, (name, option)) in arguments.iter_borrowed().zip(self.names(kind)) {
            let comma = if text.ends_with('(') { "" } else { ", " };
            if !option {
                let _ = write!(text, "{comma}{}", value.repr()?);
            } else if !value.is_none()
                && !matches!(value.cast::<PyBool>(), Ok(off) if !off.is_true())
            {
                let _ = write!(text, "{comma}{name}={}", value.repr()?);
            }
        }
        if self.pad {
            text += ", pad=True";
        }
        if !self.path.is_empty() && !is_path {
            let _ = write!(text, ", ctx=[{}]", self.steps(py)?);
        }
        text.push(')');
        Ok(text)
    }

    fn steps(&self, py: Python<'_>) -> PyResult<String> {
        let steps = self.path.iter().map(|step| step.get().__repr__(py));
        Ok(steps.collect::<PyResult<Vec<_>>>()?.join(", "))
    }

    /// The names of the arguments, and whether each is an option.
    fn names(&self, kind: &str) -> Vec<(&'static str, bool)> {
        match self.family {
            None => plain_names(kind),
            Some(family) => family
                .signature(kind)
                .map(|it| it.parameters.iter().map(|it| (it.name, it.is_option)).collect())
                .unwrap_or_default(),
        }
    }
}

/// The names of the arguments of operations on whole bins.
fn plain_names(kind: &str) -> Vec<(&'static str, bool)> {
    match kind {
        "read" => vec![("expression", false), ("no_fail", true)],
        "path.select" | "path.remove" => vec![("returning", true), ("no_fail", true)],
        "path.modify" => vec![("value", false), ("no_fail", true)],
        "write" => vec![
            ("expression", false),
            ("create_only", true),
            ("update_only", true),
            ("allow_delete", true),
            ("no_fail", true),
        ],
        _ => vec![("value", false)],
    }
}
