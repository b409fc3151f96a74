//! The session of a node: a token with a limited lifetime, shared by all connections to it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike_protocol::auth;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_sync::Mutex;
use spikewire_transport::jitter::jittered;

use super::credentials::Credentials;
use crate::clock::Tick;

/// How long before its expiry a token is renewed.
const MARGIN: Duration = Duration::from_secs(60);
/// How long other connections keep using the old token while one renews it.
const RENEWING: Duration = Duration::from_secs(5);
/// How long no login is attempted after a node rejected one, initially and at most: a wrong
/// password stays wrong, and servers lock users out after too many attempts. Each pause is shortened
/// at random by up to half.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));

/// A rejected login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginRejection {
    /// The server's code.
    pub code: ResultCode,
    /// The message, with the user's name.
    pub why: String,
}

/// The first step of a new connection.
#[derive(Debug, PartialEq, Eq)]
pub enum First {
    /// Present this token.
    Show(Arc<[u8]>),
    /// Log in.
    LogIn,
    /// Fail: the node has just rejected a login.
    GiveUp(LoginRejection),
}

/// The session of one node.
pub struct Session {
    credentials: Arc<Credentials>,
    state: Mutex<SessionState>,
}

#[derive(Default)]
struct SessionState {
    token: Option<Arc<[u8]>>,
    /// When to renew the token.
    renew_at: Tick,
    /// Until when a connection is expected to complete the renewal.
    renewing_until: Tick,
    rejection: Option<LoginRejection>,
    /// Until when no login is attempted after a rejection, and the current pause.
    wait_until: Tick,
    pause: Duration,
}

impl Session {
    /// The session of a node without a login yet.
    pub fn new(credentials: Arc<Credentials>) -> Self {
        Self { credentials, state: Mutex::default() }
    }

    /// The credentials.
    pub fn credentials(&self) -> &Credentials {
        &self.credentials
    }

    /// The first step of a connection opened at this time.
    pub fn begin(&self, now: Tick) -> First {
        let mut state = self.state.lock();
        if let Some(rejection) = state.rejection.as_ref().filter(|_| now < state.wait_until) {
            return First::GiveUp(rejection.clone());
        }
        match &state.token {
            Some(token) if now < state.renew_at.max(state.renewing_until) => {
                First::Show(token.clone())
            }
            _ => {
                state.renewing_until = now.after(RENEWING);
                First::LogIn
            }
        }
    }

    /// The node accepted the login.
    pub fn opened(&self, session: Option<auth::Session>, now: Tick) {
        let mut state = self.state.lock();
        let ttl = session.as_ref().and_then(|session| session.ttl).filter(|ttl| *ttl > 0);
        *state = SessionState {
            token: session.map(|session| session.token.into()),
            renew_at: ttl.map_or(Tick::NEVER, |ttl| now.after(renewed_after(ttl))),
            ..SessionState::default()
        };
    }

    /// The node no longer accepts this token.
    pub fn forget(&self, token: &Arc<[u8]>) {
        self.state.lock().token.take_if(|known| known == token);
    }

    /// The node rejected the login.
    pub fn reject(&self, code: ResultCode, now: Tick) -> LoginRejection {
        let why = match code {
            ResultCode::SECURITY_NOT_SUPPORTED => format!(
                "the login of {} was refused: this server has no security ({}); leave out user and \
                 password",
                self.credentials, code.0
            ),
            code => format!("the login of {} was refused: {code}", self.credentials),
        };
        let rejection = LoginRejection { code, why };
        let mut state = self.state.lock();
        // Logins that began together are rejected together, which counts once.
        if now >= state.wait_until {
            state.pause = (state.pause * 2).clamp(PAUSES.0, PAUSES.1);
            state.wait_until = now.after(jittered(state.pause));
        }
        state.rejection = Some(rejection.clone());
        rejection
    }

    /// Why the last login failed, if it did.
    pub fn rejection(&self) -> Option<LoginRejection> {
        self.state.lock().rejection.clone()
    }

    /// Whether no login is attempted because the node rejected one.
    pub fn is_rejected(&self, now: Tick) -> bool {
        let state = self.state.lock();
        state.rejection.is_some() && now < state.wait_until
    }
}

