//! The users that a cluster starts with.

use std::fmt;
use std::io;

use spikewire_aerospike_protocol::limits;
use spikewire_options::{Form, OptionValue};

use super::privilege::{DEFINITIONS, PrivilegeDefinition};
use crate::error::invalid;

/// A user.
#[derive(Clone, PartialEq, Eq)]
pub struct UserOptions {
    /// The name to log in with.
    pub name: String,
    /// The password to log in with.
    pub password: String,
    /// The user's roles.
    pub roles: Vec<String>,
    /// Whether the user is external, such as in a directory: external users log in with the
    /// plaintext password, not with a hash of it.
    pub external: bool,
}

impl UserOptions {
    /// A user with all privileges.
    pub fn new(name: impl Into<String>, password: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            password: password.into(),
            roles: DEFINITIONS.iter().map(|definition| definition.name.to_owned()).collect(),
            external: false,
        }
    }

    /// Reads users from a host: names with a password or with options each.
    pub(crate) fn read<V: OptionValue>(name: &str, value: &V) -> Result<Vec<Self>, V::Error> {
        let users = value.map(name, "names and passwords")?.into_iter();
        users.map(|(name, value)| Self::of(name, &value)).collect()
    }

    fn of<V: OptionValue>(name: String, value: &V) -> Result<Self, V::Error> {
        let what = format!("user {name:?}");
        let mut user = Self::new(name, "");
        if value.form() != Form::Map {
            user.password = value.text(&format!("{what}: password"))?;
            return Ok(user);
        }
        let names = ["external", "password", "roles"];
        for (option, value) in value.options(&what, &format!("{what}: unknown option"), &names)? {
            let what = format!("{what}: {option}");
            match option {
                "external" => user.external = value.flag(&what)?,
                "password" => user.password = value.text(&what)?,
                _ => user.roles = value.texts(&what, "names of roles", "a role")?,
            }
        }
        Ok(user)
    }

    /// Validates the users of a cluster.
    pub(crate) fn check(users: &[Self]) -> io::Result<()> {
        for (at, user) in users.iter().enumerate() {
            let name = user.name.as_str();
            if name.is_empty() || name.len() > limits::USER_NAME || name.contains('\0') {
                return Err(invalid(format!(
                    "user {name:?}: 1 to 63 bytes, and no zero character"
                )));
            }
            if users[..at].iter().any(|other| other.name == name) {
                return Err(invalid(format!("user {name:?} is given twice")));
            }
            if user.password.is_empty() || user.password.contains('\0') {
                return Err(invalid(format!(
                    "user {name:?}: the password must not be empty or hold a zero character"
                )));
            }
            if let Some(role) =
                user.roles.iter().find(|role| PrivilegeDefinition::named(role).is_none())
            {
                let known: Vec<&str> =
                    DEFINITIONS.iter().map(|definition| definition.name).collect();
                let known = known.join(", ");
                return Err(invalid(format!(
                    "user {name:?}: no role {role:?}; there are: {known}"
                )));
            }
        }
        Ok(())
    }
}

/// Prints everything but the password.
impl fmt::Debug for UserOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserOptions")
            .field("name", &self.name)
            .field("roles", &self.roles)
            .field("external", &self.external)
            .finish_non_exhaustive()
    }
}
