//! One node of the cluster.

use std::fmt;
use std::net::SocketAddr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

pub use spikewire_transport::Breaker;
use spikewire_transport::Health;
use spikewire_transport::metrics::{Gauges, Recent};
use spikewire_transport::ready::ReadyConnections;

use spikewire_aerospike_protocol::features::{Features, Lack};

use super::Build;
use crate::model::{Error, Kind, Result};
use crate::security::Access;

/// A node. Transports key their connections by its identity.
#[derive(Debug)]
pub struct Node {
    /// A small number that is unique among the nodes that are in use within the client. Nodes that
    /// leave and come back get another one; theirs is free once nothing refers to them, so that old
    /// connections cannot be confused with new ones.
    pub slot: u32,
    /// The server's node id.
    pub name: String,
    /// The address for commands.
    pub address: SocketAddr,
    /// The name to verify its certificate against with TLS; `None`: its address.
    pub tls_name: Option<String>,
    /// How connections to it are set up: encryption and login.
    pub(crate) access: Access,
    /// The server's version; all zero if unknown.
    pub build: Build,
    /// What it can do.
    pub features: Features,
    /// Its circuit breaker.
    pub breaker: Breaker,
    /// How well it answers.
    pub health: Health,
    /// Gauges of its connections.
    pub gauges: Gauges,
    /// Its connections that were opened ahead.
    pub ready: ReadyConnections,
    active: AtomicBool,
    /// Recent latencies of hedgeable reads; created by the first of them.
    latencies: OnceLock<Box<Recent>>,
}

impl Node {
    /// A newly found node.
    pub fn new(slot: u32, name: String, address: SocketAddr, tls_name: Option<String>) -> Self {
        let (build, features, breaker, health, gauges, access) = Default::default();
        let ready = ReadyConnections::default();
        let active = AtomicBool::new(true);
        let latencies = OnceLock::new();
        Self {
            slot,
            name,
            address,
            tls_name,
            access,
            build,
            features,
            breaker,
            health,
            gauges,
            ready,
            active,
            latencies,
        }
    }

    /// Sets the server's version and edition, and so what it can do.
    #[must_use]
    pub fn with_build(self, build: Build, is_enterprise: bool) -> Self {
        Self { build, features: Features::of(build, is_enterprise), ..self }
    }

    /// The same for a client that sends what a server may not withstand.
    #[must_use]
    pub fn unprotected(self) -> Self {
        Self { features: self.features.withstanding_all(), ..self }
    }

    /// Why it cannot run a request that needs these features, if it cannot.
    pub fn check_features(&self, needs: Features) -> Result<()> {
        self.check_request(needs, || None::<&str>)
    }

    /// The same, with the place of a value that is nested too deep.
    pub fn check_request<P: fmt::Display>(
        &self,
        needs: Features,
        deep_place: impl FnOnce() -> Option<P>,
    ) -> Result<()> {
        match self.features.lacks(needs) {
            None => Ok(()),
            Some(Lack::Nesting) => {
                let place = deep_place().map(|place| format!("{place}: "));
                Err(self.unsupported(Lack::Nesting, &place.unwrap_or_default()))
            }
            Some(lack) => Err(self.unsupported(lack, "")),
        }
    }

    #[cold]
    fn unsupported(&self, lack: Lack, place: &str) -> Error {
        let edition = match lack {
            Lack::Feature { enterprise: true, .. } if self.features.has(Features::COMPRESSION) => {
                " Enterprise Edition"
            }
            Lack::Feature { enterprise: true, .. } => " Community Edition",
            _ => "",
        };
        let message = format!("{place}{lack}; node {} has {}{edition}", self.name, self.build);
        Error::new(Kind::Unsupported, message).on(self.to_string())
    }

    /// Sets in which time its share of the reads grows to its whole once it is back, at most.
    #[must_use]
    pub fn with_slow_start(self, longest: Duration) -> Self {
        Self { health: Health::new(longest), ..self }
    }

    /// Sets how connections are set up.
    #[must_use]
    pub(crate) fn with_access(self, access: Access) -> Self {
        Self { access, ..self }
    }

    /// Recent latencies of reads, as far as recorded.
    pub(crate) fn latencies(&self) -> &Recent {
        self.latencies.get_or_init(Box::default)
    }

    /// Whether the node is part of the cluster; never true again once it was false.
    pub fn is_active(&self) -> bool {
        self.active.load(Relaxed)
    }

    /// Removes the node; transports drop its connections.
    pub fn retire(&self) {
        self.active.store(false, Relaxed);
        self.ready.close(&self.gauges);
    }
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.address)
    }
}
