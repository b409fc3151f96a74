//! The near cache and commands on one record: what hosts ask before they send one.

use std::sync::Arc;

use super::{Attempts, Prepared, Target, refresh};
use crate::clock::Tick;
use crate::cluster::{Cluster, Node};
use crate::model::ReplicaPolicy;
use crate::near_cache::{Entry, Lookup, NearCache, NearTicket, ReadRequest, digest_of};
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

/// What the near cache says to a command.
pub enum NearLookup {
    /// It answers it.
    Hit(CachedReply),
    /// The command is to be sent.
    Miss(Prepared),
}

/// To be called with every command on one record that is about to be sent: asks the client's near
/// cache, if it has one.
#[inline(always)]
pub fn look_up(cluster: &Arc<Cluster>, command: Prepared) -> NearLookup {
    match cluster.near_cache() {
        None => NearLookup::Miss(command),
        Some(cache) => consult(cache, cluster, command),
    }
}

#[cold]
#[inline(never)]
fn consult(
    cache: &Arc<NearCache<Node>>,
    cluster: &Arc<Cluster>,
    mut command: Prepared,
) -> NearLookup {
    let Prepared { bytes, target, policy } = &mut command;
    if target.write {
        match digest_of(bytes) {
            Some(digest) => target.set_near(NearTicket::Write { _guard: cache.write(digest) }),
            None => cache.invalidate_all(),
        }
        return NearLookup::Miss(command);
    }
    // Reads of a session go to the master too; whoever names it wants the latest.
    if policy.replica == ReplicaPolicy::Master || cluster.is_closed() {
        return NearLookup::Miss(command);
    }
    let Some(read) = ReadRequest::of_frame(bytes) else { return NearLookup::Miss(command) };
    let now = Tick::now();
    match cache.look_up(&read, now) {
        Lookup::Hit { entry, yields } => {
            buffer::give(command.bytes);
            if cache.claims_refresh(&entry, now) && cache.due.push(entry.clone()) {
                refresh::start(cluster);
            }
            return NearLookup::Hit(CachedReply { entry, yields });
        }
        Lookup::Miss(Some(claim)) if !is_strong(cluster, target) => {
            target.set_near(NearTicket::Fill(claim));
        }
        Lookup::Miss(_) => {}
    }
    NearLookup::Miss(command)
}

fn is_strong(cluster: &Cluster, target: &Target) -> bool {
    target.aim.partition().map_or(true, |(namespace, _)| cluster.is_strong(namespace))
}
