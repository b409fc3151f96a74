//! List, map, bit and sketch operations in expressions.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use spikewire_aerospike_protocol::expression::{Expression as Tree, PathOperation, Type};
use spikewire_aerospike_protocol::operation::{Family, OperandArguments, path_operation};

use super::bytes::element_value;
use super::constant::operand;
use crate::aerospike::calls::CallArguments;
use crate::aerospike::calls::context::Path;
use crate::arguments::text;
use crate::errors::{RequestError, about, invalid_argument, value_error};

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
    let steps = path.steps().map_err(within)?;
    let tree = of.call(name, on, &CallArguments(arguments), &steps, kind);
    tree.map_err(|error: RequestError| within(error.into()))
}

/// The path operation `name` of `spikewire.op.path` or `spikewire.exp.path`.
pub fn path_operation_of(
    name: &str,
    path: &Path<'_>,
    returning: Option<&Bound<'_, PyAny>>,
    value: Option<&Bound<'_, PyAny>>,
    no_fail: bool,
) -> PyResult<PathOperation> {
    let returning = returning.map(|it| text("returning", it)).transpose()?;
    let value =
        value.map(|value| element_value(value).map_err(|error| about(value.py(), error, "value")));
    let operation = path_operation(name, path.path_steps(), returning, value.transpose()?, no_fail);
    operation.map_err(invalid_argument)
}

impl OperandArguments for CallArguments<'_, '_> {
    fn operand(&self, at: usize, name: &'static str) -> Result<Tree, RequestError> {
        let value = self.get(at)?;
        let what = format!("the argument {name}");
        Ok(operand(&value).map_err(|error| about(value.py(), error, &what))?)
    }
}
