//! The answers to security messages.

use spikewire_aerospike_protocol::auth::{self, Reply, Request, Session};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::directory::Proof;
use super::{LoggedIn, Security};
use crate::cluster::state::Node;

/// Answers the security message in `body`, which came to `node`, with a frame; what it asks for
/// happens to `login`, whom the connection belongs to.
pub fn answer(
    security: Option<&Security>,
    node: &Node,
    login: &mut Option<LoggedIn>,
    body: &[u8],
    out: &mut Vec<u8>,
) {
    let reply = match security {
        None => Err(ResultCode::SECURITY_NOT_SUPPORTED),
        Some(security) => security.run(node, login, body),
    };
    let (result, session) = match reply {
        Ok(session) => (ResultCode::OK, session),
        Err(code) => (code, None),
    };
    Reply { result, session }.encode(out);
}

impl Security {
    /// Carries a message out.
    fn run(
        &self,
        node: &Node,
        login: &mut Option<LoggedIn>,
        body: &[u8],
    ) -> Result<Option<Session>, ResultCode> {
        match Request::parse(body) {
            Ok(Request::Login { user, credential, clear_password }) => {
                self.check(user, credential, clear_password)?;
                *login = self.logged_in(user);
                Ok(Some(self.open(node, user)))
            }
            Ok(Request::Authenticate { user, token }) => {
                let known = node.sessions.user(token)?;
                if known != user {
                    return Err(ResultCode::INVALID_USER);
                }
                *login = Some(self.logged_in(user).ok_or(ResultCode::INVALID_USER)?);
                Ok(None)
            }
            // No certificate names a user here.
            Ok(Request::CertificateLogin | Request::CertificateAuthenticate { .. }) => {
                Err(ResultCode::INVALID_USER)
            }
            Err(_) => Err(refusal(body)),
        }
    }

    /// Whether this is the user.
    fn check(
        &self,
        user: &str,
        credential: &[u8],
        clear_password: Option<&[u8]>,
    ) -> Result<(), ResultCode> {
        let directory = self.directory.read();
        let known = directory.users.get(user).ok_or(ResultCode::INVALID_USER)?;
        let proved = match &known.proof {
            Proof::Hash(hash) => hash.as_slice() == credential,
            Proof::Password(password) => clear_password == Some(password.as_bytes()),
        };
        if proved { Ok(()) } else { Err(ResultCode::INVALID_CREDENTIAL) }
    }

    fn open(&self, node: &Node, user: &str) -> Session {
        let token = node.sessions.open(user, self.session_ttl).to_vec();
        Session { token, ttl: Some(self.session_ttl.as_secs() as u32) }
    }
}

/// What is said to a message that cannot be read.
fn refusal(body: &[u8]) -> ResultCode {
    let known = [auth::command::LOGIN, auth::command::AUTHENTICATE];
    match body.get(2) {
        Some(command) if !known.contains(command) => ResultCode::SECURITY_COMMAND,
        _ => ResultCode::INVALID_CREDENTIAL,
    }
}
