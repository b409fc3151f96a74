//! What both clients tell about the cluster.

use std::net::SocketAddr;

use spikewire_engine::cluster::Cluster;
use spikewire_engine::{Error, Kind, Result};
use spikewire_protocol::info as protocol;
use spikewire_protocol::result_code::ResultCode;

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

pub(crate) fn info(cluster: &Cluster, address: SocketAddr, command: &str) -> Result<String> {
    if command.contains('\n') {
        return Err(Error::invalid("an info command must not contain a line break"));
    }
    let node = cluster.snapshot().nodes.iter().find(|node| node.address == address).cloned();
    let Some(node) = node else {
        let message = format!("no node at {address} in the cluster");
        return Err(Error::new(Kind::NoNode, message));
    };
    let answer = cluster.info(&node, &[command])?;
    protocol::value(&answer, command).map(str::to_owned).map_err(|error| {
        let code = ResultCode(error.code);
        Error::new(Kind::Server(code), error.to_string()).on(node.to_string())
    })
}
