//! From the addresses that nodes announce to those that are tried.

use spikewire_aerospike_protocol::peers::Address;
use spikewire_transport::resolve::{Lookup, Resolution, Unresolved};

use super::address::Place;
use super::net::Net;
use crate::security::name_of;

/// Most addresses of one node that are tried: servers have a handful.
pub(super) const MOST: usize = 16;

/// Starts resolving advertised addresses, no more than [`MOST`].
pub(super) fn lookup(advertised: &[Address], net: &Net) -> Lookup {
    let names = advertised.iter().take(MOST).map(|address| (address.host.as_str(), address.port));
    net.resolver.start(names, net.within)
}

/// The addresses behind advertised ones, each once and no more than [`MOST`]; those that do not
/// resolve go to `failed`. Their certificates are verified against `tls_name`, or else against the
/// hosts as advertised.
pub(super) fn places(
    advertised: &[Address],
    resolved: Vec<Resolution>,
    tls_name: Option<&str>,
    mut failed: impl FnMut(&Address, Unresolved),
) -> Vec<Place> {
    let mut once: Vec<Place> = Vec::new();
    for (advertised, resolved) in advertised.iter().zip(resolved) {
        let name = tls_name.or_else(|| name_of(&advertised.host));
        match resolved {
            Err(why) => failed(advertised, why),
            Ok(addresses) => {
                for address in addresses {
                    if once.len() < MOST && once.iter().all(|place| place.address != address) {
                        once.push(Place { address, name: name.map(str::to_owned) });
                    }
                }
            }
        }
    }
    once
}

/// Resolves advertised addresses; those that fail are left out.
pub(super) fn resolve_all(advertised: &[Address], tls_name: Option<&str>, net: &Net) -> Vec<Place> {
    let resolved = lookup(advertised, net).finish(&net.closed);
    places(advertised, resolved, tls_name, |_, _| {})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Options;

    fn at(host: &str, port: u16) -> Address {
        Address { host: host.to_owned(), port }
    }

    #[test]
    fn addresses_are_listed_once_each() {
        let net = Net::new(&Options::new(Vec::new())).unwrap();
        let twice = [at("127.0.0.1", 7), at("127.0.0.1", 7)];
        let places = resolve_all(&twice, None, &net);
        let address = "127.0.0.1:7".parse().unwrap();
        assert_eq!(places, [Place { address, name: None }]);
        let named = resolve_all(&twice, Some("db"), &net);
        assert_eq!(named, [Place { address, name: Some("db".into()) }]);
        let host = resolve_all(&[at("localhost", 7)], None, &net);
        assert_eq!(host[0].name.as_deref(), Some("localhost"));
    }

    /// A node may announce as many addresses as it likes; each costs a socket.
    #[test]
    fn few_addresses_of_a_node_are_tried() {
        let net = Net::new(&Options::new(Vec::new())).unwrap();
        let many: Vec<Address> = (0..15_000).map(|port| at("10.0.0.1", port)).collect();
        assert_eq!(resolve_all(&many, None, &net).len(), MOST);
        let behind_one = vec![Ok((0..500).map(|port| ([10, 0, 0, 1], port).into()).collect())];
        assert_eq!(places(&many[..1], behind_one, None, |_, _| {}).len(), MOST);
    }

    #[test]
    fn a_name_that_does_not_resolve_is_reported() {
        let mut failures = Vec::new();
        let unknown = Unresolved::Unknown("no such host".to_owned());
        let places = places(&[at("a", 7)], vec![Err(unknown.clone())], None, |address, why| {
            failures.push((address.clone(), why));
        });
        assert!(places.is_empty());
        assert_eq!(failures, [(at("a", 7), unknown)]);
    }
}
