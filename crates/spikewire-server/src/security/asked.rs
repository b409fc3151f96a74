//! Where a security message came in.

use std::net::IpAddr;

use crate::cluster::state::ClusterState;

/// Where a security message came in.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The cluster.
    pub state: &'a ClusterState,
    /// The node.
    pub node: usize,
    /// The client's address.
    pub from: Option<IpAddr>,
}
