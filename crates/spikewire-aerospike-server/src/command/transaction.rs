//! Commands of transactions on records: which version of a record a command works on, what locks
//! the record, and what becomes of it at the end.

use spikewire_aerospike_protocol::error_details::subcode;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::message::{info2, info4};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::transaction::{MONITOR_SET, ReplyFields, Version};

use super::reply::Reply;
use super::{Context, Target, monitor};
use crate::hash::{fnv, mix};
use crate::options::Edition;
use crate::reason;
use crate::record::View;
use crate::storage::locked_partition::LockedPartition;
use crate::storage::partition::Partition;
use crate::storage::provisional::Provisional;
use crate::storage::table::Table;

/// What a command works on.
#[derive(Debug)]
pub struct Standing<'a> {
    /// The record, with what the command's transaction has written.
    pub record: Option<View<'a>>,
    /// The committed version, if the command's transaction has not written the record.
    version: Option<Version>,
    /// Whether the command's transaction locks the record.
    is_own: bool,
}

impl Standing<'_> {
    /// What the reply says, unless the command writes.
    pub fn about(&self) -> ReplyFields {
        ReplyFields { version: self.version, deadline: None }
    }
}

/// The version of a record, or that of a missing one. It is made of all that the record contains,
/// so that no change leaves it as it was.
fn version(record: Option<View<'_>>) -> Version {
    Version::of(record.map_or(1, |record| mix(fnv(record.image()))))
}

/// The checks of a transaction before the record is accessed.
pub(super) fn admit(target: &Target<'_>, edition: Edition) -> Result<(), ResultCode> {
    let request = target.request;
    let header = &request.header;
    let writes = header.info2 & info2::WRITE != 0;
    let verifies = !writes && header.info4 & info4::VERIFY_READ != 0;
    let rolls = writes && header.info4 & (info4::ROLL_FORWARD | info4::ROLL_BACK) != 0;
    let is_strong = target.namespace.options.strong_consistency;
    let needs_strong =
        request.has_transaction || verifies || rolls || request.set == MONITOR_SET.as_bytes();
    if needs_strong && edition.is_enterprise() && !is_strong {
        // Servers call the monitor's set another case.
        let is_monitor = request.set == MONITOR_SET.as_bytes();
        let why = if is_monitor { subcode::UNSUPPORTED } else { subcode::STRONG_CONSISTENCY };
        return Err(reason::of(why));
    }
    let lacks_id = (rolls || request.has_transaction) && request.transaction.is_none();
    let lacks_deadline = request.has_transaction && writes && !rolls && request.deadline.is_none();
    let lacks_version = verifies && request.version.is_none();
    let is_monitor = request.has_transaction && target.is_monitor();
    if lacks_id || lacks_deadline || lacks_version || is_monitor {
        return Err(ResultCode::PARAMETER);
    }
    Ok(())
}

/// Whether the edition and the namespace accept a deletion as durable as it is asked for.
pub(super) fn check_durability(target: &Target<'_>, edition: Edition) -> Result<(), ResultCode> {
    let durable = target.request.header.info2 & info2::DURABLE_DELETE != 0;
    if durable && !edition.is_enterprise() {
        return Err(ResultCode::ENTERPRISE_ONLY);
    }
    // A deletion that leaves no trace could come undone.
    let options = &target.namespace.options;
    if !durable && options.strong_consistency && !options.strong_consistency_allow_expunge {
        return Err(reason::of(subcode::DURABILITY));
    }
    Ok(())
}

