//! Context paths to a list or map nested in a bin.

use spikewire_aerospike_protocol::cdt::context;
use spikewire_aerospike_protocol::expression::Fault;
use spikewire_aerospike_protocol::operation::pack_step;

use super::OperationArguments;
use super::encoded::Form;
use crate::arguments::{flag, text};
use crate::binding::Call;
use crate::js::{Result, Value};

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

/// A path; it is validated when it is encoded.
#[derive(Debug)]
pub struct Path(Vec<Vec<u8>>);

impl Path {
    /// Reads the steps; `undefined`, `null` and an empty path mean the bin itself.
    pub fn new(ctx: Value<'_>) -> Result<Self> {
        let Some(ctx) = ctx.present() else { return Ok(Self(Vec::new())) };
        let kinds = ("steps from ctx", "a step from ctx");
        let read = |bytes: Vec<u8>| context::decode(&bytes).is_ok().then_some(bytes);
        Form::Step.unwrap_all("ctx", ctx, kinds, read).map(Self)
    }

    /// The decoded steps.
    pub fn steps(&self) -> Vec<context::Step<&[u8]>> {
        self.0.iter().flat_map(|step| context::decode(step).unwrap_or_default()).collect()
    }

    /// The path in wire format; `None` for the bin itself.
    pub fn packed(&self) -> std::result::Result<Option<Vec<u8>>, Fault> {
        let steps = self.steps();
        context::check(&steps)?;
        Ok(context::packed(&steps))
    }
}
