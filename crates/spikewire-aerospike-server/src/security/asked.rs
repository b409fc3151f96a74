//! The origin of a security message.

use std::net::IpAddr;

use crate::cluster::state::ClusterState;

/// The origin of a security message.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The cluster.
    pub state: &'a ClusterState,
    /// The node.
    pub node: usize,
    /// The client's address.
    pub from: Option<IpAddr>,
}
