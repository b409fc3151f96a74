//! The clients of this process, so that unpickled objects find their client again.

use std::sync::{Arc, Weak};

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use spikewire_sync::Mutex;

/// Identifies a client in every process: random bytes.
pub type Token = [u8; 16];

/// A new, unique token. It comes from the operating system's random numbers, which a fork does not
/// repeat.
pub fn token() -> PyResult<Token> {
    let mut token = Token::default();
    getrandom::fill(&mut token)
        .map_err(|error| PyOSError::new_err(format!("no random numbers: {error}")))?;
    Ok(token)
}

/// How many clients that came with unpickled datasets stay open without any dataset, in case the
/// next dataset needs them. This bounds what a worker keeps if its datasets come from ever new
/// clients.
const MOST_UNUSED: usize = 4;

/// The clients of this process by token. Clients that the program created are referred to weakly,
/// those that came with unpickled datasets strongly.
#[derive(Debug)]
pub struct Registry<T>(Mutex<Vec<RegistryEntry<T>>>);

#[derive(Debug)]
struct RegistryEntry<T> {
    token: Token,
    client: Weak<T>,
    /// Keeps a client alive that was created by unpickling.
    adopted: Option<Arc<T>>,
}

impl<T> Registry<T> {
    pub const fn new() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// Registers a client that the program created.
    pub fn note(&self, token: Token, client: &Arc<T>) {
        let mut all = self.0.lock();
        all.retain(|known| known.client.strong_count() > 0);
        all.push(RegistryEntry { token, client: Arc::downgrade(client), adopted: None });
    }

    /// The client with this token for which `fits` returns true.
    pub fn find(&self, token: &Token, fits: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        let all: Vec<Arc<T>> = {
            let all = self.0.lock();
            let same = all.iter().filter(|known| known.token == *token);
            same.filter_map(|known| known.client.upgrade()).collect()
        };
        // Outside of the lock, because dropping the last reference closes a client.
        all.into_iter().find(|client| fits(client))
    }

    /// Stores a client that came with a dataset, unless another thread was faster. Drops the oldest
    /// ones that no dataset uses any more.
    pub fn keep(&self, token: Token, client: Arc<T>, fits: impl Fn(&T) -> bool) -> Arc<T> {
        // Dropped outside of the lock, because that closes a client.
        let (client, _unused) = {
            let mut all = self.0.lock();
            let same = all.iter().filter(|known| known.token == token);
            let existing =
                same.filter_map(|known| known.adopted.clone()).find(|client| fits(client));
            if let Some(existing) = existing {
                return existing;
            }
            let unused = Self::trim(&mut all, MOST_UNUSED - 1);
            let client_of = Arc::downgrade(&client);
            all.push(RegistryEntry { token, client: client_of, adopted: Some(client.clone()) });
            (client, unused)
        };
        client
    }

    /// Removes and returns all stored clients without users, except for the latest `most`.
    fn trim(all: &mut Vec<RegistryEntry<T>>, most: usize) -> Vec<Arc<T>> {
        all.retain(|known| known.client.strong_count() > 0);
        // References are only handed out under the lock, so a count of one stays one.
        let is_unused = |known: &RegistryEntry<T>| {
            known.adopted.as_ref().is_some_and(|client| Arc::strong_count(client) == 1)
        };
        let count = all.iter().filter(|known| is_unused(known)).count();
        let oldest = all.iter_mut().filter(|known| is_unused(known));
        oldest.take(count.saturating_sub(most)).filter_map(|known| known.adopted.take()).collect()
    }

    /// All clients that are alive.
    pub fn all(&self) -> Vec<Arc<T>> {
        self.0.lock().iter().filter_map(|known| known.client.upgrade()).collect()
    }

    /// Removes and returns all stored clients, so that the caller shuts them down.
    pub fn release(&self) -> Vec<Arc<T>> {
        self.0.lock().iter_mut().filter_map(|known| known.adopted.take()).collect()
    }
}
