//! Users and roles.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use spikewire_aerospike_protocol::auth::{HASH_LEN, NO_PASSWORD, hash_password};
use spikewire_aerospike_protocol::manage::Hash;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::access::Access;
use super::network::Network;
use super::options::UserOptions;
use super::privilege::{DEFINITIONS, Privilege, PrivilegeDefinition};
use super::usage::{Quotas, Usage};

/// How a user is authenticated.
#[derive(Clone, PartialEq, Eq)]
pub enum Proof {
    /// By the hash of the password.
    Hash(Vec<u8>),
    /// By the plaintext password: an external user.
    Password(String),
    /// By certificate, which nodes here do not request.
    Certificate,
}

impl Proof {
    /// Authentication by this password hash, or none.
    pub fn of(hash: &Hash) -> Result<Self, ResultCode> {
        if hash.0 == NO_PASSWORD.as_bytes() {
            return Ok(Self::Certificate);
        }
        if hash.0.len() != HASH_LEN {
            return Err(ResultCode::INVALID_PASSWORD);
        }
        Ok(Self::Hash(hash.0.clone()))
    }
}

/// Prints the method, not the secret.
impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hash(_) => "Hash(..)",
            Self::Password(_) => "Password(..)",
            Self::Certificate => "Certificate",
        })
    }
}

/// A user.
#[derive(Debug, Clone)]
pub struct User {
    /// How it is authenticated.
    pub proof: Proof,
    /// The names of its roles, in order.
    pub roles: Vec<String>,
    /// Its connections and quota usage; a new one for every created user, even with the same name.
    pub usage: Arc<Usage>,
}

impl User {
    /// A new user with these roles, for this many nodes.
    pub fn new(proof: Proof, roles: Vec<String>, nodes: usize) -> Self {
        let mut user = Self { proof, roles: Vec::new(), usage: Arc::new(Usage::new(nodes)) };
        user.grant(roles);
        user
    }

    /// Grants roles.
    pub fn grant(&mut self, roles: Vec<String>) {
        self.roles.extend(roles);
        self.roles.sort_unstable();
        self.roles.dedup();
    }
}

/// A role.
#[derive(Debug, Clone, Default)]
pub struct Role {
    /// Its privileges.
    pub privileges: Vec<Privilege>,
    /// The addresses from which its users may connect, as given and parsed; empty: all.
    pub allow: Vec<(String, Network)>,
    /// The quotas of its users.
    pub quotas: Quotas,
}

impl Role {
    /// Grants privileges.
    pub fn grant(&mut self, privileges: Vec<Privilege>) {
        for privilege in privileges {
            if !self.privileges.contains(&privilege) {
                self.privileges.push(privilege);
            }
        }
    }
}

/// The users and roles of a cluster, by name.
#[derive(Debug, Default)]
pub struct Directory {
    /// The users.
    pub users: BTreeMap<String, User>,
    /// The roles, including the predefined ones.
    pub roles: BTreeMap<String, Role>,
}

impl Directory {
    /// A directory of these users, for this many nodes, and the predefined roles.
    pub fn new(users: &[UserOptions], nodes: usize) -> Self {
        let role = |definition: &'static PrivilegeDefinition| {
            let privileges = vec![Privilege::everywhere(definition)];
            (definition.name.to_owned(), Role { privileges, ..Role::default() })
        };
        let user = |options: &UserOptions| {
            let proof = if options.external {
                Proof::Password(options.password.clone())
            } else {
                Proof::Hash(hash_password(&options.password).into_bytes())
            };
            (options.name.clone(), User::new(proof, options.roles.clone(), nodes))
        };
        Self {
            users: users.iter().map(user).collect(),
            roles: DEFINITIONS.iter().map(role).collect(),
        }
    }

    fn roles_of<'a>(&'a self, user: &'a User) -> impl Iterator<Item = &'a Role> {
        user.roles.iter().filter_map(|name| self.roles.get(name))
    }

    /// The privileges of a user.
    pub fn access(&self, user: &User) -> Arc<Access> {
        let privileges = self.roles_of(user).flat_map(|role| &role.privileges);
        Arc::new(Access::of(privileges).within(self.quotas(user), &user.usage))
    }

    /// The quotas of its users.
    pub fn quotas(&self, user: &User) -> Quotas {
        self.roles_of(user).fold(Quotas::default(), |all, role| all.or(role.quotas))
    }

    /// Whether a user may connect from this address: if one of its roles with an allowlist contains
    /// it, or none has one.
    pub fn allows(&self, user: &User, from: Option<IpAddr>) -> bool {
        let mut named = self.roles_of(user).flat_map(|role| &role.allow).peekable();
        named.peek().is_none()
            || named.any(|(_, network)| from.is_some_and(|from| network.has(from)))
    }
}
