//! Options of a client, and the client made from them.

use std::collections::HashMap;
use std::time::Duration;

use spikewire_aerospike::command::{CommandDefaults, ReadMode, parse};
use spikewire_aerospike::{
    Auth, Backoff, ClientOptions, CommitLevel, DetailLevel, Hedge, ReplicaPolicy, ShareReads, Tls,
};

use spikewire_options::{Literal, OptionValue};

use crate::{Result, Seeds};

/// Builds a client from options.
///
/// ```no_run
/// use std::time::Duration;
/// use spikewire::Client;
///
/// let client = Client::builder()
///     .timeout(Duration::from_millis(200))
///     .max_retries(1)
///     .connect("db1:3000,db2:3000")?;
/// # Ok::<(), spikewire::Error>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a builder makes a client only when it connects"]
pub struct Builder {
    client: ClientOptions,
    threads: usize,
}

impl Default for Builder {
    fn default() -> Self {
        Self { client: ClientOptions::default(), threads: 1 }
    }
}

impl Builder {
    /// Total timeout of a command including all retries; zero means no limit. Default 1 s.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.client.options.policy.timeout = limit;
        self
    }

    /// Longest silence on a socket before an attempt is abandoned; zero, the default: no limit.
    pub fn socket_timeout(mut self, limit: Duration) -> Self {
        self.client.options.policy.socket_timeout = limit.into();
        self
    }

    /// Attempts after the first one. Default 2.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.client.options.policy.max_retries = retries;
        self
    }

    /// Pause before a retry on the same node. Default none.
    pub fn sleep_between_retries(mut self, pause: Duration) -> Self {
        self.client.options.policy.sleep = pause.into();
        self
    }

    /// How the pauses between retries grow and vary. Default: they are constant.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.client.options.policy.set_backoff(backoff);
        self
    }

    /// Whether a write that may have been applied is retried. Default no: the error says that it is
    /// in doubt.
    pub fn retry_in_doubt(mut self, retry: bool) -> Self {
        self.client.options.policy.flags.set_in_doubt(retry);
        self
    }

    /// Which replica a command goes to. Default [`ReplicaPolicy::Sequence`].
    pub fn replica(mut self, replica: ReplicaPolicy) -> Self {
        self.client.options.policy.replica = replica;
        self
    }

    /// When reads of one record are hedged with a second request, to another replica. Default
    /// never.
    pub fn hedge(mut self, hedge: Hedge) -> Self {
        self.client.hedge = hedge;
        self
    }

    /// Maximum percentage of hedged reads. Default 10.
    pub fn hedge_percent(mut self, percent: u32) -> Self {
        self.client.options.hedge_percent = percent;
        self
    }

    /// Whether concurrent reads of the same record and bins share one request. Never one from before
    /// a write of the record by this client. Default [`ShareReads::Off`].
    ///
    /// Calling threads share requests if they meet, so their reads use connections for all of them.
    pub fn share_reads(mut self, share: ShareReads) -> Self {
        self.client.share_reads = share;
        self
    }

    /// Keeps replies for the keys that are read most often, in so many bytes (at least 64 KiB; 0:
    /// no such cache). Reads of all bins, of named ones, and of existence are answered from it. Not
    /// with a [`ReadMode`] other than the default, nor with [`ReplicaPolicy::Master`]. Default 0.
    pub fn near_cache(mut self, bytes: usize) -> Self {
        self.client.options.near_cache.bytes = bytes;
        self
    }

    /// How old an answer of the near cache may be, from 1 ms to an hour. Default 100 ms.
    pub fn near_cache_staleness(mut self, staleness: Duration) -> Self {
        self.client.options.near_cache.staleness = staleness;
        self
    }

    /// From how many reads per second on a key is kept in the near cache; 0: every key. Default
    /// 100.
    pub fn near_cache_heat(mut self, reads_per_second: u32) -> Self {
        self.client.options.near_cache.heat = reads_per_second;
        self
    }

    /// When writes are answered. Default [`CommitLevel::All`]: once all copies of the record have
    /// them.
    pub fn commit_level(mut self, level: CommitLevel) -> Self {
        self.client.options.policy.flags.set_commits_at_master(level == CommitLevel::Master);
        self
    }

    /// Whether only seeds are used: commands go to the first one that answers, whatever is behind
    /// its address, and other nodes are not looked for. Nodes pass on what others have, which takes
    /// longer; queries read only what is on the node. For one address in front of a cluster, such
    /// as a tunnel. Default no.
    pub fn seed_only(mut self, seed_only: bool) -> Self {
        self.client.options.seed_only = seed_only;
        self
    }

    /// Whether requests that servers of 8.1.1 and 8.1.2 may not withstand are refused for such nodes
    /// ([`Kind::Unsupported`](crate::Kind::Unsupported)). Some of them end a server only if a list
    /// on their path is ordered, which a request does not say. Default yes.
    pub fn protect_servers(mut self, protect: bool) -> Self {
        self.client.options.protect_servers = protect;
        self
    }

    /// Whether connecting fails if no seed answers. If not, there is a client whose calls fail until
    /// one does; it keeps trying in the background. Default yes.
    pub fn fail_if_not_connected(mut self, fail: bool) -> Self {
        self.client.options.fail_if_not_connected = fail;
        self
    }

    /// The name of the program, which nodes list among their clients (server 8.1 and later): up to
    /// 40 visible ASCII characters without commas. Default none.
    pub fn application_id(mut self, name: impl Into<String>) -> Self {
        self.client.options.application_id = Some(name.into());
        self
    }

    /// Whether requests and replies are compressed, where nodes are of the Enterprise Edition; others
    /// get plain requests. Queries and jobs are never compressed. Default no.
    pub fn compress(mut self, compress: bool) -> Self {
        self.client.options.policy.flags.set_compress(compress);
        self
    }

    /// How much servers are asked to say about errors: [`Error::details`](crate::Error::details).
    /// Nodes before 8.2 are not asked. Default [`DetailLevel::Off`].
    pub fn error_details(mut self, level: DetailLevel) -> Self {
        self.client.options.policy.flags.set_details(level as u8);
        self
    }

    /// The largest request in bytes that is not worth compressing, at most 128 MiB. Default 128.
    pub fn compression_threshold(mut self, bytes: usize) -> Self {
        self.client.options.compression_threshold = bytes;
        self
    }

    /// Whether writes store the user key with the record. Default no.
    pub fn send_key(mut self, send_key: bool) -> Self {
        self.client.send_key = send_key;
        self
    }

    /// The consistency of reads. Default [`ReadMode::One`].
    pub fn read_mode(mut self, mode: ReadMode) -> Self {
        self.client.read_mode = mode;
        self
    }

    /// Logs in to every node with a user and a password.
    ///
    /// The client logs in to a node once; further connections present the session token until it is
    /// about to expire. If a node rejects the user or password, connecting fails with
    /// [`Kind::Server`](crate::Kind::Server) and the code 60, 62 or 65.
    ///
    /// ```no_run
    /// use spikewire::{Client, Pem, Tls, TlsOptions};
    ///
    /// let authorities = vec![Pem::File("/etc/ssl/cluster-ca.pem".into())];
    /// let tls = Tls::new(&TlsOptions { authorities, ..TlsOptions::default() })?;
    /// let client = Client::builder()
    ///     .credentials("app", std::env::var("DB_PASSWORD")?)
    ///     .tls(tls)
    ///     .connect("db1:4333,db2:4333")?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn credentials(mut self, user: impl Into<String>, password: impl Into<String>) -> Self {
        self.client.options.login.user = Some(user.into());
        self.client.options.login.password = Some(password.into().into());
        self
    }

    /// How the client logs in. Default [`Auth::Internal`] if there are credentials.
    pub fn auth(mut self, auth: Auth) -> Self {
        self.client.options.login.auth = Some(auth);
        self
    }

    /// Encrypts every connection. Seeds are `host[:tls-name][:port]`: a node's certificate is
    /// verified against the TLS name, of the seed or of the node in other nodes' peer lists, or
    /// without one against the host as named there.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.client.options.tls = Some(tls);
        self
    }

    /// The expected cluster name.
    pub fn cluster_name(mut self, name: impl Into<String>) -> Self {
        self.client.options.cluster_name = Some(name.into());
        self
    }

    /// Timeout of one connection attempt. Default 1 s, at least 1 ms.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.client.options.connect_timeout = limit;
        self
    }

    /// Interval between two passes of the cluster worker. Default 1 s, at least 50 ms.
    pub fn tend_interval(mut self, interval: Duration) -> Self {
        self.client.options.tend_interval = interval;
        self
    }

    /// Connections that have been idle for this long are closed. Default 55 s, at least 100 ms.
    pub fn idle_timeout(mut self, limit: Duration) -> Self {
        self.client.options.idle = limit;
        self
    }

    /// Whether to use the nodes' alternate addresses. Default no.
    pub fn use_services_alternate(mut self, alternate: bool) -> Self {
        self.client.options.use_services_alternate = alternate;
        self
    }

    /// Advertised addresses and their replacements.
    pub fn ip_map(mut self, map: HashMap<String, String>) -> Self {
        self.client.options.ip_map = map;
        self
    }

    /// The client's racks, preferred first, for [`ReplicaPolicy::PreferRack`].
    pub fn racks(mut self, racks: impl Into<Vec<u32>>) -> Self {
        self.client.options.racks = racks.into();
        self
    }

    /// Maximum number of connections to one node for short commands, per driver, and the number of
    /// threads that get one each for blocking calls; more threads share two others, or up to this
    /// many if replies are slow. Default 4, and 64 threads, fewer if these connections were more
    /// than 256 in all.
    pub fn connections_per_node(mut self, connections: usize) -> Self {
        self.client.options.connections_per_node = Some(connections);
        self
    }

    /// Number of connections to each node that are opened before the first command, all at once;
    /// whoever needs one first gets it. Connecting waits for unreachable nodes up to
    /// [`connect_timeout`](Self::connect_timeout). Default 0.
    pub fn warm_connections(mut self, connections: usize) -> Self {
        self.client.options.warm_connections = connections;
        self
    }

    /// How long a node that comes back, or joins, takes at most to get its whole share of the reads
    /// that another replica can answer; zero: it gets all at once. Never longer than it was away.
    /// Default 5 s.
    pub fn slow_start(mut self, longest: Duration) -> Self {
        self.client.options.slow_start = longest;
        self
    }

    /// Maximum number of commands in flight on one connection; further ones wait. Default 512.
    pub fn pipeline_depth(mut self, depth: usize) -> Self {
        self.client.options.depth = depth;
        self
    }

    /// Maximum number of commands waiting for one node; further ones fail as busy. Default 100,000.
    pub fn queue_limit(mut self, limit: usize) -> Self {
        self.client.options.queue = limit;
        self
    }

    /// Maximum number of commands in flight on one tokio runtime: further calls wait, first come,
    /// first served. Default no limit.
    pub fn max_in_flight(mut self, limit: usize) -> Self {
        self.client.options.in_flight = limit.max(1);
        self
    }

    /// Retries and second requests that the client may send, as a share of its recent calls, beyond
    /// 100 and 10 per second that it always has; zero: none at all, `None`: as many as
    /// [`Builder::max_retries`] allows. Default 0.1.
    pub fn retry_budget(mut self, share: impl Into<Option<f64>>) -> Self {
        self.client.options.retry_budget = share.into();
        self
    }

    /// Whether a node gets fewer commands at a time while its replies are late or it says that it
    /// is overloaded. The others wait; those that cannot be answered within their timeout fail with
    /// [`Kind::Overloaded`](crate::Kind::Overloaded) and are not sent. Default yes.
    pub fn adaptive_limits(mut self, enabled: bool) -> Self {
        self.client.options.adaptive_limits = enabled;
        self
    }

    /// Errors per window after which a node's circuit breaker opens; zero means never. Default 100.
    pub fn max_error_rate(mut self, errors: u32) -> Self {
        self.client.options.max_error_rate = errors;
        self
    }

    /// Length of that window in tend intervals. Default 1.
    pub fn error_rate_window(mut self, intervals: u32) -> Self {
        self.client.options.error_rate_window = intervals;
        self
    }

    /// Threads that drive the connections of an [`AsyncClient`](crate::AsyncClient) on any
    /// executor. One (the default) serves several hundred thousand commands per second.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets an option by name.
    pub(crate) fn set(&mut self, name: &str, value: &Literal) -> Result<()> {
        if name == "threads" {
            self.threads = value.count(name, (1, 256))? as usize;
            return Ok(());
        }
        Ok(self.client.set(name, value, &[])?)
    }

    /// The validated options, the defaults of calls, and the number of threads.
    pub(crate) fn finish(
        mut self,
        seeds: &impl Seeds,
    ) -> Result<(spikewire_aerospike::Options, CommandDefaults, usize)> {
        self.client.set_seeds(&seeds.to_list())?;
        self.client.check()?;
        parse::count("threads", Some(self.threads as u64), (1, 256), self.threads)?;
        let defaults = self.client.defaults();
        Ok((self.client.finish()?, defaults, self.threads))
    }
}
