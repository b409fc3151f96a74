//! Scylla's extensions of version 4: a server offers them in SUPPORTED, and those that a client
//! takes are in its STARTUP.
//!
//! Sources: Scylla's `docs/dev/protocol-extensions.md` and its document about tablets.

use crate::response::Supported;
use crate::response::error::code;
use crate::version::Version;

const LWT_MARK: &str = "SCYLLA_LWT_ADD_METADATA_MARK";
const LWT_MARK_ARGUMENT: &str = "LWT_OPTIMIZATION_META_BIT_MASK=";
const RATE_LIMIT: &str = "SCYLLA_RATE_LIMIT_ERROR";
const RATE_LIMIT_ARGUMENT: &str = "ERROR_CODE=";
const METADATA_ID: &str = "SCYLLA_USE_METADATA_ID";
const TABLETS_V1: &str = "TABLETS_ROUTING_V1";
/// The name in Scylla's own document. The bytes are not final: any other name may mean others.
const TABLETS_V2: &str = "TABLETS_ROUTING_V2_EXPERIMENTAL_V2";

/// What the bodies of messages look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dialect {
    /// The version of the protocol.
    pub version: Version,
    /// Whether PREPARED and EXECUTE have the id of the result's metadata.
    pub metadata_ids: bool,
    /// Whether EXECUTE ends with a block of a tablet's version.
    pub tablet_blocks: bool,
}

impl From<Version> for Dialect {
    fn from(version: Version) -> Self {
        Self { version, metadata_ids: version == Version::V5, tablet_blocks: false }
    }
}

/// Which form of tablet routing is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TabletRouting {
    /// None.
    #[default]
    None,
    /// Replies to requests that came to a wrong node or shard name the tablet.
    V1,
    /// The same, and tablets have versions, of which EXECUTE sends a block. Experimental in Scylla.
    V2,
}

/// Extensions that a server offers, or that a connection uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extensions {
    /// Bits of the flags of a prepared statement's markers that say that it is conditional.
    pub lwt_mark: Option<u32>,
    /// The code of the error for a partition that is used too often.
    pub rate_limit: Option<i32>,
    /// Whether PREPARED and EXECUTE have the id of the result's metadata.
    pub metadata_id: bool,
    /// The form of tablet routing.
    pub tablets: TabletRouting,
}

impl Extensions {
    /// The extensions that a server offers and this crate knows. One whose argument is not valid is
    /// left out.
    pub fn of(supported: &Supported<'_>) -> Self {
        let has = |key| !supported.get(key).is_empty();
        let argument = |key, name| {
            let values = supported.get(key).iter();
            values.filter_map(|value| value.strip_prefix(name)).next()
        };
        let mask = argument(LWT_MARK, LWT_MARK_ARGUMENT).and_then(|mask| mask.parse().ok());
        let number = argument(RATE_LIMIT, RATE_LIMIT_ARGUMENT).and_then(|code| code.parse().ok());
        Self {
            lwt_mark: mask.filter(|mask| *mask != 0),
            rate_limit: number.filter(|number| code::learn_rate_limit(*number)),
            metadata_id: has(METADATA_ID),
            tablets: match (has(TABLETS_V1), has(TABLETS_V2)) {
                (_, true) => TabletRouting::V2,
                (true, false) => TabletRouting::V1,
                (false, false) => TabletRouting::None,
            },
        }
    }

    /// Its options in STARTUP.
    pub fn startup(&self) -> Vec<(&'static str, String)> {
        let mut options = Vec::new();
        if let Some(mask) = self.lwt_mark {
            options.push((LWT_MARK, format!("{LWT_MARK_ARGUMENT}{mask}")));
        }
        if self.rate_limit.is_some() {
            options.push((RATE_LIMIT, String::new()));
        }
        if self.metadata_id {
            options.push((METADATA_ID, String::new()));
        }
        match self.tablets {
            TabletRouting::None => {}
            TabletRouting::V1 => options.push((TABLETS_V1, String::new())),
            TabletRouting::V2 => options.push((TABLETS_V2, String::new())),
        }
        options
    }

