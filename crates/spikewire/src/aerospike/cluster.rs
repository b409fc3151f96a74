//! Information about the cluster, for both clients.

use std::net::SocketAddr;
use std::sync::Arc;

use spikewire_aerospike::admin::{Ask, InfoCommand, Recipients};
use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::{Error, Kind};

use crate::aerospike::administration::Administration;
use crate::aerospike::client_kind::ClientKind;

/// A node of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its id.
    pub name: String,
    /// Its address.
    pub address: SocketAddr,
    /// The version of its server.
    pub build: String,
    /// What not every server can do, and this one can: `paths` and `path_keys` (path expressions),
    /// `strings`, `text_filters`, `error_details`, `compression`, `transactions`.
    pub features: Vec<&'static str>,
}

pub(crate) fn nodes(cluster: &Cluster) -> Vec<Node> {
    let nodes = &cluster.snapshot().nodes;
    let node = |node: &Arc<spikewire_aerospike::cluster::Node>| Node {
        name: node.name.clone(),
        address: node.address,
        build: node.build.to_string(),
        features: node.features.names(),
    };
    nodes.iter().map(node).collect()
}

/// Sends an info command to the node at this address.
pub(crate) fn info<C: ClientKind>(
    client: &C,
    address: SocketAddr,
    command: &str,
) -> C::Answer<String> {
    let snapshot = client.context().cluster.snapshot();
    let node = snapshot.nodes.iter().find(|node| node.address == address).cloned();
    let ask = match node {
        Some(node) => InfoCommand::new(command)
            .map(|command| Ask::info(Recipients::These(vec![node]), command)),
        None => Err(Error::new(Kind::NoNode, format!("no node at {address} in the cluster"))),
    };
    client.administer(Administration::of("info"), ask)
}
