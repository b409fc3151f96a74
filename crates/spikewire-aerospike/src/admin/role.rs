//! Roles: privileges, allowed addresses and quotas of their users.

use std::time::Duration;

use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::manage::{Request, RoleRow, Row};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::manage::{Manage, few, name};
use crate::model::{Error, Result};

pub use spikewire_aerospike_protocol::manage::{Privilege, PrivilegeKind};

/// A role of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// Its privileges.
    pub privileges: Vec<Privilege>,
    /// The addresses and networks from which its users may connect; empty: all.
    pub allow: Vec<String>,
    /// Records that a user may read per second; 0: no limit.
    pub read_quota: u32,
    /// Records that a user may write per second; 0: no limit.
    pub write_quota: u32,
}

impl Role {
    /// A role without limits.
    pub fn new(name: impl Into<String>, privileges: Vec<Privilege>) -> Self {
        let name = name.into();
        Self { name, privileges, allow: Vec::new(), read_quota: 0, write_quota: 0 }
    }
}

impl From<RoleRow> for Role {
    fn from(row: RoleRow) -> Self {
        let RoleRow { name, privileges, allow, read_quota, write_quota } = row;
        Self { name, privileges, allow, read_quota, write_quota }
    }
}

/// A privilege by the name of its kind, such as `read-write`: for a namespace, a set of one, or
/// everywhere.
///
/// Fails for an unknown kind, for a set without its namespace, and for a scope with kinds that are
/// always global.
pub fn privilege(kind: &str, namespace: Option<&str>, set: Option<&str>) -> Result<Privilege> {
    let Some(privilege) = PrivilegeKind::named(kind) else {
        let known: Vec<&str> = PrivilegeKind::ALL.iter().map(|(_, name)| *name).collect();
        let known = known.join(", ");
        return Err(Error::invalid(format!("no privilege {kind:?}; there are: {known}")));
    };
    if !privilege.has_scope() && (namespace.is_some() || set.is_some()) {
        return Err(Error::invalid(format!(
            "the privilege {kind:?} holds everywhere: it takes no namespace and no set"
        )));
    }
    if set.is_some() && namespace.is_none() {
        return Err(Error::invalid(format!(
            "the privilege {kind:?} for a set takes the set's namespace, too"
        )));
    }
    let part = |what: &str, text: Option<&str>, longest: usize| match text {
        None => Ok(String::new()),
        Some(text) if (1..=longest).contains(&text.len()) => Ok(text.to_owned()),
        Some(text) => Err(Error::invalid(format!(
            "the {what} of a privilege must have from 1 to {longest} bytes; got {text:?}"
        ))),
    };
    Ok(Privilege {
        kind: privilege,
        namespace: part("namespace", namespace, limits::NAMESPACE_NAME)?,
        set: part("set", set, limits::SET_NAME)?,
    })
}

/// Creates a role. `limit`, here and below, is the node's time limit; zero: no limit.
pub fn create_role(role: &Role, limit: Duration) -> Result<Manage<()>> {
    let Role { name: role, privileges, allow, read_quota, write_quota } = role;
    let (role, allow) = (name("role", role)?, addresses(allow)?);
    few("privileges", privileges.len())?;
    check_quota(*read_quota)?;
    check_quota(*write_quota)?;
    let (privileges, read_quota, write_quota) = (privileges.clone(), *read_quota, *write_quota);
    let request = Request::CreateRole { role, privileges, allow, read_quota, write_quota };
    Ok(Manage::change(&request, limit))
}

/// Drops a role, which also removes it from its users.
pub fn drop_role(role: &str, limit: Duration) -> Result<Manage<()>> {
    Ok(Manage::change(&Request::DropRole { role: name("role", role)? }, limit))
}

/// Adds privileges to a role.
pub fn grant_privileges(
    role: &str,
    privileges: Vec<Privilege>,
    limit: Duration,
) -> Result<Manage<()>> {
    few("privileges", privileges.len())?;
    let role = name("role", role)?;
    Ok(Manage::change(&Request::GrantPrivileges { role, privileges }, limit))
}

/// Removes privileges from a role.
pub fn revoke_privileges(
    role: &str,
    privileges: Vec<Privilege>,
    limit: Duration,
) -> Result<Manage<()>> {
    few("privileges", privileges.len())?;
    let role = name("role", role)?;
    Ok(Manage::change(&Request::RevokePrivileges { role, privileges }, limit))
}

/// Sets the addresses and networks from which the users of a role may connect; empty: all.
pub fn set_allowed(role: &str, allow: &[String], limit: Duration) -> Result<Manage<()>> {
    let (role, allow) = (name("role", role)?, addresses(allow)?);
    Ok(Manage::change(&Request::SetWhitelist { role, allow }, limit))
}

/// Sets how many records a user of a role may read and write per second; 0: no limit; `None`:
/// unchanged.
pub fn set_quotas(
    role: &str,
    read_quota: Option<u32>,
    write_quota: Option<u32>,
    limit: Duration,
) -> Result<Manage<()>> {
    let role = name("role", role)?;
    for quota in [read_quota, write_quota].into_iter().flatten() {
        check_quota(quota)?;
    }
    Ok(Manage::change(&Request::SetQuotas { role, read_quota, write_quota }, limit))
}

/// The roles, sorted by name.
pub fn list_roles(limit: Duration) -> Manage<Vec<Role>> {
    Manage::new(&Request::QueryRoles { role: None }, limit, |rows| {
        let mut roles: Vec<Role> = roles(rows).collect();
        roles.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(roles)
    })
}

/// The role with this name.
pub fn get_role(role: &str, limit: Duration) -> Result<Manage<Role>> {
    let role = name("role", role)?;
    Ok(Manage::new(&Request::QueryRoles { role: Some(role) }, limit, |rows| {
        roles(rows).next().ok_or_else(|| Error::server(ResultCode::INVALID_ROLE))
    }))
}

