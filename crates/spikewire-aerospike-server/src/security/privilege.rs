//! Privileges of roles and their scope. Each predefined role grants one.

use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::manage::{self, PrivilegeKind};

use super::permission::Permissions;

/// What a kind of privilege is called and permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrivilegeDefinition {
    /// The kind in messages.
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

/// All kinds of privileges.
pub const DEFINITIONS: [PrivilegeDefinition; PERMITS.len()] = definitions();

const fn definitions() -> [PrivilegeDefinition; PERMITS.len()] {
    let none = PrivilegeDefinition { kind: PrivilegeKind(0), name: "", permits: Permissions::NONE };
    let mut all = [none; PERMITS.len()];
    let mut at = 0;
    while at < all.len() {
        let (kind, name) = PrivilegeKind::ALL[at];
        all[at] = PrivilegeDefinition { kind, name, permits: PERMITS[at] };
        at += 1;
    }
    all
}

impl PrivilegeDefinition {
    /// The definition of this kind.
    pub fn of(kind: PrivilegeKind) -> Option<&'static Self> {
        DEFINITIONS.iter().find(|definition| definition.kind == kind)
    }

    /// The definition with this name.
    pub fn named(name: &str) -> Option<&'static Self> {
        DEFINITIONS.iter().find(|definition| definition.name == name)
    }
}

/// A privilege of a role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privilege {
    /// What it permits.
    pub definition: &'static PrivilegeDefinition,
    /// Its namespace; empty: all.
    pub namespace: String,
    /// Its set; empty: all.
    pub set: String,
}

impl Privilege {
    /// A global privilege.
    pub fn everywhere(definition: &'static PrivilegeDefinition) -> Self {
        Self { definition, namespace: String::new(), set: String::new() }
    }

    /// Converts the privilege from a message; `None` if there is no such privilege.
    pub fn from_wire(wire: &manage::Privilege) -> Option<Self> {
        let manage::Privilege { kind, namespace, set } = wire;
        let fits = namespace.len() <= limits::NAMESPACE_NAME
            && set.len() <= limits::SET_NAME
            && (set.is_empty() || !namespace.is_empty());
        let definition = PrivilegeDefinition::of(*kind).filter(|_| fits)?;
        Some(Self { definition, namespace: namespace.clone(), set: set.clone() })
    }

    /// Converts it for a message.
    pub fn to_wire(&self) -> manage::Privilege {
        let (namespace, set) = (self.namespace.clone(), self.set.clone());
        manage::Privilege { kind: self.definition.kind, namespace, set }
    }
}
