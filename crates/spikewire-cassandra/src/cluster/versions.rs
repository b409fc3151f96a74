//! Schema versions of nodes.

use spikewire_cql::response::{Message, QueryResult, Response};

use super::node::HostId;
use super::snapshot::Snapshot;
use super::tables;

/// Selects the schema version of the node that is asked.
pub const LOCAL: &str = "SELECT host_id, schema_version FROM system.local WHERE key='local'";

/// Selects those of its peers, in Cassandra 4.0 and later.
pub const PEERS: &str = "SELECT host_id, schema_version FROM system.peers_v2";

/// Selects those of its peers, in earlier versions.
pub const OLD_PEERS: &str = "SELECT host_id, schema_version FROM system.peers";

/// A node and its schema version.
pub type Version = (Option<HostId>, Option<HostId>);

/// Reads the reply to one of these queries.
pub fn read(frame: &[u8]) -> Option<Vec<Version>> {
    match Response::read(frame).ok()?.message {
        Message::Result(QueryResult::Rows(rows)) => tables::versions(&rows).ok(),
        _ => None,
    }
}

/// Whether all other nodes that are up have this schema version.
pub fn agree(own: HostId, others: &[Version], snapshot: &Snapshot) -> bool {
    let is_up = |host: HostId| {
        let known = snapshot.nodes.iter().find(|node| node.host_id == host);
        known.is_some_and(|node| node.is_up())
    };
    let differs = |(host, version): &Version| host.is_some_and(is_up) && *version != Some(own);
    !others.iter().any(differs)
}
