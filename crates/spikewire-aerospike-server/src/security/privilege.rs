//! Privileges of roles and their scope. Each predefined role grants one.

use std::sync::Arc;

use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::manage::{self, PrivilegeKind};

use super::permission::Permissions;
use super::usage::{Quotas, Usage};

/// A kind of privilege.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    /// Its kind in messages.
    pub kind: PrivilegeKind,
    /// Its name, which is also that of the role that grants it globally.
    pub name: &'static str,
    /// The permissions that it grants.
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

/// The permissions of each kind, in the order of [`PrivilegeKind::ALL`].
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

/// A privilege of a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privilege {
    /// Its kind.
    pub kind: &'static Kind,
    /// Its namespace; empty: all.
    pub namespace: String,
    /// Its set; empty: all.
    pub set: String,
}

impl Privilege {
    /// A global privilege.
    pub fn everywhere(kind: &'static Kind) -> Self {
        Self { kind, namespace: String::new(), set: String::new() }
    }

    /// Converts the privilege from a message; `None` if there is no such privilege.
    pub fn from_wire(wire: &manage::Privilege) -> Option<Self> {
        let manage::Privilege { kind, namespace, set } = wire;
        let fits = namespace.len() <= limits::NAMESPACE_NAME
            && set.len() <= limits::SET_NAME
            && (set.is_empty() || !namespace.is_empty());
        let kind = Kind::of(*kind).filter(|_| fits)?;
        Some(Self { kind, namespace: namespace.clone(), set: set.clone() })
    }

    /// Converts it for a message.
    pub fn to_wire(&self) -> manage::Privilege {
        let (namespace, set) = (self.namespace.clone(), self.set.clone());
        manage::Privilege { kind: self.kind.kind, namespace, set }
    }
}

/// The privileges of a user.
#[derive(Debug, Clone, Default)]
pub struct Access {
    everywhere: Permissions,
    scoped: Vec<Privilege>,
    /// Quotas and their usage.
    limits: Option<(Quotas, Arc<Usage>)>,
}

impl Access {
    /// The combination of these privileges.
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

    /// The same with quotas.
    pub fn within(mut self, quotas: Quotas, usage: &Arc<Usage>) -> Self {
        self.limits = quotas.limit().then(|| (quotas, usage.clone()));
        self
    }

    /// Counts a single-record command against the quota at a node; returns whether it is allowed.
    pub fn spend(&self, node: usize, required: Permissions) -> bool {
        let Some((quotas, usage)) = &self.limits else { return true };
        usage.spend(
            node,
            *quotas,
            required.contain(Permissions::READ),
            required != Permissions::READ,
        )
    }

    /// Whether a command that requires these permissions is permitted on this namespace and set.
    pub fn permits(&self, required: Permissions, namespace: &[u8], set: &[u8]) -> bool {
        if self.everywhere.contain(required) {
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
        held.contain(required)
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
        // Both permissions, from two privileges.
        assert!(access.permits(Permissions::WRITE | Permissions::READ, b"test", b"own"));
        assert!(!access.permits(Permissions::UDF_APPLY, b"test", b"own"));
    }

    #[test]
    fn roles_that_every_cluster_has() {
        let may = |name, required| {
            Access::of([privilege(name, "", "")].iter()).permits(required, b"test", b"s")
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
