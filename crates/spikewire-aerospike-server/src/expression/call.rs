//! List, map, bit, sketch and string operations inside expressions.

use std::borrow::Cow;

use spikewire_aerospike_protocol::expression::{Argument, Call, Expression, Type};
use spikewire_aerospike_protocol::msgpack;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use super::budget::{Budget, LARGEST};
use super::compare::pack;
use super::{Val, record_view};
use crate::outcome::{Outcome, ReplyValue};
use crate::{bits, cdt, hll, strings};

/// Marks the context of an operation.
const WRAPPED: u64 = 0xff;

/// What an operation needs of the evaluation that it is part of.
pub(super) trait Evaluator<'a> {
    /// Evaluates an operand.
    fn value(&mut self, part: &'a Expression) -> Val<'a>;

    /// What may still be read and made.
    fn budget(&mut self) -> &mut Budget;
}

/// Runs an operation on its operands. If it fails, or would take too much, the result is unknown.
pub(super) fn run<'a>(call: &'a Call, evaluation: &mut impl Evaluator<'a>) -> Val<'a> {
    let (Val::Packed(kind, bytes) | Val::Bytes(kind, bytes)) = evaluation.value(&call.on) else {
        return Val::Unknown;
    };
    let on = (kind.particle(), &*bytes);
    let Some(payload) = payload(call, evaluation) else { return Val::Unknown };
    if !evaluation.budget().spend(bytes.len() + payload.len()) {
        return Val::Unknown;
    }
    let value = if call.modifies {
        modify(call.system, on, &payload)
    } else {
        match call.system {
            0 => cdt::read(on, &payload),
            1 => bits::read(on, particle::BLOB, &payload),
            3 => strings::read(on, particle::STRING, &payload),
            _ => hll::read(on, &payload),
        }
    };
    let Some(result) = call.result else { return Val::Unknown };
    match value {
        Ok(None) if result == Type::Nil => Val::Nil,
        Ok(Some(value)) if !evaluation.budget().keep(value.value.len()) => Val::Unknown,
        Ok(Some(value)) if value.particle == result.particle() => owned(result, value),
        _ => Val::Unknown,
    }
}

/// The operation with evaluated arguments.
fn payload<'a>(call: &'a Call, evaluation: &mut impl Evaluator<'a>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    if let Some(context) = &call.context {
        msgpack::array(&mut out, 3);
        msgpack::uint(&mut out, WRAPPED);
        out.extend_from_slice(context);
    }
    msgpack::array(&mut out, call.arguments.len() as u32 + 1);
    msgpack::int(&mut out, call.number);
    for argument in &call.arguments {
        match argument {
            Argument::Raw(raw) => out.extend_from_slice(raw),
            Argument::Expression(argument) => {
                if !pack(&evaluation.value(argument), &mut out) || out.len() > LARGEST {
                    return None;
                }
            }
        }
    }
    Some(out)
}

/// The container after a modify operation.
fn modify(system: u8, on: (u8, &[u8]), payload: &[u8]) -> Result<Option<ReplyValue>, ResultCode> {
    let Outcome { bin, .. } = match system {
        0 => cdt::modify(Some(on), payload)?,
        1 => bits::modify(Some(on), particle::BLOB, payload)?,
        3 => strings::modify(Some(on), particle::STRING, payload)?,
        _ => hll::modify(Some(on), payload)?,
    };
    let (particle, value) = bin.unwrap_or_else(|| (on.0, on.1.to_vec()));
    Ok(Some(ReplyValue { particle, value }))
}

fn owned<'a>(kind: Type, value: ReplyValue) -> Val<'a> {
    match value.particle {
        particle::LIST | particle::MAP => Val::Packed(kind, Cow::Owned(value.value)),
        _ => match record_view::read(kind, &value.value) {
            Val::Bytes(kind, bytes) => Val::Bytes(kind, Cow::Owned(bytes.into_owned())),
            Val::Bool(flag) => Val::Bool(flag),
            Val::Int(int) => Val::Int(int),
            Val::Float(float) => Val::Float(float),
            _ => Val::Unknown,
        },
    }
}
