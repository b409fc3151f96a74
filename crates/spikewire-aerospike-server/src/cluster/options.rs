//! Options of a cluster.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use rustls::pki_types::DnsName;
use spikewire_aerospike_protocol::{frame, limits};

use crate::error::invalid;
use crate::security::privilege::{KINDS, Kind};
use crate::storage::sets::{MAX_NODES, MAX_SETS};

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

/// Options of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceOptions {
    /// Its name.
    pub name: String,
    /// Copies of each partition, including the master's.
    pub replication_factor: usize,
    /// Default TTL in seconds; 0 = never expire.
    pub default_ttl: u32,
    /// Seconds between two checks for expired records. 0 = never check, and reject TTLs.
    pub nsup_period: u32,
    /// Largest stored record in bytes.
    pub max_record_size: usize,
    /// Sets with an index of all their records.
    pub indexed_sets: Vec<String>,
}

impl Default for NamespaceOptions {
    fn default() -> Self {
        Self {
            name: "test".to_owned(),
            replication_factor: 2,
            default_ttl: 0,
            nsup_period: 1,
            max_record_size: limits::RECORD_SIZE,
            indexed_sets: Vec::new(),
        }
    }
}

impl NamespaceOptions {
    /// A namespace with this name and default options.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }
}

/// TLS options. Certificates are generated for the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsOptions {
    /// The TLS name of all nodes, which they advertise and which their certificate is issued for,
    /// in addition to the address that they listen on.
    pub name: String,
    /// Whether clients must present a certificate of the same authority.
    pub client_certificates: bool,
}

impl Default for TlsOptions {
    fn default() -> Self {
        Self { name: "spikewire".to_owned(), client_certificates: false }
    }
}

/// A user.
#[derive(Clone, PartialEq, Eq)]
pub struct UserOptions {
    /// The name to log in with.
    pub name: String,
    /// The password to log in with.
    pub password: String,
    /// The user's roles.
    pub roles: Vec<String>,
    /// Whether the user is external, such as in a directory: external users log in with the
    /// plaintext password, not with a hash of it.
    pub external: bool,
}

impl UserOptions {
    /// A user with all privileges.
    pub fn new(name: impl Into<String>, password: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            password: password.into(),
            roles: KINDS.iter().map(|kind| kind.name.to_owned()).collect(),
            external: false,
        }
    }
}

/// Prints everything but the password.
impl fmt::Debug for UserOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UserOptions")
            .field("name", &self.name)
            .field("roles", &self.roles)
            .field("external", &self.external)
            .finish_non_exhaustive()
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
        if let Some(tls) = &self.tls
            && DnsName::try_from(tls.name.as_str()).is_err()
        {
            return Err(invalid(format!("tls: {:?} is no name of a host", tls.name)));
        }
        for (at, user) in self.users.iter().enumerate() {
            let name = user.name.as_str();
            if name.is_empty() || name.len() > limits::USER_NAME || name.contains('\0') {
                return Err(invalid(format!(
                    "user {name:?}: 1 to 63 bytes, and no zero character"
                )));
            }
            if self.users[..at].iter().any(|other| other.name == name) {
                return Err(invalid(format!("user {name:?} is given twice")));
            }
            if user.password.is_empty() || user.password.contains('\0') {
                return Err(invalid(format!(
                    "user {name:?}: the password must not be empty or hold a zero character"
                )));
            }
            if let Some(role) = user.roles.iter().find(|role| Kind::named(role).is_none()) {
                let known: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
                let known = known.join(", ");
                return Err(invalid(format!(
                    "user {name:?}: no role {role:?}; there are: {known}"
                )));
            }
        }
        if self.namespaces.is_empty() || self.namespaces.len() > MAX_NAMESPACES {
            return fail("namespaces: 1 to 32");
        }
        let numbers = self.build.split('.').filter(|part| part.parse::<u32>().is_ok()).count();
        if numbers < 3 {
            return fail("build: at least three numbers, like 8.1.2.0");
        }
        for (at, namespace) in self.namespaces.iter().enumerate() {
            let name = namespace.name.as_str();
            let odd = |c: char| c.is_control() || c.is_whitespace() || ":;,/=".contains(c);
            if name.is_empty() || name.len() > limits::NAMESPACE_NAME || name.contains(odd) {
                return Err(invalid(format!(
                    "namespace {name:?}: 1 to 31 bytes, without space and any of : ; , / ="
                )));
            }
            if self.namespaces[..at].iter().any(|other| other.name == name) {
                return Err(invalid(format!("namespace {name:?} is given twice")));
            }
            if namespace.replication_factor == 0 {
                return Err(invalid(format!("namespace {name:?}: replication factor 0")));
            }
            if namespace.max_record_size > frame::MAX_BODY {
                return Err(invalid(format!("namespace {name:?}: records above 128 MiB")));
            }
            for set in &namespace.indexed_sets {
                let odd = |c: char| c.is_control() || ":;".contains(c);
                if set.is_empty() || set.len() > limits::SET_NAME || set.contains(odd) {
                    return Err(invalid(format!(
                        "indexed set {set:?}: 1 to 63 bytes, without : and ;"
                    )));
                }
            }
            if namespace.indexed_sets.len() > MAX_SETS {
                return Err(invalid(format!("namespace {name:?}: more than {MAX_SETS} sets")));
            }
            if namespace.default_ttl > limits::TTL_SECONDS {
                return Err(invalid(format!("namespace {name:?}: default TTL above 10 years")));
            }
        }
        Ok(())
    }
}
