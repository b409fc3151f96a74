//! Versions of the protocol.

use std::fmt;

/// A supported version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// Cassandra 2.2 and later, and Scylla.
    V4,
    /// Cassandra 4.0 and later: checksummed segments, ids of result metadata, and a keyspace and a
    /// time per request.
    V5,
}

impl Version {
    /// All versions, best first.
    pub const ALL: [Self; 2] = [Self::V5, Self::V4];

    /// Its number.
    pub const fn number(self) -> u8 {
        match self {
            Self::V4 => 4,
            Self::V5 => 5,
        }
    }

    /// The version with this number.
    pub const fn from_number(number: u8) -> Option<Self> {
        match number {
            4 => Some(Self::V4),
            5 => Some(Self::V5),
            _ => None,
        }
    }

    /// The next one to try with a server that rejects this one.
    pub const fn lower(self) -> Option<Self> {
        match self {
            Self::V4 => None,
            Self::V5 => Some(Self::V4),
        }
    }

    /// Parses an entry of `PROTOCOL_VERSIONS` in SUPPORTED, such as `5/v5`. `None` for unsupported
    /// versions and for beta versions, such as `6/v6-beta`.
    pub fn announced(entry: &str) -> Option<Self> {
        if entry.contains("beta") {
            return None;
        }
        let number = entry.split('/').next().unwrap_or_default();
        Self::from_number(number.trim().parse().ok()?)
    }

    /// The best supported version that a server announces.
    pub fn best<S: AsRef<str>>(entries: impl IntoIterator<Item = S>) -> Option<Self> {
        entries.into_iter().filter_map(|entry| Self::announced(entry.as_ref())).max()
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v{}", self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_version_that_a_server_announces_is_chosen() {
        assert_eq!(Version::best(["3/v3", "4/v4", "5/v5", "6/v6-beta"]), Some(Version::V5));
        assert_eq!(Version::best(["3/v3", "4/v4", "5/v5-beta"]), Some(Version::V4));
        assert_eq!(Version::best(["4"]), Some(Version::V4));
        assert_eq!(Version::best(["3/v3", "", "five", "65/dse-v1", "261/v261"]), None);
    }

    #[test]
    fn a_version_that_is_rejected_leads_to_the_next_lower_one() {
        assert_eq!(Version::V5.lower(), Some(Version::V4));
        assert_eq!(Version::V4.lower(), None);
        for version in Version::ALL {
            assert_eq!(Version::from_number(version.number()), Some(version));
        }
    }
}
