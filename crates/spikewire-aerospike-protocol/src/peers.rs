//! Address lists of a node: its peers and its own service addresses.
//!
//! ```text
//! peers   := generation "," default-port "," "[" [ peer { "," peer } ] "]"
//! peer    := "[" node-id "," tls-name "," "[" [ host { "," host } ] "]" "]"
//! host    := addr [":" port] | "[" ipv6 "]" [":" port]
//! ```

use crate::Malformed;

/// An advertised address.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    /// Host name or IP address, IPv6 without brackets.
    pub host: String,
    /// TCP port.
    pub port: u16,
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// Another node of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peer {
    /// Node id, upper-case hex.
    pub name: String,
    /// TLS name, empty if it has none.
    pub tls_name: String,
    /// Where it can be reached.
    pub addresses: Vec<Address>,
}

/// The peers of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Peers {
    /// Increases when the list changes; a decrease means that the node restarted.
    pub generation: u64,
    /// All nodes except the one that replies.
    pub peers: Vec<Peer>,
}

impl Peers {
    /// Parses the value of `peers-clear-std` and its variants.
    pub fn parse(value: &str) -> Result<Self, Malformed> {
        let fail = |why| Malformed::new("peers list", why);
        let mut parts = value.splitn(3, ',');
        let generation =
            parts.next().and_then(|text| text.parse().ok()).ok_or(fail("no generation"))?;
        let port = parts.next().ok_or(fail("no default port"))?;
        let port = if port.is_empty() {
            3000
        } else {
            port.parse().map_err(|_| fail("bad default port"))?
        };
        let mut cursor = Cursor(parts.next().ok_or(fail("no list"))?);
        cursor.expect('[', "list does not open")?;
        let mut peers = Vec::new();
        while !cursor.eat(']') {
            if !peers.is_empty() {
                cursor.expect(',', "peers are not separated by commas")?;
            }
            peers.push(cursor.peer(port)?);
        }
        if !cursor.0.is_empty() {
            return Err(fail("text after its end"));
        }
        Ok(Self { generation, peers })
    }

    /// Formats the value as a server does: default port 3000, equal ports omitted.
    pub fn format(&self) -> String {
        let peers: Vec<String> = self
            .peers
            .iter()
            .map(|peer| {
                let hosts: Vec<String> = peer
                    .addresses
                    .iter()
                    .map(|address| {
                        let text = address.to_string();
                        text.strip_suffix(":3000").map_or(text.clone(), str::to_owned)
                    })
                    .collect();
                format!("[{},{},[{}]]", peer.name, peer.tls_name, hosts.join(","))
            })
            .collect();
        format!("{},3000,[{}]", self.generation, peers.join(","))
    }
}

/// Parses a service list: `addr:port,addr:port`.
pub fn services(value: &str) -> Result<Vec<Address>, Malformed> {
    let mut cursor = Cursor(value);
    let mut addresses = Vec::new();
    while !cursor.0.is_empty() {
        if !addresses.is_empty() {
            cursor.expect(',', "addresses are not separated by commas")?;
        }
        addresses.push(cursor.address(3000)?);
    }
    Ok(addresses)
}

struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    fn eat(&mut self, sign: char) -> bool {
        self.0.strip_prefix(sign).map(|rest| self.0 = rest).is_some()
    }

    fn expect(&mut self, sign: char, why: &'static str) -> Result<(), Malformed> {
        if self.eat(sign) { Ok(()) } else { Err(Malformed::new("peers list", why)) }
    }

    fn until(&mut self, stops: &[char]) -> &'a str {
        let at = self.0.find(stops).unwrap_or(self.0.len());
        let (head, rest) = self.0.split_at(at);
        self.0 = rest;
        head
    }

    fn peer(&mut self, port: u16) -> Result<Peer, Malformed> {
        self.expect('[', "peer does not open")?;
        let name = self.until(&[',', ']']).to_owned();
        self.expect(',', "peer has no TLS name")?;
        let tls_name = self.until(&[',', ']']).to_owned();
        self.expect(',', "peer has no addresses")?;
        self.expect('[', "addresses do not open")?;
        let mut addresses = Vec::new();
        while !self.eat(']') {
            if !addresses.is_empty() {
                self.expect(',', "addresses are not separated by commas")?;
            }
            addresses.push(self.address(port)?);
        }
        self.expect(']', "peer does not close")?;
        Ok(Peer { name, tls_name, addresses })
    }

    fn address(&mut self, port: u16) -> Result<Address, Malformed> {
        let host = if self.eat('[') {
            let host = self.until(&[']']);
            self.expect(']', "IPv6 address does not close")?;
            if !host.contains(':') || host.contains(['[', ',']) {
                return Err(Malformed::new("peers list", "no IPv6 address in its brackets"));
            }
            host
        } else {
            self.until(&[':', ',', ']'])
        };
        if host.is_empty() {
            return Err(Malformed::new("peers list", "empty address"));
        }
        let port = if self.eat(':') {
            let digits = self.until(&[',', ']']);
            digits.parse().map_err(|_| Malformed::new("peers list", "bad port"))?
        } else {
            port
        };
        Ok(Address { host: host.to_owned(), port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers_of_a_server_reply_are_parsed() {
        let text =
            "4,3000,[[BB930000000002A,,[127.0.0.1:3200]],[BB930000000003A,,[127.0.0.1:3300]]]";
        let peers = Peers::parse(text).unwrap();
        assert_eq!(peers.generation, 4);
        assert_eq!(peers.peers[1].addresses[0].to_string(), "127.0.0.1:3300");
        assert_eq!(peers.format(), text);
    }

    #[test]
    fn default_ports_tls_names_and_ipv6_are_parsed() {
        let peers = Peers::parse("7,4333,[[A1,tls.example,[10.0.0.1,[fe80::1]:99]]]").unwrap();
        let peer = &peers.peers[0];
        assert_eq!(peer.tls_name, "tls.example");
        let texts: Vec<_> = peer.addresses.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["10.0.0.1:4333", "[fe80::1]:99"]);
        assert_eq!(Peers::parse("0,3000,[]").unwrap().peers, []);
        assert_eq!(services("192.168.5.5:3000,[::1]:3001").unwrap().len(), 2);
        assert_eq!(services("").unwrap(), []);
    }

    #[test]
    fn broken_lists_are_rejected() {
        for text in [
            "",
            "1",
            "1,3000",
            "1,3000,",
            "1,3000,[",
            "1,3000,[[A,,[x:1]]",
            "1,3000,[[A,,x]]",
            "1,3000,[[A,,[x:port]]]",
            "1,3000,[[A,,[]][B,,[]]]",
            "x,3000,[]",
            "1,3000,[]]",
            "1,3000,[[A,,[[10.0.0.1]:3000]]]",
            "1,3000,[[A,,[[::1,[::2]]]]",
        ] {
            assert!(Peers::parse(text).is_err(), "{text:?}");
        }
    }
}
