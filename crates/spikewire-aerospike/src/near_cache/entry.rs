//! What is kept of a reply.

use std::sync::Arc;
use std::sync::atomic::{
    AtomicBool, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};
use std::time::Duration;

use spikewire_aerospike_protocol::limits::EPOCH_2010;
use spikewire_aerospike_protocol::message::Header;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::void_time;
use spikewire_transport::clock::Tick;

use super::heat::Rate;
use super::key::CacheKey;
use super::writes::Stamp;

/// A reply that answers the same read again.
#[derive(Debug)]
pub(crate) struct Entry<N> {
    key: Arc<CacheKey>,
    body: Box<[u8]>,
    node: Arc<N>,
    stamp: Stamp,
    /// When the latest read that confirmed it was sent.
    read_at: AtomicU64,
    expires: Tick,
    refreshes: AtomicBool,
    /// Whether another one takes its place.
    is_replaced: AtomicBool,
    rate: Arc<Rate>,
}

impl<N> Entry<N> {
    pub fn new(
        key: Arc<CacheKey>,
        body: &[u8],
        node: Arc<N>,
        stamp: Stamp,
        read_at: Tick,
        rate: Arc<Rate>,
    ) -> Self {
        let expires = Header::parse(body).map_or(read_at, |header| expiry(&header, read_at));
        let (read_at, refreshes) = (AtomicU64::new(read_at.0), AtomicBool::new(false));
        let (is_replaced, body) = (AtomicBool::new(false), body.into());
        Self { key, body, node, stamp, read_at, expires, refreshes, is_replaced, rate }
    }

    /// The read that it answers.
    pub fn key(&self) -> &Arc<CacheKey> {
        &self.key
    }

    /// The record.
    pub fn digest(&self) -> &[u8] {
        self.key.digest()
    }

    /// The reply.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// The node that it came from.
    pub fn node(&self) -> &Arc<N> {
        &self.node
    }

    pub fn stamp(&self) -> Stamp {
        self.stamp
    }

    pub fn rate(&self) -> &Arc<Rate> {
        &self.rate
    }

    pub fn expires(&self) -> Tick {
        self.expires
    }

    /// The latest time at which it is known to have been current.
    pub fn read_at(&self) -> Tick {
        Tick(self.read_at.load(Acquire))
    }

    /// Whether there is a record.
    pub fn has_record(&self) -> bool {
        Header::result_of(&self.body) == ResultCode::OK
    }

    /// Whether a reply says the same about the record's version.
    pub fn is_same_version(&self, reply: &Header) -> bool {
        let own = Header::parse(&self.body).unwrap_or_default();
        (own.result, own.generation, own.ttl) == (reply.result, reply.generation, reply.ttl)
    }

    /// Another entry takes its place.
    pub fn replace(&self) {
        self.is_replaced.store(true, Relaxed);
    }

    pub fn is_replaced(&self) -> bool {
        self.is_replaced.load(Relaxed)
    }

    /// Takes on the refresh; true for one caller until [`Entry::refreshed`].
    pub fn claim_refresh(&self) -> bool {
        !self.refreshes.load(Relaxed) && !self.refreshes.swap(true, Relaxed)
    }

    /// A refresh is over. `confirmed`: the entry was current when the refresh was sent, at this
    /// time.
    pub fn refreshed(&self, confirmed: Option<Tick>) {
        if let Some(at) = confirmed {
            self.read_at.fetch_max(at.0, Release);
        }
        self.refreshes.store(false, Relaxed);
    }
}

/// When a record expires that was read at this time. By the client's clock, a little early rather
/// than late.
fn expiry(header: &Header, read_at: Tick) -> Tick {
    if header.ttl == 0 {
        return Tick::NEVER;
    }
    let left = (EPOCH_2010 + u64::from(header.ttl)).saturating_sub(void_time::now());
    read_at.after(Duration::from_secs(left))
}
