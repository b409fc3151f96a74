//! Permissions that commands require.

use std::ops::BitOr;

/// A set of permissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Permissions(u16);

/// Defines the permissions, with the names that servers use.
macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident = $bit:literal, $text:literal;)*) => {
        impl Permissions {
            $($(#[$doc])* pub const $name: Self = Self(1 << $bit);)*

            const NAMES: &[(Self, &str)] = &[$((Self::$name, $text)),*];
        }
    };
}

permissions! {
    /// Read records.
    READ = 0, "read";
    /// Scan and query.
    QUERY = 1, "query";
    /// Write and delete records.
    WRITE = 2, "write";
    /// Apply a function to a record.
    UDF_APPLY = 3, "udf-apply";
    /// Apply a function to the records of a query.
    UDF_QUERY = 4, "udf-query";
    /// Apply operations to the records of a query.
    OPS_QUERY = 5, "ops-query";
    /// Register and remove modules.
    UDF_ADMIN = 6, "udf-admin";
    /// Create and drop indexes.
    SINDEX_ADMIN = 7, "sindex-admin";
    /// Abort queries of others.
    QUERY_ADMIN = 8, "query-admin";
    /// Truncate.
    TRUNCATE = 9, "truncate";
    /// Change the configuration.
    SET_CONFIG = 10, "set-config";
    /// Change log levels.
    LOGGING_CTRL = 11, "logging-ctrl";
    /// Control nodes.
    SERVICE_CTRL = 12, "service-ctrl";
    /// Manage users and roles.
    USER_ADMIN = 13, "user-admin";
}

impl Permissions {
    /// None.
    pub const NONE: Self = Self(0);

    /// The union of both.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it contains all of `asked`.
    pub const fn contain(self, required: Self) -> bool {
        self.0 & required.0 == required.0
    }

    /// The name of the first one.
    pub fn name(self) -> &'static str {
        let first = Self::NAMES.iter().find(|(one, _)| self.contain(*one));
        first.map_or("none", |(_, name)| name)
    }
}

impl BitOr for Permissions {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        self.and(other)
    }
}
