//! Privileges of roles and their scope.

use std::fmt;

use super::{MOST, Reader, list, write_text};
use crate::Malformed;

/// A kind of privilege, by its number in messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PrivilegeKind(pub u8);

macro_rules! kinds {
    ($($(#[$doc:meta])* $constant:ident = $code:literal, $name:literal;)*) => {
        impl PrivilegeKind {
            $($(#[$doc])* pub const $constant: Self = Self($code);)*

            /// The kinds that servers have, with their names, which are also those of the roles
            /// that grant them globally.
            pub const ALL: &[(Self, &str)] = &[$((Self::$constant, $name)),*];
        }
    };
}

kinds! {
    /// Manage users and roles.
    USER_ADMIN = 0, "user-admin";
    /// Manage servers.
    SYS_ADMIN = 1, "sys-admin";
    /// Manage indexes, modules and queries, and truncate.
    DATA_ADMIN = 2, "data-admin";
    /// Register and remove modules.
    UDF_ADMIN = 3, "udf-admin";
    /// Create and drop indexes.
    SINDEX_ADMIN = 4, "sindex-admin";
    /// Read.
    READ = 10, "read";
    /// Read and write.
    READ_WRITE = 11, "read-write";
    /// Read, write and apply functions.
    READ_WRITE_UDF = 12, "read-write-udf";
    /// Write.
    WRITE = 13, "write";
    /// Truncate.
    TRUNCATE = 14, "truncate";
}

/// Kinds from this number on can be granted for a namespace or a set, which messages then include.
const FIRST_SCOPED: u8 = 10;

impl PrivilegeKind {
    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }

    /// Its name; `None` for an unknown number.
    pub fn name(self) -> Option<&'static str> {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map(|(_, name)| *name)
    }

    /// Whether it can be granted for a namespace or a set.
    pub const fn has_scope(self) -> bool {
        self.0 >= FIRST_SCOPED
    }
}

/// Its name, or else its number.
impl fmt::Display for PrivilegeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(name) => f.write_str(name),
            None => write!(f, "{}", self.0),
        }
    }
}

/// A privilege of a role.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Privilege {
    /// Its kind.
    pub kind: PrivilegeKind,
    /// Its namespace; empty: all.
    pub namespace: String,
    /// Its set; empty: all.
    pub set: String,
}

impl Privilege {
    /// A global privilege.
    pub const fn everywhere(kind: PrivilegeKind) -> Self {
        Self { kind, namespace: String::new(), set: String::new() }
    }

    pub(super) fn write_all(all: &[Self]) -> Vec<u8> {
        list(all, |out, Self { kind, namespace, set }| {
            out.push(kind.0);
            if kind.has_scope() {
                debug_assert!(namespace.len() <= MOST && set.len() <= MOST);
                write_text(out, namespace);
                write_text(out, set);
            }
        })
    }

    pub(super) fn read_all(data: &[u8]) -> Result<Vec<Self>, Malformed> {
        Reader::list(data, |reader| {
            let kind = PrivilegeKind(reader.byte()?);
            if !kind.has_scope() {
                return Ok(Self::everywhere(kind));
            }
            Ok(Self { kind, namespace: reader.text()?, set: reader.text()? })
        })
    }
}
