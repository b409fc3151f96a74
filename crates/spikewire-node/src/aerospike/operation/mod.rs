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
use crate::js::{Env, Result, Value};

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
    let kinds = ("operations from op", "an operation from op");
    let read = |bytes: Vec<u8>| unwrapped(&bytes);
    Form::Operation.unwrap_all("operations", operations, kinds, read)
}
