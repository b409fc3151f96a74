//! Reads: all bins, chosen bins, or the header alone.

use spikewire_aerospike_protocol::limits::{self, TTL_NEVER};
use spikewire_aerospike_protocol::message::{info1, info2, op};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use super::bin_operation::{self, expression};
use super::reply::{Rejection, Reply};
use super::{Context, Target};
use crate::expression::RecordView;
use crate::record::bins::Bin;
use crate::record::{Draft, View};
use crate::storage::locked_partition::LockedPartition;

impl Context {
    /// Serves a read from the node's own copy, or the master's if it has none.
    pub(super) fn read(&mut self, target: &Target<'_>, mut reply: Reply<'_>) {
        let Some(digest) = target.request.digest else { return };
        let mut partition = target.namespace.partition(digest.partition());
        let Some(table) = partition.nearest(target.node) else {
            return self.reject(reply, ResultCode::PARTITION_UNAVAILABLE.into());
        };
        let standing = match self.standing(target, &partition, table, &digest) {
            Ok(standing) => standing,
            Err(code) => return self.reject(reply, code.into()),
        };
        reply.report(standing.about());
        let Some(record) = standing.record else {
            return self.reject(reply, ResultCode::NOT_FOUND.into());
        };
        let touch = match check(target, record) {
            Ok(touch) => touch,
            Err(code) => return self.reject(reply, Rejection::at(code, Some(record))),
        };
        if let Err(code) = answer(target, record, &mut reply) {
            return self.reject(reply, Rejection::at(code, Some(record)));
        }
        reply.finish(record.generation(), record.void_time());
        if let Some(void_time) = touch {
            let draft = Draft { void_time, last_update: target.now.millis(), ..record.draft() };
            draft.compose(&mut self.image, record.bins(), record.key());
            put(&mut partition, &self.image, record_size(&self.image));
        }
    }
}

fn record_size(image: &[u8]) -> (u16, usize) {
    (View::new(image).set(), image.len())
}

/// A touch changes neither set nor size.
fn put(partition: &mut LockedPartition<'_>, image: &[u8], size: (u16, usize)) {
    partition.put(image, Some(size));
}

/// The checks of a read, in the server's order. Returns the new void time if the read touches the
/// record.
fn check(target: &Target<'_>, record: View<'_>) -> Result<Option<u32>, ResultCode> {
    let request = target.request;
    if !request.set.is_empty() && target.set != Some(record.set()) {
        return Err(ResultCode::PARAMETER);
    }
    if target.namespace.is_gone(record, target.now) {
        return Err(ResultCode::NOT_FOUND);
    }
    let touch = read_touch(target, record)?;
    target.check_filter(record)?;
    if let (Some(sent), Some(stored)) = (request.key, record.key())
        && sent != stored
    {
        return Err(ResultCode::KEY_MISMATCH);
    }
    Ok(touch)
}

/// A read with this option renews the TTL once no more than a percentage of it is left.
fn read_touch(target: &Target<'_>, record: View<'_>) -> Result<Option<u32>, ResultCode> {
    let void_time = record.void_time();
    // A transaction would have changed what it is about to verify.
    if void_time == 0 || target.request.transaction.is_some() {
        return Ok(None);
    }
    let percent = match target.request.header.ttl {
        0 | TTL_NEVER => return Ok(None),
        percent @ 1..=100 => u64::from(percent),
        _ => return Err(ResultCode::PARAMETER),
    };
    let written = (record.last_update() / 1000) as u32;
    let ttl = void_time.saturating_sub(written);
    let left = void_time.saturating_sub(target.now.seconds());
    let due = u64::from(left) * 100 <= u64::from(ttl) * percent;
    Ok(due.then(|| target.now.seconds().saturating_add(ttl)))
}

fn answer(target: &Target<'_>, record: View<'_>, reply: &mut Reply<'_>) -> Result<(), ResultCode> {
    let header = &target.request.header;
    if header.info1 & info1::NO_BINS != 0 {
        return Ok(());
    }
    if header.info1 & info1::GET_ALL != 0 {
        reply.bins(record.bin_count(), record.bins());
        return Ok(());
    }
    if header.ops == 0 {
        return Err(ResultCode::PARAMETER);
    }
    let respond_all = header.info2 & info2::RESPOND_ALL_OPS != 0;
    for operation in target.request.ops() {
        if operation.name.len() > limits::BIN_NAME || operation.name.contains(&0) {
            return Err(ResultCode::BIN_NAME);
        }
        match operation.code {
            op::READ => match Bin::find(record.bins(), operation.name) {
                Some(bin) => reply.bin(op::READ, bin.wire),
                None if respond_all => {
                    reply.op(op::READ, operation.name, particle::NULL, &[]);
                }
                None => {}
            },
            op::CDT_READ | op::BITS_READ | op::HLL_READ | op::STRING_READ | op::TO_STRING => {
                let bin = Bin::find(record.bins(), operation.name);
                bin_operation::read(bin, &operation)?.write(&operation, reply, respond_all);
            }
            op::EXP_READ => {
                let view = RecordView::stored(&target.namespace.sets, record, target.now);
                expression(&operation, &view)?.write(&operation, reply, respond_all);
            }
            _ => return Err(ResultCode::PARAMETER),
        }
        reply.check_length()?;
    }
    Ok(())
}
