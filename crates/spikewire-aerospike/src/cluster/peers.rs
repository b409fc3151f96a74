//! Probing the peers that nodes list.

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};
use spikewire_aerospike_protocol::peers::{Address, Peer, Peers};

use super::address;
use super::member::RETRY_WAIT;
use super::net::Net;
use super::node_info::Requirements;
use super::poll;
use super::probe::{Found, Probe};
use crate::clock::Tick;

/// A peer that is not a member yet, merged from all lists that contain it.
#[derive(Debug, Default)]
pub(super) struct UnknownPeer {
    tls_name: Option<String>,
    addresses: Vec<Address>,
}

/// The unknown peers of some lists, by name.
#[derive(Debug, Default)]
pub(super) struct UnknownPeers(BTreeMap<String, UnknownPeer>);

impl UnknownPeers {
    pub fn add(&mut self, peer: &Peer) {
        let wanted = self.0.entry(peer.name.clone()).or_default();
        if !peer.tls_name.is_empty() {
            wanted.tls_name = Some(peer.tls_name.clone());
        }
        for address in &peer.addresses {
            if !wanted.addresses.contains(address) {
                wanted.addresses.push(address.clone());
            }
        }
    }
}

/// A peer that is being probed.
#[derive(Debug, Default)]
struct Candidate {
    probe: Option<Probe>,
    /// A peer that could not be reached before is not waited for again: its probe continues between
    /// passes.
    failed_before: bool,
}

/// Listed peers that have not been reached, within one pass and between passes.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    known: FxHashMap<String, Candidate>,
    /// Listed in this pass.
    listed: FxHashSet<String>,
    /// Listed in this pass but not reached.
    unmet: FxHashSet<String>,
}

impl Candidates {
    /// Starts a new pass.
    pub fn begin(&mut self) {
        self.listed.clear();
        self.unmet.clear();
    }

    /// Ends the pass: forgets peers that are no longer listed.
    pub fn end(&mut self) {
        let Self { known, listed, .. } = self;
        known.retain(|name, _| listed.contains(name));
    }

    /// Whether every peer on the list has been reached.
    pub fn all_met(&self, list: &Peers) -> bool {
        list.peers.iter().all(|peer| !self.unmet.contains(&peer.name))
    }

    /// Probes all of them concurrently, each once per pass, and returns those that were reached.
    pub fn meet(
        &mut self,
        wanted: UnknownPeers,
        cluster_name: Option<&String>,
        net: &Net,
    ) -> Vec<Found> {
        let mut tried = Vec::new();
        for (name, wanted) in wanted.0 {
            if self.listed.insert(name.clone()) {
                let candidate = self.known.entry(name.clone()).or_default();
                if candidate.probe.is_none() {
                    candidate.probe = Some(start(&name, &wanted, cluster_name, net));
                }
                tried.push(name);
            }
        }
        self.wait(net);

        let mut met = Vec::new();
        for name in tried {
            let Some(candidate) = self.known.get_mut(&name) else { continue };
            match candidate.probe.take_if(|probe| probe.is_over()).map(Probe::finish) {
                Some(Ok(found)) => {
                    self.known.remove(&name);
                    met.push(found);
                }
                Some(Err(_)) => {
                    candidate.failed_before = true;
                    self.unmet.insert(name);
                }
                None => {
                    self.unmet.insert(name);
                }
            }
        }
        met
    }

    fn wait(&mut self, net: &Net) {
        let grace = Tick::now().after(RETRY_WAIT);
        loop {
            let (mut first_time, mut others) = (false, false);
            for candidate in self.known.values_mut() {
                if let Some(probe) = &mut candidate.probe {
                    probe.settle(net);
                    let open = !probe.is_over();
                    first_time |= open && !candidate.failed_before;
                    others |= open && candidate.failed_before;
                }
            }
            if !first_time && (!others || Tick::now() >= grace) {
                return;
            }
            let until = if first_time { Tick::NEVER } else { grace };
            let probes = self.known.values_mut().filter_map(|candidate| candidate.probe.as_mut());
            let mut open: Vec<_> = probes.flat_map(Probe::pending).collect();
            poll::turn(&mut open, until, &net.closed);
        }
    }
}

fn start(name: &str, wanted: &UnknownPeer, cluster_name: Option<&String>, net: &Net) -> Probe {
    let addresses: Vec<_> = wanted.addresses.iter().map(|a| net.addressing.reach(a)).collect();
    let tls_name = wanted.tls_name.as_deref();
    let places = address::resolve_all(&addresses, tls_name, net.within, &net.closed);
    let requirements =
        Requirements { node: Some(name.to_owned()), cluster_name: cluster_name.cloned() };
    Probe::start(places, requirements, net)
}
