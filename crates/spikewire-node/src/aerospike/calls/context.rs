//! Context paths to a list or map nested in a bin.

use spikewire_aerospike_protocol::cdt::context;
use spikewire_aerospike_protocol::expression::Fault;
use spikewire_aerospike_protocol::operation::pack_step;

use super::OperationArguments;
use super::encoded::Form;
use crate::arguments::{flag, text};
use crate::binding::Call;
use crate::errors::kind_name;
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

/// A path; it is validated when it is encoded.
#[derive(Debug)]
pub struct Path(Vec<Vec<u8>>);

impl Path {
    /// Reads the steps; `undefined`, `null` and an empty path mean the bin itself.
    pub fn new(ctx: Value<'_>) -> Result<Self> {
        let Some(ctx) = ctx.present() else { return Ok(Self(Vec::new())) };
        if !ctx.is_array() {
            return Err(Failure::of_type(format!(
                "ctx must be an array of steps from ctx, not {}",
                kind_name(ctx)
            )));
        }
        let step = |at| {
            let item = ctx.element(at)?;
            let bytes = Form::Step.unwrap(item)?.filter(|bytes| context::decode(bytes).is_ok());
            bytes.ok_or_else(|| {
                let other = kind_name(item);
                Failure::of_type(format!("ctx[{at}] must be a step from ctx, not {other}"))
            })
        };
        (0..ctx.len()?).map(step).collect::<Result<_>>().map(Self)
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
