//! Addresses of hosts: the IP map, alternate addresses.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};

use spikewire_aerospike_protocol::host;
use spikewire_aerospike_protocol::peers::Address;

use crate::model::{Error, Result};

/// Which of a node's addresses to request.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scheme {
    /// Addresses for TLS.
    pub tls: bool,
    /// Alternate addresses, for clients outside the cluster's network.
    pub alternate: bool,
}

/// How to request and interpret advertised addresses.
#[derive(Debug, Default)]
pub(super) struct Addressing {
    scheme: Scheme,
    map: HashMap<String, Address>,
}

impl Addressing {
    /// Parses the IP map: keys are `host` or `host:port`, and so are values. A value without a port
    /// keeps the advertised one (0 here).
    pub fn new(scheme: Scheme, map: &HashMap<String, String>) -> Result<Self> {
        let map = map
            .iter()
            .map(|(from, to)| {
                let to = address(to)
                    .map_err(|why| Error::invalid(format!("ip_map entry {from:?}: {why}")))?;
                Ok((from.clone(), to))
            })
            .collect::<Result<_>>()?;
        Ok(Self { scheme, map })
    }

    /// The info command for a node's peers.
    pub fn peers_command(&self) -> &'static str {
        match self.scheme {
            Scheme { tls: false, alternate: false } => "peers-clear-std",
            Scheme { tls: false, alternate: true } => "peers-clear-alt",
            Scheme { tls: true, alternate: false } => "peers-tls-std",
            Scheme { tls: true, alternate: true } => "peers-tls-alt",
        }
    }

    /// The info command for a node's own addresses.
    pub fn services_command(&self) -> &'static str {
        match self.scheme {
            Scheme { tls: false, alternate: false } => "service-clear-std",
            Scheme { tls: false, alternate: true } => "service-clear-alt",
            Scheme { tls: true, alternate: false } => "service-tls-std",
            Scheme { tls: true, alternate: true } => "service-tls-alt",
        }
    }

    /// Maps an advertised address to the address to connect to.
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

/// An address of a host, and the name to verify its certificate against.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub address: SocketAddr,
    /// The name to verify the certificate against; `None`: the address.
    pub name: Option<String>,
}

/// Whether two addresses are the same; IPv4-mapped IPv6 addresses equal their IPv4 address.
pub(super) fn same(one: SocketAddr, other: SocketAddr) -> bool {
    one.port() == other.port() && one.ip().to_canonical() == other.ip().to_canonical()
}

/// Whether an address belongs to this machine.
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
        Addressing::new(Scheme::default(), &map)
    }

    #[test]
    fn the_ip_map_rewrites_hosts_and_ports_if_configured() {
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
    fn each_kind_of_addresses_has_commands_of_its_own() {
        for (tls, alternate, kind) in [
            (false, false, "clear-std"),
            (false, true, "clear-alt"),
            (true, false, "tls-std"),
            (true, true, "tls-alt"),
        ] {
            let it = Addressing::new(Scheme { tls, alternate }, &HashMap::new()).unwrap();
            assert_eq!(it.peers_command(), format!("peers-{kind}"));
            assert_eq!(it.services_command(), format!("service-{kind}"));
        }
    }

    #[test]
    fn mapped_addresses_are_the_same_place() {
        let at = |text: &str| text.parse::<SocketAddr>().unwrap();
        assert!(same(at("10.0.0.1:3000"), at("[::ffff:10.0.0.1]:3000")));
        assert!(!same(at("10.0.0.1:3000"), at("10.0.0.1:3001")));
        assert!(is_local(at("[::ffff:127.0.0.2]:1")) && !is_local(at("10.0.0.1:1")));
    }
}
