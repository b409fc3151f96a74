//! The handshake of a connection before its first command: presents the session token of the node
//! or, if there is none or the node rejects it, logs in.

use std::sync::Arc;

use spikewire_aerospike_protocol::auth::Reply;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_transport::protocol::HandshakeStep;

use super::session::{First, Session};
use crate::clock::Tick;

/// The handshake of one connection.
#[derive(Debug, Clone)]
pub struct LoginHandshake {
    session: Arc<Session>,
    request: LoginRequest,
    /// Whether the last frame was a security frame.
    pub security_frame: bool,
}

/// The request that was sent.
#[derive(Debug, Clone)]
enum LoginRequest {
    Nothing,
    /// Presented this token.
    Token(Arc<[u8]>),
    /// Logged in.
    Login,
}

impl LoginHandshake {
    /// The handshake of a new connection.
    pub fn new(session: Arc<Session>) -> Self {
        Self { session, request: LoginRequest::Nothing, security_frame: false }
    }

    /// The next step.
    pub fn advance(&mut self, frame: Option<&[u8]>, out: &mut Vec<u8>) -> HandshakeStep {
        let Some(body) = frame else { return self.begin(out) };
        if !std::mem::take(&mut self.security_frame) {
            return HandshakeStep::Failed(
                "the node answered a login with something else".to_owned(),
            );
        }
        let reply = match Reply::parse(body) {
            Ok(reply) => reply,
            Err(error) => return HandshakeStep::Failed(format!("the answer to a login: {error}")),
        };
        match (std::mem::replace(&mut self.request, LoginRequest::Nothing), reply.result) {
            (LoginRequest::Token(_), ResultCode::OK) => HandshakeStep::Ready,
            // The token expired, or this is another server now.
            (LoginRequest::Token(token), _) => {
                self.session.forget(&token);
                self.log_in(out)
            }
            (_, ResultCode::OK) => {
                self.session.opened(reply.session, Tick::now());
                HandshakeStep::Ready
            }
            // The server does not require a login.
            (_, ResultCode::SECURITY_NOT_ENABLED) => {
                self.session.opened(None, Tick::now());
                HandshakeStep::Ready
            }
            (_, code) => HandshakeStep::Failed(self.session.reject(code, Tick::now()).why),
        }
    }

    fn begin(&mut self, out: &mut Vec<u8>) -> HandshakeStep {
        match self.session.begin(Tick::now()) {
            First::Show(token) => {
                self.session.credentials().write_token(&token, out);
                self.request = LoginRequest::Token(token);
                HandshakeStep::Wait
            }
            First::LogIn => self.log_in(out),
            First::GiveUp(rejection) => HandshakeStep::Failed(rejection.why),
        }
    }

    fn log_in(&mut self, out: &mut Vec<u8>) -> HandshakeStep {
        self.session.credentials().write_login(out);
        self.request = LoginRequest::Login;
        HandshakeStep::Wait
    }
}

#[cfg(test)]
mod tests {
    use spikewire_aerospike_protocol::auth::{self, Request};
    use spikewire_aerospike_protocol::frame;

    use super::*;
    use crate::model::{Auth, Login, Secret};
    use crate::security::credentials::Credentials;

    fn session(auth: Auth) -> Arc<Session> {
        let login = Login {
            user: Some("app".to_owned()),
            password: Some(Secret::from("opensesame")),
            auth: None,
        };
        Arc::new(Session::new(Arc::new(Credentials::new(&login, auth))))
    }

    /// Passes this reply to the handshake; returns its next step.
    fn reply(
        handshake: &mut LoginHandshake,
        result: ResultCode,
        token: Option<&[u8]>,
    ) -> (HandshakeStep, Vec<u8>) {
        let session = token.map(|token| auth::Session { token: token.to_vec(), ttl: Some(3600) });
        let mut bytes = Vec::new();
        Reply { result, session }.encode(&mut bytes);
        let mut out = Vec::new();
        handshake.security_frame = true;
        (handshake.advance(Some(&bytes[frame::HEADER_LEN..]), &mut out), out)
    }

    fn begin(session: &Arc<Session>) -> (LoginHandshake, Vec<u8>) {
        let (mut handshake, mut out) = (LoginHandshake::new(session.clone()), Vec::new());
        assert_eq!(handshake.advance(None, &mut out), HandshakeStep::Wait);
        (handshake, out)
    }

    fn request(bytes: &[u8]) -> Request<'_> {
        Request::parse(&bytes[frame::HEADER_LEN..]).unwrap()
    }

    #[test]
    fn the_first_connection_logs_in_and_the_next_shows_the_token() {
        let session = session(Auth::Internal);
        let (mut first, sent) = begin(&session);
        let hash = auth::hash_password("opensesame");
        let credential = hash.as_bytes();
        assert_eq!(
            request(&sent),
            Request::Login { user: "app", credential, clear_password: None }
        );
        assert_eq!(reply(&mut first, ResultCode::OK, Some(b"t1")).0, HandshakeStep::Ready);
        let (mut second, sent) = begin(&session);
        assert_eq!(request(&sent), Request::Authenticate { user: "app", token: b"t1" });
        assert_eq!(reply(&mut second, ResultCode::OK, None).0, HandshakeStep::Ready);
    }

    #[test]
    fn a_token_that_is_rejected_leads_to_a_login_on_the_same_connection() {
        for code in [ResultCode::EXPIRED_SESSION, ResultCode::NOT_AUTHENTICATED] {
            let session = session(Auth::ExternalInsecure);
            reply(&mut begin(&session).0, ResultCode::OK, Some(b"old"));
            let (mut handshake, _) = begin(&session);
            let (step, sent) = reply(&mut handshake, code, None);
            assert_eq!(step, HandshakeStep::Wait);
            assert!(matches!(
                request(&sent),
                Request::Login { clear_password: Some(b"opensesame"), .. }
            ));
            assert_eq!(reply(&mut handshake, ResultCode::OK, Some(b"new")).0, HandshakeStep::Ready);
            let (_, sent) = begin(&session);
            assert_eq!(request(&sent), Request::Authenticate { user: "app", token: b"new" });
        }
    }

    #[test]
    fn rejected_logins_and_servers_without_security_fail_the_handshake() {
        let open = session(Auth::Internal);
        let (mut handshake, _) = begin(&open);
        assert_eq!(
            reply(&mut handshake, ResultCode::SECURITY_NOT_ENABLED, None).0,
            HandshakeStep::Ready
        );
        let (mut handshake, _) = begin(&open);
        let (step, _) = reply(&mut handshake, ResultCode::SECURITY_NOT_SUPPORTED, None);
        let HandshakeStep::Failed(why) = step else { panic!("{step:?}") };
        assert!(why.contains("no security") && why.contains("leave out user"), "{why}");
        // The next connection does not even try.
        let mut next = LoginHandshake::new(open);
        assert_eq!(next.advance(None, &mut Vec::new()), HandshakeStep::Failed(why));
    }

    #[test]
    fn a_reply_of_another_kind_fails_the_login() {
        let (mut handshake, _) = begin(&session(Auth::Internal));
        let step = handshake.advance(Some(b"node\tA1\n"), &mut Vec::new());
        assert!(matches!(step, HandshakeStep::Failed(why) if why.contains("something else")));
    }
}
