//! The credentials that a client sends, computed once: hashing a password is deliberately slow.

use std::fmt;

use spikewire_aerospike_protocol::auth::{Request, hash_password};
use spikewire_aerospike_protocol::manage::Hash;
use spikewire_sync::RwLock;

use crate::model::{Auth, Login, Secret};

/// Credentials.
pub struct Credentials {
    /// `None`: named by the certificate.
    user: Option<String>,
    /// Updated when the password changes.
    hash: RwLock<Option<Hash>>,
    /// The plaintext password, for external users.
    clear: Option<Secret>,
}

impl Credentials {
    /// The credentials of a validated login.
    pub fn new(login: &Login, auth: Auth) -> Self {
        if auth == Auth::Pki {
            return Self { user: None, hash: RwLock::default(), clear: None };
        }
        let hash = login.password.as_ref().map(|password| hash_password(password.reveal()).into());
        let clear = if auth == Auth::Internal { None } else { login.password.clone() };
        Self { user: login.user.clone(), hash: RwLock::new(hash), clear }
    }

    /// The internal user and its password hash; `None` for an external user or a login by
    /// certificate.
    pub fn internal_user(&self) -> Option<(&str, Hash)> {
        if self.clear.is_some() {
            return None;
        }
        Some((self.user.as_deref()?, self.hash.read().clone()?))
    }

    /// Uses another password from now on, if this is its user.
    pub fn changed(&self, user: &str, password: &Hash) {
        if self.internal_user().is_some_and(|(own, _)| own == user) {
            *self.hash.write() = Some(password.clone());
        }
    }

    /// Appends the login request.
    pub fn write_login(&self, out: &mut Vec<u8>) {
        match (&self.user, &*self.hash.read()) {
            (Some(user), Some(hash)) => {
                let clear_password = self.clear.as_ref().map(|clear| clear.reveal().as_bytes());
                let credential = &hash.0;
                Request::Login { user, credential, clear_password }.encode(out);
            }
            _ => Request::CertificateLogin.encode(out),
        }
    }

    /// Appends the request that presents a session token.
    pub fn write_token(&self, token: &[u8], out: &mut Vec<u8>) {
        match &self.user {
            Some(user) => Request::Authenticate { user, token }.encode(out),
            None => Request::CertificateAuthenticate { token }.encode(out),
        }
    }
}

/// The user, for messages.
impl fmt::Display for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.user {
            Some(user) => write!(f, "user {user:?}"),
            None => f.write_str("the client's certificate"),
        }
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("user", &self.user).finish_non_exhaustive()
    }
}
