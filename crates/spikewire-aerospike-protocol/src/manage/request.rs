//! Requests to change users or roles, or to list them.

use std::fmt;

use super::{Privilege, Reader, addresses, command, field, malformed, number, texts, utf8};
use crate::Malformed;
use crate::auth::{self, HASH_LEN};
use crate::message::Field;
use crate::result_code::ResultCode;

/// A password hash, from [`auth::hash_password`]. Equivalent to the password, so debug output does
/// not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Hash(pub Vec<u8>);

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hash(..)")
    }
}

impl From<String> for Hash {
    fn from(hash: String) -> Self {
        debug_assert_eq!(hash.len(), HASH_LEN);
        Self(hash.into_bytes())
    }
}

/// Instead of a quota: unchanged.
const SAME_QUOTA: u32 = u32::MAX;

/// A request that manages users and roles.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs)] // fields say it
pub enum Request {
    /// Create a user.
    CreateUser { user: String, password: Hash, roles: Vec<String> },
    /// Drop a user.
    DropUser { user: String },
    /// Set a password, as a user administrator.
    SetPassword { user: String, password: Hash },
    /// Change one's own password, given the old one.
    ChangePassword { user: String, old: Hash, password: Hash },
    /// Grant roles to a user.
    GrantRoles { user: String, roles: Vec<String> },
    /// Revoke roles from a user.
    RevokeRoles { user: String, roles: Vec<String> },
    /// List one user, or all.
    QueryUsers { user: Option<String> },
    /// Create a role. Quotas of 0 and an empty list of addresses: no limits.
    CreateRole {
        role: String,
        privileges: Vec<Privilege>,
        allow: Vec<String>,
        read_quota: u32,
        write_quota: u32,
    },
    /// Drop a role.
    DropRole { role: String },
    /// Grant privileges to a role.
    GrantPrivileges { role: String, privileges: Vec<Privilege> },
    /// Revoke privileges from a role.
    RevokePrivileges { role: String, privileges: Vec<Privilege> },
    /// Set the addresses from which a role's users may connect; empty: all.
    SetWhitelist { role: String, allow: Vec<String> },
    /// Set the quotas of a role's users; 0: no limit; `None`: unchanged.
    SetQuotas { role: String, read_quota: Option<u32>, write_quota: Option<u32> },
    /// List one role, or all.
    QueryRoles { role: Option<String> },
}

/// The fields of a request to encode.
#[derive(Default)]
struct Fields(Vec<(u8, Vec<u8>)>);

impl Fields {
    fn with(mut self, id: u8, data: impl Into<Vec<u8>>) -> Self {
        self.0.push((id, data.into()));
        self
    }

    /// Omits the field if it is empty.
    fn unless_empty(self, id: u8, data: Vec<u8>, is_empty: bool) -> Self {
        if is_empty { self } else { self.with(id, data) }
    }

    fn allow(self, allow: &[String]) -> Self {
        self.unless_empty(field::WHITELIST, allow.join(",").into(), allow.is_empty())
    }

    fn quota(self, id: u8, quota: u32) -> Self {
        self.with(id, quota.to_be_bytes())
    }
}

impl Request {
    /// Whether the reply consists of [`Page`](super::Page)s.
    pub const fn is_question(&self) -> bool {
        matches!(self, Self::QueryUsers { .. } | Self::QueryRoles { .. })
    }

