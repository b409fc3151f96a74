//! The handshake of a connection before its first command: presents the session token of the node
//! or, if there is none or the node rejects it, logs in.

use std::sync::Arc;

use spikewire_aerospike_protocol::auth::Reply;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_transport::protocol::Greeting;

use super::session::{First, Session};
use crate::clock::Tick;

/// The handshake of one connection.
#[derive(Debug, Clone)]
pub struct Greeter {
    session: Arc<Session>,
    asked: Asked,
    /// Whether the last frame was a security frame.
    pub heard_security: bool,
}

/// The request that was sent.
#[derive(Debug, Clone)]
enum Asked {
    Nothing,
    /// Presented this token.
    Token(Arc<[u8]>),
    /// Logged in.
    Login,
}

impl Greeter {
    /// The handshake of a new connection.
    pub fn new(session: Arc<Session>) -> Self {
        Self { session, asked: Asked::Nothing, heard_security: false }
    }

    /// The next step.
    pub fn greet(&mut self, heard: Option<&[u8]>, out: &mut Vec<u8>) -> Greeting {
        let Some(body) = heard else { return self.begin(out) };
        if !std::mem::take(&mut self.heard_security) {
            return Greeting::Refused("the node answered a login with something else".to_owned());
        }
        let reply = match Reply::parse(body) {
            Ok(reply) => reply,
            Err(error) => return Greeting::Refused(format!("the answer to a login: {error}")),
        };
        match (std::mem::replace(&mut self.asked, Asked::Nothing), reply.result) {
            (Asked::Token(_), ResultCode::OK) => Greeting::Ready,
            // The token expired, or this is another server now.
            (Asked::Token(token), _) => {
                self.session.forget(&token);
                self.log_in(out)
            }
            (_, ResultCode::OK) => {
                self.session.opened(reply.session, Tick::now());
                Greeting::Ready
            }
            // The server does not require a login.
            (_, ResultCode::SECURITY_NOT_ENABLED) => {
                self.session.opened(None, Tick::now());
                Greeting::Ready
            }
            (_, code) => Greeting::Refused(self.session.refused(code, Tick::now()).why),
        }
    }

    fn begin(&mut self, out: &mut Vec<u8>) -> Greeting {
        match self.session.begin(Tick::now()) {
            First::Show(token) => {
                self.session.credentials().write_token(&token, out);
                self.asked = Asked::Token(token);
                Greeting::Wait
            }
            First::LogIn => self.log_in(out),
            First::GiveUp(refused) => Greeting::Refused(refused.why),
        }
    }

    fn log_in(&mut self, out: &mut Vec<u8>) -> Greeting {
        self.session.credentials().write_login(out);
        self.asked = Asked::Login;
        Greeting::Wait
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

    /// Passes this reply to the greeter; returns its next step.
    fn hear(
        greeter: &mut Greeter,
        result: ResultCode,
        token: Option<&[u8]>,
    ) -> (Greeting, Vec<u8>) {
        let session = token.map(|token| auth::Session { token: token.to_vec(), ttl: Some(3600) });
        let mut bytes = Vec::new();
        Reply { result, session }.encode(&mut bytes);
        let mut out = Vec::new();
        greeter.heard_security = true;
        (greeter.greet(Some(&bytes[frame::HEADER_LEN..]), &mut out), out)
    }

    fn begin(session: &Arc<Session>) -> (Greeter, Vec<u8>) {
        let (mut greeter, mut out) = (Greeter::new(session.clone()), Vec::new());
        assert_eq!(greeter.greet(None, &mut out), Greeting::Wait);
        (greeter, out)
    }

    fn request(bytes: &[u8]) -> Request<'_> {
        Request::parse(&bytes[frame::HEADER_LEN..]).unwrap()
    }

    #[test]
    fn the_first_connection_logs_in_and_the_next_shows_the_token() {
        let session = session(Auth::Internal);
        let (mut first, said) = begin(&session);
        let hash = auth::hash_password("opensesame");
        let credential = hash.as_bytes();
        assert_eq!(
            request(&said),
            Request::Login { user: "app", credential, clear_password: None }
        );
        assert_eq!(hear(&mut first, ResultCode::OK, Some(b"t1")).0, Greeting::Ready);
        let (mut second, said) = begin(&session);
        assert_eq!(request(&said), Request::Authenticate { user: "app", token: b"t1" });
        assert_eq!(hear(&mut second, ResultCode::OK, None).0, Greeting::Ready);
    }

    #[test]
    fn a_token_that_is_not_taken_leads_to_a_login_on_the_same_connection() {
        for code in [ResultCode::EXPIRED_SESSION, ResultCode::NOT_AUTHENTICATED] {
            let session = session(Auth::ExternalInsecure);
            hear(&mut begin(&session).0, ResultCode::OK, Some(b"old"));
            let (mut greeter, _) = begin(&session);
            let (greeting, said) = hear(&mut greeter, code, None);
            assert_eq!(greeting, Greeting::Wait);
            assert!(matches!(
                request(&said),
                Request::Login { clear_password: Some(b"opensesame"), .. }
            ));
            assert_eq!(hear(&mut greeter, ResultCode::OK, Some(b"new")).0, Greeting::Ready);
            let (_, said) = begin(&session);
            assert_eq!(request(&said), Request::Authenticate { user: "app", token: b"new" });
        }
    }

    #[test]
    fn refusals_and_servers_without_security() {
        let open = session(Auth::Internal);
        let (mut greeter, _) = begin(&open);
        assert_eq!(hear(&mut greeter, ResultCode::SECURITY_NOT_ENABLED, None).0, Greeting::Ready);
        let (mut greeter, _) = begin(&open);
        let (refused, _) = hear(&mut greeter, ResultCode::SECURITY_NOT_SUPPORTED, None);
        let Greeting::Refused(why) = refused else { panic!("{refused:?}") };
        assert!(why.contains("no security") && why.contains("leave out user"), "{why}");
        // The next connection does not even try.
        let mut next = Greeter::new(open);
        assert_eq!(next.greet(None, &mut Vec::new()), Greeting::Refused(why));
    }

    #[test]
    fn what_is_no_answer_to_a_login() {
        let (mut greeter, _) = begin(&session(Auth::Internal));
        let answered = greeter.greet(Some(b"node\tA1\n"), &mut Vec::new());
        assert!(matches!(answered, Greeting::Refused(why) if why.contains("something else")));
    }
}
