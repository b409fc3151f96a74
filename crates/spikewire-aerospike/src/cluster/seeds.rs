//! Finding the cluster through the seed hosts, or saying for each of them why not.

use std::net::SocketAddr;

use spikewire_aerospike_protocol::host::Host;
use spikewire_transport::resolve::Resolving;

use super::address;
use super::net::Net;
use super::node_error::NodeError;
use super::node_info::Requirements;
use super::probe::{self, Found, Probe};
use crate::clock::Tick;
use crate::error::{Error, Kind};

/// Why one seed could not be used: one entry per address that was tried.
#[derive(Debug)]
struct Failed {
    seed: Host,
    reasons: Vec<(Option<SocketAddr>, NodeError)>,
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "seed {}: ", self.seed)?;
        let Some((_, first)) = self.reasons.first() else { return f.write_str("no address") };
        if self.reasons.iter().all(|(_, reason)| reason == first) {
            return write!(f, "{first}");
        }
        for (at, (address, reason)) in self.reasons.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            match address {
                Some(address) => write!(f, "{comma}{address} {reason}")?,
                None => write!(f, "{comma}{reason}")?,
            }
        }
        Ok(())
    }
}

/// Seeds this build cannot use at all are refused before anything is tried.
pub(super) fn check(seeds: &[Host]) -> Result<(), Error> {
    if seeds.is_empty() {
        return Err(Error::invalid("no seed host given"));
    }
    match seeds.iter().find(|seed| seed.tls_name.is_some()) {
        None => Ok(()),
        Some(seed) => Err(Error::invalid(format!(
            "seed {seed} asks for TLS (it has a TLS name), but TLS is not available in this \
             build; nothing was sent in plain text"
        ))),
    }
}

/// The node to start from. All seeds are tried at once, all addresses of each at once, within one
/// connect timeout. A seed that knows no peers is used only when none does better.
pub(super) fn find(seeds: &[Host], requirements: &Requirements, net: &Net) -> Result<Found, Error> {
    let asked: Vec<_> = seeds.iter().map(|s| Resolving::start(&s.name, s.port)).collect();
    let names_until = Tick::now().after(net.within);
    let mut failed = Vec::new();
    let (mut probed, mut probes) = (Vec::new(), Vec::new());
    for (seed, asked) in seeds.iter().zip(asked) {
        match asked.finish(names_until.since(Tick::now()), &net.closed) {
            Ok(addresses) => {
                probed.push(seed);
                probes.push(Probe::start(&addresses, requirements.clone(), net));
            }
            Err(reason) => {
                failed.push(Failed { seed: seed.clone(), reasons: vec![(None, reason.into())] });
            }
        }
    }
    let has_peers = |probe: &Probe| probe.found().is_some_and(|f| f.info.has_peers);
    probe::run(&mut probes, net, Tick::NEVER, |probes| probes.iter().any(has_peers));

    let best = probes
        .iter()
        .position(has_peers)
        .or_else(|| probes.iter().position(|probe| probe.found().is_some()));
    if let Some(best) = best
        && let Ok(found) = probes.swap_remove(best).finish()
    {
        return Ok(behind_balancer(found, net));
    }
    for (seed, probe) in probed.into_iter().zip(probes) {
        let reasons = probe.finish().err().unwrap_or_default();
        let reasons = reasons.into_iter().map(|(at, why)| (Some(at), why)).collect();
        failed.push(Failed { seed: seed.clone(), reasons });
    }
    failed.sort_by_key(|failed| seeds.iter().position(|seed| *seed == failed.seed));
    Err(report(&failed))
}

/// A seed that is not among the addresses its node gives may be a load balancer: the node itself
/// is preferred where it can be reached. (On this machine that is natural: nodes do not list the
/// loopback.)
fn behind_balancer(found: Found, net: &Net) -> Found {
    if address::is_local(found.address) {
        return found;
    }
    let services: Vec<_> = found.info.services.iter().map(|a| net.addressing.reach(a)).collect();
    let listed = address::resolve_all(&services, net.within, &net.closed);
    if !is_elsewhere(found.address, &listed) {
        return found;
    }
    let requirements = Requirements { node: Some(found.info.node.clone()), cluster_name: None };
    let mut probes = [Probe::start(&listed, requirements, net)];
    probe::run(&mut probes, net, Tick::NEVER, |_| false);
    let [probe] = probes;
    probe.finish().unwrap_or(found)
}

