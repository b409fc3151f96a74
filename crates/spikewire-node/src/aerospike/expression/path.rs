//! Path operations, the steps of paths that have filters, and loop variables.

use spikewire_aerospike_protocol::expression::{
    Expression as Tree, LoopPart, PathOperation, PathStep,
};
use spikewire_aerospike_protocol::operation::path_operation;

use super::filter::{element_filter, element_value};
use super::{kind_of, operand};
use crate::aerospike::calls::OperationArguments;
use crate::aerospike::calls::context::{self, Path};
use crate::arguments::{flag, text};
use crate::binding::Call;
use crate::hooks::Hooks;
use crate::js::failure::camel;
use crate::js::{Failure, Result, Value};

/// The operation `kind` of `op.path` or `exp.path`, from `path, returning, value, noFail`.
pub fn path_operation_of(
    hooks: &Hooks,
    kind: &str,
    [path, returning, value, no_fail]: [Value<'_>; 4],
) -> Result<PathOperation> {
    let steps = Path::along(path)?.into_steps();
    let returning = returning.present().map(|it| text("returning", it)).transpose()?;
    let value = match kind {
        "modify" => Some(element_value(hooks, value).map_err(|it| it.about("value"))?),
        _ => None,
    };
    let no_fail = flag("noFail", no_fail)?;
    Ok(path_operation(kind, steps, returning.as_deref(), value, no_fail)?)
}

/// `filterStep(kind, filter)`: the encoding of the step of a path that names all elements for which a
/// filter is true, or, with `and_where`, those of the step before.
pub fn filter_step<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let kind = text("kind", call.argument(0))?;
    let step = || {
        let filter = element_filter(call.host.environment.hooks()?, call.argument(1))?;
        Ok(match kind.as_str() {
            "and_where" => PathStep::and_where(filter)?,
            _ => PathStep::children_where(filter)?,
        })
    };
    let within = |failure: Failure| failure.about(format!("ctx.{}", camel(&kind)));
    context::wrap(call, &step().map_err(within)?).map(Some)
}

/// A path operation in an expression: `kind, on, path, returning, value, noFail`.
pub(super) fn build_path(hooks: &Hooks, args: &OperationArguments<'_, '_>) -> Result<Tree> {
    let kind = text("kind", args.get(0)?)?;
    let build = || {
        let on = operand(hooks, "on", args.get(1)?)?;
        let parts = [args.get(2)?, args.get(3)?, args.get(4)?, args.get(5)?];
        Ok(Tree::path(on, path_operation_of(hooks, &kind, parts)?)?)
    };
    build().map_err(|failure: Failure| failure.about(format!("exp.path.{kind}")))
}

/// A loop variable: `part, kind`.
pub(super) fn build_loop(args: &OperationArguments<'_, '_>) -> Result<Tree> {
    let part = match text("part", args.get(0)?)?.as_str() {
        "key" => LoopPart::Key,
        "value" => LoopPart::Value,
        "index" => LoopPart::Index,
        other => return Err(Failure::of_range(format!("an element has no {other}"))),
    };
    Ok(Tree::loop_var(args.get(1)?.present().map(kind_of).transpose()?, part)?)
}
