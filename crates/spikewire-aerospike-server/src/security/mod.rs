//! Security: users, roles, permissions and logins.
//!
//! | module | what it holds |
//! |---|---|
//! | [`permission`] | what commands require |
//! | [`privilege`] | what a role grants, and where; the predefined roles |
//! | [`access`] | what a user may do by the privileges of its roles |
//! | [`directory`] | users and roles |
//! | [`network`] | where the users of a role may come from |
//! | [`usage`] | what a user has open and uses up |
//! | [`sessions`] | tokens that a node gave to those who logged in |
//! | [`info`] | what info commands ask for |
//! | `manage` | changes and lists of users and roles |
//! | [`options`] | the users that a cluster starts with |
//! | `origin` | where a security message came in |
//! | `answer` | the answers to security messages |

pub mod access;
mod answer;
pub mod directory;
pub mod info;
mod manage;
pub mod network;
pub mod options;
mod origin;
pub mod permission;
pub mod privilege;
pub mod sessions;
pub mod usage;

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_sync::RwLock;

use self::access::Access;
use self::directory::Directory;
use self::options::UserOptions;
use self::sessions::Sessions;
use self::usage::Presence;

pub use answer::answer;
pub use origin::Origin;

/// The security state of a cluster with users.
#[derive(Debug)]
pub struct Security {
    directory: RwLock<Directory>,
    /// Increases with every change of the directory.
    generation: AtomicU64,
    /// Lifetime of a session token.
    session_ttl: Duration,
    /// Whether roles may have quotas.
    has_quotas: bool,
    /// The sessions of each node.
    sessions: Vec<Sessions>,
}

/// The user of a connection.
#[derive(Debug)]
pub struct LoggedIn {
    user: Arc<str>,
    /// The user's privileges.
    pub access: Arc<Access>,
    from: Option<IpAddr>,
    presence: Presence,
    generation: u64,
}

impl Security {
    /// The security state of a cluster with these users and this many nodes; `None` without users.
    /// Hashes their passwords, which is slow.
    pub fn new(
        users: &[UserOptions],
        nodes: usize,
        session_ttl: Duration,
        has_quotas: bool,
    ) -> Option<Self> {
        (!users.is_empty()).then(|| Self {
            directory: RwLock::new(Directory::new(users, nodes)),
            generation: AtomicU64::new(0),
            session_ttl,
            has_quotas,
            sessions: (0..nodes).map(|_| Sessions::default()).collect(),
        })
    }

    /// Ends all sessions of a node.
    pub fn end_sessions(&self, node: usize) {
        self.sessions[node].clear();
    }

    /// Updates the privileges of the connection's user; returns whether the connection has one.
    pub fn refresh(&self, login: &mut Option<LoggedIn>) -> bool {
        let generation = self.generation.load(Ordering::Acquire);
        if login.as_ref().is_some_and(|login| login.generation != generation) {
            *login = login.take().and_then(|login| self.still(&login));
        }
        login.is_some()
    }

    /// The updated login, if its user is still the same and may connect from its address.
    fn still(&self, login: &LoggedIn) -> Option<LoggedIn> {
        let now = self.logged_in(&login.user, login.presence.node(), login.from).ok()?;
        let is_same = self.directory.read().users.get(&*login.user).is_some_and(|user| {
            now.presence.is_of(&user.usage) && login.presence.is_of(&user.usage)
        });
        is_same.then_some(now)
    }

    /// The login of this user on a connection to a node.
    fn logged_in(
        &self,
        user: &str,
        node: usize,
        from: Option<IpAddr>,
    ) -> Result<LoggedIn, ResultCode> {
        let generation = self.generation.load(Ordering::Acquire);
        let directory = self.directory.read();
        let known = directory.users.get(user).ok_or(ResultCode::INVALID_USER)?;
        if !directory.allows(known, from) {
            return Err(ResultCode::NOT_WHITELISTED);
        }
        let (access, presence) = (directory.access(known), Presence::new(&known.usage, node));
        Ok(LoggedIn { user: user.into(), access, from, presence, generation })
    }

    /// Changes the directory, which takes effect on every connection with its next request.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut Directory) -> Result<T, ResultCode>,
    ) -> Result<T, ResultCode> {
        let outcome = change(&mut self.directory.write())?;
        self.generation.fetch_add(1, Ordering::Release);
        Ok(outcome)
    }
}
