//! Permissions: what is asked of whoever sends a command.

use std::ops::BitOr;

/// Permissions, none or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Permissions(u16);

/// Writes the permissions down, with the names that servers give them.
macro_rules! permissions {
    ($($(#[$doc:meta])* $name:ident = $bit:literal, $text:literal;)*) => {
        impl Permissions {
            $($(#[$doc])* pub const $name: Self = Self(1 << $bit);)*

            const NAMES: &[(Self, &str)] = &[$((Self::$name, $text)),*];
        }
    };
}

permissions! {
    /// To read records.
    READ = 0, "read";
    /// To scan and query.
    QUERY = 1, "query";
    /// To write and delete records.
    WRITE = 2, "write";
    /// To apply a function to a record.
    UDF_APPLY = 3, "udf-apply";
    /// To apply a function to the records of a query.
    UDF_QUERY = 4, "udf-query";
    /// To apply operations to the records of a query.
    OPS_QUERY = 5, "ops-query";
    /// To register and remove modules.
    UDF_ADMIN = 6, "udf-admin";
    /// To create and drop indexes.
    SINDEX_ADMIN = 7, "sindex-admin";
    /// To end queries of others.
    QUERY_ADMIN = 8, "query-admin";
    /// To truncate.
    TRUNCATE = 9, "truncate";
    /// To change the configuration.
    SET_CONFIG = 10, "set-config";
    /// To change what is logged.
    LOGGING_CTRL = 11, "logging-ctrl";
    /// To change what nodes do.
    SERVICE_CTRL = 12, "service-ctrl";
    /// To manage users and roles.
    USER_ADMIN = 13, "user-admin";
}

impl Permissions {
    /// None.
    pub const NONE: Self = Self(0);

    /// Those of both.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `asked` are among them.
    pub const fn contain(self, asked: Self) -> bool {
        self.0 & asked.0 == asked.0
    }

    /// The name of the first.
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
