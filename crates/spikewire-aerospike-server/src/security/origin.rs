//! The origin of a security message.

use std::net::IpAddr;

/// The origin of a security message.
#[derive(Debug, Clone, Copy)]
pub struct Origin {
    /// The node.
    pub node: usize,
    /// The client's address.
    pub from: Option<IpAddr>,
}
