//! Parses seed hosts: `host[:tlsname][:port],...`.
//!
//! IPv6 addresses are written in brackets. A single part after the host is a port if it starts with
//! a digit or a sign, or is empty, and a TLS name otherwise; a TLS name that starts with a digit
//! must be followed by a port.

use std::fmt;
use std::net::Ipv6Addr;

/// Default port of the server.
pub const DEFAULT_PORT: u16 = 3000;

/// One seed host.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Host {
    /// Host name or IP address, IPv6 without brackets.
    pub name: String,
    /// The name that its certificate must have.
    pub tls_name: Option<String>,
    /// TCP port.
    pub port: u16,
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.contains(':') {
            write!(f, "[{}]", self.name)?;
        } else {
            f.write_str(&self.name)?;
        }
        if let Some(tls_name) = &self.tls_name {
            write!(f, ":{tls_name}")?;
        }
        write!(f, ":{}", self.port)
    }
}

/// Why a list of seed hosts is invalid. `seed` is the offending entry as written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// The whole list is empty.
    #[error("no seed host given: expected host[:tlsname][:port],... but got {text:?}")]
    NoSeeds {
        /// The list as written.
        text: String,
    },
    /// An entry between two commas is empty.
    #[error("empty seed host in {text:?}: two commas in a row, or one at the start or end")]
    EmptySeed {
        /// The list as written.
        text: String,
    },
    /// No name before the first colon, or nothing between the brackets.
    #[error("seed {seed:?} has no host name")]
    NoName {
        /// The entry.
        seed: String,
    },
    /// Two colons in a row after a name.
    #[error("seed {seed:?} has an empty TLS name")]
    EmptyTlsName {
        /// The entry.
        seed: String,
    },
    /// The port is not a number from 1 to 65535.
    #[error("seed {seed:?}: port {port:?} is not a number from 1 to 65535")]
    BadPort {
        /// The entry.
        seed: String,
        /// The port as written.
        port: String,
    },
    /// `[` without `]`.
    #[error("seed {seed:?}: the bracket of the IPv6 address is not closed")]
    UnclosedBracket {
        /// The entry.
        seed: String,
    },
    /// The text in brackets is not an IPv6 address.
    #[error("seed {seed:?}: {address:?} in brackets is not an IPv6 address")]
    NotIpv6 {
        /// The entry.
        seed: String,
        /// The text in brackets.
        address: String,
    },
    /// An IPv6 address without brackets.
    #[error(
        "seed {seed:?} looks like an IPv6 address: write it in brackets, such as [::1] or \
         [::1]:{DEFAULT_PORT}"
    )]
    BareIpv6 {
        /// The entry.
        seed: String,
    },
    /// More parts than host, TLS name and port.
    #[error("seed {seed:?}: {rest:?} follows where host[:tlsname][:port] has ended")]
    Trailing {
        /// The entry.
        seed: String,
        /// The surplus.
        rest: String,
    },
    /// A character that is not allowed in host and TLS names.
    #[error("seed {seed:?}: {sign:?} does not belong in {part:?}")]
    BadCharacter {
        /// The entry.
        seed: String,
        /// The host or TLS name.
        part: String,
        /// The character.
        sign: char,
    },
}

/// Parses a comma-separated list of seed hosts; those without a port get `default_port`. Spaces
/// around entries and their parts are ignored.
pub fn parse_hosts(text: &str, default_port: u16) -> Result<Vec<Host>, HostError> {
    if text.trim().is_empty() {
        return Err(HostError::NoSeeds { text: text.to_owned() });
    }
    text.split(',')
        .map(|entry| match entry.trim() {
            "" => Err(HostError::EmptySeed { text: text.to_owned() }),
            seed => parse_host(seed, default_port),
        })
        .collect()
}

fn parse_host(seed: &str, default_port: u16) -> Result<Host, HostError> {
    let owned = || seed.to_owned();
    let (name, rest) = if let Some(inside) = seed.strip_prefix('[') {
        let (name, rest) =
            inside.split_once(']').ok_or_else(|| HostError::UnclosedBracket { seed: owned() })?;
        let name = name.trim();
        if name.is_empty() {
            return Err(HostError::NoName { seed: owned() });
        }
        if !is_ipv6(name) {
            return Err(HostError::NotIpv6 { seed: owned(), address: name.to_owned() });
        }
        let rest = rest.trim_start();
        if !rest.is_empty() && !rest.starts_with(':') {
            return Err(HostError::Trailing { seed: owned(), rest: rest.to_owned() });
        }
        (name, rest)
    } else {
        if is_bare_ipv6(seed) {
            return Err(HostError::BareIpv6 { seed: owned() });
        }
        let (name, rest) = seed.split_at(seed.find(':').unwrap_or(seed.len()));
        let name = name.trim();
        if name.is_empty() {
            return Err(HostError::NoName { seed: owned() });
        }
        (plain(name, seed)?, rest)
    };

    let parts: Vec<&str> = rest.split(':').skip(1).map(str::trim).collect();
    let (tls_name, port) = match *parts {
        [] => (None, None),
        [port] if port.is_empty() || port.starts_with(|c| "+-0123456789".contains(c)) => {
            (None, Some(port))
        }
        [tls_name] => (Some(tls_name), None),
        [tls_name, port] => (Some(tls_name), Some(port)),
        [_, _, ref more @ ..] => {
            return Err(HostError::Trailing { seed: owned(), rest: more.join(":") });
        }
    };
    let tls_name = match tls_name {
        Some("") => return Err(HostError::EmptyTlsName { seed: owned() }),
        Some(tls_name) => Some(plain(tls_name, seed)?.to_owned()),
        None => None,
    };
    let port = match port {
        None => default_port,
        // Digits only: the standard parser accepts a plus sign.
        Some(port) => match port.parse() {
            Ok(number @ 1..) if port.bytes().all(|byte| byte.is_ascii_digit()) => number,
            _ => return Err(HostError::BadPort { seed: owned(), port: port.to_owned() }),
        },
    };
    Ok(Host { name: name.to_owned(), tls_name, port })
}

