//! Expression read and write operations.

use spikewire_aerospike_protocol::cdt::take;
use spikewire_aerospike_protocol::expression::{Expression, flag};
use spikewire_aerospike_protocol::message::Op;
use spikewire_aerospike_protocol::msgpack::{Reader, Token};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::{Program, RecordView, Val, trace};
use crate::record::bins::Bins;
use crate::value::store;

/// The effect of an operation on its bin.
#[derive(Debug, PartialEq, Eq)]
pub enum Change {
    /// Unchanged.
    Nothing,
    /// Removed.
    Remove,
    /// Set to this particle.
    Set(u8, Vec<u8>),
}

/// Runs an expression read; returns the particle of its result, `None` for no value.
pub fn read(
    operation: &Op<'_>,
    view: &RecordView<'_>,
) -> Result<Option<(u8, Vec<u8>)>, ResultCode> {
    let (program, flags) = open(operation.value, flag::EVALUATION_NO_FAIL)?;
    match program.evaluate(view) {
        Val::Unknown if flags & flag::EVALUATION_NO_FAIL == 0 => {
            Err(without_value(operation.value, view))
        }
        value => Ok(value.particle()),
    }
}

/// Determines the effect of an expression write. `view` has the current bins.
pub fn modify(operation: &Op<'_>, view: &RecordView<'_>) -> Result<Change, ResultCode> {
    let all = flag::CREATE_ONLY
        | flag::UPDATE_ONLY
        | flag::ALLOW_DELETE
        | flag::POLICY_NO_FAIL
        | flag::EVALUATION_NO_FAIL;
    let (program, flags) = open(operation.value, all)?;
    let value = program.evaluate(view);
    let change = change(&value, flags, view.bin_type(operation.name) != 0);
    if change == Err(ResultCode::OP_NOT_APPLICABLE) && value == Val::Unknown {
        return Err(without_value(operation.value, view));
    }
    change
}

/// Why an operation's expression has no value.
fn without_value(payload: &[u8], view: &RecordView<'_>) -> ResultCode {
    trace::without_value(ResultCode::OP_NOT_APPLICABLE, expression_of(payload), view)
}

/// The expression in the value of an operation, encoded.
fn expression_of(payload: &[u8]) -> &[u8] {
    let mut reader = Reader::new(payload);
    match reader.next() {
        Ok(Token::Array(1..)) => take(&mut reader).unwrap_or_default(),
        _ => &[],
    }
}

impl Change {
    /// Applies the change to the bin with this name.
    pub fn apply(&self, bins: &mut Bins, name: &[u8]) -> Result<(), ResultCode> {
        match self {
            Self::Nothing => {}
            Self::Remove => {
                bins.remove(name);
            }
            Self::Set(particle, value) => {
                bins.set_with(name, *particle, |out| store(out, *particle, value))?;
            }
        }
        Ok(())
    }
}

fn open(payload: &[u8], known: i64) -> Result<(Program, i64), ResultCode> {
    let unbuilt = |code| trace::unbuilt(code, expression_of(payload));
    let (tree, flags) =
        Expression::decode_operation(payload).map_err(|_| unbuilt(ResultCode::PARAMETER))?;
    if flags & !known != 0 {
        return Err(ResultCode::PARAMETER);
    }
    Ok((Program::new(tree).map_err(unbuilt)?, flags))
}

fn change(value: &Val<'_>, flags: i64, exists: bool) -> Result<Change, ResultCode> {
    let has = |flag| flags & flag != 0;
    let rejection = if has(flag::CREATE_ONLY) && exists {
        Some(ResultCode::BIN_EXISTS)
    } else if has(flag::UPDATE_ONLY) && !exists {
        Some(ResultCode::BIN_NOT_FOUND)
    } else {
        None
    };
    if let Some(code) = rejection {
        return if has(flag::POLICY_NO_FAIL) { Ok(Change::Nothing) } else { Err(code) };
    }
    if *value == Val::Unknown {
        let quiet = has(flag::EVALUATION_NO_FAIL);
        return if quiet { Ok(Change::Nothing) } else { Err(ResultCode::OP_NOT_APPLICABLE) };
    }
    match value.particle() {
        Some((particle, value)) => Ok(Change::Set(particle, value)),
        None if !exists => Ok(Change::Nothing),
        None if has(flag::ALLOW_DELETE) => Ok(Change::Remove),
        None if flags == 0 => Err(ResultCode::OP_NOT_APPLICABLE),
        None => Ok(Change::Nothing),
    }
}
