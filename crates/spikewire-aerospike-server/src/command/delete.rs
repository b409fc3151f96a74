//! The delete command.

use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::transaction::ReplyFields;

use super::reply::Reply;
use super::write::{generation_fits, wrong_generation};
use super::{Context, Target, transaction};
use crate::record::View;

impl Context {
    /// Deletes a record on every copy. Replies to deletes never have a generation. Expiry is
    /// ignored: a record still in memory can be deleted.
    pub(super) fn delete(&mut self, target: &Target<'_>, mut reply: Reply<'_>) {
        let request = target.request;
        let Some(digest) = request.digest else { return };
        let durability = transaction::check_durability(target, self.state.options.edition);
        if let Err(code) = durability.and_then(|()| target.check_monitor()) {
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
        reply.report(standing.about());
        if let Err(code) = target.check_locking(&standing, false) {
            return self.reject(reply, code.into());
        }
        let record = standing.record.ok_or(ResultCode::NOT_FOUND);
        if let Err(code) = record.and_then(|record| check(target, record)) {
            return self.reject(reply, code.into());
        }
        target.keep(&mut partition, &digest, None, None);
        reply.report(ReplyFields::default());
        reply.finish(0, 0);
    }
}

fn check(target: &Target<'_>, record: View<'_>) -> Result<(), ResultCode> {
    let request = target.request;
    if !request.set.is_empty() && target.set != Some(record.set()) {
        return Err(ResultCode::PARAMETER);
    }
    if !generation_fits(&request.header, u32::from(record.generation())) {
        return Err(wrong_generation(&request.header, record.generation()));
    }
    target.check_filter(record)?;
    if let (Some(sent), Some(stored)) = (request.key, record.key())
        && sent != stored
    {
        return Err(ResultCode::KEY_MISMATCH);
    }
    Ok(())
}
