//! List, map, bit and sketch operations in expressions.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use spikewire_aerospike_protocol::expression::{Expression as Tree, Type};
use spikewire_aerospike_protocol::operation::{Family, OperandArguments};

use super::constant::operand;
use crate::aerospike::calls::CallArguments;
use crate::aerospike::calls::context::Path;
use crate::errors::{RequestError, about, value_error};

/// The operation `name` of a module of `spikewire.exp`.
pub fn call(
    family: &str,
    name: &str,
    on: Tree,
    arguments: &Bound<'_, PyTuple>,
    ctx: Option<&Bound<'_, PyAny>>,
    kind: Option<Type>,
) -> PyResult<Tree> {
    let py = arguments.py();
    let within = |error| about(py, error, &format!("exp.{family}.{name}"));
    let path = Path::new(ctx)?;
    let unknown = || value_error(format!("unknown family of operations {family:?}"));
    let of = Family::named(family).ok_or_else(unknown)?;
    let tree = of.call(name, on, &CallArguments(arguments), &path.steps(), kind);
    tree.map_err(|error: RequestError| within(error.into()))
}

impl OperandArguments for CallArguments<'_, '_> {
    fn operand(&self, at: usize, name: &'static str) -> Result<Tree, RequestError> {
        let value = self.get(at)?;
        let what = format!("the argument {name}");
        Ok(operand(&value).map_err(|error| about(value.py(), error, &what))?)
    }
}
