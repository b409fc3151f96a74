//! One node of the cluster.

use std::net::SocketAddr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub use spikewire_transport::Breaker;
use spikewire_transport::metrics::{Gauges, Recent};

use super::Build;
use crate::security::Access;

/// A node: identity that transports key their connections by.
#[derive(Debug)]
pub struct Node {
    /// A number unique within the client and never used again: nodes that leave and come back get
    /// a new one, so connections of the former life cannot be mistaken.
    pub slot: u32,
    /// The server's node id.
    pub name: String,
    /// Where commands go.
    pub address: SocketAddr,
    /// The name that its certificate is for, where connections are encrypted; `None`: its address.
    pub tls_name: Option<String>,
    /// How connections to it begin.
    pub(crate) access: Access,
    /// The server's version; all zero when it was not asked.
    pub build: Build,
    /// Gives the node a rest when it fails too often.
    pub breaker: Breaker,
    /// Its connections.
    pub gauges: Gauges,
    active: AtomicBool,
    /// How long reads took that may have a second request; made by the first of them.
    latencies: OnceLock<Box<Recent>>,
}

impl Node {
    /// A node that was just found.
    pub fn new(slot: u32, name: String, address: SocketAddr, tls_name: Option<String>) -> Self {
        let (build, breaker, gauges, access) = Default::default();
        let active = AtomicBool::new(true);
        let latencies = OnceLock::new();
        Self { slot, name, address, tls_name, access, build, breaker, gauges, active, latencies }
    }

    /// The same node, whose server has this version.
    #[must_use]
    pub fn with_build(self, build: Build) -> Self {
        Self { build, ..self }
    }

    /// The same node, to which connections begin so.
    #[must_use]
    pub(crate) fn with_access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// How long reads took of late, as far as that was looked at.
    pub(crate) fn latencies(&self) -> &Recent {
        self.latencies.get_or_init(Box::default)
    }

    /// Whether the node is part of the cluster; once false it stays so.
    pub fn is_active(&self) -> bool {
        self.active.load(Relaxed)
    }

    /// Takes the node out; transports drop its connections.
    pub fn retire(&self) {
        self.active.store(false, Relaxed);
    }
}

impl std::fmt::Display for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name, self.address)
    }
}
