//! Roles of a cluster with security: privileges, allowed addresses and quotas of their users.

use spikewire_aerospike::admin::role::{
    create_role, drop_role, get_role, grant_privileges, list_roles, revoke_privileges, set_allowed,
    set_quotas,
};

pub use spikewire_aerospike::admin::role::{Privilege, PrivilegeKind, Role, privilege};

use crate::aerospike::administration::Administration;
use crate::aerospike::client_kind::ClientKind;
use crate::aerospike::user::WITHIN;
use crate::{AsyncClient, Client};

/// Manages the roles of a client's cluster; from [`Client::roles`] and
/// [`AsyncClient::roles`](crate::AsyncClient::roles).
///
/// Requires a client that logs in with the role `user-admin`. Each request goes to one node, with a
/// limit of 10 seconds, which forwards it to the others.
///
/// ```
/// # use spikewire::{Client, Role, privilege};
/// # let users = vec![spikewire_aerospike_server::UserOptions::new("admin", "secret")];
/// # let options = spikewire_aerospike_server::Options { users, ..Default::default() };
/// # let cluster = spikewire_aerospike_server::Cluster::start(options).unwrap();
/// let client = Client::builder().credentials("admin", "secret").connect(cluster.seeds())?;
/// let orders = Role::new("orders", vec![privilege("read-write", Some("test"), Some("orders"))?]);
/// client.roles().create(&orders)?;
/// assert_eq!(client.roles().get("orders")?, orders);
/// client.roles().set_allowed("orders", &["10.0.0.0/8"])?;
/// client.roles().drop("orders")?;
/// # Ok::<(), spikewire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Roles<C = Client>(pub(crate) C);

impl Client {
    /// The roles of a cluster with security.
    pub fn roles(&self) -> Roles {
        Roles(self.clone())
    }
}

impl AsyncClient {
    /// The roles of a cluster with security.
    pub fn roles(&self) -> Roles<Self> {
        Roles(self.clone())
    }
}

impl<C: ClientKind> Roles<C> {
    /// Creates a role.
    pub fn create(&self, role: &Role) -> C::Answer<()> {
        self.0.administer(Administration::of("create_role"), create_role(role, WITHIN))
    }

    /// Drops a role, which also removes it from its users.
    pub fn drop(&self, name: &str) -> C::Answer<()> {
        self.0.administer(Administration::of("drop_role"), drop_role(name, WITHIN))
    }

    /// Adds privileges to a role.
    pub fn grant(&self, name: &str, privileges: Vec<Privilege>) -> C::Answer<()> {
        let grant = grant_privileges(name, privileges, WITHIN);
        self.0.administer(Administration::of("grant_privileges"), grant)
    }

    /// Revokes privileges from a role: exactly these, so a privilege for a namespace stays when one
    /// for a set of it is revoked.
    pub fn revoke(&self, name: &str, privileges: Vec<Privilege>) -> C::Answer<()> {
        let revoke = revoke_privileges(name, privileges, WITHIN);
        self.0.administer(Administration::of("revoke_privileges"), revoke)
    }

    /// Sets the addresses and networks from which the users of a role may connect; empty: all.
    pub fn set_allowed(&self, name: &str, allow: &[&str]) -> C::Answer<()> {
        let allow: Vec<String> = allow.iter().map(|address| (*address).to_owned()).collect();
        self.0.administer(Administration::of("set_allowed"), set_allowed(name, &allow, WITHIN))
    }

    /// Sets how many records a user of a role may read and write per second; 0: no limit; `None`:
    /// unchanged. Servers accept quotas if they are configured for them.
    pub fn set_quotas(&self, name: &str, read: Option<u32>, write: Option<u32>) -> C::Answer<()> {
        let set = set_quotas(name, read, write, WITHIN);
        self.0.administer(Administration::of("set_quotas"), set)
    }

    /// The role with this name; fails with
    /// [`ResultCode::INVALID_ROLE`](crate::ResultCode::INVALID_ROLE) if there is none.
    pub fn get(&self, name: &str) -> C::Answer<Role> {
        self.0.administer(Administration::of("get_role"), get_role(name, WITHIN))
    }

    /// The roles, sorted by name, including the predefined ones.
    pub fn list(&self) -> C::Answer<Vec<Role>> {
        self.0.administer(Administration::of("list_roles"), Ok(list_roles(WITHIN)))
    }
}
