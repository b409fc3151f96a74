//! Addresses and networks from which the users of a role may connect.

use std::net::IpAddr;

/// An address, or a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    /// Prefix length in bits.
    bits: u32,
}

impl Network {
    /// Parses `10.0.0.0/8` or `::1`.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok()?;
        let all = if address.is_ipv4() { 32 } else { 128 };
        let bits = bits.map_or(Some(all), |bits| bits.parse().ok().filter(|bits| *bits <= all))?;
        Some(Self { address, bits })
    }

    /// Whether it contains an address.
    pub fn has(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(own), IpAddr::V4(other)) => {
                let differing = own.to_bits() ^ other.to_bits();
                differing.checked_shr(32 - self.bits).unwrap_or(0) == 0
            }
            (IpAddr::V6(own), IpAddr::V6(other)) => {
                let differing = own.to_bits() ^ other.to_bits();
                differing.checked_shr(128 - self.bits).unwrap_or(0) == 0
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_have_addresses() {
        let has = |network: &str, address: &str| {
            Network::parse(network).unwrap().has(address.parse().unwrap())
        };
        assert!(has("10.1.2.3", "10.1.2.3") && !has("10.1.2.3", "10.1.2.4"));
        assert!(has("10.0.0.0/8", "10.255.0.1") && !has("10.0.0.0/8", "11.0.0.1"));
        assert!(has("127.0.0.1", "::ffff:127.0.0.1"), "the same in the other notation");
        assert!(has("0.0.0.0/0", "1.2.3.4") && !has("0.0.0.0/0", "::1"));
        assert!(has("fe80::/10", "fe80::1") && !has("fe80::/10", "::1") && has("::/0", "::1"));
        for odd in ["", "bad_IP", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/x", "::1/129", "10.0.0"] {
            assert_eq!(Network::parse(odd), None, "{odd}");
        }
    }
}
