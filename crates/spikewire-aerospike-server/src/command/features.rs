//! Servers reject what is newer than they are, and newer ones reject lists and maps that are nested
//! too deep.

use spikewire_aerospike_protocol::features::{
    Features, NESTING, of_arguments, of_expression, of_operation,
};
use spikewire_aerospike_protocol::message::{Op, op};
use spikewire_aerospike_protocol::msgpack;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use super::request::Request;
use crate::reason;

/// Levels that an operation on a list or map adds to those of its arguments: itself, and the array
/// that it shares with the path to its container.
const CALL: usize = 2;

fn too_deep() -> String {
    format!("list/map nested too deeply: more than {NESTING} levels")
}

/// Whether a server with these features runs the request.
pub fn check(features: Features, request: &Request<'_>) -> Result<(), ResultCode> {
    check_filter(features, request.filter)?;
    check_arguments(features, request.udf.arguments)?;
    request.ops().try_for_each(|operation| check_operation(features, &operation))
}

/// The same for a filter expression.
pub fn check_filter(features: Features, filter: Option<&[u8]>) -> Result<(), ResultCode> {
    match filter {
        Some(filter) => check_needs(features, of_expression(filter).without_hazards()),
        None => Ok(()),
    }
}

/// The same for the arguments of a function.
pub fn check_arguments(features: Features, arguments: Option<&[u8]>) -> Result<(), ResultCode> {
    match arguments {
        Some(list) if !features.has(of_arguments(list)) => {
            Err(reason::saying(ResultCode::PARAMETER, too_deep))
        }
        _ => Ok(()),
    }
}

fn check_needs(features: Features, needs: Features) -> Result<(), ResultCode> {
    match features.lacks(needs) {
        Some(lack) => Err(reason::saying(ResultCode::PARAMETER, || lack.to_string())),
        None => Ok(()),
    }
}

/// The same for an operation.
pub fn check_operation(features: Features, operation: &Op<'_>) -> Result<(), ResultCode> {
    // A cluster for tests does what is right where servers of its version have faults.
    let needs = of_operation(operation.code, operation.value).without_hazards();
    check_needs(features, needs)?;
    if features.has(Features::DEEP_NESTING) {
        return Ok(());
    }
    let is_within = |levels| msgpack::is_nested_within(operation.value, levels);
    match (operation.code, operation.particle) {
        (op::WRITE, particle::LIST | particle::MAP) if !is_within(NESTING) => {
            Err(reason::saying(ResultCode::SERVER, too_deep))
        }
        (op::CDT_READ | op::CDT_MODIFY, _) if !is_within(NESTING + CALL) => {
            Err(reason::saying(ResultCode::PARAMETER, too_deep))
        }
        _ => Ok(()),
    }
}
