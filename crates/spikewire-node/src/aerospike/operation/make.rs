//! Creates operations, which are validated and encoded at once.

use spikewire_aerospike::command::OwnedOperation;
use spikewire_aerospike_protocol::expression::flag as flags;
use spikewire_aerospike_protocol::message::op;
use spikewire_aerospike_protocol::operation::{Family, pack_path, particle_of};
use spikewire_aerospike_protocol::value::particle;

use super::wrap;
use crate::aerospike::arguments::bin_name;
use crate::aerospike::calls::context::Path;
use crate::aerospike::calls::{OperationArguments, elements};
use crate::aerospike::expression::operation_bytes;
use crate::aerospike::expression::path::path_operation_of;
use crate::aerospike::value::{Place, encode};
use crate::arguments::{flag, text};
use crate::binding::Call;
use crate::js::{Failure, Result, Value};

/// `operation(family, kind, bin, values, ctx, pad)`: an operation on a list, a map, bits or a
/// sketch, at the end of a path. `pad` applies if the path itself is to be created.
pub fn operation<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let family = text("family", call.argument(0))?;
    let unknown = || Failure::of_range(format!("unknown family of operations {family:?}"));
    let family = Family::named(&family).ok_or_else(unknown)?;
    let kind = text("kind", call.argument(1))?;
    let bin = bin_name(call.argument(2))?;
    let packed = || {
        let args = OperationArguments::new(call.host.environment.hooks()?, call.argument(3))?;
        let (path, pad) = (Path::new(call.argument(4))?, flag("pad", call.argument(5))?);
        family.pack(&kind, &args, path.steps()?, pad)
    };
    let (code, value) = packed().map_err(|failure| failure.about(Place::Bin(&bin)))?;
    wrap(call.env, &OwnedOperation { code, bin, particle: particle_of(code), value }).map(Some)
}

/// `pathOperation(kind, bin, path, returning, value, noFail)`: an operation on the elements at the end
/// of a path.
pub fn along<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (kind, bin) = (text("kind", call.argument(0))?, bin_name(call.argument(1))?);
    let [path, returning, value, no_fail] = [2, 3, 4, 5].map(|at| call.argument(at));
    let operation = || {
        let hooks = call.host.environment.hooks()?;
        path_operation_of(hooks, &kind, [path, returning, value, no_fail])
    };
    let operation = operation().map_err(|failure: Failure| failure.about(Place::Bin(&bin)))?;
    let (code, value) = pack_path(&operation);
    wrap(call.env, &OwnedOperation { code, bin, particle: particle::BLOB, value }).map(Some)
}

/// `plainOperation(kind, bin, value)`: an operation on a whole bin or on the record; `kind` is the
/// verb's name.
pub fn plain<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let kind = text("kind", call.argument(0))?;
    let argument = |at| (call.count() > at).then(|| call.argument(at));
    let bin = argument(1).map(|bin| text("a bin name", bin)).transpose()?;
    let hooks = call.host.environment.hooks()?;
    let encoded = argument(2).map(|value| {
        move |bin: &str, out: &mut Vec<u8>| encode(hooks, out, value, &Place::Bin(bin))
    });
    wrap(call.env, &OwnedOperation::plain(&kind, bin.as_deref(), encoded)?).map(Some)
}

/// `expressionOperation(kind, bin, expression, flags)`: reads or writes the value of an expression.
pub fn of_expression<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let kind = text("kind", call.argument(0))?;
    let bin = bin_name(call.argument(1))?;
    let values = elements(call.argument(3))?;
    let known: &[(&str, i64)] = match kind.as_str() {
        "read" => &[("noFail", flags::EVALUATION_NO_FAIL)],
        _ => &[
            ("createOnly", flags::CREATE_ONLY),
            ("updateOnly", flags::UPDATE_ONLY),
            ("allowDelete", flags::ALLOW_DELETE),
            ("noFail", flags::POLICY_NO_FAIL | flags::EVALUATION_NO_FAIL),
        ],
    };
    let about = |failure: Failure| failure.about(Place::Bin(&bin));
    let mut bits = 0;
    for ((name, number), value) in known.iter().zip(values) {
        if flag(name, value).map_err(about)? {
            bits |= number;
        }
    }
    flags::check(bits).map_err(|fault| about(fault.into()))?;
    let value = operation_bytes(call.host.environment.hooks()?, call.argument(2), bits)
        .map_err(|failure| about(failure.about("expression")))?;
    let code = if kind == "read" { op::EXP_READ } else { op::EXP_MODIFY };
    wrap(call.env, &OwnedOperation { code, bin, particle: particle_of(code), value }).map(Some)
}
