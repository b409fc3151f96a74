//! Session tokens of a node. They are not valid on other nodes, nor on the same node after it was
//! killed.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_sync::Mutex;

/// Number of sessions from which on expired ones are removed.
const MANY: usize = 1024;

type Token = [u8; 16];

struct Session {
    user: String,
    ends: Instant,
}

/// The sessions of a node.
#[derive(Default)]
pub struct Sessions(Mutex<HashMap<Token, Session>>);

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Sessions").field(&self.0.lock().len()).finish()
    }
}

impl Sessions {
    /// The token of a new session.
    pub fn open(&self, user: &str, ttl: Duration) -> Token {
        let now = Instant::now();
        let mut token = Token::default();
        for part in token.chunks_exact_mut(8) {
            part.copy_from_slice(&random().to_be_bytes());
        }
        let mut sessions = self.0.lock();
        if sessions.len() >= MANY {
            sessions.retain(|_, session| session.ends > now);
        }
        sessions.insert(token, Session { user: user.to_owned(), ends: now + ttl });
        token
    }

    /// The user of a session.
    pub fn user(&self, token: &[u8]) -> Result<String, ResultCode> {
        let sessions = self.0.lock();
        let token: Token = token.try_into().map_err(|_| ResultCode::NOT_AUTHENTICATED)?;
        match sessions.get(&token) {
            None => Err(ResultCode::NOT_AUTHENTICATED),
            Some(session) if session.ends <= Instant::now() => Err(ResultCode::EXPIRED_SESSION),
            Some(session) => Ok(session.user.clone()),
        }
    }

    /// Ends the sessions of a user.
    pub fn end(&self, user: &str) {
        self.0.lock().retain(|_, session| session.user != user);
    }

    /// Ends all sessions.
    pub fn clear(&self) {
        self.0.lock().clear();
    }
}

/// An unpredictable number.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_name_their_user_until_they_end() {
        let sessions = Sessions::default();
        let (first, second) =
            (sessions.open("a", Duration::from_secs(60)), sessions.open("b", Duration::ZERO));
        assert_ne!(first, second);
        assert_eq!(sessions.user(&first), Ok("a".to_owned()));
        assert_eq!(sessions.user(&second), Err(ResultCode::EXPIRED_SESSION));
        assert_eq!(sessions.user(b"guess"), Err(ResultCode::NOT_AUTHENTICATED));
        sessions.end("b");
        assert_eq!(sessions.user(&second), Err(ResultCode::NOT_AUTHENTICATED));
        assert_eq!(sessions.user(&first), Ok("a".to_owned()));
        sessions.clear();
        assert_eq!(sessions.user(&first), Err(ResultCode::NOT_AUTHENTICATED));
    }

    #[test]
    fn sessions_that_are_over_do_not_pile_up() {
        let sessions = Sessions::default();
        for _ in 0..10 * MANY {
            sessions.open("a", Duration::ZERO);
        }
        assert!(sessions.0.lock().len() <= MANY);
    }
}
