//! Changes to users and roles, and lists of them.

use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::manage::{
    Page, Privilege as WirePrivilege, Request, RoleRow, Row, UserRow,
};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::directory::{Directory, Proof, Role, User};
use super::network::Network;
use super::permission::Permissions;
use super::privilege::{Privilege, PrivilegeDefinition};
use super::usage::Quotas;
use super::{LoggedIn, Origin, Security};

/// Rows of a list per frame.
const PAGE: usize = 32;

type Outcome<T = ()> = Result<T, ResultCode>;

/// Appends a list, with one page per frame.
pub fn write_pages(mut rows: Vec<Row>, out: &mut Vec<u8>) {
    while rows.len() > PAGE {
        let rest = rows.split_off(PAGE);
        Page { rows, end: None }.encode(out);
        rows = rest;
    }
    Page { rows, end: Some(ResultCode::QUERY_END) }.encode(out);
}

impl Security {
    /// Executes a request of the logged-in user; returns the rows of a list.
    pub fn manage(
        &self,
        origin: Origin,
        login: Option<&LoggedIn>,
        request: Request,
    ) -> Outcome<Vec<Row>> {
        let login = login.ok_or(ResultCode::NOT_AUTHENTICATED)?;
        if !is_own(&request, &login.user)
            && !login.access.permits(Permissions::USER_ADMIN, b"", b"")
        {
            return Err(ResultCode::ROLE_VIOLATION);
        }
        let node = origin.node;
        match request {
            Request::QueryUsers { user } => self.directory.read().users(node, user.as_deref()),
            Request::QueryRoles { role } => self.directory.read().roles(role.as_deref()),
            change => {
                let dropped = self.change(|directory| {
                    directory.change(change, self.sessions.len(), self.has_quotas)
                })?;
                if let Some(user) = dropped {
                    self.sessions.iter().for_each(|sessions| sessions.end(&user));
                }
                Ok(Vec::new())
            }
        }
    }
}

/// Whether users without user administration rights may send it, because it concerns themselves.
fn is_own(request: &Request, own: &str) -> bool {
    match request {
        Request::ChangePassword { user, .. } | Request::QueryUsers { user: Some(user) } => {
            user == own
        }
        _ => false,
    }
}

impl Directory {
    /// Applies a change, or fails without one; returns the user who was dropped, if any.
    fn change(
        &mut self,
        request: Request,
        nodes: usize,
        has_quotas: bool,
    ) -> Outcome<Option<String>> {
        match request {
            Request::CreateUser { user, password, roles } => {
                valid(&user, ResultCode::INVALID_USER)?;
                if self.users.contains_key(&user) {
                    return Err(ResultCode::USER_EXISTS);
                }
                self.known(&roles)?;
                self.users.insert(user, User::new(Proof::of(&password)?, roles, nodes));
            }
            Request::DropUser { user } => {
                self.users.remove(&user).ok_or(ResultCode::INVALID_USER)?;
                return Ok(Some(user));
            }
            Request::SetPassword { user, password } => {
                set_password(self.user(&user)?, Proof::of(&password)?)?;
            }
            Request::ChangePassword { user, old, password } => {
                let user = self.user(&user)?;
                if matches!(&user.proof, Proof::Hash(hash) if *hash != old.0) {
                    return Err(ResultCode::INVALID_PASSWORD);
                }
                set_password(user, Proof::of(&password)?)?;
            }
            Request::GrantRoles { user, roles } => {
                self.user(&user)?;
                self.known(&roles)?;
                self.user(&user)?.grant(roles);
            }
            Request::RevokeRoles { user, roles } => {
                self.user(&user)?;
                self.known(&roles)?;
                self.user(&user)?.roles.retain(|role| !roles.contains(role));
            }
            Request::CreateRole { role: name, privileges, allow, read_quota, write_quota } => {
                valid(&name, ResultCode::INVALID_ROLE)?;
                if self.roles.contains_key(&name) {
                    return Err(ResultCode::ROLE_EXISTS);
                }
                let (allow, quotas) =
                    (networks(allow)?, quotas(has_quotas, read_quota, write_quota)?);
                let mut role = Role { privileges: Vec::new(), allow, quotas };
                role.grant(known_privileges(&privileges)?);
                self.roles.insert(name, role);
            }
            Request::DropRole { role } => {
                self.own_role(&role)?;
                self.roles.remove(&role);
                self.users.values_mut().for_each(|user| user.roles.retain(|own| *own != role));
            }
            Request::GrantPrivileges { role, privileges } => {
                self.own_role(&role)?.grant(known_privileges(&privileges)?);
            }
            Request::RevokePrivileges { role, privileges } => {
                let revoked = known_privileges(&privileges)?;
                self.own_role(&role)?.privileges.retain(|own| !revoked.contains(own));
            }
            Request::SetWhitelist { role, allow } => {
                self.own_role(&role)?.allow = networks(allow)?;
            }
            Request::SetQuotas { role, read_quota, write_quota } => {
                let role = self.own_role(&role)?;
                let (read, write) = (
                    read_quota.unwrap_or(role.quotas.read),
                    write_quota.unwrap_or(role.quotas.write),
                );
                role.quotas = quotas(has_quotas, read, write)?;
            }
            Request::QueryUsers { .. } | Request::QueryRoles { .. } => {
                return Err(ResultCode::SECURITY_COMMAND);
            }
        }
        Ok(None)
    }

