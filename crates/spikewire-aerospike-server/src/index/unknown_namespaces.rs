//! Indexes of namespaces that the cluster does not have. As on servers, whose list of definitions
//! is independent of namespaces, a definition is stored, but there is nothing to build.

use std::collections::HashMap;

use spikewire_sync::Mutex;

use super::definition::Definition;
use super::list::{IndexCreation, Indexes};
use crate::record::sets::Sets;

/// Indexes by namespace, with their sets.
#[derive(Debug, Default)]
pub struct UnknownNamespaces(Mutex<HashMap<String, (Sets, Indexes)>>);

impl UnknownNamespaces {
    /// Stores an index, unless its name is used by another one. `define` builds the definition; it
    /// returns `None` if there are too many sets, and so does this.
    pub fn create(
        &self,
        namespace: &str,
        index: &str,
        define: impl FnOnce(&Sets) -> Option<Definition>,
    ) -> Option<IndexCreation> {
        let mut known = self.0.lock();
        let (sets, indexes) = known.entry(namespace.to_owned()).or_default();
        Some(indexes.create(index, define(sets)?))
    }

    /// Removes an index.
    pub fn remove(&self, namespace: &str, index: &str) {
        if let Some((_, indexes)) = self.0.lock().get(namespace) {
            indexes.remove(index);
        }
    }
}
