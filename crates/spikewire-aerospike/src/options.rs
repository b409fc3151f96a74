//! How a client and its commands behave.

use std::collections::HashMap;
use std::time::Duration;

use spikewire_aerospike_protocol::host::Host;
use spikewire_transport::tls::Tls;

use crate::security::Login;

/// Where a command goes first and on its retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ReplicaPolicy {
    /// Only the partition's master.
    Master,
    /// The master, then the other replicas on each retry.
    #[default]
    Sequence,
    /// Reads spread over all replicas; writes start at the master.
    Any,
    /// A replica on one of the client's racks, else as `Sequence`.
    PreferRack,
}

pub use spikewire_transport::Backoff;

/// The limits of one command.
pub type Policy = spikewire_transport::Policy<ReplicaPolicy>;

/// How a client behaves.
#[derive(Debug, Clone)]
pub struct Options {
    /// Where to look for the cluster.
    pub seeds: Vec<Host>,
    /// The name the cluster must have.
    pub cluster_name: Option<String>,
    /// Who logs in to the nodes.
    pub login: Login,
    /// How connections are encrypted; `None`: they are not. The certificate of a node has to be for
    /// the TLS name of the seed, or of the node in other nodes' lists of peers; where there is none,
    /// for the host as it is named there. Options of `Tls` may say otherwise.
    pub tls: Option<Tls>,
    /// Defaults of every command.
    pub policy: Policy,
    /// Time for one connection attempt and for one info request.
    pub connect_timeout: Duration,
    /// Pause between two looks at the cluster.
    pub tend_interval: Duration,
    /// Ask nodes for their alternate addresses.
    pub use_services_alternate: bool,
    /// Addresses that nodes advertise, and what to use instead.
    pub ip_map: HashMap<String, String>,
    /// The client's racks, best first; for [`ReplicaPolicy::PreferRack`].
    pub racks: Vec<u32>,
    /// Connections to one node that one transport may hold for short commands.
    pub connections_per_node: usize,
    /// Commands in flight on one connection before the next one waits.
    pub depth: usize,
    /// Commands that may wait for a place on one node; beyond it they fail as busy.
    pub queue: usize,
    /// Commands in flight on one event loop before the next one waits in line.
    pub in_flight: usize,
    /// Idle connections are closed after this time.
    pub idle: Duration,
    /// Most second requests of reads, for a hundred of them.
    pub hedge_percent: u32,
    /// Errors per window after which a node's circuit breaker opens; zero: never.
    pub max_error_rate: u32,
    /// Length of that window in tend intervals.
    pub error_rate_window: u32,
}

impl Options {
    /// The defaults, for these seeds.
    pub fn new(seeds: Vec<Host>) -> Self {
        Self {
            seeds,
            cluster_name: None,
            login: Login::default(),
            tls: None,
            policy: Policy::default(),
            connect_timeout: Duration::from_secs(1),
            tend_interval: Duration::from_secs(1),
            use_services_alternate: false,
            ip_map: HashMap::new(),
            racks: Vec::new(),
            connections_per_node: 4,
            depth: 512,
            queue: 100_000,
            in_flight: usize::MAX,
            idle: Duration::from_secs(55),
            hedge_percent: 10,
            max_error_rate: 100,
            error_rate_window: 1,
        }
    }
}
