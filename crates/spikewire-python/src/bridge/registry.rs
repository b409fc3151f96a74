//! The clients of this process, so that what travels as pickles finds its client again.

use std::sync::{Arc, Weak};

use pyo3::prelude::*;
use spikewire_sync::Mutex;

/// A client's name in every process: random bytes.
pub type Token = [u8; 16];

/// A token that no other client has. From the system's generator, which a fork does not repeat.
pub fn token(py: Python<'_>) -> PyResult<Token> {
    py.import("os")?.call_method1("urandom", (16,))?.extract()
}

/// How many clients that unpickled datasets brought along stay open without a dataset, in case
/// the next one comes. A worker that gets datasets of ever new clients keeps no more.
const KEPT_UNUSED: usize = 4;

/// The clients of this process by token: weakly those the program made, and those that unpickled
/// datasets brought along.
#[derive(Debug)]
pub struct Registry<T>(Mutex<Vec<Known<T>>>);

#[derive(Debug)]
struct Known<T> {
    token: Token,
    client: Weak<T>,
    /// Keeps a client that was made by unpickling.
    kept: Option<Arc<T>>,
}

impl<T> Registry<T> {
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Notes a client that the program made.
    pub fn note(&self, token: Token, client: &Arc<T>) {
        let mut all = self.0.lock();
        all.retain(|known| known.client.strong_count() > 0);
        all.push(Known { token, client: Arc::downgrade(client), kept: None });
    }

    /// The client with this token that `fits`.
    pub fn find(&self, token: &Token, fits: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        let all: Vec<Arc<T>> = {
            let all = self.0.lock();
            let same = all.iter().filter(|known| known.token == *token);
            same.filter_map(|known| known.client.upgrade()).collect()
        };
        // Outside the lock: letting the last handle go closes the client.
        all.into_iter().find(|client| fits(client))
    }

    /// Keeps a client that a dataset brought along, unless another thread was faster. The oldest
    /// ones that no dataset uses any more are let go.
    pub fn keep(&self, token: Token, client: Arc<T>, fits: impl Fn(&T) -> bool) -> Arc<T> {
        // Let go outside the lock: that closes a client.
        let (client, _unused) = {
            let mut all = self.0.lock();
            let same = all.iter().filter(|known| known.token == token);
            let found = same.filter_map(|known| known.kept.clone()).find(|client| fits(client));
            if let Some(found) = found {
                return found;
            }
            let unused = Self::trim(&mut all, KEPT_UNUSED - 1);
            let client_of = Arc::downgrade(&client);
            all.push(Known { token, client: client_of, kept: Some(client.clone()) });
            (client, unused)
        };
        client
    }

    /// Hands out all but the latest `most` clients that are kept and not used.
    fn trim(all: &mut Vec<Known<T>>, most: usize) -> Vec<Arc<T>> {
        all.retain(|known| known.client.strong_count() > 0);
        // Others come by a client only under the lock, so that one handle stays one.
        let is_unused = |known: &Known<T>| {
            known.kept.as_ref().is_some_and(|client| Arc::strong_count(client) == 1)
        };
        let count = all.iter().filter(|known| is_unused(known)).count();
        let oldest = all.iter_mut().filter(|known| is_unused(known));
        oldest.take(count.saturating_sub(most)).filter_map(|known| known.kept.take()).collect()
    }

    /// Every client that lives.
    pub fn all(&self) -> Vec<Arc<T>> {
        self.0.lock().iter().filter_map(|known| known.client.upgrade()).collect()
    }

    /// Hands out what was kept, for its end.
    pub fn release(&self) -> Vec<Arc<T>> {
        self.0.lock().iter_mut().filter_map(|known| known.kept.take()).collect()
    }
}