/// Whether a node that was found at `used` gives only other addresses of itself.
fn is_elsewhere(used: SocketAddr, listed: &[SocketAddr]) -> bool {
    let is_used = |address: &SocketAddr| address::same(*address, used);
    !listed.is_empty() && !listed.iter().any(is_used)
}

fn report(failed: &[Failed]) -> Error {
    let reasons = || failed.iter().flat_map(|f| &f.reasons).map(|(_, reason)| reason);
    let text: Vec<String> = failed.iter().map(ToString::to_string).collect();
    let text = format!("no seed leads to the cluster: {}", text.join("; "));
    // A name that fits nowhere is the caller's mistake, not the network's.
    let kind = if reasons().all(|reason| matches!(reason, NodeError::OtherCluster { .. })) {
        Kind::Invalid
    } else if reasons().all(|reason| *reason == NodeError::Stopped) {
        Kind::Closed
    } else {
        Kind::Connection
    };
    Error::new(kind, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seed(text: &str) -> Host {
        spikewire_aerospike_protocol::host::parse_hosts(text, 3000).unwrap().remove(0)
    }

    fn failed(text: &str, reasons: &[(&str, NodeError)]) -> Failed {
        let reasons =
            reasons.iter().map(|(at, why)| (Some(at.parse().unwrap()), why.clone())).collect();
        Failed { seed: seed(text), reasons }
    }

    #[test]
    fn tls_seeds_are_refused() {
        let error = check(&[seed("a"), seed("b:tls.example:4333")]).unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid);
        assert!(error.message().contains("b:tls.example:4333"), "{error}");
        assert!(error.message().contains("TLS is not available"), "{error}");
        assert_eq!(check(&[]).unwrap_err().kind(), Kind::Invalid);
        assert!(check(&[seed("a")]).is_ok());
    }

    #[test]
    fn a_balancer_is_an_address_its_node_does_not_list() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        let listed = [at("10.0.0.1:3000"), at("10.0.1.1:3000")];
        assert!(is_elsewhere(at("10.9.9.9:3000"), &listed));
        assert!(!is_elsewhere(at("10.0.1.1:3000"), &listed));
        assert!(!is_elsewhere(at("10.9.9.9:3000"), &[]), "nothing to prefer");
    }

    #[test]
    fn every_seed_says_why() {
        let error = report(&[
            failed(
                "localhost:3000",
                &[("[::1]:3000", NodeError::Refused), ("127.0.0.1:3000", NodeError::Refused)],
            ),
            failed(
                "b",
                &[("10.0.0.1:3000", NodeError::Refused), ("10.0.0.2:3000", NodeError::HungUp)],
            ),
        ]);
        assert_eq!(error.kind(), Kind::Connection);
        assert_eq!(
            error.message(),
            "no seed leads to the cluster: seed localhost:3000: connection refused; seed b:3000: \
             10.0.0.1:3000 connection refused, 10.0.0.2:3000 the connection was closed before an \
             answer came"
        );
    }

    #[test]
    fn a_wrong_name_everywhere_is_the_callers_mistake() {
        let wrong = NodeError::OtherCluster { found: "x".into(), expected: "y".into() };
        let first = failed("a", &[("10.0.0.1:3000", wrong)]);
        let error = report(std::slice::from_ref(&first));
        assert_eq!(error.kind(), Kind::Invalid);
        assert!(error.message().contains("wrong cluster name 'x', expected 'y'"));
        let second = failed("b", &[("10.0.0.2:3000", NodeError::Refused)]);
        assert_eq!(report(&[first, second]).kind(), Kind::Connection);
    }
}
