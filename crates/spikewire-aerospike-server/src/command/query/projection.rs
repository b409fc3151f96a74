//! Which parts of a record a query sends.

use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::message::{self, HEADER_LEN, Message, info2, op};
use spikewire_aerospike_protocol::query::NodeQuery;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use super::super::bin_operation;
use super::super::reply::Reply;
use crate::expression::RecordView;
use crate::record::bins::Bin;

/// The parts of a record to send.
#[derive(Debug)]
pub enum Projection {
    /// All bins.
    All,
    /// None.
    NoBins,
    /// The results of these read operations.
    Ops {
        /// The encoded operations.
        ops: Vec<u8>,
        /// Whether each returns a result, null if it finds nothing.
        respond_all: bool,
    },
}

impl Projection {
    /// The projection of a request.
    pub fn new(message: &Message<'_>, query: &NodeQuery<'_>) -> Result<Self, ResultCode> {
        if query.no_bins {
            return Ok(Self::NoBins);
        }
        let mut ops = Vec::new();
        for operation in message.ops() {
            if !op::reads(operation.code) {
                return Err(ResultCode::PARAMETER);
            }
            if operation.name.len() > limits::BIN_NAME {
                return Err(ResultCode::BIN_NAME);
            }
            let (code, particle) = (operation.code, operation.particle);
            message::write_op(&mut ops, code, operation.name, particle, operation.value);
        }
        for name in query.bins.map(names).transpose()?.into_iter().flatten() {
            message::write_op(&mut ops, op::READ, name, 0, &[]);
        }
        if ops.is_empty() {
            return Ok(Self::All);
        }
        let respond_all = message.header.info2 & info2::RESPOND_ALL_OPS != 0;
        Ok(Self::Ops { ops, respond_all })
    }

    /// Runs the operations on a record; `scratch` receives the results after room for a message
    /// header. Returns their number, or `None` if the record is not sent: an operation failed, or
    /// none has a result.
    pub fn run(ops: &[u8], all: bool, on: &RecordView<'_>, scratch: &mut Vec<u8>) -> Option<u16> {
        scratch.clear();
        let mut reply = Reply::row(scratch, 0);
        let bins = on.record?.bins();
        for operation in message::ops_in(ops) {
            let bin = Bin::find(bins, operation.name);
            match operation.code {
                op::READ => match bin {
                    Some(bin) => reply.bin(op::READ, bin.wire),
                    None if all => reply.op(op::READ, operation.name, particle::NULL, &[]),
                    None => {}
                },
                op::EXP_READ => {
                    let answer = bin_operation::expression(&operation, on).ok()?;
                    answer.write(&operation, &mut reply, all);
                }
                _ => {
                    let answer = bin_operation::read(bin, &operation).ok()?;
                    answer.write(&operation, &mut reply, all);
                }
            }
            reply.check_length().ok()?;
        }
        let count = reply.count();
        debug_assert!(scratch.len() >= HEADER_LEN);
        (count > 0).then_some(count)
    }
}

/// The older form of a projection: `u8 count`, then names with their lengths.
fn names(data: &[u8]) -> Result<Vec<&[u8]>, ResultCode> {
    let (&count, mut rest) = data.split_first().ok_or(ResultCode::PARAMETER)?;
    let mut names = Vec::with_capacity(usize::from(count));
    for _ in 0..count {
        let (&len, after) = rest.split_first().ok_or(ResultCode::PARAMETER)?;
        let split = after.split_at_checked(usize::from(len));
        let (name, after) = split.ok_or(ResultCode::PARAMETER)?;
        if name.len() > limits::BIN_NAME {
            return Err(ResultCode::BIN_NAME);
        }
        names.push(name);
        rest = after;
    }
    if rest.is_empty() { Ok(names) } else { Err(ResultCode::PARAMETER) }
}
