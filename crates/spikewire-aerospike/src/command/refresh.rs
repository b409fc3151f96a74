//! Keeps the near cache current: a thread asks whether the records of entries that are due have
//! changed, many in one batch of reads without bins, and reads those again that have.
//!
//! A record is unchanged if its generation and its void time are, and if the node says that its
//! last update is older than the entry. The generation alone does not tell a record that was
//! deleted and created again; the filter does, with spans of time only, so that no clocks are
//! compared.
//!
//! The thread starts with the first entry that is due and ends when nothing is for a second, so
//! that it keeps no client alive that nobody uses.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::expression::{Expression, Meta, Op};
use spikewire_aerospike_protocol::features::Features;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::message::{Header, Walk, field, info1};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::Router;
use super::batch::{Batch, Part, RecordSink, Records, RowKind};
use super::rounds::Rounds;
use crate::clock::Tick;
use crate::cluster::{Cluster, Node};
use crate::model::Policy;
use crate::near_cache::{Claim, Entry, NearCache};
use crate::transport::BlockingPool;

type Due = Arc<Entry<Node>>;

/// How long the thread waits for work before it ends.
const IDLE: Duration = Duration::from_secs(1);
/// Of the staleness: the part for which entries are collected into one batch.
const COLLECTED: u32 = 16;
const LONGEST_COLLECTION: Duration = Duration::from_millis(5);
/// Allows for times in whole milliseconds on both sides, and for a reply that is processed late.
const SLACK: Duration = Duration::from_millis(5);
/// Maximum number of rows in one batch.
const MOST: usize = 1000;

/// What the thread sends its batches with.
struct Refresher<'a> {
    cache: &'a NearCache<Node>,
    rounds: Rounds<'a, Part>,
    policy: Policy,
}

/// Starts the thread for entries that are due.
#[cold]
pub(super) fn start(cluster: &Arc<Cluster>) {
    let Some(cache) = cluster.near_cache().cloned() else { return };
    let (own, cluster) = (cache.clone(), cluster.clone());
    let thread = thread::Builder::new().name("spikewire-near".to_owned());
    if thread.spawn(move || refresh(&own, &cluster)).is_err() {
        cache.due.stopped();
    }
}

fn refresh(cache: &NearCache<Node>, cluster: &Arc<Cluster>) {
    let collection = (cache.staleness() / COLLECTED).min(LONGEST_COLLECTION);
    let half = (cache.staleness() / 2).max(Duration::from_millis(1));
    let router = Router::new(cluster.options().racks.clone());
    let pool = Arc::new(BlockingPool::new(cluster));
    let mut policy = cluster.options().policy;
    policy.timeout = if policy.timeout.is_zero() { half } else { half.min(policy.timeout) };
    let rounds = Rounds { cluster, router: &router, pool: &pool };
    let refresher = Refresher { cache, rounds, policy };
    loop {
        let due = cache.due.take(IDLE, collection);
        if due.is_empty() {
            return pool.close();
        }
        for due in due.chunks(MOST) {
            let changed = refresher.revalidate(due);
            refresher.read_again(&changed);
        }
    }
}

/// Confirms entries as the replies arrive, so that those of one node do not wait for another node.
#[derive(Debug)]
struct Confirmations {
    due: Vec<Due>,
    sent: Tick,
    /// The filter allows for the time that replies may take; later ones say nothing.
    limit: Tick,
}

impl RecordSink for Confirmations {
    fn take(&self, records: Records<'_>) {
        let in_time = Tick::now() <= self.limit;
        records.each(|row, header, walk| {
            let entry = &self.due[row];
            if in_time && !entry.key().is_bare() && entry.is_same_version(header) {
                entry.refreshed(Some(self.sent));
            }
            walk.finish()
        });
    }
}

impl Refresher<'_> {
    /// Asks for the versions of these entries' records; returns those that may have changed.
    fn revalidate(&self, due: &[Due]) -> Vec<Due> {
        let Self { cache, policy, .. } = self;
        let sent = Tick::now();
        let mut rows = batch(due, policy, |entry| {
            cache.count_revalidation();
            let header = Header { info1: info1::READ | info1::NO_BINS, ..Header::default() };
            let mut row = Kind::new(&header, entry.key().read().fields);
            if entry.has_record() && !entry.key().is_bare() {
                let age = sent.since(entry.read_at()) + policy.timeout + SLACK;
                row.field(field::FILTER, &unchanged_for(age));
            }
            row
        });
        let limit = sent.after(policy.timeout + SLACK / 2);
        rows.set_sink(Arc::new(Confirmations { due: due.to_vec(), sent, limit }));
        let outcome = self.rounds.run(&mut rows, None, |part| part, Some);
        let mut changed = Vec::new();
        for (index, entry) in due.iter().enumerate() {
            let reply = rows.reply_of(index).filter(|_| outcome.is_ok());
            let Some((message, node)) = reply else {
                entry.refreshed(None);
                continue;
            };
            let header = Header::parse(message).unwrap_or_default();
            if entry.key().is_bare() && matches!(ResultCode(header.result), ResultCode::OK) {
                cache.fill(&Claim::again(entry, sent), message, node);
                entry.refreshed(None);
            } else if !entry.has_record() && entry.is_same_version(&header) {
                entry.refreshed(Some(sent));
            } else if entry.read_at() < sent {
                changed.push(entry.clone());
            }
        }
        changed
    }

    /// Reads the records of these entries again.
    fn read_again(&self, changed: &[Due]) {
        let Self { cache, policy, .. } = self;
        if changed.is_empty() {
            return;
        }
        let sent = Tick::now();
        let mut rows = batch(changed, policy, |entry| {
            let read = entry.key().read();
            let header = Header { info1: read.info1, ..Header::default() };
            let mut row = Kind::new(&header, read.fields);
            let mut walk = Walk::over(read.ops, read.count);
            while let Ok(Some(step)) = walk.next() {
                row.op(step.code, step.name);
            }
            row
        });
        let outcome = self.rounds.run(&mut rows, None, |part| part, Some);
        for (index, entry) in changed.iter().enumerate() {
            if outcome.is_ok()
                && let Some((message, node)) = rows.reply_of(index)
            {
                cache.fill(&Claim::again(entry, sent), message, node);
            }
            entry.refreshed(None);
        }
    }
}

/// A batch with a row for each entry.
fn batch(due: &[Due], policy: &Policy, kind: impl Fn(&Due) -> Kind) -> Batch {
    let row = |entry: &Due| {
        let mut row = kind(entry);
        // Its read was sent before, so it is not too large.
        let _ = row.finish();
        let namespace = entry.key().place().0.into();
        RowKind { row, namespace, write: false, replica: policy.replica, needs: Features::NONE }
    };
    let digests = due.iter().map(|entry| Digest(entry.key().whole_digest()));
    Batch::new(due.iter().map(row).collect(), digests.zip(0..), *policy, Tick::now())
}

/// A filter that passes records whose last update is so long ago.
fn unchanged_for(span: Duration) -> Vec<u8> {
    let millis = i64::try_from(span.as_millis()).unwrap_or(i64::MAX - 1) + 1;
    let since = Expression::meta(Meta::SinceUpdate);
    let filter = Expression::apply(Op::Ge, vec![since, millis.into()]);
    // Nodes refuse an empty filter, and the record is read again.
    filter.and_then(|filter| filter.filter()).unwrap_or_default()
}