/// Rejects characters that cannot be in a host or TLS name; most often the cause is a URL or a
/// missing comma.
fn plain<'a>(part: &'a str, seed: &str) -> Result<&'a str, HostError> {
    match part.find(|c: char| c.is_whitespace() || c.is_control() || "[]/\\@\"'".contains(c)) {
        None => Ok(part),
        Some(at) => Err(HostError::BadCharacter {
            seed: seed.to_owned(),
            part: part.to_owned(),
            sign: part[at..].chars().next().unwrap_or_default(),
        }),
    }
}

/// An IPv6 address, with or without a zone (`fe80::1%eth0`).
fn is_ipv6(text: &str) -> bool {
    let (address, zone) = text.split_once('%').unwrap_or((text, "0"));
    let zone_is_plain =
        zone.bytes().all(|byte| byte.is_ascii_graphic() && !b":[]%".contains(&byte));
    address.parse::<Ipv6Addr>().is_ok() && !zone.is_empty() && zone_is_plain
}

/// Whether it looks like an IPv6 address without brackets, possibly followed by a port or with a
/// typo in it.
fn is_bare_ipv6(seed: &str) -> bool {
    let address = seed.split('%').next().unwrap_or(seed);
    let groups = || address.split(':').map(str::trim);
    is_ipv6(seed)
        || ((address.contains("::") || groups().count() > 3)
            && groups().all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(name: &str, tls_name: Option<&str>, port: u16) -> Host {
        Host { name: name.into(), tls_name: tls_name.map(str::to_owned), port }
    }

    #[test]
    fn every_form_of_a_seed_parses() {
        let cases = [
            ("a", host("a", None, 3000)),
            ("a.example:3100", host("a.example", None, 3100)),
            ("a:tls.example", host("a", Some("tls.example"), 3000)),
            ("a:tls.example:4333", host("a", Some("tls.example"), 4333)),
            ("a:3com.example:4333", host("a", Some("3com.example"), 4333)),
            ("10.0.0.1:1", host("10.0.0.1", None, 1)),
            ("[::1]", host("::1", None, 3000)),
            ("[2001:db8::7]:65535", host("2001:db8::7", None, 65535)),
            ("[fe80::1%eth0]:tls:3001", host("fe80::1%eth0", Some("tls"), 3001)),
            (" a : tls : 3001 ", host("a", Some("tls"), 3001)),
            ("[ ::1 ] : 3001", host("::1", None, 3001)),
        ];
        for (text, expected) in cases {
            let hosts = parse_hosts(text, 3000).unwrap();
            assert_eq!(hosts, [expected], "{text:?}");
            assert_eq!(parse_hosts(&hosts[0].to_string(), 1).unwrap(), hosts, "{text:?}");
        }
    }

    #[test]
    fn a_seed_list_keeps_its_order() {
        let hosts = parse_hosts("a:3001, [::1]:tls:3002 ,b", 3999).unwrap();
        let texts: Vec<_> = hosts.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["a:3001", "[::1]:tls:3002", "b:3999"]);
    }

    #[test]
    fn an_error_names_the_invalid_seed() {
        let port = |text: &str| format!("port {text:?} is not a number from 1 to 65535");
        let cases: [(&str, &str); 27] = [
            ("", "no seed host given"),
            ("  ", "no seed host given"),
            (",", "empty seed host in \",\""),
            ("a,,b", "empty seed host in \"a,,b\""),
            ("a,", "empty seed host in \"a,\""),
            (":3000", "seed \":3000\" has no host name"),
            ("[]:3000", "seed \"[]:3000\" has no host name"),
            ("host::3000", "empty TLS name"),
            ("[::1]::3000", "empty TLS name"),
            ("b,a:0", &port("0")),
            ("a:65536", &port("65536")),
            ("a:99999999999999999999", &port("99999999999999999999")),
            ("a:-1", &port("-1")),
            ("a:+3000", &port("+3000")),
            ("a:30x0", &port("30x0")),
            ("a:", &port("")),
            ("a:tls:port", &port("port")),
            ("[::1:3000", "seed \"[::1:3000\": the bracket of the IPv6 address is not closed"),
            ("[host]:3000", "\"host\" in brackets is not an IPv6 address"),
            ("[::1]3000", "\"3000\" follows where"),
            ("a:tls:3000:4", "\"4\" follows where"),
            ("::1", "seed \"::1\" looks like an IPv6 address: write it in brackets"),
            ("2001:db8::1:3000", "write it in brackets"),
            ("1:2:3:4:5:6:7:8:3000", "write it in brackets"),
            ("fe80::1%eth0", "write it in brackets"),
            ("http://a:3000", "'/' does not belong in \"//a\""),
            ("a b", "' ' does not belong in \"a b\""),
        ];
        for (text, expected) in cases {
            let error = parse_hosts(text, 3000).unwrap_err().to_string();
            assert!(error.contains(expected), "{text:?} gave {error}");
        }
    }
}
