//! Options of a client and its commands.

use std::collections::HashMap;
use std::time::Duration;

use spikewire_aerospike_protocol::compression::THRESHOLD;
use spikewire_aerospike_protocol::host::Host;
use spikewire_transport::RetryBudget;
use spikewire_transport::health::SLOW_START;
use spikewire_transport::tls::Tls;

use crate::model::Login;

/// The replica for the first attempt of a command and for its retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ReplicaPolicy {
    /// Only the partition's master.
    Master,
    /// The master, then the other replicas on each retry.
    #[default]
    Sequence,
    /// Reads spread over all replicas; writes start at the master.
    Any,
    /// A replica on one of the client's racks, otherwise like `Sequence`.
    PreferRack,
}

pub use spikewire_transport::{Backoff, ShareReads};

/// The limits of one command.
pub type Policy = spikewire_transport::Policy<ReplicaPolicy>;

/// Options of a client.
#[derive(Debug, Clone)]
pub struct Options {
    /// Seed hosts.
    pub seeds: Vec<Host>,
    /// The expected cluster name.
    pub cluster_name: Option<String>,
    /// Whether only seeds are used: commands go to the first one that answers, whatever is behind
    /// its address, and other nodes are not looked for.
    pub seed_only: bool,
    /// Whether connecting fails if no seed answers. If not, there is a client without nodes, which
    /// keeps trying.
    pub fail_if_not_connected: bool,
    /// Whether requests that servers of 8.1.1 and 8.1.2 may not withstand are refused for them.
    pub protect_servers: bool,
    /// The name of the program, which the client tells nodes; printable ASCII without commas.
    pub application_id: Option<String>,
    /// Credentials.
    pub login: Login,
    /// Encryption of connections; `None`: not encrypted. A node's certificate is verified against
    /// the TLS name of the seed, or of the node in other nodes' peer lists; without one, against
    /// the host as named there. Options of `Tls` can change this.
    pub tls: Option<Tls>,
    /// Defaults of every command.
    pub policy: Policy,
    /// Time limit for one connection attempt and for one info request.
    pub connect_timeout: Duration,
    /// Interval between two passes of the cluster worker.
    pub tend_interval: Duration,
    /// Requests of this many bytes and fewer are not compressed.
    pub compression_threshold: usize,
    /// Use the nodes' alternate addresses.
    pub use_services_alternate: bool,
    /// Advertised addresses and their replacements.
    pub ip_map: HashMap<String, String>,
    /// The client's racks, preferred first; for [`ReplicaPolicy::PreferRack`].
    pub racks: Vec<u32>,
    /// Maximum number of connections to one node that one transport opens for short commands, and
    /// how many threads get one each for blocking calls. `None`: 4, and as many threads as a client
    /// should have connections for.
    pub connections_per_node: Option<usize>,
    /// Number of connections to each node that are opened before the first command.
    pub warm_connections: usize,
    /// In which time the share of a node that returns grows to its whole, at most; zero: at once.
    pub slow_start: Duration,
    /// Maximum number of commands in flight on one connection; further ones wait.
    pub depth: usize,
    /// Maximum number of commands waiting for one node; further ones fail as busy.
    pub queue: usize,
    /// Maximum number of commands in flight on one event loop; further ones wait in line.
    pub in_flight: usize,
    /// Idle connections are closed after this time.
    pub idle: Duration,
    /// Maximum percentage of hedged reads.
    pub hedge_percent: u32,
    /// Retries per call that the client may send; `None` for any number.
    pub retry_budget: Option<f64>,
    /// Whether nodes get fewer commands at a time when their replies become late.
    pub adaptive_limits: bool,
    /// The cache for hot keys.
    pub near_cache: NearCacheOptions,
    /// Errors per window after which a node's circuit breaker opens; zero: never.
    pub max_error_rate: u32,
    /// Length of that window in tend intervals.
    pub error_rate_window: u32,
}

/// Options of the cache for hot keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearCacheOptions {
    /// How many bytes it may take; 0: there is none.
    pub bytes: usize,
    /// How old what it answers may be.
    pub staleness: Duration,
    /// The reads per second from which a key is kept.
    pub heat: u32,
}

impl Default for NearCacheOptions {
    fn default() -> Self {
        Self { bytes: 0, staleness: Duration::from_millis(100), heat: 100 }
    }
}

impl Options {
    /// The defaults, for these seeds.
    pub fn new(seeds: Vec<Host>) -> Self {
        Self {
            seeds,
            cluster_name: None,
            seed_only: false,
            fail_if_not_connected: true,
            protect_servers: true,
            application_id: None,
            login: Login::default(),
            tls: None,
            policy: Policy::default(),
            connect_timeout: Duration::from_secs(1),
            tend_interval: Duration::from_secs(1),
            compression_threshold: THRESHOLD,
            use_services_alternate: false,
            ip_map: HashMap::new(),
            racks: Vec::new(),
            connections_per_node: None,
            warm_connections: 0,
            slow_start: SLOW_START,
            depth: 512,
            queue: 100_000,
            in_flight: usize::MAX,
            idle: Duration::from_secs(55),
            hedge_percent: 10,
            retry_budget: Some(RetryBudget::SHARE),
            adaptive_limits: true,
            near_cache: NearCacheOptions::default(),
            max_error_rate: 100,
            error_rate_window: 1,
        }
    }

    /// Maximum number of connections to one node that one transport opens for short commands.
    pub fn connections_per_node(&self) -> usize {
        self.connections_per_node.unwrap_or(4)
    }
}
