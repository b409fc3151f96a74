//! A cache for records that are read very often, shared by everything that uses a client.
//!
//! It keeps replies as they came, by the read that asked for them, and answers the same read again
//! for as long as the content is known to have been current no longer ago than the stated
//! staleness. Only keys that are hot are kept: those whose reads per second reach a threshold.
//!
//! - An entry has the time at which its read was sent, and is not served later than the staleness
//!   after it. Half-way it is *due*: whoever refreshes (`command::refresh`) asks whether the record
//!   has changed since, and moves that time on.
//! - An entry also has the [`Stamp`] of its record, which every write of this client changes, at its
//!   call and when it is over. One with another stamp is not served, whenever it was stored: a read
//!   sent before a write cannot bring the old value back.
//! - The storage is `quick_cache`: bounded by weight, sharded, and a hit is one shared lock.
//!
//! Generic over what answered (a node), so that it needs no cluster.
//!
//! | file | what it holds |
//! |---|---|
//! | here | the cache |
//! | `key` | the reads that can be cached |
//! | `entry` | what is kept of a reply |
//! | `writes` | stamps |
//! | `heat` | how often keys are read |
//! | `due` | the queue of entries that are due |

mod due;
mod entry;
mod heat;
mod key;
mod writes;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use quick_cache::sync::Cache;
use quick_cache::{Lifecycle, OptionsBuilder, Weighter};
use rustc_hash::FxBuildHasher;
use spikewire_aerospike_protocol::message::Header;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_transport::clock::Tick;
use spikewire_transport::metrics::{HotKey, NearCacheStats};

use crate::model::NearCacheOptions;
pub(crate) use due::DueQueue;
pub(crate) use entry::Entry;
use heat::{Rate, Sketch};
pub(crate) use key::{CacheKey, ReadRequest, digest_of};
pub(crate) use writes::{Stamp, WriteGuard, Writes};

/// Weight of an entry besides its bytes: its key, the tables' share.
const OVERHEAD: usize = 256;
/// Least capacity of a shard in bytes: the largest record that servers keep by default fits.
const SHARD: usize = 2 << 20;
const MOST_SHARDS: usize = 64;
/// How many reads are answered before one yields.
const AT_ONCE: u64 = 16;
/// How many hot keys the statistics name.
const NAMED: usize = 20;

/// A cache; `N` is what answers reads.
pub(crate) struct NearCache<N> {
    entries: Entries<N>,
    writes: Arc<Writes>,
    sketch: Sketch,
    /// Reads in a window from which a key is hot.
    threshold: u32,
    staleness: Duration,
    pub due: DueQueue<N>,
    hits: AtomicU64,
    misses: AtomicU64,
    revalidations: AtomicU64,
    evictions: Arc<AtomicU64>,
}

type Entries<N> = Cache<Arc<CacheKey>, Arc<Entry<N>>, Weights, FxBuildHasher, Evictions>;

/// What the cache has for a read.
pub(crate) enum Lookup<N> {
    /// Its reply. One in [`AT_ONCE`] is to be delivered by the caller's event loop, if it has one: a
    /// task whose calls never wait would keep the loop from everything else.
    Hit { entry: Arc<Entry<N>>, yields: bool },
    /// Nothing. If the key is hot, the claim goes with the read, and its reply is stored.
    Miss(Option<Box<Claim>>),
}

/// The right to store the reply to a read that is about to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Claim {
    key: Arc<CacheKey>,
    stamp: Stamp,
    read_at: Tick,
    rate: Arc<Rate>,
}

impl Claim {
    /// For an entry whose record is read again at this time. It is worth nothing once the record
    /// was written since the entry was read.
    pub fn again<N>(entry: &Entry<N>, at: Tick) -> Self {
        let (key, rate) = (entry.key().clone(), entry.rate().clone());
        Self { key, stamp: entry.stamp(), read_at: at, rate }
    }
}

/// What a command on one record carries to its end.
#[derive(Debug)]
pub(crate) enum NearTicket {
    /// A read whose reply is stored.
    Fill(Box<Claim>),
    /// A write; its drop says that it is over.
    Write { _guard: WriteGuard },
}

impl<N> NearCache<N> {
    /// An empty cache; `None` if the options have none.
    pub fn new(options: &NearCacheOptions) -> Option<Self> {
        let NearCacheOptions { bytes, staleness, heat } = *options;
        if bytes == 0 {
            return None;
        }
        let evictions = Arc::<AtomicU64>::default();
        let shards = (bytes / SHARD).clamp(1, MOST_SHARDS);
        let limits = OptionsBuilder::new()
            .estimated_items_capacity((bytes / 1024).max(16))
            .weight_capacity(bytes as u64)
            .shards(shards)
            .build()
            .ok()?;
        let lifecycle = Evictions(evictions.clone());
        Some(Self {
            entries: Cache::with_options(limits, Weights, FxBuildHasher, lifecycle),
            writes: Arc::default(),
            sketch: Sketch::default(),
            threshold: heat::threshold(heat),
            staleness,
            due: DueQueue::default(),
            hits: AtomicU64::default(),
            misses: AtomicU64::default(),
            revalidations: AtomicU64::default(),
            evictions,
        })
    }

