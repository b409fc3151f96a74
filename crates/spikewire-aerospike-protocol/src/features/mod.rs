//! What servers can do, by their version and edition, and what requests need.
//!
//! Servers do not announce any of this: clients compare versions. A request says in its bytes which
//! features it needs ([`of_operation`], [`of_expression`]); a server that lacks one rejects it with
//! code 4 (parameter error), so that a client had better not send it.

mod build;
pub mod hazards;
mod needs;

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign};

pub use self::build::Build;
pub use self::hazards::HAZARDS;
pub use self::needs::{
    DeepPlace, deep_place, of_arguments, of_expression, of_operation, of_operations, of_particle,
};

/// A set of features of a server, or of those that a request needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Features(u32);

/// One feature: since when, and how errors call it.
struct Feature {
    bit: Features,
    name: &'static str,
    /// What needs it, for errors.
    what: &'static str,
    since: Build,
    version: &'static str,
    /// Whether only the Enterprise Edition has it.
    enterprise: bool,
}

const fn feature(
    bit: Features,
    name: &'static str,
    what: &'static str,
    (since, version): ([u16; 4], &'static str),
    enterprise: bool,
) -> Feature {
    Feature { bit, name, what, since: Build(since), version, enterprise }
}

const V8_2: ([u16; 4], &str) = ([8, 2, 0, 0], "8.2");
const V8_1_2: ([u16; 4], &str) = ([8, 1, 2, 0], "8.1.2");

const ALL: [Feature; 7] = [
    feature(Features::PATHS, "paths", "path expressions", ([8, 1, 1, 0], "8.1.1"), false),
    feature(
        Features::PATH_KEYS,
        "path_keys",
        "path steps for several keys, filters within a step, `in`, mapKeys and mapValues",
        V8_1_2,
        false,
    ),
    feature(Features::STRINGS, "strings", "string operations", V8_2, false),
    feature(Features::TEXT_FILTERS, "text_filters", "expressions sent as text", V8_2, false),
    feature(Features::ERROR_DETAILS, "error_details", "details of errors", V8_2, false),
    feature(
        Features::COMPRESSION,
        "compression",
        "compressed messages",
        ([4, 8, 0, 0], "4.8"),
        true,
    ),
    feature(Features::TRANSACTIONS, "transactions", "transactions", ([8, 0, 0, 0], "8.0"), true),
];

/// From this version on, lists and maps nest at most [`NESTING`] levels deep.
const FLAT: Build = Build(V8_2.0);
/// The most levels of lists and maps that such servers store.
pub const NESTING: usize = 64;

impl Features {
    /// None.
    pub const NONE: Self = Self(0);
    /// Path expressions.
    pub const PATHS: Self = Self(1);
    /// Steps of paths that select several keys, filters within a step, and the expressions `in`,
    /// `mapKeys` and `mapValues`.
    pub const PATH_KEYS: Self = Self(1 << 1);
    /// Operations on strings, joined lists, blobs as base64.
    pub const STRINGS: Self = Self(1 << 2);
    /// Expressions that the server reads as text, and index selection by it.
    pub const TEXT_FILTERS: Self = Self(1 << 3);
    /// Subcodes, messages and traces in error replies.
    pub const ERROR_DETAILS: Self = Self(1 << 4);
    /// Compressed messages.
    pub const COMPRESSION: Self = Self(1 << 5);
    /// Transactions over several records. Their namespace must be strongly consistent, too.
    pub const TRANSACTIONS: Self = Self(1 << 6);
    /// Lists and maps nested more than [`NESTING`] levels deep, which servers from 8.2 on refuse.
    pub const DEEP_NESTING: Self = Self(1 << 7);

    /// What a server of this version and edition can do.
    pub fn of(build: Build, enterprise: bool) -> Self {
        let has = |it: &&Feature| build >= it.since && (enterprise || !it.enterprise);
        let deep = if build < FLAT { Self::DEEP_NESTING } else { Self::NONE };
        let withstands = hazards::withstood_by(build);
        ALL.iter().filter(has).fold(deep | withstands, |all, it| all | it.bit)
    }

    /// To withstand the request of a row of [`HAZARDS`].
    pub(crate) const fn withstanding(row: usize) -> Self {
        Self(1 << (16 + row))
    }

    /// The same, and all requests of [`HAZARDS`] are withstood or taken for it.
    #[must_use]
    pub fn withstanding_all(self) -> Self {
        (0..HAZARDS.len()).fold(self, |all, row| all | Self::withstanding(row))
    }

    /// The same without what is there for [`HAZARDS`]: a server without their faults runs such
    /// requests, whatever version it reports.
    #[must_use]
    pub fn without_hazards(self) -> Self {
        Self(self.0 & 0xffff)
    }

    /// Whether there are none.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether it has all of these.
    #[inline]
    pub const fn has(self, needs: Self) -> bool {
        self.0 & needs.0 == needs.0
    }

    /// The names of the features that servers gain with a version.
    pub fn names(self) -> Vec<&'static str> {
        ALL.iter().filter(|it| self.has(it.bit)).map(|it| it.name).collect()
    }

    /// What a server lacks that has `self` and needs `needs`; `None` if it lacks nothing.
    pub fn lacks(self, needs: Self) -> Option<Lack> {
        let lacks = |bit: Self| needs.has(bit) && !self.has(bit);
        let feature = ALL.iter().find(|it| lacks(it.bit));
        let lack = feature.map(|it| {
            let Feature { what, version, enterprise, .. } = *it;
            Lack::Feature { what, version, enterprise }
        });
        lack.or_else(|| lacks(Self::DEEP_NESTING).then_some(Lack::Nesting))
            .or_else(|| hazards::first(needs.0 & !self.0).map(Lack::Hazard))
    }
}

