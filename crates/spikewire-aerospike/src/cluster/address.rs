//! From what hosts are called to where they are: the IP map, alternate addresses, name resolution.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use spikewire_aerospike_protocol::host;
use spikewire_aerospike_protocol::peers::Address;

use spikewire_transport::resolve::Resolving;

use crate::error::{Error, Result};

/// How the addresses that nodes advertise are asked for and read.
#[derive(Debug, Default)]
pub(super) struct Addressing {
    alternate: bool,
    map: HashMap<String, Address>,
}

impl Addressing {
    /// Reads the IP map: keys are `host` or `host:port`, values likewise. A value without a port
    /// keeps the advertised one (0 here).
    pub fn new(alternate: bool, map: &HashMap<String, String>) -> Result<Self> {
        let map = map
            .iter()
            .map(|(from, to)| {
                let to = address(to)
                    .map_err(|why| Error::invalid(format!("ip_map entry {from:?}: {why}")))?;
                Ok((from.clone(), to))
            })
            .collect::<Result<_>>()?;
        Ok(Self { alternate, map })
    }

    /// The info command for a node's peers.
    pub fn peers_command(&self) -> &'static str {
        if self.alternate { "peers-clear-alt" } else { "peers-clear-std" }
    }

    /// The info command for a node's own addresses.
    pub fn services_command(&self) -> &'static str {
        if self.alternate { "service-clear-alt" } else { "service-clear-std" }
    }

    /// Where an advertised address is reached from here.
    pub fn reach(&self, advertised: &Address) -> Address {
        let entry =
            self.map.get(&advertised.to_string()).or_else(|| self.map.get(&advertised.host));
        match entry {
            Some(to) if to.port == 0 => Address { host: to.host.clone(), port: advertised.port },
            Some(to) => to.clone(),
            None => advertised.clone(),
        }
    }
}

fn address(text: &str) -> std::result::Result<Address, String> {
    if text.parse::<IpAddr>().is_ok() {
        return Ok(Address { host: text.to_owned(), port: 0 });
    }
    let hosts = host::parse_hosts(text, 0).map_err(|error| error.to_string())?;
    match <[host::Host; 1]>::try_from(hosts) {
        Ok([host]) if host.tls_name.is_none() => Ok(Address { host: host.name, port: host.port }),
        _ => Err(format!("{text:?} is not one host or host:port")),
    }
}

/// Resolves many advertised addresses at once; those that fail are left out.
pub(super) fn resolve_all(
    addresses: &[Address],
    within: Duration,
    closed: &AtomicBool,
) -> Vec<SocketAddr> {
    let asked: Vec<_> = addresses.iter().map(|a| Resolving::start(&a.host, a.port)).collect();
    let mut once = Vec::new();
    for found in asked.into_iter().filter_map(|asked| asked.finish(within, closed).ok()).flatten() {
        if !once.contains(&found) {
            once.push(found);
        }
    }
    once
}

/// Whether two addresses are the same place: an IPv4 address in IPv6 clothes is that IPv4 address.
pub(super) fn same(one: SocketAddr, other: SocketAddr) -> bool {
    one.port() == other.port() && one.ip().to_canonical() == other.ip().to_canonical()
}

/// Whether an address is this machine itself.
pub(super) fn is_local(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(host: &str, port: u16) -> Address {
        Address { host: host.to_owned(), port }
    }

    fn addressing(entries: &[(&str, &str)]) -> Result<Addressing> {
        let map = entries.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        Addressing::new(false, &map)
    }

    #[test]
    fn the_ip_map_rewrites_hosts_and_if_asked_ports() {
        let map = addressing(&[
            ("10.0.0.1", "127.0.0.1"),
            ("10.0.0.2", "::1"),
            ("10.0.0.3:3000", "proxy.example:3103"),
            ("fe80::1", "[::1]:3104"),
        ])
        .unwrap();
        assert_eq!(map.reach(&at("10.0.0.1", 3000)), at("127.0.0.1", 3000));
        assert_eq!(map.reach(&at("10.0.0.2", 3001)), at("::1", 3001));
        assert_eq!(map.reach(&at("10.0.0.3", 3000)), at("proxy.example", 3103));
        assert_eq!(map.reach(&at("10.0.0.3", 3001)), at("10.0.0.3", 3001));
        assert_eq!(map.reach(&at("fe80::1", 3000)), at("::1", 3104));
    }

    #[test]
    fn a_bad_ip_map_names_its_entry() {
        for bad in ["", "a,b", "http://a", "a:tls:3000"] {
            let error = addressing(&[("10.0.0.1", bad)]).unwrap_err();
            assert!(error.message().contains("10.0.0.1"), "{error}");
        }
    }

    #[test]
    fn alternate_addresses_have_commands_of_their_own() {
        let alternate = Addressing::new(true, &HashMap::new()).unwrap();
        assert_eq!(alternate.peers_command(), "peers-clear-alt");
        assert_eq!(alternate.services_command(), "service-clear-alt");
    }

    #[test]
    fn addresses_are_found_once_each() {
        let (within, open) = (Duration::from_secs(5), AtomicBool::new(false));
        let found = resolve_all(&[at("127.0.0.1", 7), at("127.0.0.1", 7)], within, &open);
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn mapped_addresses_are_the_same_place() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        assert!(same(at("10.0.0.1:3000"), at("[::ffff:10.0.0.1]:3000")));
        assert!(!same(at("10.0.0.1:3000"), at("10.0.0.1:3001")));
        assert!(is_local(at("[::ffff:127.0.0.2]:1")) && !is_local(at("10.0.0.1:1")));
    }
}