/// How long to use a token with this lifetime in seconds.
fn renewed_after(ttl: u32) -> Duration {
    let ttl = Duration::from_secs(ttl.into());
    ttl.saturating_sub(MARGIN).max(ttl / 2)
}

/// Does not print the token.
impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("credentials", &self.credentials).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Auth, Login, Secret};

    const SECOND: u64 = 1_000_000_000;

    fn session() -> Session {
        let login = Login {
            user: Some("app".to_owned()),
            password: Some(Secret::from("opensesame")),
            auth: None,
        };
        Session::new(Arc::new(Credentials::new(&login, Auth::Internal)))
    }

    fn login_session(token: &[u8], ttl: u32) -> auth::Session {
        auth::Session { token: token.to_vec(), ttl: Some(ttl) }
    }

    fn shows(first: &First, token: &[u8]) -> bool {
        matches!(first, First::Show(other) if **other == *token)
    }

    #[test]
    fn a_token_is_renewed_in_time_by_one_connection() {
        let (session, at) = (session(), |second: u64| Tick(second * SECOND));
        assert_eq!(session.begin(at(0)), First::LogIn);
        assert_eq!(session.begin(at(0)), First::LogIn, "there is nothing to show yet");
        session.opened(Some(login_session(b"one", 3600)), at(0));
        assert!(shows(&session.begin(at(3539)), b"one"));
        assert_eq!(session.begin(at(3540)), First::LogIn);
        assert!(shows(&session.begin(at(3541)), b"one"), "another one renews it");
        assert_eq!(session.begin(at(3546)), First::LogIn, "that one came to nothing");
        session.opened(Some(login_session(b"two", 10)), at(3546));
        assert!(shows(&session.begin(at(3550)), b"two"));
        assert_eq!(session.begin(at(3551)), First::LogIn, "half of a short time");
        session.opened(Some(login_session(b"ever", 0)), at(3551));
        assert!(shows(&session.begin(Tick(u64::MAX - 1)), b"ever"));
    }

    #[test]
    fn a_token_that_is_rejected_is_forgotten_once() {
        let (session, now) = (session(), Tick(7));
        session.opened(Some(login_session(b"one", 0)), now);
        let First::Show(old) = session.begin(now) else { panic!("it has one") };
        session.forget(&old);
        assert_eq!(session.begin(now), First::LogIn);
        session.opened(Some(login_session(b"two", 0)), now);
        session.forget(&old);
        assert!(shows(&session.begin(now), b"two"), "that was another one");
    }

    #[test]
    fn pauses_grow_after_each_rejected_login() {
        let session = session();
        let mut now = Tick(SECOND);
        let mut pauses = Vec::new();
        for _ in 0..8 {
            assert_eq!(session.begin(now), First::LogIn);
            let rejection = session.reject(ResultCode::INVALID_PASSWORD, now);
            assert_eq!(
                rejection.why,
                "the login of user \"app\" was refused: 62 (INVALID_PASSWORD): wrong password"
            );
            let start = now;
            while session.begin(now) == First::GiveUp(rejection.clone()) {
                now = now.after(Duration::from_millis(100));
            }
            pauses.push(now.since(start).as_millis());
        }
        let longest = [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000];
        for (pause, longest) in pauses.into_iter().zip(longest) {
            assert!(pause >= longest / 2 && pause <= longest, "{pause} of {longest}");
        }
        assert!(session.rejection().is_some());
        session.opened(None, now);
        assert!(session.rejection().is_none());
    }

    /// A burst of connections, all rejected, is one wrong password.
    #[test]
    fn refusals_of_logins_that_began_together_count_once() {
        let (session, now) = (session(), Tick(SECOND));
        for _ in 0..20 {
            assert_eq!(session.begin(now), First::LogIn);
        }
        for _ in 0..20 {
            session.reject(ResultCode::INVALID_PASSWORD, now);
        }
        assert!(session.is_rejected(now.after(Duration::from_millis(249))));
        assert_eq!(session.begin(now.after(Duration::from_millis(500))), First::LogIn);
    }

    #[test]
    fn debug_output_hides_tokens_and_hashes() {
        let session = session();
        session.opened(Some(login_session(b"token", 7)), Tick(0));
        let text = format!("{session:?}");
        assert!(text.contains("app"), "{text}");
        assert!(!text.contains("token") && !text.contains("$2a$"), "{text}");
    }
}
