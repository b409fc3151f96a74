//! Builds an index from existing records, or clears it, one slice at a time.

use std::sync::Arc;

use spikewire_aerospike_protocol::limits::PARTITIONS;

use super::ClusterState;
use crate::background::Task;
use crate::index::Index;
use crate::turn::NextTurn;

/// Records and partitions per slice.
const EXAMINED: usize = 5000;

/// Adds the entries of an index, or removes them.
#[derive(Debug)]
pub struct IndexBuild {
    state: Arc<ClusterState>,
    namespace: usize,
    index: Arc<Index>,
    next: u16,
}

impl IndexBuild {
    /// A task for an index that was created or deleted in this namespace.
    pub fn new(state: Arc<ClusterState>, namespace: usize, index: Arc<Index>) -> Self {
        Self { state, namespace, index, next: 0 }
    }
}

impl Task for IndexBuild {
    fn step(&mut self) -> NextTurn {
        let namespace = &self.state.namespaces[self.namespace];
        let mut examined = 0;
        while usize::from(self.next) < PARTITIONS && examined < EXAMINED {
            let mut partition = namespace.partition(self.next);
            if self.index.is_dropped() {
                partition.drop_index(&self.index);
            } else {
                examined += partition.add_index(&self.index);
                self.index.pass_partition();
            }
            self.next += 1;
            examined += 1;
        }
        if usize::from(self.next) < PARTITIONS { NextTurn::Soon } else { NextTurn::Never }
    }
}
