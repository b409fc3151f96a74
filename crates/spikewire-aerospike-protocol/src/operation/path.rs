//! Path operations by name, and the steps that only paths have.

use super::words::PATH_RETURNING;
use super::{ValueArguments, ValueForm, number_of};
use crate::cdt::Step;
use crate::expression::{Expression, Fault, PathOperation, PathReturn, PathStep};
use crate::message::op as code;

/// The step that the function of this name makes, of its first argument or of a filter. `None` if
/// it is a step of any context.
pub fn pack_path_step<A: ValueArguments>(
    name: &str,
    arguments: &A,
    filter: Option<Expression>,
) -> Result<Option<PathStep>, A::Error> {
    Ok(Some(match (name, filter) {
        ("all_children", None) => PathStep::Children(None),
        ("all_children", Some(filter)) => PathStep::children_where(filter)?,
        ("and_where", Some(filter)) => PathStep::and_where(filter)?,
        ("and_where", None) => return Err(Fault::of_type("and_where needs a filter").into()),
        ("map_keys_in", _) => PathStep::KeysIn(arguments.packed(0, "keys", ValueForm::List)?),
        _ => return Ok(None),
    }))
}

/// The path operation of this name: `select`, `modify` or `remove`. `value` is the new value of
/// elements that are modified, `returning` what is returned of those that are selected.
pub fn path_operation(
    name: &str,
    steps: Vec<PathStep>,
    returning: Option<&str>,
    value: Option<Expression>,
    no_fail: bool,
) -> Result<PathOperation, Fault> {
    match (name, value) {
        ("select", None) => {
            let word = returning.unwrap_or("value");
            let number = number_of(PATH_RETURNING, "returning", word)?;
            let returns = PathReturn::from_wire(number).unwrap_or(PathReturn::Value);
            PathOperation::select(steps, returns, no_fail)
        }
        ("modify", Some(value)) => PathOperation::modify(steps, value, no_fail),
        ("remove", None) => PathOperation::remove(steps, no_fail),
        _ => Err(Fault::of_value(format!("unknown path operation {name:?}"))),
    }
}

/// The code and the encoding of a path operation of `operate`.
pub fn pack_path(operation: &PathOperation) -> (u8, Vec<u8>) {
    let mut out = Vec::with_capacity(32);
    operation.encode(&mut out);
    (if operation.modifies() { code::CDT_MODIFY } else { code::CDT_READ }, out)
}

/// A step as one of a context, which leads to one list or map.
pub fn context_step(step: &PathStep) -> Result<Step<&[u8]>, Fault> {
    let name = match step {
        PathStep::At(step) => return Ok(step.borrowed()),
        PathStep::KeysIn(_) => "map_keys_in",
        PathStep::Children(_) => "all_children",
        PathStep::And(_) => "and_where",
    };
    Err(Fault::of_value(format!(
        "{name} names several elements: it is a step of path operations only"
    )))
}
