//! Users: who they are, what they may do, and how their connections begin.
//!
//! | module | what it holds |
//! |---|---|
//! | [`permission`] | what is asked of whoever sends a command |
//! | [`privilege`] | what a role grants, and where; the roles that every cluster has |
//! | [`directory`] | users and roles |
//! | [`sessions`] | tokens that a node gave to those who logged in |
//! | [`info`] | what info commands ask for |
//! | `answer` | the answers to security messages |

mod answer;
pub mod directory;
pub mod info;
pub mod permission;
pub mod privilege;
pub mod sessions;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use spikewire_sync::RwLock;

use self::directory::Directory;
use self::privilege::Access;
use crate::cluster::options::Options;

pub use answer::answer;

/// The users of a cluster that has some.
#[derive(Debug)]
pub struct Security {
    directory: RwLock<Directory>,
    /// Rises with every change of the directory.
    generation: AtomicU64,
    /// How long a session's token is taken.
    session_ttl: Duration,
}

/// Who a connection belongs to.
#[derive(Debug, Clone)]
pub struct LoggedIn {
    user: Arc<str>,
    /// What the user may do.
    pub access: Arc<Access>,
    generation: u64,
}

impl Security {
    /// The users that the options name; `None` when there are none. Hashes their passwords, which
    /// takes its time.
    pub fn new(options: &Options) -> Option<Self> {
        (!options.users.is_empty()).then(|| Self {
            directory: RwLock::new(Directory::new(&options.users)),
            generation: AtomicU64::new(0),
            session_ttl: options.session_ttl,
        })
    }

    /// Keeps up with changes of what a user may do; says whether the connection belongs to one.
    pub fn refresh(&self, login: &mut Option<LoggedIn>) -> bool {
        let generation = self.generation.load(Ordering::Acquire);
        if login.as_ref().is_some_and(|login| login.generation != generation) {
            *login = login.take().and_then(|login| self.logged_in(&login.user));
        }
        login.is_some()
    }

    /// A connection of this user, if there is one.
    fn logged_in(&self, user: &str) -> Option<LoggedIn> {
        let generation = self.generation.load(Ordering::Acquire);
        let access = self.directory.read().access(user)?;
        Some(LoggedIn { user: user.into(), access, generation })
    }
}