    /// Appends a whole frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        let of_user = |user: &str| Fields::default().with(auth::field::USER, user);
        let of_role = |role: &str| Fields::default().with(field::ROLE, role);
        let (command, fields) = match self {
            Self::CreateUser { user, password, roles } => {
                let fields = of_user(user).with(field::PASSWORD, &*password.0);
                (command::CREATE_USER, fields.with(field::ROLES, texts(roles)))
            }
            Self::DropUser { user } => (command::DROP_USER, of_user(user)),
            Self::SetPassword { user, password } => {
                (command::SET_PASSWORD, of_user(user).with(field::PASSWORD, &*password.0))
            }
            Self::ChangePassword { user, old, password } => {
                let fields = of_user(user).with(field::OLD_PASSWORD, &*old.0);
                (command::CHANGE_PASSWORD, fields.with(field::PASSWORD, &*password.0))
            }
            Self::GrantRoles { user, roles } => {
                (command::GRANT_ROLES, of_user(user).with(field::ROLES, texts(roles)))
            }
            Self::RevokeRoles { user, roles } => {
                (command::REVOKE_ROLES, of_user(user).with(field::ROLES, texts(roles)))
            }
            Self::QueryUsers { user } => {
                (command::QUERY_USERS, user.as_deref().map(of_user).unwrap_or_default())
            }
            Self::CreateRole { role, privileges, allow, read_quota, write_quota } => {
                let granted = Privilege::write_all(privileges);
                let mut fields = of_role(role)
                    .unless_empty(field::PRIVILEGES, granted, privileges.is_empty())
                    .allow(allow);
                for (id, quota) in
                    [(field::READ_QUOTA, *read_quota), (field::WRITE_QUOTA, *write_quota)]
                {
                    if quota > 0 {
                        fields = fields.quota(id, quota);
                    }
                }
                (command::CREATE_ROLE, fields)
            }
            Self::DropRole { role } => (command::DROP_ROLE, of_role(role)),
            Self::GrantPrivileges { role, privileges } => {
                let granted = Privilege::write_all(privileges);
                (command::GRANT_PRIVILEGES, of_role(role).with(field::PRIVILEGES, granted))
            }
            Self::RevokePrivileges { role, privileges } => {
                let revoked = Privilege::write_all(privileges);
                (command::REVOKE_PRIVILEGES, of_role(role).with(field::PRIVILEGES, revoked))
            }
            Self::SetWhitelist { role, allow } => {
                (command::SET_WHITELIST, of_role(role).allow(allow))
            }
            Self::SetQuotas { role, read_quota, write_quota } => {
                let quota = |quota: &Option<u32>| quota.unwrap_or(SAME_QUOTA);
                let fields = of_role(role).quota(field::READ_QUOTA, quota(read_quota));
                (command::SET_QUOTAS, fields.quota(field::WRITE_QUOTA, quota(write_quota)))
            }
            Self::QueryRoles { role } => {
                (command::QUERY_ROLES, role.as_deref().map(of_role).unwrap_or_default())
            }
        };
        auth::write(out, ResultCode::OK, command, &fields.0);
    }

    /// Decodes the body of a security frame; `None`: another command.
    pub fn parse(body: &[u8]) -> Result<Option<Self>, Malformed> {
        let (_, command, fields) = auth::read(body)?;
        let fields = RequestFields(&fields);
        Ok(Some(match command {
            command::CREATE_USER => Self::CreateUser {
                user: fields.user()?,
                password: fields.hash(field::PASSWORD)?,
                roles: fields.roles()?,
            },
            command::DROP_USER => Self::DropUser { user: fields.user()? },
            command::SET_PASSWORD => {
                Self::SetPassword { user: fields.user()?, password: fields.hash(field::PASSWORD)? }
            }
            command::CHANGE_PASSWORD => Self::ChangePassword {
                user: fields.user()?,
                old: fields.hash(field::OLD_PASSWORD)?,
                password: fields.hash(field::PASSWORD)?,
            },
            command::GRANT_ROLES => {
                Self::GrantRoles { user: fields.user()?, roles: fields.roles()? }
            }
            command::REVOKE_ROLES => {
                Self::RevokeRoles { user: fields.user()?, roles: fields.roles()? }
            }
            command::QUERY_USERS => {
                Self::QueryUsers { user: fields.find(auth::field::USER).map(utf8).transpose()? }
            }
            command::CREATE_ROLE => Self::CreateRole {
                role: fields.role()?,
                privileges: fields.privileges()?.unwrap_or_default(),
                allow: fields.allow()?,
                read_quota: fields.quota(field::READ_QUOTA)?,
                write_quota: fields.quota(field::WRITE_QUOTA)?,
            },
            command::DROP_ROLE => Self::DropRole { role: fields.role()? },
            command::GRANT_PRIVILEGES => Self::GrantPrivileges {
                role: fields.role()?,
                privileges: fields.privileges()?.ok_or(malformed("no privileges"))?,
            },
            command::REVOKE_PRIVILEGES => Self::RevokePrivileges {
                role: fields.role()?,
                privileges: fields.privileges()?.ok_or(malformed("no privileges"))?,
            },
            command::SET_WHITELIST => {
                Self::SetWhitelist { role: fields.role()?, allow: fields.allow()? }
            }
            command::SET_QUOTAS => Self::SetQuotas {
                role: fields.role()?,
                read_quota: Some(fields.quota(field::READ_QUOTA)?).filter(|it| *it != SAME_QUOTA),
                write_quota: Some(fields.quota(field::WRITE_QUOTA)?).filter(|it| *it != SAME_QUOTA),
            },
            command::QUERY_ROLES => {
                Self::QueryRoles { role: fields.find(field::ROLE).map(utf8).transpose()? }
            }
            _ => return Ok(None),
        }))
    }
}

