//! Information about the cluster, for sessions.

use std::net::SocketAddr;

use spikewire_cassandra::cluster::Cluster;
use spikewire_cql::value::Uuid;

/// A node of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its host id, independent of its address.
    pub host_id: Uuid,
    /// Its address.
    pub address: SocketAddr,
    /// Its datacenter.
    pub datacenter: String,
    /// Its rack.
    pub rack: String,
    /// The server's version.
    pub release: String,
    /// Whether it is considered up.
    pub is_up: bool,
}

pub(super) fn nodes(cluster: &Cluster) -> Vec<Node> {
    let node = |node: &std::sync::Arc<spikewire_cassandra::cluster::Node>| Node {
        host_id: Uuid(node.host_id),
        address: node.address,
        datacenter: node.datacenter.clone(),
        rack: node.rack.clone(),
        release: node.release.clone(),
        is_up: node.is_up(),
    };
    cluster.snapshot().nodes.iter().map(node).collect()
}
