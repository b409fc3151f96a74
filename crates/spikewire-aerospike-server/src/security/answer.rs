//! Replies to security messages.

use spikewire_aerospike_protocol::auth::{self, Reply, Request, Session};
use spikewire_aerospike_protocol::manage;
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::directory::Proof;
use super::manage::write_pages;
use super::{LoggedIn, Origin, Security};

/// Replies to the security message in `body` with a frame, or with several for a list; a successful
/// login sets the connection's user, `login`.
pub fn answer(
    security: Option<&Security>,
    origin: Origin,
    login: &mut Option<LoggedIn>,
    body: &[u8],
    out: &mut Vec<u8>,
) {
    let reply = match security {
        None => Err(ResultCode::SECURITY_NOT_SUPPORTED),
        Some(security) => match manage::Request::parse(body) {
            Ok(Some(request)) => {
                let is_question = request.is_question();
                match security.manage(origin, login.as_ref(), request) {
                    Ok(rows) if is_question => return write_pages(rows, out),
                    outcome => outcome.map(|_| None),
                }
            }
            Ok(None) | Err(_) => security.run(origin, login, body),
        },
    };
    let (result, session) = match reply {
        Ok(session) => (ResultCode::OK, session),
        Err(code) => (code, None),
    };
    Reply { result, session }.encode(out);
}

impl Security {
    /// Executes a message.
    fn run(
        &self,
        origin: Origin,
        login: &mut Option<LoggedIn>,
        body: &[u8],
    ) -> Result<Option<Session>, ResultCode> {
        let logged_in = |user: &str| self.logged_in(user, origin.node, origin.from);
        let sessions = &self.sessions[origin.node];
        match Request::parse(body) {
            Ok(Request::Login { user, credential, clear_password }) => {
                self.check(user, credential, clear_password)?;
                *login = Some(logged_in(user)?);
                let token = sessions.open(user, self.session_ttl).to_vec();
                Ok(Some(Session { token, ttl: Some(self.session_ttl.as_secs() as u32) }))
            }
            Ok(Request::Authenticate { user, token }) => {
                let known = sessions.user(token)?;
                if known != user {
                    return Err(ResultCode::INVALID_USER);
                }
                *login = Some(logged_in(user)?);
                Ok(None)
            }
            // Logins by certificate are not supported here.
            Ok(Request::CertificateLogin | Request::CertificateAuthenticate { .. }) => {
                Err(ResultCode::INVALID_USER)
            }
            Err(_) => Err(error_code(body)),
        }
    }

    /// Verifies the user.
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
            Proof::Certificate => false,
        };
        if proved { Ok(()) } else { Err(ResultCode::INVALID_CREDENTIAL) }
    }
}

/// The error for a malformed message.
fn error_code(body: &[u8]) -> ResultCode {
    match body.get(2) {
        Some(&auth::command::LOGIN | &auth::command::AUTHENTICATE) | None => {
            ResultCode::INVALID_CREDENTIAL
        }
        Some(1..=6 | 9..=16) => ResultCode::SECURITY_FIELD,
        Some(_) => ResultCode::SECURITY_COMMAND,
    }
}
