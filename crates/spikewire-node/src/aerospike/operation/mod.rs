//! Operations of `operate`, and Lua functions.
//!
//! | module | what it holds |
//! |---|---|
//! | here | encoded operations |
//! | [`make`] | creating operations |
//! | [`function`] | calls of Lua functions |

mod function;
pub mod make;

use spikewire_aerospike::command::{OperationRef, OwnedOperation};

pub use self::function::function;
use crate::aerospike::calls::encoded::Form;
use crate::errors::kind_name;
use crate::js::{Env, Failure, Result, Value};

/// The encoded bytes for the class `Operation`.
fn wrap<'e>(env: Env<'e>, operation: &OwnedOperation) -> Result<Value<'e>> {
    let OwnedOperation { code, bin, particle, value } = operation;
    let mut out = vec![*code, *particle, bin.len() as u8];
    out.extend_from_slice(bin.as_bytes());
    out.extend_from_slice(value);
    Form::Operation.wrap(env, &out)
}

/// Decodes the output of [`wrap`].
fn unwrapped(bytes: &[u8]) -> Option<OwnedOperation> {
    let ([code, particle, len], rest) = bytes.split_first_chunk()?;
    let (bin, value) = rest.split_at_checked(usize::from(*len))?;
    let bin = std::str::from_utf8(bin).ok()?.to_owned();
    Some(OwnedOperation { code: *code, bin, particle: *particle, value: value.to_vec() })
}

/// Operations as passed to a command.
pub fn refs(steps: &[OwnedOperation]) -> impl Iterator<Item = OperationRef<'_>> + Clone {
    steps.iter().map(OwnedOperation::as_sent)
}

/// The operations of one `operate`.
pub fn steps(operations: Value<'_>) -> Result<Vec<OwnedOperation>> {
    if !operations.is_array() {
        return Err(Failure::of_type(format!(
            "operations must be an array of operations from op, not {}",
            kind_name(operations)
        )));
    }
    let step = |at| {
        let item = operations.element(at)?;
        let read = Form::Operation.unwrap(item)?.as_deref().and_then(unwrapped);
        read.ok_or_else(|| {
            let other = kind_name(item);
            Failure::of_type(format!("operations[{at}] must be an operation from op, not {other}"))
        })
    };
    (0..operations.len()?).map(step).collect()
}
