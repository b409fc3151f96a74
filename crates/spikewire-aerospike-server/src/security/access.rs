//! What a user may do: the permissions of its privileges where they apply, within its quotas.

use std::sync::Arc;

use super::permission::Permissions;
use super::privilege::Privilege;
use super::usage::{Quotas, Usage};

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
                access.everywhere = access.everywhere | privilege.definition.permits;
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
                held = held | privilege.definition.permits;
            }
        }
        held.contain(required)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::security::privilege::PrivilegeDefinition;

    fn privilege(name: &str, namespace: &str, set: &str) -> Privilege {
        let definition = PrivilegeDefinition::named(name).unwrap();
        Privilege { definition, namespace: namespace.to_owned(), set: set.to_owned() }
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
    fn predefined_roles_permit_what_they_are_named_after() {
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
