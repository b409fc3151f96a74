//! Filling an index from the records that are there, and emptying it, a slice at a time.

use std::sync::Arc;

use spikewire_protocol::limits::PARTITIONS;

use super::Index;
use crate::cluster::background::Task;
use crate::command::Context;
use crate::command::stream::Pace;

/// Records and partitions of one slice.
const LOOKS: usize = 5000;

/// Gives an index its entries, or takes them away.
#[derive(Debug)]
pub struct Build {
    namespace: usize,
    index: Arc<Index>,
    next: u16,
}

impl Build {
    /// For an index that was created, or deleted, in this namespace.
    pub fn new(namespace: usize, index: Arc<Index>) -> Self {
        Self { namespace, index, next: 0 }
    }
}

impl Task for Build {
    fn step(&mut self, context: &mut Context) -> Pace {
        let namespace = &context.state.namespaces[self.namespace];
        let mut looks = 0;
        while usize::from(self.next) < PARTITIONS && looks < LOOKS {
            let mut partition = namespace.partition(self.next);
            if self.index.is_dropped() {
                partition.drop_index(&self.index);
            } else {
                looks += partition.add_index(&self.index);
                self.index.pass_partition();
            }
            self.next += 1;
            looks += 1;
        }
        if usize::from(self.next) < PARTITIONS { Pace::On } else { Pace::Done }
    }
}
