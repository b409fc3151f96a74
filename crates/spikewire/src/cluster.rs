//! What both clients tell about the cluster.

use std::net::SocketAddr;

use spikewire_engine::admin::{self, Ask, InfoCommand, Recipients};
use spikewire_engine::cluster::Cluster;
use spikewire_engine::{Error, Kind};

use crate::face::Face;

/// A node of the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its id.
    pub name: String,
    /// Where it is reached.
    pub address: SocketAddr,
}

pub(crate) fn nodes(cluster: &Cluster) -> Vec<Node> {
    let nodes = &cluster.snapshot().nodes;
    nodes.iter().map(|node| Node { name: node.name.clone(), address: node.address }).collect()
}

/// Asks the node at this address.
pub(crate) fn info<C: Face>(client: &C, address: SocketAddr, command: &str) -> C::Answer<String> {
    let command = InfoCommand::new(command);
    client.work(move |tools, wanted| {
        let cluster = &tools.cluster;
        let node = cluster.snapshot().nodes.iter().find(|node| node.address == address).cloned();
        let Some(node) = node else {
            let message = format!("no node at {address} in the cluster");
            return Err(Error::new(Kind::NoNode, message));
        };
        let mut ask = Ask::info(Recipients::These(vec![node]), command?);
        admin::run(cluster, &mut ask, &|| !wanted())
    })
}
