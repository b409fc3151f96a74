//! The near cache and commands on one record: what hosts ask before they send one.

use std::sync::Arc;

use super::{Attempts, Target, refresh};
use crate::clock::Tick;
use crate::cluster::{Cluster, Node};
use crate::model::{Policy, ReplicaPolicy};
use crate::near_cache::{Entry, Lookup, NearCache, NearTicket, ReadRequest, digest_of};
use crate::route::Aim;
use crate::transport::{Reply, buffer};

/// A reply from the near cache.
#[derive(Debug)]
pub struct CachedReply {
    entry: Arc<Entry<Node>>,
    yields: bool,
}

impl CachedReply {
    /// The reply, as if a node had sent it now.
    pub fn reply(&self) -> Reply<'_> {
        Reply { body: self.entry.body(), node: self.entry.node(), attempts: Attempts::default() }
    }

    /// The node that it came from.
    pub fn node(&self) -> &Arc<Node> {
        self.entry.node()
    }

    /// Whether it is to be delivered in the next turn of the caller's event loop, if it has one: a
    /// task whose calls never wait would keep the loop from everything else.
    pub fn yields(&self) -> bool {
        self.yields
    }
}

/// To be called with every command on one record that is about to be sent. If the client's near
/// cache answers it, the reply is returned, and the command is not to be sent: `bytes` is empty.
#[inline(always)]
pub fn cached(
    cluster: &Arc<Cluster>,
    bytes: &mut Vec<u8>,
    target: &mut Target,
    policy: &Policy,
) -> Option<CachedReply> {
    match cluster.near_cache() {
        None => None,
        Some(cache) => consult(cache, cluster, bytes, target, policy),
    }
}

#[cold]
fn consult(
    cache: &Arc<NearCache<Node>>,
    cluster: &Arc<Cluster>,
    bytes: &mut Vec<u8>,
    target: &mut Target,
    policy: &Policy,
) -> Option<CachedReply> {
    if target.write {
        match digest_of(bytes) {
            Some(digest) => target.set_near(NearTicket::Write { _guard: cache.write(digest) }),
            None => cache.invalidate_all(),
        }
        return None;
    }
    // Reads of a session go to the master too; whoever names it wants the latest.
    if policy.replica == ReplicaPolicy::Master || cluster.is_closed() {
        return None;
    }
    let (read, now) = (ReadRequest::of_frame(bytes)?, Tick::now());
    match cache.look_up(&read, now) {
        Lookup::Hit { entry, yields } => {
            buffer::give(std::mem::take(bytes));
            if cache.claims_refresh(&entry, now) && cache.due.push(entry.clone()) {
                refresh::start(cluster);
            }
            Some(CachedReply { entry, yields })
        }
        Lookup::Miss(Some(claim)) if !is_strong(cluster, &target.aim) => {
            target.set_near(NearTicket::Fill(claim));
            None
        }
        Lookup::Miss(_) => None,
    }
}

fn is_strong(cluster: &Cluster, aim: &Aim) -> bool {
    match aim {
        Aim::Partition(namespace, _) => cluster.is_strong(namespace),
        Aim::Node(_) => true,
    }
}
