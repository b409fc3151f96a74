//! The effect of one write operation on the bins.

use spikewire_aerospike_protocol::message::{Op, op};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::{self, particle};

use crate::record::bins::Bins;
use crate::value::store;

/// Runs an operation that modifies bins without a result.
pub fn modify(bins: &mut Bins, operation: &Op<'_>) -> Result<(), ResultCode> {
    match operation.code {
        op::WRITE if operation.particle == particle::NULL => {
            bins.remove(operation.name);
            Ok(())
        }
        op::WRITE => create(bins, operation),
        op::ADD => add(bins, operation),
        op::APPEND | op::PREPEND => extend(bins, operation),
        op::DELETE => {
            bins.clear();
            Ok(())
        }
        _ => Err(ResultCode::PARAMETER),
    }
}

/// Sets the bin to the operand.
fn create(bins: &mut Bins, operation: &Op<'_>) -> Result<(), ResultCode> {
    bins.set_with(operation.name, operation.particle, |out| {
        store(out, operation.particle, operation.value)
    })
}

/// The checks before the types are compared.
fn check_operand(bin: u8, operand: u8) -> Result<(), ResultCode> {
    if !matches!(operand, 1..=4 | 7..=12 | 16..=20 | 23) {
        return Err(ResultCode::PARAMETER);
    }
    if bin == particle::GEOJSON { Err(ResultCode::SERVER) } else { Ok(()) }
}

/// Adds to a number. A missing bin is set to the operand, whatever its type; integers wrap.
fn add(bins: &mut Bins, operation: &Op<'_>) -> Result<(), ResultCode> {
    let Some(bin) = bins.get(operation.name) else { return create(bins, operation) };
    check_operand(bin.particle, operation.particle)?;
    if bin.particle != operation.particle {
        return Err(ResultCode::BIN_TYPE);
    }
    let malformed = |_| ResultCode::PARAMETER;
    let sum = match bin.particle {
        particle::INTEGER => {
            let old = value::read_int(bin.value).map_err(malformed)?;
            let more = value::read_int(operation.value).map_err(malformed)?;
            old.wrapping_add(more).to_be_bytes()
        }
        particle::FLOAT => {
            let old = value::read_float(bin.value).map_err(malformed)?;
            let more = value::read_float(operation.value).map_err(malformed)?;
            (old + more).to_be_bytes()
        }
        _ => return Err(ResultCode::BIN_TYPE),
    };
    bins.set(operation.name, operation.particle, &sum);
    Ok(())
}

/// Appends or prepends to a string or blob. A missing bin is set to the operand, whatever its type.
fn extend(bins: &mut Bins, operation: &Op<'_>) -> Result<(), ResultCode> {
    let Some(bin) = bins.get(operation.name) else { return create(bins, operation) };
    check_operand(bin.particle, operation.particle)?;
    if bin.particle != operation.particle {
        return Err(ResultCode::BIN_TYPE);
    }
    match bin.particle {
        particle::STRING | particle::BLOB | 7..=12 => {}
        _ => return Err(ResultCode::BIN_TYPE),
    }
    if operation.code == op::APPEND {
        bins.extend(operation.name, &[], operation.value);
    } else {
        bins.extend(operation.name, operation.value, &[]);
    }
    Ok(())
}