    /// The options of a server that offers them, for its SUPPORTED.
    pub fn supported(&self) -> Vec<(&'static str, String)> {
        let mut options = self.startup();
        options.retain(|(key, _)| *key != RATE_LIMIT);
        if let Some(number) = self.rate_limit {
            options.push((RATE_LIMIT, format!("{RATE_LIMIT_ARGUMENT}{number}")));
        }
        if self.tablets == TabletRouting::V2 {
            options.push((TABLETS_V1, String::new()));
        }
        options
    }

    /// Those of them that a client takes, as a server reads its STARTUP.
    #[must_use]
    pub fn taken(&self, startup: &[(&str, &str)]) -> Self {
        let has = |key| startup.iter().any(|(name, _)| *name == key);
        Self {
            lwt_mark: self.lwt_mark.filter(|_| has(LWT_MARK)),
            rate_limit: self.rate_limit.filter(|_| has(RATE_LIMIT)),
            metadata_id: self.metadata_id && has(METADATA_ID),
            tablets: match self.tablets {
                TabletRouting::V2 if has(TABLETS_V2) => TabletRouting::V2,
                TabletRouting::V1 | TabletRouting::V2 if has(TABLETS_V1) => TabletRouting::V1,
                _ => TabletRouting::None,
            },
        }
    }

    /// The bodies of messages in this version with these extensions.
    pub fn dialect(&self, version: Version) -> Dialect {
        let plain = Dialect::from(version);
        Dialect {
            metadata_ids: plain.metadata_ids || self.metadata_id,
            tablet_blocks: self.tablets == TabletRouting::V2,
            ..plain
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Extensions = Extensions {
        lwt_mark: Some(1 << 31),
        rate_limit: Some(0x4321),
        metadata_id: true,
        tablets: TabletRouting::V2,
    };

    fn of(pairs: &[(&str, &str)]) -> Extensions {
        Extensions::of(&Supported(pairs.iter().map(|(key, value)| (*key, vec![*value])).collect()))
    }

    #[test]
    fn what_a_server_offers_is_what_the_client_takes() {
        let offered = ALL.supported();
        let pairs: Vec<_> = offered.iter().map(|(key, value)| (*key, value.as_str())).collect();
        assert_eq!(of(&pairs), ALL);
        let startup = of(&pairs).startup();
        let startup: Vec<_> = startup.iter().map(|(key, value)| (*key, value.as_str())).collect();
        assert_eq!(
            startup,
            [
                ("SCYLLA_LWT_ADD_METADATA_MARK", "LWT_OPTIMIZATION_META_BIT_MASK=2147483648"),
                ("SCYLLA_RATE_LIMIT_ERROR", ""),
                ("SCYLLA_USE_METADATA_ID", ""),
                ("TABLETS_ROUTING_V2_EXPERIMENTAL_V2", ""),
            ]
        );
        assert_eq!(ALL.taken(&startup), ALL);
        assert_eq!(ALL.taken(&startup[..1]), Extensions { lwt_mark: ALL.lwt_mark, ..of(&[]) });
    }

    #[test]
    fn an_offer_that_makes_no_sense_is_left_out() {
        for pairs in [
            &[("SCYLLA_LWT_ADD_METADATA_MARK", "LWT_OPTIMIZATION_META_BIT_MASK=0")][..],
            &[("SCYLLA_LWT_ADD_METADATA_MARK", "LWT_OPTIMIZATION_META_BIT_MASK=4294967296")],
            &[("SCYLLA_LWT_ADD_METADATA_MARK", "")],
            &[("SCYLLA_RATE_LIMIT_ERROR", "ERROR_CODE=many")],
            // It is the code of another error.
            &[("SCYLLA_RATE_LIMIT_ERROR", "ERROR_CODE=4097")],
            &[("TABLETS_ROUTING_V2_EXPERIMENTAL", "")],
        ] {
            assert_eq!(of(pairs), Extensions::default(), "{pairs:?}");
        }
        let both = [("TABLETS_ROUTING_V1", ""), ("TABLETS_ROUTING_V2_EXPERIMENTAL", "")];
        assert_eq!(of(&both).tablets, TabletRouting::V1);
    }
}
