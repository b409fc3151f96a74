//! Finds the cluster through the seed hosts, or explains the failure of each.

use std::net::SocketAddr;

use spikewire_aerospike_protocol::host::Host;

use super::address::{self, Place};
use super::names;
use super::net::Net;
use super::node_error::NodeError;
use super::node_info::Requirements;
use super::probe::{self, Probe, ProbedHost};
use crate::clock::Tick;
use crate::model::{Error, Kind};
use crate::security::name_of;

/// Why one seed could not be used: one entry per attempted address.
#[derive(Debug)]
struct SeedFailure {
    seed: Host,
    reasons: Vec<(Option<SocketAddr>, NodeError)>,
}

impl std::fmt::Display for SeedFailure {
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

/// Rejects unusable seeds before any attempt.
pub(super) fn check(seeds: &[Host], tls: bool) -> Result<(), Error> {
    if seeds.is_empty() {
        return Err(Error::invalid("no seed host given"));
    }
    match seeds.iter().find(|seed| seed.tls_name.is_some() && !tls) {
        None => Ok(()),
        Some(seed) => Err(Error::invalid(format!(
            "seed {seed} has a TLS name, but connections are not encrypted: that takes the option \
             tls; nothing was sent in plain text"
        ))),
    }
}

/// Finds a node to start from. All addresses of all seeds are tried concurrently, within one
/// connect timeout. A seed without peers is used only if there is no better one.
pub(super) fn find(
    seeds: &[Host],
    requirements: &Requirements,
    net: &Net,
) -> Result<ProbedHost, Error> {
    let names = seeds.iter().map(|seed| (seed.name.as_str(), seed.port));
    let resolved = net.resolver.start(names, net.within).finish(&net.closed);
    let mut failed = Vec::new();
    let (mut probed, mut probes) = (Vec::new(), Vec::new());
    for (seed, resolved) in seeds.iter().zip(resolved) {
        match resolved {
            Ok(addresses) => {
                let name = seed.tls_name.as_deref().or_else(|| name_of(&seed.name));
                let name = name.map(str::to_owned);
                let place = |address| Place { address, name: name.clone() };
                let places = addresses.into_iter().map(place).collect();
                probed.push(seed);
                probes.push(Probe::start(places, requirements.clone(), net));
            }
            Err(reason) => {
                failed
                    .push(SeedFailure { seed: seed.clone(), reasons: vec![(None, reason.into())] });
            }
        }
    }
    let has_peers = |probe: &Probe| probe.host().is_some_and(|f| f.info.has_peers);
    probe::run(&mut probes, net, Tick::NEVER, |probes| probes.iter().any(has_peers));

    let best = probes
        .iter()
        .position(has_peers)
        .or_else(|| probes.iter().position(|probe| probe.host().is_some()));
    if let Some(best) = best
        && let tls_name = probed[best].tls_name.as_deref()
        && let Ok(host) = probes.swap_remove(best).finish()
    {
        return Ok(if net.seed_only { host } else { behind_balancer(host, tls_name, net) });
    }
    for (seed, probe) in probed.into_iter().zip(probes) {
        let reasons = probe.finish().err().unwrap_or_default();
        let reasons = reasons.into_iter().map(|(at, why)| (Some(at), why)).collect();
        failed.push(SeedFailure { seed: seed.clone(), reasons });
    }
    failed.sort_by_key(|failed| seeds.iter().position(|seed| *seed == failed.seed));
    Err(report(&failed))
}

/// A seed that is not among its node's own addresses may be a load balancer: the node itself is
/// preferred if it is reachable. (On this machine this is normal: nodes do not list the loopback
/// address.)
fn behind_balancer(host: ProbedHost, tls_name: Option<&str>, net: &Net) -> ProbedHost {
    let used = host.place.address;
    if address::is_local(used) {
        return host;
    }
    let services: Vec<_> = host.info.services.iter().map(|a| net.addressing.reach(a)).collect();
    let listed = names::resolve_all(&services, tls_name, net);
    if !is_elsewhere(used, listed.iter().map(|place| place.address)) {
        return host;
    }
    let requirements = Requirements { node: Some(host.info.node.clone()), cluster_name: None };
    let mut probes = [Probe::start(listed, requirements, net)];
    probe::run(&mut probes, net, Tick::NEVER, |_| false);
    let [probe] = probes;
    probe.finish().unwrap_or(host)
}

/// Whether a node found at `used` lists only other addresses as its own.
fn is_elsewhere(used: SocketAddr, listed: impl IntoIterator<Item = SocketAddr>) -> bool {
    let mut listed = listed.into_iter().peekable();
    listed.peek().is_some() && !listed.any(|address| address::same(address, used))
}

fn report(failed: &[SeedFailure]) -> Error {
    let reasons = || failed.iter().flat_map(|f| &f.reasons).map(|(_, reason)| reason);
    let rejection = reasons().find_map(|reason| match reason {
        NodeError::LoginRejected(rejection) => Some(rejection.code),
        _ => None,
    });
    let kind = if let Some(code) = rejection {
        Kind::Server(code)
    } else if reasons().all(|reason| *reason == NodeError::Stopped) {
        Kind::Closed
    } else {
        Kind::Connection
    };
    let why = if reasons().all(|reason| *reason == NodeError::PortClosed) {
        let seeds: Vec<String> = failed.iter().map(|failed| failed.seed.to_string()).collect();
        let seeds = seeds.join(" and ");
        format!("{seeds} refused the connection; is a server running there?")
    } else {
        let each: Vec<String> = failed.iter().map(ToString::to_string).collect();
        each.join("; ")
    };
    Error::new(kind, format!("cannot connect to the cluster: {why}"))
}

#[cfg(test)]
mod tests {
    use spikewire_aerospike_protocol::result_code::ResultCode;

