//! How the cluster worker adds newly listed nodes and removes those that left.

use std::net::SocketAddr;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use spikewire_aerospike_protocol::peers::Peers;
use spikewire_transport::resolve::Lookup;

use super::member::{Member, ask_all};
use super::names;
use super::peers::UnknownPeers;
use super::rules::{self, PeerHealth, PeerLocation};
use super::worker::ClusterWorker;

impl ClusterWorker {
    /// Requests the peers of all members that replied, and those of newly found peers, until no new
    /// one is found. Returns the number of nodes that listed their peers.
    pub(super) fn refresh_peers(&mut self) -> usize {
        let net = self.net();
        if net.seed_only {
            for member in &mut self.members {
                member.peers_generation.read = member.peers_generation.seen;
            }
            return self.members.iter().filter(|member| member.is_reachable()).count();
        }
        let command = net.addressing.peers_command();
        let reachable = self.members.iter().filter(|member| member.is_reachable());
        let mut recipients: FxHashSet<u32> = reachable.map(|member| member.node.slot).collect();
        self.members.iter_mut().for_each(|member| member.listed_by = 0);
        self.candidates.begin();
        let mut answered = 0;
        while !recipients.is_empty() {
            let mut lists = Vec::new();
            for (at, answer) in
                ask_all(&mut self.members, &net, &[command], Duration::MAX, |member| {
                    recipients.contains(&member.node.slot)
                })
            {
                match answer.and_then(|answer| self.members[at].parse_peers(&answer, command)) {
                    Ok(list) => lists.push((at, list)),
                    Err(_) => self.fail(at),
                }
            }
            answered += lists.len();
            recipients = self.discover(&lists);
        }
        self.candidates.end();
        let unreachable = self.candidates.unreachable();
        self.changed |= unreachable != self.unreachable;
        self.unreachable = unreachable;
        answered
    }

    /// Counts how often each member is listed, probes unknown peers, and returns the new members.
    fn discover(&mut self, lists: &[(usize, Peers)]) -> FxHashSet<u32> {
        let net = self.net();
        let listed = self.listed_addresses(lists);
        let mut candidates = UnknownPeers::default();
        let mut unknown = Vec::new();
        for peer in lists.iter().flat_map(|(_, list)| &list.peers) {
            let listed = || listed.get(peer.name.as_str()).cloned().unwrap_or_default();
            let mut members = self.members.iter_mut();
            match members.find(|member| member.node.name == peer.name && !member.replaced) {
                Some(member)
                    if rules::locate(member.failures, member.node.address, listed)
                        == PeerLocation::Same =>
                {
                    member.listed_by += 1;
                }
                _ => {
                    candidates.add(peer);
                    unknown.push(peer.name.as_str());
                }
            }
        }
        let cluster_name = self.shared.options.cluster_name.clone();
        let met = self.candidates.meet(candidates, cluster_name.as_ref(), &net);
        let newcomers: FxHashSet<u32> = met.into_iter().map(|host| self.admit(host)).collect();
        for member in self.members.iter_mut().filter(|m| newcomers.contains(&m.node.slot)) {
            member.listed_by =
                unknown.iter().filter(|name| **name == member.node.name).count() as u32;
        }
        for (at, list) in lists {
            // The list counts as read only once every peer on it has been reached; otherwise the
            // next pass tries again.
            let generation = &mut self.members[*at].peers_generation;
            generation.seen = Some(list.generation);
            generation.read = self.candidates.all_met(list).then_some(list.generation);
        }
        newcomers
    }

    /// Where the lists say that members are which fail, for [`rules::locate`]; names are resolved
    /// all at once.
    fn listed_addresses<'a>(
        &self,
        lists: &'a [(usize, Peers)],
    ) -> FxHashMap<&'a str, Vec<SocketAddr>> {
        let net = self.net();
        let fails = |name: &str| {
            let may_have_moved =
                |member: &Member| rules::may_have_moved(member.failures, member.node.address);
            self.members.iter().any(|member| member.node.name == name && may_have_moved(member))
        };
        let mut lookups = FxHashMap::default();
        for peer in lists.iter().flat_map(|(_, list)| &list.peers) {
            if !lookups.contains_key(peer.name.as_str()) && fails(&peer.name) {
                let reached: Vec<_> =
                    peer.addresses.iter().map(|a| net.addressing.reach(a)).collect();
                lookups.insert(peer.name.as_str(), names::lookup(&reached, &net));
            }
        }
        let resolved = |lookup: Lookup| lookup.finish(&net.closed).into_iter().flatten().flatten();
        lookups.into_iter().map(|(name, lookup)| (name, resolved(lookup).collect())).collect()
    }

    pub(super) fn remove_leavers(&mut self, answered: usize) {
        let count = self.members.len();
        let leavers: FxHashSet<u32> = self
            .members
            .iter()
            .filter(|member| {
                let standing = PeerHealth {
                    replaced: member.replaced,
                    failures: member.failures,
                    listed_by: member.listed_by,
                };
                rules::leaves(standing, count, answered, || self.partitions.holds(member.node.slot))
            })
            .map(|member| member.node.slot)
            .collect();
        if !leavers.is_empty() {
            self.members.retain(|member| !leavers.contains(&member.node.slot));
            for slot in leavers {
                self.partitions.forget(slot);
            }
            self.changed = true;
            self.unrest();
        }
    }
}
