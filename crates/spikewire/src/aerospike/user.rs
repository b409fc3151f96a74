//! Users of a cluster with security: create, change, list, drop.

use std::time::Duration;

use spikewire_aerospike::admin::user::{
    ChangePassword, NewPassword, create_user, drop_user, get_user, grant_roles, list_users,
    revoke_roles,
};
use spikewire_aerospike::{Secret, admin};

pub use spikewire_aerospike::admin::user::User;

use crate::aerospike::administration::Administration;
use crate::aerospike::client_kind::{ClientContext, ClientKind, IsNeeded};
use crate::{AsyncClient, Client, Result};

/// Default time limit of a node.
pub(crate) const WITHIN: Duration = Duration::from_secs(10);

/// Manages the users of a client's cluster; from [`Client::users`] and
/// [`AsyncClient::users`](crate::AsyncClient::users).
///
/// Requires a client that logs in with the role `user-admin`, except that every user may get
/// information about itself and change its password. Each request goes to one node, with a limit of
/// 10 seconds, which forwards it to the others.
///
/// ```
/// # use spikewire::Client;
/// # let users = vec![spikewire_aerospike_server::UserOptions::new("admin", "secret")];
/// # let options = spikewire_aerospike_server::Options { users, ..Default::default() };
/// # let cluster = spikewire_aerospike_server::Cluster::start(options).unwrap();
/// let client = Client::builder().credentials("admin", "secret").connect(cluster.seeds())?;
/// client.users().create("report", "also secret", &["read"])?;
/// client.users().grant("report", &["write"])?;
/// assert_eq!(client.users().get("report")?.roles, ["read", "write"]);
/// client.users().drop("report")?;
/// # Ok::<(), spikewire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Users<C = Client>(pub(crate) C);

impl Client {
    /// The users of a cluster with security.
    pub fn users(&self) -> Users {
        Users(self.clone())
    }
}

impl AsyncClient {
    /// The users of a cluster with security.
    pub fn users(&self) -> Users<Self> {
        Users(self.clone())
    }
}

impl<C: ClientKind> Users<C> {
    /// Creates a user with these roles. Hashing the password takes about 50 ms; an [`AsyncClient`]
    /// runs calls with a password on another thread.
    pub fn create(&self, name: &str, password: impl Into<String>, roles: &[&str]) -> C::Answer<()> {
        let name = name.to_owned();
        let roles: Vec<String> = roles.iter().map(|role| (*role).to_owned()).collect();
        self.with_password(password.into(), move |_, password| {
            create_user(&name, password, &roles, WITHIN)
        })
    }

    /// Creates a user who logs in with a certificate, which requires a server of version 8.1.
    pub fn create_with_certificate(&self, name: &str, roles: &[&str]) -> C::Answer<()> {
        let create = create_user(name, NewPassword::none(), roles, WITHIN);
        self.0.administer(Administration::of("create_user"), create)
    }

    /// Drops a user, whose connections are closed.
    pub fn drop(&self, name: &str) -> C::Answer<()> {
        self.0.administer(Administration::of("drop_user"), drop_user(name, WITHIN))
    }

    /// Sets the password of any user. If it is the client's own user, the client uses the new
    /// password for further logins.
    pub fn set_password(&self, name: &str, password: impl Into<String>) -> C::Answer<()> {
        let name = name.to_owned();
        self.with_password(password.into(), move |context, password| {
            ChangePassword::of(&name, password, context.cluster.credentials(), WITHIN)
        })
    }

    /// Changes the password of the client's own user, and uses it for further logins. Fails for a
    /// client that does not log in with the password of an internal user.
    pub fn change_password(&self, password: impl Into<String>) -> C::Answer<()> {
        self.with_password(password.into(), move |context, password| {
            ChangePassword::own(password, context.cluster.credentials(), WITHIN)
        })
    }

    /// Grants roles to a user.
    pub fn grant(&self, name: &str, roles: &[&str]) -> C::Answer<()> {
        self.0.administer(Administration::of("grant_roles"), grant_roles(name, roles, WITHIN))
    }

    /// Revokes roles from a user.
    pub fn revoke(&self, name: &str, roles: &[&str]) -> C::Answer<()> {
        self.0.administer(Administration::of("revoke_roles"), revoke_roles(name, roles, WITHIN))
    }

    /// The user with this name; fails with
    /// [`ResultCode::INVALID_USER`](crate::ResultCode::INVALID_USER) if there is none.
    pub fn get(&self, name: &str) -> C::Answer<User> {
        self.0.administer(Administration::of("get_user"), get_user(name, WITHIN))
    }

    /// The users, sorted by name.
    pub fn list(&self) -> C::Answer<Vec<User>> {
        self.0.administer(Administration::of("list_users"), Ok(list_users(WITHIN)))
    }

    /// Runs a procedure that needs a password's hash, on a thread that may block.
    fn with_password<P: admin::Procedure<Output = ()>>(
        &self,
        password: String,
        make: impl FnOnce(&ClientContext, NewPassword) -> Result<P> + Send + 'static,
    ) -> C::Answer<()> {
        let secret = Secret::from(password);
        self.0.work(move |context: &ClientContext, is_needed: IsNeeded<'_>| {
            let mut procedure = make(context, NewPassword::new(&secret)?)?;
            admin::run(&context.cluster, &mut procedure, &|| !is_needed())
        })
    }
}