    /// The stated staleness.
    pub fn staleness(&self) -> Duration {
        self.staleness
    }

    /// What there is for a read that starts now.
    pub fn look_up(&self, read: &ReadRequest<'_>, now: Tick) -> Lookup<N> {
        let known = self.entries.get(read);
        if let Some(entry) = &known {
            entry.rate().count(now);
            if self.serves(entry, now) {
                let hits = self.hits.fetch_add(1, Relaxed);
                let yields = hits % AT_ONCE == AT_ONCE - 1;
                return Lookup::Hit { entry: entry.clone(), yields };
            }
        }
        self.misses.fetch_add(1, Relaxed);
        let stamp = self.writes.stamp(read.digest);
        let known = known.filter(|entry| entry.rate().is_hot(self.threshold));
        let is_hot = known.is_some() || self.sketch.count(read, now) >= self.threshold;
        if !is_hot || stamp.is_written() {
            return Lookup::Miss(None);
        }
        let (key, rate) = match known {
            Some(entry) => (entry.key().clone(), entry.rate().clone()),
            None if !read.only_reads_bins() => return Lookup::Miss(None),
            None => (Arc::new(CacheKey::of(read)), Arc::default()),
        };
        Lookup::Miss(Some(Box::new(Claim { key, stamp, read_at: now, rate })))
    }

    fn serves(&self, entry: &Entry<N>, now: Tick) -> bool {
        now.since(entry.read_at()) <= self.staleness
            && now < entry.expires()
            && self.writes.stamp(entry.digest()) == entry.stamp()
    }

    /// Whether an entry that was served should be refreshed. True for one caller.
    pub fn claims_refresh(&self, entry: &Entry<N>, now: Tick) -> bool {
        now.since(entry.read_at()) >= self.staleness / 2 && entry.claim_refresh()
    }

    /// Stores the reply to a read.
    pub fn fill(&self, claim: &Claim, body: &[u8], node: &Arc<N>) {
        let Claim { key, stamp, read_at, rate } = claim;
        let code = Header::result_of(body);
        let is_storable = matches!(code, ResultCode::OK | ResultCode::NOT_FOUND);
        if !is_storable || self.writes.stamp(key.digest()) != *stamp {
            return;
        }
        let known = self.entries.peek(&**key);
        if let Some(known) = &known {
            if known.stamp() == *stamp && known.read_at() >= *read_at {
                return;
            }
            known.replace();
        }
        let entry = Entry::new(key.clone(), body, node.clone(), *stamp, *read_at, rate.clone());
        self.entries.insert(key.clone(), Arc::new(entry));
    }

    /// An entry's record was asked for its generation.
    pub fn count_revalidation(&self) {
        self.revalidations.fetch_add(1, Relaxed);
    }

    /// A write of this record is about to be sent.
    pub fn write(&self, digest: &[u8]) -> WriteGuard {
        Writes::begin(&self.writes, digest)
    }

    /// Any record may be written, or have been written, by a command of this client.
    pub fn invalidate_all(&self) {
        self.writes.invalidate_all();
    }

    /// Its statistics.
    pub fn stats(&self) -> NearCacheStats {
        let now = Tick::now();
        let rated = |(_, entry): (_, Arc<Entry<N>>)| (entry.rate().per_second(now), entry);
        let mut hot: Vec<_> =
            self.entries.iter().map(rated).filter(|(rate, _)| *rate > 0).collect();
        hot.sort_by_key(|(rate, _)| std::cmp::Reverse(*rate));
        hot.truncate(NAMED);
        let named = |(rate, entry): (u32, Arc<Entry<N>>)| {
            let (namespace, set) = entry.key().place();
            let reads_per_second = f64::from(rate);
            HotKey { namespace, set, digest: entry.key().whole_digest(), reads_per_second }
        };
        NearCacheStats {
            hits: self.hits.load(Relaxed),
            misses: self.misses.load(Relaxed),
            revalidations: self.revalidations.load(Relaxed),
            evictions: self.evictions.load(Relaxed),
            entries: self.entries.len(),
            bytes: self.entries.weight(),
            hot_keys: hot.into_iter().map(named).collect(),
        }
    }
}

impl<N> std::fmt::Debug for NearCache<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NearCache").field("entries", &self.entries.len()).finish_non_exhaustive()
    }
}

#[derive(Debug, Clone)]
struct Weights;

impl<N> Weighter<Arc<CacheKey>, Arc<Entry<N>>> for Weights {
    fn weight(&self, key: &Arc<CacheKey>, entry: &Arc<Entry<N>>) -> u64 {
        (OVERHEAD + key.len() + entry.body().len()) as u64
    }
}

/// Counts evictions.
#[derive(Debug, Clone)]
struct Evictions(Arc<AtomicU64>);

impl<N> Lifecycle<Arc<CacheKey>, Arc<Entry<N>>> for Evictions {
    type RequestState = ();

    fn begin_request(&self) {}

    /// Called for replaced entries, too.
    fn on_evict(&self, (): &mut (), _: Arc<CacheKey>, entry: Arc<Entry<N>>) {
        self.0.fetch_add(u64::from(!entry.is_replaced()), Relaxed);
    }
}

#[cfg(test)]
mod tests;
