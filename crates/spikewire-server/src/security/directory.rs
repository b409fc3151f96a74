//! Users and roles.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use spikewire_aerospike_protocol::auth::hash_password;

use super::privilege::{Access, KINDS, Kind, Privilege};
use crate::cluster::options::UserOptions;

/// How a user proves to be that user.
#[derive(Clone, PartialEq, Eq)]
pub enum Proof {
    /// With the hash of the password.
    Hash(Vec<u8>),
    /// With the password as it is: the user is one of another system.
    Password(String),
}

/// Shows the way, not the secret.
impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hash(_) => "Hash(..)",
            Self::Password(_) => "Password(..)",
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
}

/// A role.
#[derive(Debug, Clone, Default)]
pub struct Role {
    /// What it grants.
    pub privileges: Vec<Privilege>,
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
    /// These users, and the roles that every cluster has.
    pub fn new(users: &[UserOptions]) -> Self {
        let role = |kind: &'static Kind| {
            (kind.name.to_owned(), Role { privileges: vec![Privilege::everywhere(kind)] })
        };
        let user = |given: &UserOptions| {
            let proof = if given.external {
                Proof::Password(given.password.clone())
            } else {
                Proof::Hash(hash_password(&given.password).into_bytes())
            };
            let mut roles = given.roles.clone();
            roles.sort_unstable();
            roles.dedup();
            (given.name.clone(), User { proof, roles })
        };
        Self { users: users.iter().map(user).collect(), roles: KINDS.iter().map(role).collect() }
    }

    /// What a user may do; `None` if there is no such user.
    pub fn access(&self, user: &str) -> Option<Arc<Access>> {
        let roles = self.users.get(user)?.roles.iter().filter_map(|name| self.roles.get(name));
        Some(Arc::new(Access::of(roles.flat_map(|role| &role.privileges))))
    }
}
