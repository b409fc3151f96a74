//! Which schema nodes have.

use spikewire_cql::response::{Message, QueryResult, Response};

use super::node::HostId;
use super::snapshot::Snapshot;
use super::tables;

/// The schema of the node that answers.
pub const LOCAL: &str = "SELECT host_id, schema_version FROM system.local WHERE key='local'";

/// Those of the others, as it knows them, from Cassandra 4.0 on.
pub const PEERS: &str = "SELECT host_id, schema_version FROM system.peers_v2";

/// The same before that.
pub const OLD_PEERS: &str = "SELECT host_id, schema_version FROM system.peers";

/// A node, and the schema that it has.
pub type Version = (Option<HostId>, Option<HostId>);

/// Reads the answer to one of these questions.
pub fn read(frame: &[u8]) -> Option<Vec<Version>> {
    match Response::read(frame).ok()?.message {
        Message::Result(QueryResult::Rows(rows)) => tables::versions(&rows).ok(),
        _ => None,
    }
}

/// Whether all others that are up have this schema, too.
pub fn agree(own: HostId, others: &[Version], snapshot: &Snapshot) -> bool {
    let is_up = |host: HostId| {
        let known = snapshot.nodes.iter().find(|node| node.host_id == host);
        known.is_some_and(|node| node.is_up())
    };
    let differs = |(host, version): &Version| host.is_some_and(is_up) && *version != Some(own);
    !others.iter().any(differs)
}
