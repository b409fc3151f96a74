//! Path expressions as operations of a command.

use spikewire_aerospike_protocol::expression::{PathAction, PathOperation, PathReturn};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use super::Program;
use super::budget::Budget;
use super::evaluate::about_element;
use super::path::{Judge, Walk, changed, selected};
use crate::cdt::item;
use crate::outcome::{ModifyResult, Old, Outcome, ReplyValue};

/// Whether the value of an operation on a list or map is a path operation.
pub fn is_path(payload: &[u8]) -> bool {
    PathOperation::is_in(payload)
}

/// Runs a path operation that reads, on an existing bin.
pub fn read(old: (u8, &[u8]), payload: &[u8]) -> Result<Option<ReplyValue>, ResultCode> {
    let root = root(Some(old))?;
    let operation = decode(payload)?;
    match operation.action {
        PathAction::Select(returns) => select(&operation, returns, root).map(Some),
        PathAction::Modify(_) | PathAction::Remove => Err(ResultCode::PARAMETER),
    }
}

/// Runs a path operation of a write.
pub fn modify(old: Old<'_>, payload: &[u8]) -> ModifyResult {
    let (particle, value) = root(old)?;
    let operation = decode(payload)?;
    if let PathAction::Select(returns) = operation.action {
        let result = select(&operation, returns, (particle, value))?;
        return Ok(Outcome { bin: None, result: Some(result) });
    }
    let program = Program::of_path(&operation)?;
    let mut budget = Budget::default();
    let (evaluate, budget) = (about_element, &mut budget);
    let mut judge = Judge { program: &program, evaluate, budget, levels: 0 };
    match changed(&mut Walk::new(&operation, &mut judge), value)? {
        Some(value) if item::depth(&value) > item::DEPTH => Err(ResultCode::PARAMETER),
        changed => Ok(Outcome { bin: changed.map(|value| (particle, value)), result: None }),
    }
}

fn decode(payload: &[u8]) -> Result<PathOperation, ResultCode> {
    PathOperation::decode(payload).map_err(|_| ResultCode::PARAMETER)
}

fn root(old: Old<'_>) -> Result<(u8, &[u8]), ResultCode> {
    old.filter(|(kind, _)| matches!(*kind, particle::LIST | particle::MAP))
        .ok_or(ResultCode::BIN_TYPE)
}

fn select(
    operation: &PathOperation,
    returns: PathReturn,
    (particle, value): (u8, &[u8]),
) -> Result<ReplyValue, ResultCode> {
    let program = Program::of_path(operation)?;
    let mut budget = Budget::default();
    let (evaluate, budget) = (about_element, &mut budget);
    let mut judge = Judge { program: &program, evaluate, budget, levels: 0 };
    let value = selected(&mut Walk::new(operation, &mut judge), returns, value)?;
    let particle = if returns == PathReturn::Tree { particle } else { particle::LIST };
    Ok(ReplyValue { particle, value })
}
