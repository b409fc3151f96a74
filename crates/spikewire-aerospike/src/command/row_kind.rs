//! What is done to the records of a batch's rows: many rows may share it.

use std::sync::Arc;

use spikewire_aerospike_protocol::batch as wire;
use spikewire_aerospike_protocol::features::Features;

use crate::model::ReplicaPolicy;

/// A kind of rows: what to do with their records.
#[derive(Debug)]
pub struct RowKind {
    /// Flags, fields and operations.
    pub row: wire::Kind,
    /// Namespace of the records.
    pub namespace: Arc<str>,
    /// Whether it writes.
    pub write: bool,
    /// Replica to send the rows to.
    pub replica: ReplicaPolicy,
    /// What every node of the cluster must be able to do.
    pub needs: Features,
}
