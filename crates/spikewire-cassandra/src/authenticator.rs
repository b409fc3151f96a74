//! Authentication: SASL, with the mechanism that Cassandra provides or custom ones.

use std::fmt::Debug;
use std::net::SocketAddr;

use spikewire_options::{InvalidArgument, Secret, check_credentials};

/// Authenticates connections. One value serves all connections; each starts its own conversation.
pub trait Authenticator: Debug + Send + Sync {
    /// Starts a conversation with a server that requires this class of authenticator, such as
    /// `org.apache.cassandra.auth.PasswordAuthenticator`. An error refuses to authenticate.
    fn begin(&self, class: &str) -> Result<Box<dyn Conversation>, String>;

    /// The same, at a node with this address; some kinds of login depend on it.
    fn begin_at(&self, class: &str, node: SocketAddr) -> Result<Box<dyn Conversation>, String> {
        let _ = node;
        self.begin(class)
    }
}

/// The conversation of one login.
pub trait Conversation: Debug + Send {
    /// The initial response (no challenge), or the response to a challenge.
    fn answer(&mut self, challenge: Option<&[u8]>) -> Result<Vec<u8>, String>;

    /// The server accepted the login; `token` is its final message.
    fn succeeded(&mut self, token: Option<&[u8]>) -> Result<(), String> {
        let _ = token;
        Ok(())
    }
}

/// Authentication with name and password: SASL PLAIN.
#[derive(Debug, Clone)]
pub struct Password {
    name: String,
    password: Secret,
}

impl Password {
    /// Credentials of this user. Neither may contain a zero byte, because that separates them.
    pub fn new(
        name: impl Into<String>,
        password: impl Into<String>,
    ) -> Result<Self, InvalidArgument> {
        let (name, password) = (name.into(), Secret::from(password));
        check_credentials(Some(&name), Some(&password))?;
        Ok(Self { name, password })
    }
}

/// Used by `DataStax` servers, which expect the name of the mechanism first and the token as the
/// reply to a challenge.
const DSE: &str = "com.datastax.bdp.cassandra.auth.DseAuthenticator";

impl Authenticator for Password {
    fn begin(&self, class: &str) -> Result<Box<dyn Conversation>, String> {
        let token = ["", &self.name, self.password.reveal()].join("\0").into_bytes();
        Ok(Box::new(Plain { token, names_mechanism: class == DSE }))
    }
}

struct Plain {
    token: Vec<u8>,
    names_mechanism: bool,
}

impl Debug for Plain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Plain").finish_non_exhaustive()
    }
}

impl Conversation for Plain {
    fn answer(&mut self, challenge: Option<&[u8]>) -> Result<Vec<u8>, String> {
        match challenge {
            None if self.names_mechanism => Ok(b"PLAIN".to_vec()),
            None | Some(b"PLAIN-START") => Ok(self.token.clone()),
            Some(_) => Err("the server asks for more than a password".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_login_sends_sasl_plain() {
        let password = Password::new("cassandra", "secret").unwrap();
        assert!(!format!("{password:?}").contains("secret"));
        let mut login = password.begin("org.apache.cassandra.auth.PasswordAuthenticator").unwrap();
        assert_eq!(login.answer(None).unwrap(), b"\0cassandra\0secret");
        assert!(login.answer(Some(b"more")).is_err());
        let mut login = password.begin(DSE).unwrap();
        assert_eq!(login.answer(None).unwrap(), b"PLAIN");
        assert_eq!(login.answer(Some(b"PLAIN-START")).unwrap(), b"\0cassandra\0secret");
        assert!(Password::new("", "x").is_err() && Password::new("a\0", "x").is_err());
    }
}
