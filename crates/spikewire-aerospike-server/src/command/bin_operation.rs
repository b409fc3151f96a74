//! Operations inside a bin: lists, maps, paths into them, bits, sketches, strings.

use spikewire_aerospike_protocol::message::{Op, op};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use super::reply::Reply;
use crate::expression::{self, RecordView, path_operation};
use crate::outcome::{Old, Outcome, ReplyValue};
use crate::record::bins::{Bin, Bins};
use crate::{bits, cdt, hll, reason, strings};

/// The result of an operation.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// A value.
    Value(ReplyValue),
    /// It succeeded without a value.
    Nothing,
    /// The bin to read does not exist.
    Missing,
}

impl Answer {
    /// Appends the result. `nulls`: whether a result without value is sent as null.
    pub fn write(self, operation: &Op<'_>, reply: &mut Reply<'_>, nulls: bool) {
        // As on servers, rows of batches do not repeat the code of a path.
        let in_row = reply.is_row() && path_operation::is_path(operation.value);
        let code = if in_row { op::READ } else { operation.code };
        match self {
            Self::Value(value) => {
                reply.op(code, operation.name, value.particle, &value.value);
            }
            Self::Nothing | Self::Missing if nulls => {
                reply.op(code, operation.name, particle::NULL, &[]);
            }
            Self::Nothing | Self::Missing => {}
        }
    }
}

/// Runs a read operation on its bin.
pub fn read(bin: Option<Bin<'_>>, operation: &Op<'_>) -> Result<Answer, ResultCode> {
    let Some(bin) = bin else { return Ok(Answer::Missing) };
    let old = (bin.particle, bin.value);
    let result = match operation.code {
        op::CDT_READ if path_operation::is_path(operation.value) => {
            path_operation::read(old, operation.value)?
        }
        op::CDT_READ => cdt::read(old, operation.value)?,
        op::HLL_READ => hll::read(old, operation.value)?,
        op::BITS_READ => bits::read(old, operation.particle, operation.value)?,
        op::STRING_READ => strings::read(old, operation.particle, operation.value)?,
        op::TO_STRING => Some(strings::text_of(old)?),
        _ => return Err(ResultCode::UNSUPPORTED_FEATURE),
    };
    reason::forget();
    Ok(result.map_or(Answer::Nothing, Answer::Value))
}

/// Runs a modify operation and stores the new bin.
pub fn modify(bins: &mut Bins, operation: &Op<'_>) -> Result<Answer, ResultCode> {
    let old: Old<'_> = bins.get(operation.name).map(|bin| (bin.particle, bin.value));
    let Outcome { bin, result } = match operation.code {
        op::CDT_MODIFY if path_operation::is_path(operation.value) => {
            path_operation::modify(old, operation.value)?
        }
        op::CDT_MODIFY => cdt::modify(old, operation.value)?,
        op::HLL_MODIFY => hll::modify(old, operation.value)?,
        op::BITS_MODIFY => bits::modify(old, operation.particle, operation.value)?,
        op::STRING_MODIFY => strings::modify(old, operation.particle, operation.value)?,
        _ => return Err(ResultCode::UNSUPPORTED_FEATURE),
    };
    // A flag may have made a success of a failure.
    reason::forget();
    if let Some((particle, value)) = bin {
        bins.set(operation.name, particle, &value);
    }
    Ok(result.map_or(Answer::Nothing, Answer::Value))
}

/// Evaluates an expression on a record.
pub fn expression(operation: &Op<'_>, view: &RecordView<'_>) -> Result<Answer, ResultCode> {
    let result = expression::operation::read(operation, view)?;
    reason::forget();
    Ok(result
        .map_or(Answer::Nothing, |(particle, value)| Answer::Value(ReplyValue { particle, value })))
}
