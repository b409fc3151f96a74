//! What the clients of a node call themselves.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use spikewire_sync::Mutex;

/// What a client that asks for features and does not name itself is counted as: "unknown".
const UNKNOWN: &str = "dW5rbm93bg==";

type Counts = Arc<Mutex<BTreeMap<Box<str>, usize>>>;

/// How many open connections have named which client, in base64.
#[derive(Debug, Default)]
pub struct UserAgents(Counts);

/// One connection among them, for as long as it lives.
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

    /// Counts a connection of a client that did not name itself.
    pub fn register_unknown(&self) -> UserAgent {
        self.register(UNKNOWN)
    }

    /// As `user-agents` shows them.
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
    /// Whether the client named itself.
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
