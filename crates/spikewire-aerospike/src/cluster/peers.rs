//! Probing the peers that nodes list.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use rustc_hash::{FxHashMap, FxHashSet};
use spikewire_aerospike_protocol::peers::{Address, Peer, Peers};
use spikewire_transport::resolve::Lookup;

use super::info_request::InfoRequest;
use super::member::RETRY_WAIT;
use super::names;
use super::net::Net;
use super::node_info::Requirements;
use super::poll;
use super::probe::{Probe, ProbedHost};
use super::snapshot::UnreachablePeer;
use crate::clock::Tick;

/// How often a pass looks for names that have been resolved.
const NAMES_POLL: Duration = Duration::from_millis(2);

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
        let unknown = self.0.entry(peer.name.clone()).or_default();
        if !peer.tls_name.is_empty() {
            unknown.tls_name = Some(peer.tls_name.clone());
        }
        for address in peer.addresses.iter().take(names::MOST) {
            if unknown.addresses.len() < names::MOST && !unknown.addresses.contains(address) {
                unknown.addresses.push(address.clone());
            }
        }
    }
}

/// An attempt to reach a peer: its names are resolved, then its addresses probed.
#[derive(Debug)]
struct Attempt {
    addresses: Vec<Address>,
    tls_name: Option<String>,
    requirements: Requirements,
    lookup: Option<Lookup>,
    probe: Option<Probe>,
    /// Names that did not resolve, and why.
    unresolved: String,
}

impl Attempt {
    fn start(name: &str, peer: UnknownPeer, cluster_name: Option<&String>, net: &Net) -> Self {
        let addresses: Vec<_> = peer.addresses.iter().map(|a| net.addressing.reach(a)).collect();
        let requirements =
            Requirements { node: Some(name.to_owned()), cluster_name: cluster_name.cloned() };
        let lookup = Some(names::lookup(&addresses, net));
        let (probe, unresolved, tls_name) = (None, String::new(), peer.tls_name);
        Self { addresses, tls_name, requirements, lookup, probe, unresolved }
    }

    /// Processes what has come in the meantime; returns whether the attempt has ended.
    fn settle(&mut self, net: &Net) -> bool {
        if let Some(lookup) = self.lookup.take_if(Lookup::settle) {
            let Self { addresses, tls_name, unresolved, .. } = self;
            let failed = |address: &Address, why| add(unresolved, address, why);
            let resolved = lookup.results();
            let places = names::places(addresses, resolved, tls_name.as_deref(), failed);
            self.probe = Some(Probe::start(places, self.requirements.clone(), net));
        }
        self.probe.as_mut().is_some_and(|probe| {
            probe.settle(net);
            probe.is_over()
        })
    }

    fn pending(&mut self) -> impl Iterator<Item = &mut InfoRequest> {
        self.probe.iter_mut().flat_map(Probe::pending)
    }

    /// The host, or what was tried and why it failed.
    fn finish(self) -> Result<ProbedHost, String> {
        let mut why = self.unresolved;
        match self.probe.map(Probe::finish) {
            Some(Ok(host)) => return Ok(host),
            Some(Err(failed)) => failed.iter().for_each(|(at, error)| add(&mut why, at, error)),
            None => {}
        }
        Err(if why.is_empty() { "it announces no address".to_owned() } else { why })
    }
}

fn add(all: &mut String, address: impl std::fmt::Display, why: impl std::fmt::Display) {
    let comma = if all.is_empty() { "" } else { ", " };
    let _ = write!(all, "{comma}{address}: {why}");
}

/// A peer that is being reached.
#[derive(Debug, Default)]
struct Candidate {
    attempt: Option<Attempt>,
    /// Why the last attempt failed. Such a peer is not waited for again: further attempts continue
    /// between passes.
    failed: Option<String>,
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

    /// The peers that could not be reached, by name.
    pub fn unreachable(&self) -> Vec<UnreachablePeer> {
        let failed = |(name, it): (&String, &Candidate)| {
            let why = it.failed.clone().filter(|_| self.unmet.contains(name))?;
            Some(UnreachablePeer { name: name.clone(), why })
        };
        let mut all: Vec<_> = self.known.iter().filter_map(failed).collect();
        all.sort();
        all
    }

    /// Tries to reach all of them concurrently, each once per pass, and returns those that were
    /// reached.
    pub fn meet(
        &mut self,
        peers: UnknownPeers,
        cluster_name: Option<&String>,
        net: &Net,
    ) -> Vec<ProbedHost> {
        let mut tried = Vec::new();
        for (name, peer) in peers.0 {
            if self.listed.insert(name.clone()) {
                let candidate = self.known.entry(name.clone()).or_default();
                if candidate.attempt.is_none() {
                    candidate.attempt = Some(Attempt::start(&name, peer, cluster_name, net));
                }
                tried.push(name);
            }
        }
        self.wait(net);

        let mut met = Vec::new();
        for name in tried {
            let Some(candidate) = self.known.get_mut(&name) else { continue };
            match candidate.attempt.take_if(|attempt| attempt.settle(net)).map(Attempt::finish) {
                Some(Ok(host)) => {
                    self.known.remove(&name);
                    met.push(host);
                }
                Some(Err(why)) => {
                    candidate.failed = Some(why);
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
            let (mut first_time, mut others, mut names) = (false, false, false);
            for candidate in self.known.values_mut() {
                if let Some(attempt) = &mut candidate.attempt {
                    let open = !attempt.settle(net);
                    first_time |= open && candidate.failed.is_none();
                    others |= open && candidate.failed.is_some();
                    names |= attempt.lookup.is_some();
                }
            }
            let now = Tick::now();
            if !first_time && (!others || now >= grace) {
                return;
            }
            let mut until = if first_time { Tick::NEVER } else { grace };
            if names {
                until = until.min(now.after(NAMES_POLL));
            }
            let attempts = self.known.values_mut().filter_map(|it| it.attempt.as_mut());
            let mut open: Vec<_> = attempts.flat_map(Attempt::pending).collect();
            poll::turn(&mut open, until, &net.closed);
            if net.closed.load(Relaxed) {
                return;
            }
        }
    }
}
