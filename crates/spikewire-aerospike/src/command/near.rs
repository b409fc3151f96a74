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
pub struct CachedReply(Arc<Entry<Node>>);

impl CachedReply {
    /// The reply, as if a node had sent it now.
    pub fn reply(&self) -> Reply<'_> {
        Reply { body: self.0.body(), node: self.0.node(), attempts: Attempts::default() }
    }

    /// The node that it came from.
    pub fn node(&self) -> &Arc<Node> {
        self.0.node()
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
        Lookup::Hit(entry) => {
            buffer::give(std::mem::take(bytes));
            if cache.claims_refresh(&entry, now) {
                refresh::refresh_soon(cache, cluster, entry.clone());
            }
            Some(CachedReply(entry))
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
        Aim::Partition(namespace, _) => is_strong_namespace(cluster, namespace),
        Aim::Node(_) => true,
    }
}

/// Whether reads of a namespace are those of a session, which are never cached. So it is taken for
/// one that is not known.
pub(super) fn is_strong_namespace(cluster: &Cluster, namespace: &str) -> bool {
    cluster.snapshot().map(namespace).map_or(true, |map| map.strong)
}
