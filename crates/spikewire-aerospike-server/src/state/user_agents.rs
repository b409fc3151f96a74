//! User agents of a node's clients.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use spikewire_sync::Mutex;

/// How a client that requests features without a user agent is counted: "unknown".
const UNKNOWN: &str = "dW5rbm93bg==";

type Counts = Arc<Mutex<BTreeMap<Box<str>, usize>>>;

/// Number of open connections by user agent, in base64.
#[derive(Debug, Default)]
pub struct UserAgents(Counts);

/// Counts one connection while it lives.
#[derive(Debug)]
pub struct UserAgent {
    counts: Counts,
    name: Box<str>,
}

impl UserAgents {
    /// Counts a connection under a name.
    pub fn register(&self, name: &str) -> UserAgent {
        *self.0.lock().entry(name.into()).or_default() += 1;
        UserAgent { counts: self.0.clone(), name: name.into() }
    }

    /// Counts a connection without a user agent.
    pub fn register_unknown(&self) -> UserAgent {
        self.register(UNKNOWN)
    }

    /// Formats them as in `user-agents`.
    pub fn describe(&self) -> String {
        let mut text = String::new();
        for (name, count) in &*self.0.lock() {
            // Writing to a String cannot fail.
            let _ = write!(text, "user-agent={name}:count={count};");
        }
        text
    }
}

impl UserAgent {
    /// Whether the client sent a user agent.
    pub fn is_known(&self) -> bool {
        &*self.name != UNKNOWN
    }
}

impl Drop for UserAgent {
    fn drop(&mut self) {
        let mut counts = self.counts.lock();
        if let Some(count) = counts.get_mut(&self.name) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.name);
            }
        }
    }
}
