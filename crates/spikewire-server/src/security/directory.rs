//! Users and roles.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use spikewire_aerospike_protocol::auth::{HASH_LEN, NO_PASSWORD, hash_password};
use spikewire_aerospike_protocol::manage::Hash;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::network::Network;
use super::privilege::{Access, KINDS, Kind, Privilege};
use super::usage::{Quotas, Usage};
use crate::cluster::options::UserOptions;

/// How a user proves to be that user.
#[derive(Clone, PartialEq, Eq)]
pub enum Proof {
    /// With the hash of the password.
    Hash(Vec<u8>),
    /// With the password as it is: the user is one of another system.
    Password(String),
    /// With a certificate, which no node here asks for.
    Certificate,
}

impl Proof {
    /// With this hash of a password, or none.
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

/// Shows the way, not the secret.
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
    /// How it logs in.
    pub proof: Proof,
    /// The names of its roles, in order.
    pub roles: Vec<String>,
    /// What it has open and uses up; another one with every user, whatever it is called.
    pub usage: Arc<Usage>,
}

impl User {
    /// A user with these roles who is new to so many nodes.
    pub fn new(proof: Proof, roles: Vec<String>, nodes: usize) -> Self {
        let mut user = Self { proof, roles: Vec::new(), usage: Arc::new(Usage::new(nodes)) };
        user.grant(roles);
        user
    }

    /// Gives it more roles.
    pub fn grant(&mut self, roles: Vec<String>) {
        self.roles.extend(roles);
        self.roles.sort_unstable();
        self.roles.dedup();
    }
}

/// A role.
#[derive(Debug, Clone, Default)]
pub struct Role {
    /// What it grants.
    pub privileges: Vec<Privilege>,
    /// Where its users may come from, as it was said and as it is looked at; none: from everywhere.
    pub allow: Vec<(String, Network)>,
    /// How much a user may do.
    pub quotas: Quotas,
}

impl Role {
    /// Grants more.
    pub fn grant(&mut self, privileges: Vec<Privilege>) {
        for privilege in privileges {
            if !self.privileges.contains(&privilege) {
                self.privileges.push(privilege);
            }
        }
    }
}

/// The users and roles of a cluster, by their names.
#[derive(Debug, Default)]
pub struct Directory {
    /// The users.
    pub users: BTreeMap<String, User>,
    /// The roles, those that every cluster has included.
    pub roles: BTreeMap<String, Role>,
}

impl Directory {
    /// These users of so many nodes, and the roles that every cluster has.
    pub fn new(users: &[UserOptions], nodes: usize) -> Self {
        let role = |kind: &'static Kind| {
            let privileges = vec![Privilege::everywhere(kind)];
            (kind.name.to_owned(), Role { privileges, ..Role::default() })
        };
        let user = |given: &UserOptions| {
            let proof = if given.external {
                Proof::Password(given.password.clone())
            } else {
                Proof::Hash(hash_password(&given.password).into_bytes())
            };
            (given.name.clone(), User::new(proof, given.roles.clone(), nodes))
        };
        Self { users: users.iter().map(user).collect(), roles: KINDS.iter().map(role).collect() }
    }

    fn roles_of<'a>(&'a self, user: &'a User) -> impl Iterator<Item = &'a Role> {
        user.roles.iter().filter_map(|name| self.roles.get(name))
    }

    /// What a user may do.
    pub fn access(&self, user: &User) -> Arc<Access> {
        let privileges = self.roles_of(user).flat_map(|role| &role.privileges);
        Arc::new(Access::of(privileges).within(self.quotas(user), &user.usage))
    }

    /// How much a user may do.
    pub fn quotas(&self, user: &User) -> Quotas {
        self.roles_of(user).fold(Quotas::default(), |all, role| all.or(role.quotas))
    }

    /// Whether a user may come from there: as long as one of its roles that name addresses allows it.
    pub fn allows(&self, user: &User, from: Option<IpAddr>) -> bool {
        let mut named = self.roles_of(user).flat_map(|role| &role.allow).peekable();
        named.peek().is_none()
            || named.any(|(_, network)| from.is_some_and(|from| network.has(from)))
    }
}