impl Target<'_> {
    /// Whether the command is about a transaction itself.
    pub(super) fn is_monitor(&self) -> bool {
        self.namespace.monitors().is_some() && self.request.set == MONITOR_SET.as_bytes()
    }

    /// Rejects a write of a transaction that is over. Must be called before the partition of the
    /// record is locked.
    pub(super) fn check_monitor(&self) -> Result<(), ResultCode> {
        match self.request.transaction {
            Some(id) if !monitor::is_open(self.namespace, id, self.now) => {
                Err(ResultCode::TRANSACTION_EXPIRED)
            }
            _ => Ok(()),
        }
    }

    /// Rejects a write that must be the first one of its transaction, and is not.
    pub(super) fn check_locking(
        &self,
        standing: &Standing<'_>,
        exists: bool,
    ) -> Result<(), ResultCode> {
        let header = &self.request.header;
        if header.info2 & info2::CREATE_ONLY != 0 && exists {
            return Err(ResultCode::RECORD_EXISTS);
        }
        if standing.is_own && header.info4 & info4::LOCKING_ONLY != 0 {
            return Err(ResultCode::TRANSACTION_LOCKED);
        }
        Ok(())
    }

    /// Stores what a write made of its record, `None` for a deleted one: as the record, or for its
    /// transaction. `replaced` is the set and the size of the record that it replaces.
    pub(super) fn keep(
        &self,
        partition: &mut LockedPartition<'_>,
        digest: &Digest,
        image: Option<&[u8]>,
        replaced: Option<(u16, usize)>,
    ) {
        match (self.request.transaction, image) {
            (Some(transaction), image) => {
                let deadline = self.request.deadline.unwrap_or_default();
                let image = image.map(Into::into);
                let provisional = Provisional { transaction, deadline, image };
                partition.provisionals.put(digest.0, provisional);
            }
            (None, Some(image)) => partition.put(image, replaced),
            (None, None) => {
                partition.remove(&digest.0);
            }
        }
    }
}

impl Context {
    /// What a command works on, unless another transaction is in its way.
    pub(super) fn standing<'a>(
        &self,
        target: &Target<'_>,
        partition: &'a Partition,
        table: &'a Table,
        digest: &Digest,
    ) -> Result<Standing<'a>, ResultCode> {
        let request = target.request;
        let writes = request.header.info2 & info2::WRITE != 0;
        let committed = table.get(&digest.0);
        let lock = partition.provisionals.get(&digest.0);
        let is_own = lock.is_some() && lock.map(|lock| lock.transaction) == request.transaction;
        if writes && lock.is_some() && !is_own {
            return Err(reason::of(subcode::RECORD_LOCKED));
        }
        // By the time at which the partition was locked: records are rolled back after that.
        let expired = |deadline| deadline < self.state.clock.now().seconds();
        if writes && request.transaction.is_some() && request.deadline.is_some_and(expired) {
            return Err(ResultCode::TRANSACTION_EXPIRED);
        }
        if let Some(lock) = lock.filter(|_| is_own) {
            return Ok(Standing { record: lock.view(), version: None, is_own });
        }
        let version = request.transaction.map(|_| {
            version(committed.filter(|record| !target.namespace.is_gone(*record, target.now)))
        });
        if version.is_some() && request.version.is_some() && request.version != version {
            return Err(ResultCode::TRANSACTION_VERSION);
        }
        Ok(Standing { record: committed, version, is_own })
    }

    /// Whether a record still has the version in which a transaction read it.
    pub(super) fn verify(&mut self, target: &Target<'_>, reply: Reply<'_>) {
        let Some(digest) = target.request.digest else { return };
        let partition = target.namespace.partition(digest.partition());
        let Some(table) = partition.master() else {
            return self.reject(reply, ResultCode::PARTITION_UNAVAILABLE.into());
        };
        let record = table.get(&digest.0);
        let now = version(record.filter(|record| !target.namespace.is_gone(*record, target.now)));
        if partition.provisionals.get(&digest.0).is_some() {
            self.reject(reply, reason::of(subcode::RECORD_LOCKED).into());
        } else if target.request.version != Some(now) {
            self.reject(reply, ResultCode::TRANSACTION_VERSION.into());
        } else {
            reply.finish(0, 0);
        }
    }

    /// Ends a transaction for one record: what it wrote becomes the record, or is dropped. A record
    /// that no transaction locks is over already.
    pub(super) fn roll(&mut self, target: &Target<'_>, reply: Reply<'_>) {
        let request = target.request;
        let (Some(digest), Some(id)) = (request.digest, request.transaction) else { return };
        let mut partition = target.namespace.partition(digest.partition());
        if partition.master().is_none() {
            return self.reject(reply, ResultCode::PARTITION_UNAVAILABLE.into());
        }
        let lock = partition.provisionals.get(&digest.0);
        if lock.is_some_and(|lock| lock.transaction != id) {
            return self.reject(reply, reason::of(subcode::ID_MISMATCH).into());
        }
        let forward = request.header.info4 & info4::ROLL_FORWARD != 0;
        partition.roll(&digest.0, id, forward);
        reply.finish(0, 0);
    }
}
