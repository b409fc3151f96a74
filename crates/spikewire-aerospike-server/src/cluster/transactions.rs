//! The end of transactions that no client ends: once its time is over, a transaction is rolled
//! back, or forward if its client had committed it.

use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::transaction;
use spikewire_aerospike_protocol::value::particle;

use crate::command::monitor::{BACK_BIN, Contents};
use crate::record::bins::Bins;
use crate::record::clock::Clock;
use crate::record::{Draft, View};
use crate::storage::locked_partition::LockedPartition;
use crate::storage::namespace::Namespace;
use crate::storage::table::Table;

/// How long after the deadline of a transaction a lock without a monitor is taken away, in seconds.
const GRACE: u32 = 2;

/// Ends the transactions whose time is over.
pub fn end_expired(namespace: &Namespace, clock: &Clock) {
    let Some(monitors) = namespace.monitors() else { return };
    for pid in Namespace::ids() {
        let mut partition = namespace.partition(pid);
        if !partition.has_set(monitors) && partition.provisionals.is_empty() {
            continue;
        }
        let now = clock.now().seconds();
        let stale = |deadline: u32| deadline.saturating_add(GRACE) < now;
        let locks = partition.provisionals.iter().filter(|(_, lock)| stale(lock.deadline));
        let locks: Vec<_> = locks.map(|(digest, lock)| (*digest, lock.transaction)).collect();
        let records = partition.master().into_iter().flat_map(Table::iter);
        let expired = records.filter(|it| it.set() == monitors && it.is_expired(now));
        let expired: Vec<Vec<u8>> = expired.map(|record| record.image().to_vec()).collect();
        for image in &expired {
            mark_back(&mut partition, View::new(image));
        }
        drop(partition);
        for image in &expired {
            end(namespace, View::new(image));
        }
        for (digest, transaction) in locks {
            unlock(namespace, &digest, transaction);
        }
    }
}

/// From now on, the transaction cannot be committed any more.
fn mark_back(partition: &mut LockedPartition<'_>, monitor: View<'_>) {
    if Contents::of(monitor).forward {
        return;
    }
    let mut bins = Bins::default();
    bins.load(monitor.bins());
    bins.set(BACK_BIN.as_bytes(), particle::BOOL, &[1]);
    let draft = Draft { bins: bins.len() as u16, ..monitor.draft() };
    let mut image = Vec::new();
    draft.begin(&mut image);
    bins.write(&mut image);
    draft.finish(&mut image, monitor.key());
    partition.put(&image, Some((monitor.set(), monitor.image().len())));
}

/// Rolls the records of a transaction, and removes its monitor.
fn end(namespace: &Namespace, monitor: View<'_>) {
    let Contents { id, forward, digests } = Contents::of(monitor);
    for digest in digests {
        namespace.partition(Digest(digest).partition()).roll(&digest, id, forward);
    }
    let digest = monitor.digest();
    namespace.partition(Digest(*digest).partition()).remove(digest);
}

/// Unlocks a record whose transaction has no monitor any more.
fn unlock(namespace: &Namespace, digest: &[u8; 20], id: u64) {
    let monitor = transaction::monitor(id);
    let has_monitor = {
        let partition = namespace.partition(monitor.partition());
        partition.master().is_some_and(|table| table.get(&monitor.0).is_some())
    };
    if !has_monitor {
        namespace.partition(Digest(*digest).partition()).roll(digest, id, false);
    }
}
