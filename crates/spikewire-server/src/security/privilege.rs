//! Privileges: what a role grants, and where. The roles that every cluster has grant one each.

use std::sync::Arc;

use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::manage::{self, PrivilegeKind};

use super::permission::Permissions;
use super::usage::{Quotas, Usage};

/// What a privilege is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// Which one it is in messages.
    pub kind: PrivilegeKind,
    /// Its name, and that of the role that grants it everywhere.
    pub name: &'static str,
    /// What it permits.
    pub permits: Permissions,
}

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

/// What each kind permits, in the order of [`PrivilegeKind::ALL`].
const PERMITS: [Permissions; 10] = [
    Permissions::USER_ADMIN,
    SYS_ADMIN,
    DATA_ADMIN,
    Permissions::UDF_ADMIN,
    Permissions::SINDEX_ADMIN,
    READ,
    READ.and(WRITE),
    READ.and(WRITE).and(UDF),
    WRITE,
    Permissions::TRUNCATE,
];

/// Every kind of privilege.
pub const KINDS: [Kind; PERMITS.len()] = kinds();

const fn kinds() -> [Kind; PERMITS.len()] {
    let none = Kind { kind: PrivilegeKind(0), name: "", permits: Permissions::NONE };
    let mut all = [none; PERMITS.len()];
    let mut at = 0;
    while at < all.len() {
        let (kind, name) = PrivilegeKind::ALL[at];
        all[at] = Kind { kind, name, permits: PERMITS[at] };
        at += 1;
    }
    all
}

impl Kind {
    /// The kind with this number.
    pub fn of(kind: PrivilegeKind) -> Option<&'static Self> {
        KINDS.iter().find(|known| known.kind == kind)
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        KINDS.iter().find(|kind| kind.name == name)
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

    /// The privilege that a message says; `None` if there is none such.
    pub fn said(said: &manage::Privilege) -> Option<Self> {
        let manage::Privilege { kind, namespace, set } = said;
        let fits = namespace.len() <= limits::NAMESPACE_NAME
            && set.len() <= limits::SET_NAME
            && (set.is_empty() || !namespace.is_empty());
        let kind = Kind::of(*kind).filter(|_| fits)?;
        Some(Self { kind, namespace: namespace.clone(), set: set.clone() })
    }

    /// The same for a message.
    pub fn to_say(&self) -> manage::Privilege {
        let (namespace, set) = (self.namespace.clone(), self.set.clone());
        manage::Privilege { kind: self.kind.kind, namespace, set }
    }
}

/// What a user may do.
#[derive(Debug, Clone, Default)]
pub struct Access {
    everywhere: Permissions,
    scoped: Vec<Privilege>,
    /// How much in a second, and what of that is used up.
    limits: Option<(Quotas, Arc<Usage>)>,
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

    /// The same, and no more of it in a second than this.
    pub fn within(mut self, quotas: Quotas, usage: &Arc<Usage>) -> Self {
        self.limits = quotas.limit().then(|| (quotas, usage.clone()));
        self
    }

    /// Takes a command on one record out of what is left for this second at a node; says whether it
    /// was enough.
    pub fn spend(&self, node: usize, asked: Permissions) -> bool {
        let Some((quotas, usage)) = &self.limits else { return true };
        usage.spend(node, *quotas, asked.contain(Permissions::READ), asked != Permissions::READ)
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