    fn user(&mut self, name: &str) -> Outcome<&mut User> {
        self.users.get_mut(name).ok_or(ResultCode::INVALID_USER)
    }

    /// A role that can be changed: predefined ones cannot.
    fn own_role(&mut self, name: &str) -> Outcome<&mut Role> {
        if PrivilegeDefinition::named(name).is_some() {
            return Err(ResultCode::INVALID_ROLE);
        }
        self.roles.get_mut(name).ok_or(ResultCode::INVALID_ROLE)
    }

    /// Checks that these roles exist.
    fn known(&self, roles: &[String]) -> Outcome {
        let all = roles.iter().all(|role| self.roles.contains_key(role));
        if all { Ok(()) } else { Err(ResultCode::INVALID_ROLE) }
    }

    /// One user, or all, with the statistics of a node.
    fn users(&self, node: usize, name: Option<&str>) -> Outcome<Vec<Row>> {
        let row = |(name, user): (&String, &User)| {
            let (read_info, write_info) = user.usage.info(node, self.quotas(user));
            Row::User(UserRow {
                name: name.clone(),
                roles: user.roles.clone(),
                read_info,
                write_info,
                connections: user.usage.connections(node),
            })
        };
        match name {
            None => Ok(self.users.iter().map(row).collect()),
            Some(name) => match self.users.get_key_value(name) {
                Some(entry) => Ok(vec![row(entry)]),
                None => Err(ResultCode::INVALID_USER),
            },
        }
    }

    /// One role, or all.
    fn roles(&self, name: Option<&str>) -> Outcome<Vec<Row>> {
        let row = |(name, role): (&String, &Role)| {
            Row::Role(RoleRow {
                name: name.clone(),
                privileges: role.privileges.iter().map(Privilege::to_wire).collect(),
                allow: role.allow.iter().map(|(text, _)| text.clone()).collect(),
                read_quota: role.quotas.read,
                write_quota: role.quotas.write,
            })
        };
        match name {
            None => Ok(self.roles.iter().map(row).collect()),
            Some(name) => match self.roles.get_key_value(name) {
                Some(entry) => Ok(vec![row(entry)]),
                None => Err(ResultCode::INVALID_ROLE),
            },
        }
    }
}

/// Validates the name of a new user or role.
fn valid(name: &str, otherwise: ResultCode) -> Outcome {
    let is_valid = (1..=limits::USER_NAME).contains(&name.len()) && !name.contains('\0');
    if is_valid { Ok(()) } else { Err(otherwise) }
}

/// A user without a password here cannot get one.
fn set_password(user: &mut User, proof: Proof) -> Outcome {
    match (&user.proof, &proof) {
        (Proof::Hash(_), Proof::Hash(_)) => {
            user.proof = proof;
            Ok(())
        }
        _ => Err(ResultCode::FORBIDDEN_PASSWORD),
    }
}

fn known_privileges(privileges: &[WirePrivilege]) -> Outcome<Vec<Privilege>> {
    let all: Option<Vec<_>> = privileges.iter().map(Privilege::from_wire).collect();
    all.ok_or(ResultCode::INVALID_PRIVILEGE)
}

fn networks(texts: Vec<String>) -> Outcome<Vec<(String, Network)>> {
    let network = |text: String| Network::parse(&text).map(|network| (text, network));
    let all: Option<Vec<_>> = texts.into_iter().map(network).collect();
    all.ok_or(ResultCode::INVALID_WHITELIST)
}

fn quotas(has_quotas: bool, read: u32, write: u32) -> Outcome<Quotas> {
    let quotas = Quotas { read, write };
    if quotas.limit() && !has_quotas {
        return Err(ResultCode::QUOTAS_NOT_ENABLED);
    }
    // Larger numbers are negative to other clients.
    if i32::try_from(read).is_err() || i32::try_from(write).is_err() {
        return Err(ResultCode::INVALID_QUOTA);
    }
    Ok(quotas)
}