/// The fields of a request to decode.
struct RequestFields<'a>(&'a [Field<'a>]);

impl<'a> RequestFields<'a> {
    fn find(&self, id: u8) -> Option<&'a [u8]> {
        auth::find(self.0, id)
    }

    fn user(&self) -> Result<String, Malformed> {
        utf8(self.find(auth::field::USER).ok_or(malformed("no user name"))?)
    }

    fn role(&self) -> Result<String, Malformed> {
        utf8(self.find(field::ROLE).ok_or(malformed("no role name"))?)
    }

    fn hash(&self, id: u8) -> Result<Hash, Malformed> {
        self.find(id).map(|hash| Hash(hash.to_vec())).ok_or(malformed("no password"))
    }

    fn roles(&self) -> Result<Vec<String>, Malformed> {
        let data = self.find(field::ROLES).ok_or(malformed("no roles"))?;
        Reader::list(data, Reader::text)
    }

    fn privileges(&self) -> Result<Option<Vec<Privilege>>, Malformed> {
        self.find(field::PRIVILEGES).map(Privilege::read_all).transpose()
    }

    fn allow(&self) -> Result<Vec<String>, Malformed> {
        self.find(field::WHITELIST).map_or(Ok(Vec::new()), addresses)
    }

    fn quota(&self, id: u8) -> Result<u32, Malformed> {
        self.find(id).map_or(Ok(0), number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{self, HEADER_LEN, Kind};
    use crate::manage::PrivilegeKind;

    fn hash(of: u8) -> Hash {
        Hash(vec![of; HASH_LEN])
    }

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(|name| (*name).to_owned()).collect()
    }

    fn privileges() -> Vec<Privilege> {
        vec![
            Privilege::everywhere(PrivilegeKind::USER_ADMIN),
            Privilege::everywhere(PrivilegeKind::READ),
            Privilege {
                kind: PrivilegeKind::WRITE,
                namespace: "test".to_owned(),
                set: "s".repeat(63),
            },
            Privilege {
                kind: PrivilegeKind(200),
                namespace: "test".to_owned(),
                set: String::new(),
            },
        ]
    }

    fn requests() -> Vec<Request> {
        let user = || "ü".to_owned();
        let role = || "r".to_owned();
        vec![
            Request::CreateUser { user: user(), password: hash(1), roles: names(&["a", "b"]) },
            Request::CreateUser { user: String::new(), password: hash(1), roles: names(&[]) },
            Request::DropUser { user: user() },
            Request::SetPassword { user: user(), password: hash(2) },
            Request::ChangePassword { user: user(), old: hash(1), password: hash(2) },
            Request::GrantRoles { user: user(), roles: names(&["read", ""]) },
            Request::RevokeRoles { user: user(), roles: names(&["read"; 255]) },
            Request::QueryUsers { user: None },
            Request::QueryUsers { user: Some(user()) },
            Request::CreateRole {
                role: role(),
                privileges: privileges(),
                allow: names(&["10.0.0.0/8", "::1"]),
                read_quota: 5,
                write_quota: u32::MAX,
            },
            Request::CreateRole {
                role: role(),
                privileges: Vec::new(),
                allow: Vec::new(),
                read_quota: 0,
                write_quota: 0,
            },
            Request::DropRole { role: role() },
            Request::GrantPrivileges { role: role(), privileges: privileges() },
            Request::RevokePrivileges { role: role(), privileges: Vec::new() },
            Request::SetWhitelist { role: role(), allow: names(&["127.0.0.1"]) },
            Request::SetWhitelist { role: role(), allow: Vec::new() },
            Request::SetQuotas { role: role(), read_quota: Some(0), write_quota: Some(7) },
            Request::SetQuotas { role: role(), read_quota: None, write_quota: Some(7) },
            Request::QueryRoles { role: None },
            Request::QueryRoles { role: Some(role()) },
        ]
    }

    fn bytes(request: &Request) -> Vec<u8> {
        let mut out = Vec::new();
        request.encode(&mut out);
        let (frame, used) = frame::split(&out).unwrap().unwrap();
        assert_eq!((frame.kind, used), (Kind::Admin, out.len()));
        out
    }

    #[test]
    fn requests_round_trip() {
        for request in requests() {
            let bytes = bytes(&request);
            assert_eq!(Request::parse(&bytes[HEADER_LEN..]), Ok(Some(request)));
        }
    }

    /// As other public clients encode it.
    #[test]
    fn a_role_encodes_as_other_clients_do() {
        let request = Request::CreateRole {
            role: "ro".to_owned(),
            privileges: vec![
                Privilege::everywhere(PrivilegeKind::SYS_ADMIN),
                Privilege {
                    kind: PrivilegeKind::READ,
                    namespace: "ns".to_owned(),
                    set: String::new(),
                },
            ],
            allow: names(&["::1", "10.0.0.0/8"]),
            read_quota: 0,
            write_quota: 258,
        };
        let mut expected = vec![2, 2, 0, 0, 0, 0, 0, 63, 0, 0, 10, 4];
        expected.extend_from_slice(&[0; 12]);
        expected.extend_from_slice(b"\0\0\0\x03\x0bro");
        expected.extend_from_slice(b"\0\0\0\x08\x0c\x02\x01\x0a\x02ns\0");
        expected.extend_from_slice(b"\0\0\0\x0f\x0d::1,10.0.0.0/8");
        expected.extend_from_slice(b"\0\0\0\x05\x0f\0\0\x01\x02");
        assert_eq!(bytes(&request), expected);
    }

    #[test]
    fn broken_bodies_are_rejected() {
        for request in requests() {
            let bytes = bytes(&request);
            for cut in HEADER_LEN..bytes.len() {
                assert!(Request::parse(&bytes[HEADER_LEN..cut]).is_err(), "{request:?} to {cut}");
            }
        }
        let mut out = Vec::new();
        auth::write(&mut out, ResultCode::OK, command::DROP_USER, &[(9, b"x")]);
        assert!(Request::parse(&out[HEADER_LEN..]).is_err(), "no user");
        out.clear();
        auth::write(&mut out, ResultCode::OK, command::DROP_USER, &[(0, [0xff])]);
        assert!(Request::parse(&out[HEADER_LEN..]).is_err(), "no UTF-8");
        out.clear();
        auth::write(&mut out, ResultCode::OK, 20, &[(0, b"x")]);
        assert_eq!(Request::parse(&out[HEADER_LEN..]), Ok(None), "a login");
    }

    #[test]
    fn secrets_stay_out_of_debug_text() {
        for request in requests() {
            let debug = format!("{request:?}");
            assert!(!debug.contains("[1, 1") && !debug.contains("[2, 2"), "{debug}");
        }
    }
}