fn roles(rows: Vec<Row>) -> impl Iterator<Item = Role> {
    rows.into_iter().filter_map(|row| match row {
        Row::Role(role) => Some(role.into()),
        Row::User(_) => None,
    })
}

/// The largest quota: larger numbers have other meanings, or are negative to other clients.
pub const LARGEST_QUOTA: u32 = i32::MAX as u32;

fn check_quota(quota: u32) -> Result<()> {
    if quota > LARGEST_QUOTA {
        return Err(Error::invalid(format!(
            "a quota must be from 0 to {LARGEST_QUOTA}; got {quota}"
        )));
    }
    Ok(())
}

/// Rejects commas, which separate addresses in messages; the cluster validates the addresses.
fn addresses(allow: &[String]) -> Result<Vec<String>> {
    let is_one = |address: &String| !address.is_empty() && !address.contains([',', '\0']);
    match allow.iter().find(|address| !is_one(address)) {
        Some(odd) => Err(Error::invalid(format!("no address or network: {odd:?}"))),
        None => Ok(allow.to_vec()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Procedure as _;
    use super::super::manage::testing::{listed, sent};
    use super::super::testing::done;
    use super::*;
    use crate::clock::Tick;
    use crate::model::Kind;

    const WITHIN: Duration = Duration::from_secs(1);

    fn own() -> Role {
        Role {
            name: "own".to_owned(),
            privileges: vec![privilege("read", Some("test"), Some("s")).unwrap()],
            allow: vec!["10.0.0.0/8".to_owned()],
            read_quota: 5,
            write_quota: 0,
        }
    }

    #[test]
    fn privileges_that_make_no_sense_are_rejected() {
        assert_eq!(
            privilege("user-admin", None, None).unwrap(),
            Privilege::everywhere(PrivilegeKind::USER_ADMIN)
        );
        let error = privilege("reed", None, None).unwrap_err();
        assert!(error.message().contains("read-write-udf"), "{error}");
        for (kind, namespace, set) in [
            ("sys-admin", Some("test"), None),
            ("read", None, Some("s")),
            ("read", Some(""), None),
            ("read", Some("test"), Some("")),
        ] {
            assert!(privilege(kind, namespace, set).is_err(), "{kind} {namespace:?} {set:?}");
        }
        assert!(privilege("read", Some(&"n".repeat(32)), None).is_err());
        assert!(privilege("read", Some("n"), Some(&"s".repeat(64))).is_err());
    }

    #[test]
    fn requests_for_roles() {
        let role = || "own".to_owned();
        let Role { privileges, allow, .. } = own();
        let mut create = create_role(&own(), WITHIN).unwrap();
        let expected = Request::CreateRole {
            role: role(),
            privileges: privileges.clone(),
            allow: allow.clone(),
            read_quota: 5,
            write_quota: 0,
        };
        assert_eq!(sent(create.next(Vec::new(), Tick(0))).0, expected);
        let mut grant = grant_privileges("own", privileges.clone(), WITHIN).unwrap();
        let expected = Request::GrantPrivileges { role: role(), privileges: privileges.clone() };
        assert_eq!(sent(grant.next(Vec::new(), Tick(0))).0, expected);
        let mut revoke = revoke_privileges("own", privileges.clone(), WITHIN).unwrap();
        let expected = Request::RevokePrivileges { role: role(), privileges };
        assert_eq!(sent(revoke.next(Vec::new(), Tick(0))).0, expected);
        let mut set = set_allowed("own", &allow, WITHIN).unwrap();
        let expected = Request::SetWhitelist { role: role(), allow };
        assert_eq!(sent(set.next(Vec::new(), Tick(0))).0, expected);
        let mut set = set_quotas("own", Some(7), None, WITHIN).unwrap();
        let expected = Request::SetQuotas { role: role(), read_quota: Some(7), write_quota: None };
        assert_eq!(sent(set.next(Vec::new(), Tick(0))).0, expected);
        let mut drop = drop_role("own", WITHIN).unwrap();
        assert_eq!(sent(drop.next(Vec::new(), Tick(0))).0, Request::DropRole { role: role() });
    }

    #[test]
    fn an_address_does_not_become_two() {
        for odd in ["", "10.0.0.1,0.0.0.0/0"] {
            assert!(set_allowed("own", &[odd.to_owned()], WITHIN).is_err());
        }
    }

    #[test]
    fn quotas_out_of_range_are_rejected() {
        assert!(set_quotas("own", Some(u32::MAX), None, WITHIN).is_err());
        assert!(set_quotas("own", None, Some(1 << 31), WITHIN).is_err());
        assert!(create_role(&Role { write_quota: u32::MAX, ..own() }, WITHIN).is_err());
        assert!(set_quotas("own", Some((1 << 31) - 1), Some(0), WITHIN).is_ok());
    }

    #[test]
    fn lists() {
        let row = |name: &str| Row::Role(RoleRow { name: name.to_owned(), ..RoleRow::default() });
        let mut list = list_roles(WITHIN);
        assert_eq!(sent(list.next(Vec::new(), Tick(0))).0, Request::QueryRoles { role: None });
        let roles = done(list.next(listed(vec![row("b"), row("a")]), Tick(0))).unwrap();
        assert_eq!(roles.iter().map(|role| &*role.name).collect::<Vec<_>>(), ["a", "b"]);
        let mut get = get_role("c", WITHIN).unwrap();
        get.next(Vec::new(), Tick(0));
        let error = done(get.next(listed(Vec::new()), Tick(0))).unwrap_err();
        assert_eq!(error.kind(), Kind::Server(ResultCode::INVALID_ROLE));
    }
}
