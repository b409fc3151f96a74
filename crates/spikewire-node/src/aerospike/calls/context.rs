//! Context paths to a list or map nested in a bin.

use spikewire_aerospike_protocol::cdt::context;
use spikewire_aerospike_protocol::expression::{Fault, PathStep};
use spikewire_aerospike_protocol::msgpack;
use spikewire_aerospike_protocol::operation::{context_step, pack_path_step, pack_step};

use super::OperationArguments;
use super::encoded::Form;
use crate::arguments::{flag, text};
use crate::binding::Call;
use crate::js::{Failure, Result, Value};

/// `step(kind, at, order, pad, persistIndex)`: the encoding of a step. `kind` is the function's
/// name in the table, `order` the order of a list or map created if it is missing.
pub fn step<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let arguments = OperationArguments {
        hooks: call.host.environment.hooks()?,
        values: vec![call.argument(1)],
    };
    let order = call.argument(2).present().map(|order| text("order", order)).transpose()?;
    let (pad, persist) = (flag("pad", call.argument(3))?, flag("persistIndex", call.argument(4))?);
    let kind = text("kind", call.argument(0))?;
    let step = pack_step(&kind, &arguments, order.as_deref(), pad, persist)?;
    let mut out = Vec::new();
    context::encode(&[step], &mut out);
    Form::Step.wrap(call.env, &out).map(Some)
}

/// `severalStep(kind, keys)`: the encoding of a step to several elements, for path operations.
pub fn several<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let arguments = OperationArguments {
        hooks: call.host.environment.hooks()?,
        values: vec![call.argument(1)],
    };
    let kind = text("kind", call.argument(0))?;
    let unknown = || Failure::of_range(format!("unknown step {kind:?}"));
    let step = pack_path_step(&kind, &arguments, None)?.ok_or_else(unknown)?;
    wrap(call, &step).map(Some)
}

/// The encoding of a step of paths only.
pub fn wrap<'e>(call: &Call<'e>, step: &PathStep) -> Result<Value<'e>> {
    let mut out = Vec::new();
    msgpack::array(&mut out, 2);
    step.encode(&mut out);
    Form::Step.wrap(call.env, &out)
}

/// A path; it is validated when it is encoded.
#[derive(Debug)]
pub struct Path(Vec<PathStep>);

impl Path {
    /// Reads the steps of a context; `undefined`, `null` and an empty path mean the bin itself.
    pub fn new(ctx: Value<'_>) -> Result<Self> {
        let Some(ctx) = ctx.present() else { return Ok(Self(Vec::new())) };
        Self::read("ctx", ctx)
    }

    /// Reads the path of a path operation.
    pub fn along(path: Value<'_>) -> Result<Self> {
        Self::read("path", path)
    }

    fn read(what: &str, path: Value<'_>) -> Result<Self> {
        let kinds = ("steps from ctx", "a step from ctx");
        let read = |bytes: Vec<u8>| PathStep::decode(&bytes).ok();
        Form::Step.unwrap_all(what, path, kinds, read).map(Self)
    }

    /// The steps of a context.
    pub fn steps(&self) -> std::result::Result<Vec<context::Step<&[u8]>>, Fault> {
        let step = |(at, step)| {
            context_step(step).map_err(|fault: Fault| fault.within(&format!("ctx[{at}]")))
        };
        self.0.iter().enumerate().map(step).collect()
    }

    /// The steps of a path operation.
    pub fn into_steps(self) -> Vec<PathStep> {
        self.0
    }

    /// The path in wire format; `None` for the bin itself.
    pub fn packed(&self) -> std::result::Result<Option<Vec<u8>>, Fault> {
        let steps = self.steps()?;
        context::check(&steps)?;
        Ok(context::packed(&steps))
    }
}
