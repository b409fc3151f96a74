//! Scylla's extensions of version 4: a server offers them in SUPPORTED, and those that a client
//! takes are in its STARTUP.
//!
//! Sources: Scylla's `docs/dev/protocol-extensions.md` and its document about tablets.

use crate::version::Version;

pub(crate) const LWT_MARK: &str = "SCYLLA_LWT_ADD_METADATA_MARK";
pub(crate) const LWT_MARK_ARGUMENT: &str = "LWT_OPTIMIZATION_META_BIT_MASK=";
pub(crate) const RATE_LIMIT: &str = "SCYLLA_RATE_LIMIT_ERROR";
pub(crate) const RATE_LIMIT_ARGUMENT: &str = "ERROR_CODE=";
pub(crate) const METADATA_ID: &str = "SCYLLA_USE_METADATA_ID";
pub(crate) const TABLETS_V1: &str = "TABLETS_ROUTING_V1";
/// The name in Scylla's own document. The bytes are not final: any other name may mean others.
pub(crate) const TABLETS_V2: &str = "TABLETS_ROUTING_V2_EXPERIMENTAL_V2";

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
    pub fn in_startup(&self, startup: &[(&str, &str)]) -> Self {
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
