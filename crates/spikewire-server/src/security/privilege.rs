//! Privileges: what a role grants, and where. The roles that every cluster has grant one each.

use super::permission::Permissions;

/// What a privilege is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// Its number in messages.
    pub code: u8,
    /// Its name, and that of the role that grants it everywhere.
    pub name: &'static str,
    /// What it permits.
    pub permits: Permissions,
}

/// Numbers from here on can be granted for a namespace or a set.
const FIRST_SCOPED: u8 = 10;

const READ: Permissions = Permissions::READ.and(Permissions::QUERY);
const WRITE: Permissions = Permissions::WRITE.and(Permissions::OPS_QUERY);
const UDF: Permissions = Permissions::UDF_APPLY.and(Permissions::UDF_QUERY);
const DATA_ADMIN: Permissions = Permissions::UDF_ADMIN
    .and(Permissions::SINDEX_ADMIN)
    .and(Permissions::QUERY_ADMIN)
    .and(Permissions::TRUNCATE);
const SYS_ADMIN: Permissions = DATA_ADMIN
    .and(Permissions::SET_CONFIG)
    .and(Permissions::LOGGING_CTRL)
    .and(Permissions::SERVICE_CTRL);

/// Every kind of privilege.
pub const KINDS: [Kind; 10] = [
    Kind { code: 0, name: "user-admin", permits: Permissions::USER_ADMIN },
    Kind { code: 1, name: "sys-admin", permits: SYS_ADMIN },
    Kind { code: 2, name: "data-admin", permits: DATA_ADMIN },
    Kind { code: 3, name: "udf-admin", permits: Permissions::UDF_ADMIN },
    Kind { code: 4, name: "sindex-admin", permits: Permissions::SINDEX_ADMIN },
    Kind { code: FIRST_SCOPED, name: "read", permits: READ },
    Kind { code: 11, name: "read-write", permits: READ.and(WRITE) },
    Kind { code: 12, name: "read-write-udf", permits: READ.and(WRITE).and(UDF) },
    Kind { code: 13, name: "write", permits: WRITE },
    Kind { code: 14, name: "truncate", permits: Permissions::TRUNCATE },
];

impl Kind {
    /// The kind with this number.
    pub fn of(code: u8) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.code == code)
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.name == name)
    }

    /// Whether it can be granted for a namespace or a set.
    pub fn has_scope(&self) -> bool {
        self.code >= FIRST_SCOPED
    }
}

/// A privilege that a role grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privilege {
    /// What it is about.
    pub kind: &'static Kind,
    /// The namespace it is for; empty: all of them.
    pub namespace: String,
    /// The set it is for; empty: all of them.
    pub set: String,
}

impl Privilege {
    /// A privilege that holds everywhere.
    pub fn everywhere(kind: &'static Kind) -> Self {
        Self { kind, namespace: String::new(), set: String::new() }
    }
}

/// What a user may do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Access {
    everywhere: Permissions,
    scoped: Vec<Privilege>,
}

impl Access {
    /// What these privileges amount to.
    pub fn of<'a>(privileges: impl Iterator<Item = &'a Privilege>) -> Self {
        let mut access = Self::default();
        for privilege in privileges {
            if privilege.namespace.is_empty() {
                access.everywhere = access.everywhere | privilege.kind.permits;
            } else {
                access.scoped.push(privilege.clone());
            }
        }
        access
    }

    /// Whether a command is permitted that asks for these permissions, on this namespace and set.
    pub fn permits(&self, asked: Permissions, namespace: &[u8], set: &[u8]) -> bool {
        if self.everywhere.contain(asked) {
            return true;
        }
        let mut held = self.everywhere;
        for privilege in &self.scoped {
            if privilege.namespace.as_bytes() == namespace
                && (privilege.set.is_empty() || privilege.set.as_bytes() == set)
            {
                held = held | privilege.kind.permits;
            }
        }
        held.contain(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn privilege(name: &str, namespace: &str, set: &str) -> Privilege {
        let kind = Kind::named(name).unwrap();
        Privilege { kind, namespace: namespace.to_owned(), set: set.to_owned() }
    }

    #[test]
    fn privileges_hold_where_they_were_granted() {
        let granted = [privilege("read", "test", ""), privilege("write", "test", "own")];
        let access = Access::of(granted.iter());
        assert!(access.permits(Permissions::READ, b"test", b"any"));
        assert!(access.permits(Permissions::READ, b"test", b""));
        assert!(!access.permits(Permissions::READ, b"other", b"any"));
        assert!(access.permits(Permissions::WRITE, b"test", b"own"));
        assert!(!access.permits(Permissions::WRITE, b"test", b"any"));
        assert!(!access.permits(Permissions::WRITE, b"test", b""));
        // Both, from two privileges.
        assert!(access.permits(Permissions::WRITE | Permissions::READ, b"test", b"own"));
        assert!(!access.permits(Permissions::UDF_APPLY, b"test", b"own"));
    }

    #[test]
    fn roles_that_every_cluster_has() {
        let may = |name, asked| {
            Access::of([privilege(name, "", "")].iter()).permits(asked, b"test", b"s")
        };
        assert!(may("read", Permissions::QUERY) && !may("read", Permissions::OPS_QUERY));
        assert!(may("write", Permissions::WRITE) && !may("write", Permissions::READ));
        assert!(may("read-write", Permissions::READ | Permissions::WRITE));
        assert!(!may("read-write", Permissions::UDF_APPLY));
        assert!(may("read-write-udf", Permissions::UDF_APPLY));
        assert!(may("data-admin", Permissions::TRUNCATE));
        assert!(!may("data-admin", Permissions::SET_CONFIG));
        assert!(may("sys-admin", Permissions::SET_CONFIG) && !may("sys-admin", Permissions::READ));
        assert!(!may("sys-admin", Permissions::USER_ADMIN));
        assert!(may("user-admin", Permissions::USER_ADMIN));
    }
}
