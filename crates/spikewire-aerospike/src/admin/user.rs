//! Users and their roles.

use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike_protocol::manage::{Request, Row, UserRow};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::manage::{Manage, name, role_names};
use super::{AdminAction, NodeAnswer, Procedure};
use crate::clock::Tick;
use crate::model::{Error, Result};
use crate::security::Credentials;

pub use super::manage::{NewPassword, WithPassword};

/// A user of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Its name.
    pub name: String,
    /// The names of its roles.
    pub roles: Vec<String>,
    /// Read statistics of the node that replied: the quota in records per second (0: none),
    /// commands per second, records of queries per second, queries without a limit. Servers may
    /// report fewer or more of them.
    pub read_info: Vec<u32>,
    /// The same for writing.
    pub write_info: Vec<u32>,
    /// Its open connections to the node that replied.
    pub connections: u32,
}

impl From<UserRow> for User {
    fn from(row: UserRow) -> Self {
        let UserRow { name, roles, read_info, write_info, connections } = row;
        Self { name, roles, read_info, write_info, connections }
    }
}

/// Creates a user. `limit`, here and below, is the node's time limit; zero: no limit.
pub fn create_user(
    user: &str,
    password: NewPassword,
    roles: &[impl AsRef<str>],
    limit: Duration,
) -> Result<Manage<()>> {
    let (user, roles) = (name("user", user)?, role_names(roles)?);
    Ok(Manage::change(&Request::CreateUser { user, password: password.0, roles }, limit))
}

/// Drops a user, whose connections become unusable.
pub fn drop_user(user: &str, limit: Duration) -> Result<Manage<()>> {
    Ok(Manage::change(&Request::DropUser { user: name("user", user)? }, limit))
}

/// Grants roles to a user.
pub fn grant_roles(user: &str, roles: &[impl AsRef<str>], limit: Duration) -> Result<Manage<()>> {
    let (user, roles) = (name("user", user)?, role_names(roles)?);
    Ok(Manage::change(&Request::GrantRoles { user, roles }, limit))
}

/// Revokes roles from a user.
pub fn revoke_roles(user: &str, roles: &[impl AsRef<str>], limit: Duration) -> Result<Manage<()>> {
    let (user, roles) = (name("user", user)?, role_names(roles)?);
    Ok(Manage::change(&Request::RevokeRoles { user, roles }, limit))
}

/// The users, sorted by name.
pub fn list_users(limit: Duration) -> Manage<Vec<User>> {
    Manage::new(&Request::QueryUsers { user: None }, limit, |rows| {
        let mut users: Vec<User> = users(rows).collect();
        users.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(users)
    })
}

/// The user with this name.
pub fn get_user(user: &str, limit: Duration) -> Result<Manage<User>> {
    let user = name("user", user)?;
    Ok(Manage::new(&Request::QueryUsers { user: Some(user) }, limit, |rows| {
        users(rows).next().ok_or_else(|| Error::server(ResultCode::INVALID_USER))
    }))
}

fn users(rows: Vec<Row>) -> impl Iterator<Item = User> {
    rows.into_iter().filter_map(|row| match row {
        Row::User(user) => Some(user.into()),
        Row::Role(_) => None,
    })
}

/// Changes a password. If it is that of the client's own user, the client uses it for further
/// logins.
#[derive(Debug)]
pub struct ChangePassword {
    change: Manage<()>,
    user: String,
    password: NewPassword,
    /// The client's own credentials.
    own: Option<Arc<Credentials>>,
}

impl ChangePassword {
    /// For any user, by a user administrator. `own`: the client's own credentials.
    pub fn of(
        user: &str,
        password: NewPassword,
        own: Option<Arc<Credentials>>,
        limit: Duration,
    ) -> Result<Self> {
        let user = name("user", user)?;
        let request = Request::SetPassword { user: user.clone(), password: password.0.clone() };
        Ok(Self { change: Manage::change(&request, limit), user, password, own })
    }

    /// For the client's own user, which must be an internal user of the cluster.
    pub fn own(
        password: NewPassword,
        own: Option<Arc<Credentials>>,
        limit: Duration,
    ) -> Result<Self> {
        let Some((user, old)) = own.as_deref().and_then(Credentials::internal_user) else {
            return Err(Error::invalid(
                "only a client that logs in with user and password, as a user that the cluster keeps \
                 itself, can change its password",
            ));
        };
        let user = user.to_owned();
        let password_sent = password.0.clone();
        let request = Request::ChangePassword { user: user.clone(), old, password: password_sent };
        Ok(Self { change: Manage::change(&request, limit), user, password, own })
    }
}

impl Procedure for ChangePassword {
    type Output = ();

