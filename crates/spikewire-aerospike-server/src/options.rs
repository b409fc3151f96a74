//! Options of a cluster.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use crate::error::invalid;
use crate::record::sets::MAX_NODES;
use crate::security::options::UserOptions;
use crate::storage::options::NamespaceOptions;
use crate::tls::options::TlsOptions;

/// Options of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Number of nodes.
    pub nodes: usize,
    /// Port of the first node; the others use the following ports. 0 chooses free ports.
    pub port: u16,
    /// The address all nodes listen on.
    pub bind: IpAddr,
    /// The namespaces, the same on every node.
    pub namespaces: Vec<NamespaceOptions>,
    /// The cluster's name, which clients can require.
    pub cluster_name: String,
    /// Number of threads that serve connections of all nodes; each has another thread that sends
    /// long replies.
    pub threads: usize,
    /// The server version the nodes report.
    pub build: String,
    /// The rack of each node; empty for no racks.
    pub racks: Vec<u32>,
    /// Pause after each copied partition, to make migrations last.
    pub migration_pause: Duration,
    /// CPU time limit of a call of a user-defined function.
    pub udf_time: Duration,
    /// Users; if empty, security is disabled.
    pub users: Vec<UserOptions>,
    /// Whether roles may have quotas.
    pub quotas: bool,
    /// Lifetime of sessions: after that, clients have to log in again to open connections.
    pub session_ttl: Duration,
    /// Encrypts all connections.
    pub tls: Option<TlsOptions>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            nodes: 1,
            port: 0,
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            namespaces: vec![NamespaceOptions::default()],
            cluster_name: "spikewire".to_owned(),
            threads: 1,
            build: "8.1.2.0".to_owned(),
            racks: Vec::new(),
            migration_pause: Duration::ZERO,
            udf_time: spikewire_udf::Limits::default().time,
            users: Vec::new(),
            quotas: false,
            session_ttl: Duration::from_secs(24 * 60 * 60),
            tls: None,
        }
    }
}

/// Maximum lifetime of a session in seconds, as on servers.
const MAX_SESSION_TTL: u64 = 10 * 24 * 60 * 60;
/// Maximum number of namespaces, which clients rely on.
const MAX_NAMESPACES: usize = 32;

impl Options {
    /// Validates the options.
    pub fn check(&self) -> io::Result<()> {
        let fail = |text: &str| Err(invalid(text.to_owned()));
        if self.nodes == 0 || self.nodes > MAX_NODES {
            return fail("nodes: a cluster has 1 to 128 nodes");
        }
        if self.port != 0 && usize::from(self.port) + self.nodes - 1 > usize::from(u16::MAX) {
            return fail("port: the last node's port would be above 65535");
        }
        if self.threads == 0 || self.threads > 64 {
            return fail("threads: 1 to 64");
        }
        if self.udf_time.is_zero() {
            return fail("udf_time: more than 0");
        }
        if !self.racks.is_empty() && self.racks.len() != self.nodes {
            return fail("racks: give one per node, or none");
        }
        if self.session_ttl < Duration::from_secs(1) || self.session_ttl.as_secs() > MAX_SESSION_TTL
        {
            return fail("session_ttl: from 1 second to 10 days");
        }
        if let Some(tls) = &self.tls {
            tls.check()?;
        }
        UserOptions::check(&self.users)?;
        if self.namespaces.is_empty() || self.namespaces.len() > MAX_NAMESPACES {
            return fail("namespaces: 1 to 32");
        }
        let numbers = self.build.split('.').filter(|part| part.parse::<u32>().is_ok()).count();
        if numbers < 3 {
            return fail("build: at least three numbers, like 8.1.2.0");
        }
        NamespaceOptions::check(&self.namespaces)
    }
}