impl BitOr for Features {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Features {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl BitAnd for Features {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

/// Why a server cannot run a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lack {
    /// It is older than this feature, or of the other edition.
    Feature {
        /// What needs it.
        what: &'static str,
        /// The first version that has it.
        version: &'static str,
        /// Whether only the Enterprise Edition has it.
        enterprise: bool,
    },
    /// It limits nesting.
    Nesting,
    /// It would end, or break what is stored.
    Hazard(&'static hazards::Hazard),
}

impl fmt::Display for Lack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Feature { what, version, enterprise } => {
                let edition = if *enterprise { " Enterprise Edition" } else { "" };
                write!(f, "{what}: needs server {version}{edition}")
            }
            Self::Nesting => write!(
                f,
                "lists and maps nested more than {NESTING} levels deep: needs a server before 8.2"
            ),
            Self::Hazard(hazard) => write!(
                f,
                "{}: servers of 8.1.1 and 8.1.2 {}; {}",
                hazard.request, hazard.harm, hazard.instead
            ),
        }
    }
}

/// The bytes of pairs of hexadecimal digits, between which white space is skipped.
#[cfg(test)]
fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let digit = |at: usize| (digits[at] as char).to_digit(16).unwrap() as u8;
    (0..digits.len() / 2).map(|at| digit(2 * at) << 4 | digit(2 * at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(build: &str, enterprise: bool) -> Features {
        Features::of(Build::parse(build).unwrap(), enterprise)
    }

    #[test]
    fn features_come_with_versions_and_editions() {
        assert_eq!(of("8.0.0.3", false).names(), [""; 0]);
        assert_eq!(of("8.0.0.3", true).names(), ["compression", "transactions"]);
        assert_eq!(of("8.1.1.0", false).names(), ["paths"]);
        assert_eq!(of("8.1.2.0", false).names(), ["paths", "path_keys"]);
        let all = ["paths", "path_keys", "strings", "text_filters", "error_details"];
        assert_eq!(of("8.2.0.0", false).names(), all);
        assert_eq!(of("8.2.0.0", true).names().len(), 7);
        assert!(of("8.1.2.0", false).has(Features::DEEP_NESTING));
        assert!(!of("8.2.0.0", true).has(Features::DEEP_NESTING));
    }

    #[test]
    fn errors_say_which_server_is_needed() {
        let needs = Features::STRINGS | Features::PATHS;
        let lack = |has: Features, needs| has.lacks(needs).map(|it| it.to_string());
        let expected = "string operations: needs server 8.2";
        assert_eq!(lack(of("8.1.2.0", true), needs).as_deref(), Some(expected));
        assert_eq!(lack(of("8.2.0.0", false), needs), None);
        let expected = "transactions: needs server 8.0 Enterprise Edition";
        assert_eq!(lack(of("8.2.0.0", false), Features::TRANSACTIONS).as_deref(), Some(expected));
        let deep = lack(of("8.2.0.0", true), Features::DEEP_NESTING).unwrap();
        assert!(deep.ends_with("needs a server before 8.2"), "{deep}");
    }
}
