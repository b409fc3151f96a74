//! Indexes of namespaces that the cluster does not have. As on servers, whose list of definitions
//! knows no namespaces, a definition is remembered, and there is nothing to fill.

use std::collections::HashMap;

use spikewire_sync::Mutex;

use super::definition::Definition;
use super::list::{Created, Indexes};
use crate::storage::sets::Sets;

/// The indexes by namespace, with the sets that they are of.
#[derive(Debug, Default)]
pub struct UnknownNamespaces(Mutex<HashMap<String, (Sets, Indexes)>>);

impl UnknownNamespaces {
    /// Remembers an index, unless its name stands for another one. `define` makes the definition;
    /// it gives `None` when there are too many sets, and so does this.
    pub fn create(
        &self,
        namespace: &str,
        index: &str,
        define: impl FnOnce(&Sets) -> Option<Definition>,
    ) -> Option<Created> {
        let mut known = self.0.lock();
        let (sets, indexes) = known.entry(namespace.to_owned()).or_default();
        Some(indexes.create(index, define(sets)?))
    }

    /// Forgets an index.
    pub fn remove(&self, namespace: &str, index: &str) {
        if let Some((_, indexes)) = self.0.lock().get(namespace) {
            indexes.remove(index);
        }
    }
}
