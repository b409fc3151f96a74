//! The delete command.

use spikewire_aerospike_protocol::message::info2;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::reply::Reply;
use super::write::generation_fits;
use super::{Context, Target};
use crate::record::View;

impl Context {
    /// Deletes a record on every copy. Replies to deletes never have a generation. Expiry is
    /// ignored: a record still in memory can be deleted.
    pub(super) fn delete(&mut self, target: &Target<'_>, reply: Reply<'_>) {
        let request = target.request;
        let Some(digest) = request.digest else { return };
        if request.header.info2 & info2::DURABLE_DELETE != 0 {
            return self.reject(reply, ResultCode::ENTERPRISE_ONLY.into());
        }
        let mut partition = target.namespace.partition(digest.partition());
        let Some(table) = partition.master() else {
            return self.reject(reply, ResultCode::PARTITION_UNAVAILABLE.into());
        };
        let record = table.get(&digest.0).ok_or(ResultCode::NOT_FOUND);
        if let Err(code) = record.and_then(|record| check(target, record)) {
            return self.reject(reply, code.into());
        }
        partition.remove(&digest.0);
        reply.finish(0, 0);
    }
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