    use super::*;
    use crate::security::LoginRejection;

    fn seed(text: &str) -> Host {
        spikewire_aerospike_protocol::host::parse_hosts(text, 3000).unwrap().remove(0)
    }

    fn failed(text: &str, reasons: &[(&str, NodeError)]) -> SeedFailure {
        let reasons =
            reasons.iter().map(|(at, why)| (Some(at.parse().unwrap()), why.clone())).collect();
        SeedFailure { seed: seed(text), reasons }
    }

    #[test]
    fn tls_names_need_tls() {
        let seeds = [seed("a"), seed("b:tls.example:4333")];
        let error = check(&seeds, false).unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid);
        assert!(error.message().contains("b:tls.example:4333"), "{error}");
        assert!(error.message().contains("takes the option tls"), "{error}");
        assert!(check(&seeds, true).is_ok());
        assert_eq!(check(&[], true).unwrap_err().kind(), Kind::Invalid);
        assert!(check(&[seed("a")], false).is_ok());
    }

    #[test]
    fn a_balancer_is_an_address_its_node_does_not_list() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        let listed = [at("10.0.0.1:3000"), at("10.0.1.1:3000")];
        assert!(is_elsewhere(at("10.9.9.9:3000"), listed));
        assert!(!is_elsewhere(at("10.0.1.1:3000"), listed));
        assert!(!is_elsewhere(at("10.9.9.9:3000"), []), "nothing to prefer");
    }

    #[test]
    fn every_seed_has_its_reason() {
        let error = report(&[
            failed(
                "localhost:3000",
                &[("[::1]:3000", NodeError::PortClosed), ("127.0.0.1:3000", NodeError::PortClosed)],
            ),
            failed(
                "b",
                &[("10.0.0.1:3000", NodeError::PortClosed), ("10.0.0.2:3000", NodeError::HungUp)],
            ),
        ]);
        assert_eq!(error.kind(), Kind::Connection);
        assert_eq!(
            error.message(),
            "cannot connect to the cluster: seed localhost:3000: connection refused; seed b:3000: \
             10.0.0.1:3000 connection refused, 10.0.0.2:3000 the connection was closed before an \
             answer came"
        );
    }

    #[test]
    fn a_rejected_login_is_what_counts() {
        let code = ResultCode::INVALID_PASSWORD;
        let rejection =
            NodeError::LoginRejected(LoginRejection { code, why: "wrong password".into() });
        let error = report(&[
            failed("a", &[("10.0.0.1:3000", rejection)]),
            failed("b", &[("10.0.0.2:3000", NodeError::PortClosed)]),
        ]);
        assert_eq!(error.kind(), Kind::Server(code));
        assert!(error.message().contains("seed a:3000: wrong password; seed b:3000"), "{error}");
    }

    #[test]
    fn closed_ports_everywhere_are_reported_in_one_sentence() {
        let closed = |text| failed(text, &[("10.0.0.1:3000", NodeError::PortClosed)]);
        let one = report(&[closed("a")]);
        assert_eq!(one.kind(), Kind::Connection);
        let expected = "cannot connect to the cluster: a:3000 refused the connection; is a server \
                        running there?";
        assert_eq!(one.message(), expected);
        let two = report(&[closed("a"), closed("b:3001")]);
        assert!(two.message().contains(": a:3000 and b:3001 refused the connection; is"), "{two}");
    }

    /// Programs that retry until their cluster is there catch one class of errors.
    #[test]
    fn a_wrong_name_is_a_failure_to_connect() {
        let wrong = NodeError::OtherCluster { actual: "x".into(), expected: "y".into() };
        let first = failed("a", &[("10.0.0.1:3000", wrong)]);
        let error = report(std::slice::from_ref(&first));
        assert_eq!(error.kind(), Kind::Connection);
        assert!(error.message().contains("wrong cluster name 'x', expected 'y'"), "{error}");
        let second = failed("b", &[("10.0.0.2:3000", NodeError::PortClosed)]);
        assert_eq!(report(&[first, second]).kind(), Kind::Connection);
    }
}
