//! Consistency levels.

use std::fmt;
use std::str::FromStr;

use crate::notation::{Malformed, Reader, Result};

/// How many replicas must respond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u16)]
pub enum Consistency {
    /// Any node, even one that only stores a hint. For writes only.
    Any = 0,
    /// One replica.
    One = 1,
    /// Two replicas.
    Two = 2,
    /// Three replicas.
    Three = 3,
    /// More than half of all replicas.
    Quorum = 4,
    /// Every replica.
    All = 5,
    /// More than half of the replicas in the coordinator's datacenter.
    LocalQuorum = 6,
    /// More than half of the replicas in each datacenter.
    EachQuorum = 7,
    /// Paxos agreement in all datacenters.
    Serial = 8,
    /// Paxos agreement in the coordinator's datacenter.
    LocalSerial = 9,
    /// One replica in the coordinator's datacenter.
    #[default]
    LocalOne = 10,
}

impl Consistency {
    /// All levels, in numerical order.
    pub const ALL: [Self; 11] = [
        Self::Any,
        Self::One,
        Self::Two,
        Self::Three,
        Self::Quorum,
        Self::All,
        Self::LocalQuorum,
        Self::EachQuorum,
        Self::Serial,
        Self::LocalSerial,
        Self::LocalOne,
    ];

    /// Its number on the wire.
    pub const fn number(self) -> u16 {
        self as u16
    }

    /// The level with this number.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.get(usize::from(number)).copied()
    }

    /// Its name in CQL: `LOCAL_QUORUM`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Any => "ANY",
            Self::One => "ONE",
            Self::Two => "TWO",
            Self::Three => "THREE",
            Self::Quorum => "QUORUM",
            Self::All => "ALL",
            Self::LocalQuorum => "LOCAL_QUORUM",
            Self::EachQuorum => "EACH_QUORUM",
            Self::Serial => "SERIAL",
            Self::LocalSerial => "LOCAL_SERIAL",
            Self::LocalOne => "LOCAL_ONE",
        }
    }

    /// Whether it is one of the two levels for conditional statements.
    pub const fn is_serial(self) -> bool {
        matches!(self, Self::Serial | Self::LocalSerial)
    }

    /// Whether only the coordinator's datacenter takes part.
    pub const fn is_local(self) -> bool {
        matches!(self, Self::LocalQuorum | Self::LocalSerial | Self::LocalOne)
    }

    /// Reads a `[consistency]`.
    pub fn read(reader: &mut Reader<'_>) -> Result<Self> {
        let number = reader.short()?;
        Self::from_number(number)
            .ok_or_else(|| Malformed(format!("a consistency level with the number {number}")))
    }

    /// Appends it as a `[consistency]`.
    pub fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.number().to_be_bytes());
    }
}

impl fmt::Display for Consistency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name of no consistency level.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a consistency level; use one of {names}", names = names())]
pub struct UnknownConsistency(pub String);

fn names() -> String {
    Consistency::ALL.map(Consistency::name).join(", ")
}

impl FromStr for Consistency {
    type Err = UnknownConsistency;

    /// Parses a name, ignoring case.
    fn from_str(name: &str) -> std::result::Result<Self, UnknownConsistency> {
        let is_it = |level: &Self| level.name().eq_ignore_ascii_case(name);
        Self::ALL.into_iter().find(is_it).ok_or_else(|| UnknownConsistency(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_lead_to_the_same_level() {
        for level in Consistency::ALL {
            assert_eq!(level.name().parse(), Ok(level));
            assert_eq!(level.name().to_lowercase().parse(), Ok(level));
            assert_eq!(Consistency::from_number(level.number()), Some(level));
            let mut out = Vec::new();
            level.write(&mut out);
            assert_eq!(Consistency::read(&mut Reader(&out)), Ok(level));
        }
        assert_eq!("local_quorum".parse(), Ok(Consistency::LocalQuorum));
        assert_eq!(Consistency::LocalQuorum.number(), 6);
    }

    #[test]
    fn an_unknown_level_is_named_in_the_error() {
        let error = "MOST".parse::<Consistency>().unwrap_err().to_string();
        assert!(
            error.starts_with("\"MOST\" is not a consistency level; use one of ANY, ONE, "),
            "{error}"
        );
        assert_eq!(
            Consistency::read(&mut Reader(&[0, 11])),
            Err(Malformed::new("a consistency level with the number 11"))
        );
    }
}