    fn next(&mut self, answers: Vec<NodeAnswer>, now: Tick) -> AdminAction<()> {
        let action = self.change.next(answers, now);
        if let (AdminAction::Done(Ok(())), Some(own)) = (&action, &self.own) {
            own.changed(&self.user, &self.password.0);
        }
        action
    }
}

#[cfg(test)]
mod tests {
    use super::super::manage::testing::{listed, sent};
    use super::super::testing::{done, server_error};
    use super::*;
    use crate::model::Kind;
    use crate::model::{Auth, Login, Secret};

    const WITHIN: Duration = Duration::from_secs(1);

    fn password(text: &str) -> NewPassword {
        NewPassword::new(&Secret::from(text)).unwrap()
    }

    fn credentials(auth: Auth) -> Arc<Credentials> {
        let login =
            Login { user: Some("app".to_owned()), password: Some(Secret::from("old")), auth: None };
        Arc::new(Credentials::new(&login, auth))
    }

    fn hash(credentials: &Credentials) -> NewPassword {
        NewPassword(credentials.internal_user().unwrap().1)
    }

    fn row(name: &str) -> Row {
        Row::User(UserRow { name: name.to_owned(), ..UserRow::default() })
    }

    #[test]
    fn user_commands_encode_their_requests() {
        let (app, roles) = ("app".to_owned(), vec!["read".to_owned()]);
        let mut create = create_user("app", password("x"), &["read"], WITHIN).unwrap();
        let expected = Request::CreateUser {
            user: app.clone(),
            password: password("x").0,
            roles: roles.clone(),
        };
        assert_eq!(sent(create.next(Vec::new(), Tick(0))).0, expected);
        let mut grant = grant_roles("app", &["read"], WITHIN).unwrap();
        let expected = Request::GrantRoles { user: app.clone(), roles: roles.clone() };
        assert_eq!(sent(grant.next(Vec::new(), Tick(0))).0, expected);
        let mut revoke = revoke_roles("app", &["read"], WITHIN).unwrap();
        let expected = Request::RevokeRoles { user: app.clone(), roles };
        assert_eq!(sent(revoke.next(Vec::new(), Tick(0))).0, expected);
        let mut drop = drop_user("app", WITHIN).unwrap();
        assert_eq!(sent(drop.next(Vec::new(), Tick(0))).0, Request::DropUser { user: app });
    }

    #[test]
    fn users_are_listed_by_name() {
        let mut list = list_users(WITHIN);
        assert_eq!(sent(list.next(Vec::new(), Tick(0))).0, Request::QueryUsers { user: None });
        let users = done(list.next(listed(vec![row("b"), row("a")]), Tick(0))).unwrap();
        assert_eq!(users.iter().map(|user| &*user.name).collect::<Vec<_>>(), ["a", "b"]);
        // Some servers return nothing for a missing user.
        let mut get = get_user("c", WITHIN).unwrap();
        get.next(Vec::new(), Tick(0));
        let error = done(get.next(listed(Vec::new()), Tick(0))).unwrap_err();
        assert_eq!(error.kind(), Kind::Server(ResultCode::INVALID_USER));
    }

    #[test]
    fn the_client_logs_in_with_its_new_password() {
        let own = credentials(Auth::Internal);
        let mut change = ChangePassword::own(password("new"), Some(own.clone()), WITHIN).unwrap();
        let expected = Request::ChangePassword {
            user: "app".to_owned(),
            old: password("old").0,
            password: password("new").0,
        };
        assert_eq!(sent(change.next(Vec::new(), Tick(0))).0, expected);
        assert_eq!(hash(&own), password("old"), "not before the node agrees");
        done(change.next(listed(Vec::new()), Tick(0))).unwrap();
        assert_eq!(hash(&own), password("new"));

        let set = |user, text| {
            let mut set =
                ChangePassword::of(user, password(text), Some(own.clone()), WITHIN).unwrap();
            set.next(Vec::new(), Tick(0));
            set
        };
        done(set("other", "x").next(listed(Vec::new()), Tick(0))).unwrap();
        done(set("app", "x").next(server_error(ResultCode::FORBIDDEN_PASSWORD), Tick(0)))
            .unwrap_err();
        assert_eq!(hash(&own), password("new"));
        done(set("app", "x").next(listed(Vec::new()), Tick(0))).unwrap();
        assert_eq!(hash(&own), password("x"));
    }

    #[test]
    fn a_user_without_an_internal_password_cannot_change_it() {
        for own in [None, Some(credentials(Auth::ExternalInsecure)), Some(credentials(Auth::Pki))] {
            assert!(ChangePassword::own(password("x"), own, WITHIN).is_err());
        }
    }
}
