//! The delete command.

use spikewire_aerospike_protocol::message::info2;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::transaction::ReplyFields;

use super::reply::Reply;
use super::write::generation_fits;
use super::{Context, Target};
use crate::options::Edition;
use crate::record::View;

impl Context {
    /// Deletes a record on every copy. Replies to deletes never have a generation. Expiry is
    /// ignored: a record still in memory can be deleted.
    pub(super) fn delete(&mut self, target: &Target<'_>, mut reply: Reply<'_>) {
        let request = target.request;
        let Some(digest) = request.digest else { return };
        let durability = check_durability(target, self.state.options.edition);
        if let Err(code) = durability.and_then(|()| self.check_monitor_of(target)) {
            return self.reject(reply, code.into());
        }
        let mut partition = target.namespace.partition(digest.partition());
        let Some(table) = partition.master() else {
            return self.reject(reply, ResultCode::PARTITION_UNAVAILABLE.into());
        };
        let standing = match self.standing(target, &partition, table, &digest) {
            Ok(standing) => standing,
            Err(code) => return self.reject(reply, code.into()),
        };
        reply.tell(standing.about());
        let record = standing.record.ok_or(ResultCode::NOT_FOUND);
        if let Err(code) = record.and_then(|record| check(target, record)) {
            return self.reject(reply, code.into());
        }
        target.keep(&mut partition, &digest, None, None);
        reply.tell(ReplyFields::default());
        reply.finish(0, 0);
    }
}

/// Whether the edition and the namespace accept a deletion as durable as it is asked for.
pub(super) fn check_durability(target: &Target<'_>, edition: Edition) -> Result<(), ResultCode> {
    let durable = target.request.header.info2 & info2::DURABLE_DELETE != 0;
    if durable && !edition.is_enterprise() {
        return Err(ResultCode::ENTERPRISE_ONLY);
    }
    // A deletion that leaves no trace could come undone.
    if !durable && target.namespace.options.strong_consistency {
        return Err(ResultCode::FORBIDDEN);
    }
    Ok(())
}

fn check(target: &Target<'_>, record: View<'_>) -> Result<(), ResultCode> {
    let request = target.request;
    if !request.set.is_empty() && target.set != Some(record.set()) {
        return Err(ResultCode::PARAMETER);
    }
    if !generation_fits(&request.header, u32::from(record.generation())) {
        return Err(ResultCode::GENERATION);
    }
    target.check_filter(record)?;
    if let (Some(sent), Some(stored)) = (request.key, record.key())
        && sent != stored
    {
        return Err(ResultCode::KEY_MISMATCH);
    }
    Ok(())
}
