//! Operations on strings, as servers have them from 8.2 on.
//!
//! No such server was at hand: what is here follows the vendor's pages and clients.
//!
//! | module | what it holds |
//! |---|---|
//! | `arguments` | what is invalid whatever the string is |
//! | `positions` | code points and where they are |
//! | `search` | finding text that is the same to Unicode |
//! | `numbers` | numbers that strings spell |
//! | `pattern` | regular expressions |
//! | `read`, `change` | the operations |

mod arguments;
mod change;
mod numbers;
mod pattern;
mod positions;
mod read;
mod search;

use spikewire_aerospike_protocol::cdt::Step;
use spikewire_aerospike_protocol::cdt::context::Create;
use spikewire_aerospike_protocol::error_details::subcode;
use spikewire_aerospike_protocol::msgpack::{self, Reader, Token};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::strings::{Request, write};
use spikewire_aerospike_protocol::value::particle;

use self::arguments::CheckedOp;
use crate::cdt::{Edit, path};
use crate::outcome::{ModifyResult, Old, Outcome, ReplyValue};
use crate::reason;

pub use self::read::text_of;

/// The largest result, by an estimate that is never too small.
const LARGEST: usize = 8 << 20;

/// Why an operation on a string fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Whatever its flags are.
    Always(ResultCode),
    /// Unless it has the flag "no fail".
    Unless(ResultCode),
}

impl Fault {
    fn code(self) -> ResultCode {
        match self {
            Self::Always(code) | Self::Unless(code) => code,
        }
    }
}

/// Runs a read operation with particle type `kind` on an existing bin.
pub fn read(old: (u8, &[u8]), kind: u8, payload: &[u8]) -> Result<Option<ReplyValue>, ResultCode> {
    if kind != particle::STRING {
        return Err(ResultCode::BIN_TYPE);
    }
    let Request { context, op } = decode(payload)?;
    if op.modifies() {
        return Err(reason::of(subcode::STRING_OP));
    }
    let op = CheckedOp::new(&op, !context.is_empty())?;
    let value = if context.is_empty() {
        text_in_bin(old)
    } else {
        text_inside(path::find(container(old)?, &context)?)
    };
    read::run(value.map_err(Fault::code)?, &op).map(Some).map_err(Fault::code)
}

/// Runs a modify operation with particle type `kind`.
pub fn modify(old: Old<'_>, kind: u8, payload: &[u8]) -> ModifyResult {
    if kind != particle::STRING {
        return Err(ResultCode::BIN_TYPE);
    }
    let Request { context, op } = decode(payload)?;
    let Some(flags) = op.flags() else { return Err(reason::of(subcode::STRING_OP)) };
    let creates = op.creates() && context.is_empty() && flags & write::UPDATE_ONLY == 0;
    let op = CheckedOp::new(&op, !context.is_empty())?;
    let lenient = flags & write::NO_FAIL != 0;
    let unchanged = Outcome::default();
    let outcome = match old {
        None if !creates => return Ok(unchanged),
        None => change::run("", &op).map(|text| (particle::STRING, text.into_bytes())),
        Some(_) if flags & write::CREATE_ONLY != 0 => Err(Fault::Unless(ResultCode::BIN_EXISTS)),
        Some(old) if context.is_empty() => {
            let changed = text_in_bin(old).and_then(|text| change::run(text, &op));
            changed.map(|text| (particle::STRING, text.into_bytes()))
        }
        Some(old) => {
            let mut fault = None;
            let edit = path::modify(Some(container(old)?), &plain(&context), |leaf| {
                // Nothing is created: a leaf is there.
                let text = text_inside(leaf.ok_or(ResultCode::OP_NOT_APPLICABLE)?);
                match text.and_then(|text| change::run(text, &op)) {
                    Ok(text) => {
                        let mut value = Vec::with_capacity(text.len() + 6);
                        msgpack::bytes(&mut value, particle::STRING, text.as_bytes());
                        Ok(Edit { value: Some(value), ..Edit::default() })
                    }
                    Err(error) => {
                        fault = Some(error);
                        Err(error.code())
                    }
                }
            });
            match edit {
                Ok(edit) => edit.value.map(|value| (old.0, value)).ok_or(NOWHERE),
                // A step that finds nothing is an error that the flag suppresses.
                Err(code) => Err(fault.unwrap_or(Fault::Unless(code))),
            }
        }
    };
    match outcome {
        Ok(bin) => Ok(Outcome { bin: Some(bin), result: None }),
        Err(Fault::Unless(_)) if lenient => Ok(unchanged),
        Err(fault) => Err(fault.code()),
    }
}

/// Reads a request.
fn decode(payload: &[u8]) -> Result<Request<'_>, ResultCode> {
    Request::decode(payload).map_err(|code| match code {
        ResultCode::PARAMETER => reason::of(subcode::STRING_PARAMETERS),
        code => code,
    })
}

const NOWHERE: Fault = Fault::Unless(ResultCode::OP_NOT_APPLICABLE);

/// The same path, creating nothing.
fn plain<'a>(context: &[Step<&'a [u8]>]) -> Vec<Step<&'a [u8]>> {
    context.iter().map(|step| step.clone().creating(Create::No)).collect()
}

/// The bin that a path leads into.
fn container((kind, value): (u8, &[u8])) -> Result<&[u8], ResultCode> {
    match kind {
        particle::LIST | particle::MAP => Ok(value),
        _ => Err(ResultCode::BIN_TYPE),
    }
}

fn text_in_bin((kind, value): (u8, &[u8])) -> Result<&str, Fault> {
    if kind != particle::STRING {
        return Err(Fault::Always(ResultCode::BIN_TYPE));
    }
    std::str::from_utf8(value).map_err(|_| Fault::Always(ResultCode::INVALID_ENCODING))
}

/// The string at the end of a path.
fn text_inside(value: &[u8]) -> Result<&str, Fault> {
    match Reader::new(value).next() {
        Ok(Token::Bytes(particle::STRING, text)) => text_in_bin((particle::STRING, text)),
        _ => Err(Fault::Always(ResultCode::BIN_TYPE)),
    }
}

#[cfg(test)]
mod tests;
