//! Options of a session.

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use spikewire_cassandra::address_translator::AddressTranslator;
use spikewire_cassandra::authenticator::Authenticator;
use spikewire_cassandra::options::SpeculativeDelay;
use spikewire_cassandra::{Options, Result, SessionOptions};
use spikewire_cql::consistency::Consistency;
use spikewire_cql::version::Version;
use spikewire_options::{Literal, OptionValue, Secret, parse};
use spikewire_transport::tls::Tls;

use crate::seeds::Seeds;

/// Builds a session from options.
///
/// ```no_run
/// use std::time::Duration;
/// use spikewire::cql::{Consistency, Session};
///
/// let session = Session::builder()
///     .keyspace("shop")
///     .credentials("app", "secret")
///     .consistency(Consistency::LocalQuorum)
///     .timeout(Duration::from_secs(2))
///     .connect("db1,db2:9042")?;
/// # Ok::<(), spikewire::cql::Error>(())
/// ```
#[derive(Debug, Clone)]
#[must_use = "a builder makes a session only when it connects"]
pub struct Builder {
    session: SessionOptions,
    threads: usize,
}

/// A function of the program that translates addresses.
struct Translator<F>(F);

impl<F> fmt::Debug for Translator<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Translator")
    }
}

impl<F> AddressTranslator for Translator<F>
where
    F: Fn(SocketAddr) -> std::result::Result<String, String> + Send + Sync,
{
    fn translate(&self, advertised: SocketAddr) -> std::result::Result<String, String> {
        (self.0)(advertised)
    }
}

impl Default for Builder {
    fn default() -> Self {
        Self { session: SessionOptions::default(), threads: 1 }
    }
}

impl Builder {
    /// The keyspace of statements without one.
    pub fn keyspace(mut self, name: impl Into<String>) -> Self {
        self.session.options.keyspace = Some(name.into());
        self
    }

    /// Authenticates with a user name and a password.
    pub fn credentials(mut self, user: impl Into<String>, password: impl Into<String>) -> Self {
        self.session.user = Some(user.into());
        self.session.password = Some(Secret::from(password));
        self
    }

    /// Logs in with another authenticator.
    pub fn authenticator(mut self, authenticator: Arc<dyn Authenticator>) -> Self {
        self.session.options.authenticator = Some(authenticator);
        self
    }

    /// Encrypts all connections.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.session.options.encryption = Some(tls);
        self
    }

    /// The datacenter whose nodes are used. Default: that of the first node that replies.
    pub fn local_datacenter(mut self, name: impl Into<String>) -> Self {
        self.session.options.local_datacenter = Some(name.into());
        self
    }

    /// The rack whose nodes are preferred.
    pub fn local_rack(mut self, name: impl Into<String>) -> Self {
        self.session.options.local_rack = Some(name.into());
        self
    }

    /// Whether nodes of other datacenters are used when none of the local one is left. Default no.
    pub fn remote_datacenters(mut self, allowed: bool) -> Self {
        self.session.options.remote_datacenters = allowed;
        self
    }

    /// The addresses to connect to, by advertised address: `address` or `address:port`.
    pub fn address_map(mut self, map: HashMap<String, String>) -> Self {
        self.session.options.address_map = map;
        self
    }

    /// Says where the addresses that nodes advertise are reached, in place of a map.
    ///
    /// ```no_run
    /// use spikewire::cql::Session;
    ///
    /// let session = Session::builder()
    ///     .address_translator(|advertised| Ok(format!("gateway:{}", advertised.port())))
    ///     .connect("db1")?;
    /// # Ok::<(), spikewire::cql::Error>(())
    /// ```
    ///
    /// The text is `host` or `host:port`; without a port it is the advertised one. The function is
    /// called on the thread that watches the cluster. After an error opening fails; later, the
    /// nodes stay as they were known.
    pub fn address_translator<F>(mut self, translate: F) -> Self
    where
        F: Fn(SocketAddr) -> std::result::Result<String, String> + Send + Sync + 'static,
    {
        self.session.options.address_translator = Some(Arc::new(Translator(translate)));
        self
    }

    /// The only version of the native protocol to try. Default: 5, then 4.
    pub fn version(mut self, version: Version) -> Self {
        self.session.options.version = Some(version);
        self
    }

    /// Whether requests and replies are compressed with LZ4. Default no.
    pub fn compression(mut self, compressed: bool) -> Self {
        self.session.options.compression = compressed;
        self
    }

    /// Time limit for opening a connection, including the login. Default 5 s.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.session.options.connect_timeout = limit;
        self
    }

    /// Total timeout of a statement including all retries; zero means no limit. Default 10 s.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.session.options.limits.timeout = limit;
        self
    }

    /// Timeout for a connection with requests in flight on which nothing arrives. Zero, the
    /// default, means no limit.
    pub fn socket_timeout(mut self, limit: Duration) -> Self {
        self.session.options.limits.socket_timeout = limit;
        self
    }

    /// Attempts after the first one. Default 2.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.session.options.limits.max_retries = retries;
        self
    }

    /// How long to wait for the reply to an idempotent statement before a copy of it is sent to
    /// another node, at least 1 ms; `None`, the default: no copies. In a blocking session, a thread
    /// of the session sends such statements, and the caller waits for it.
    pub fn speculative_delay(mut self, delay: impl Into<Option<Duration>>) -> Self {
        let delay = delay.into().map(SpeculativeDelay::Time);
        self.session.options.limits.speculation.delay = delay;
        self
    }

    /// The same after a percentile of the nodes' recent latencies, from 50 to 99.9: of the node
    /// whose percentile is lowest. There are no copies before 100 latencies of a node are known.
    ///
    /// # Errors
    ///
    /// If it is not within these bounds.
    pub fn speculative_percentile(mut self, percent: f64) -> Result<Self> {
        let delay = SpeculativeDelay::percentile(percent)?;
        self.session.options.limits.speculation.delay = Some(delay);
        Ok(self)
    }

    /// Maximum number of copies of a statement in addition to the first request, up to 32. Default
    /// 1.
    pub fn speculative_attempts(mut self, attempts: u32) -> Self {
        self.session.options.limits.speculation.attempts = attempts;
        self
    }

    /// Pause before another attempt on the same node. Default 20 ms.
    pub fn retry_pause(mut self, pause: Duration) -> Self {
        self.session.options.limits.sleep = pause;
        self
    }

    /// Silence on the control connection after which a heartbeat is sent. Default 30 s.
    pub fn heartbeat(mut self, silence: Duration) -> Self {
        self.session.options.heartbeat = silence;
        self
    }

    /// The shortest and the longest pause between attempts to reconnect to a node that is down.
    /// Default 100 ms and 30 s.
    pub fn reconnect(mut self, shortest: Duration, longest: Duration) -> Self {
        self.session.options.reconnect = (shortest, longest);
        self
    }

    /// Whether connections to a server with shards (Scylla) select their shard by source port, if
    /// the server has a port for that. Otherwise the server selects it, and connections are opened
    /// until each shard has one. Default true.
    pub fn shard_aware_port(mut self, used: bool) -> Self {
        self.session.options.shard_aware_port = used;
        self
    }

    /// Connections to each node, or to each of its shards on sharded servers, per driver, and the
    /// number of threads that get one each for blocking calls; more threads share. Default 1, which
    /// is enough for any number of requests, and 64 threads, fewer if these connections were more
    /// than 256 in all.
    pub fn connections_per_node(mut self, connections: usize) -> Self {
        self.session.options.connections_per_node = Some(connections);
        self
    }

    /// Number of connections to each node that statements go to that are opened before the first
    /// statement, all at once; whoever needs one first gets it. Connecting waits for unreachable
    /// nodes up to [`connect_timeout`](Self::connect_timeout). Default 0.
    pub fn warm_connections(mut self, connections: usize) -> Self {
        self.session.options.warm_connections = connections;
        self
    }

    /// How long a node that comes back, or joins, takes at most to get its whole share of the
    /// statements that another replica can take; zero: it gets all at once. Default 5 s.
    pub fn slow_start(mut self, longest: Duration) -> Self {
        self.session.options.slow_start = longest;
        self
    }

    /// Maximum number of requests in flight on one connection; further ones wait. Default 1,024.
    pub fn pipeline_depth(mut self, requests: usize) -> Self {
        self.session.options.depth = requests;
        self
    }

    /// Maximum number of requests waiting for one node; further ones fail as busy. Default 100,000.
    pub fn queue_limit(mut self, limit: usize) -> Self {
        self.session.options.queue = limit;
        self
    }

    /// Idle connections are closed after this time. Default 2 min.
    pub fn idle_timeout(mut self, limit: Duration) -> Self {
        self.session.options.idle = limit;
        self
    }

    /// Retries and speculative executions that the session may send, as a share of its recent
    /// statements, beyond 100 and 10 per second that it always has; zero: none at all, `None`: as
    /// many as [`Builder::max_retries`] allows. Default 0.1.
    pub fn retry_budget(mut self, share: impl Into<Option<f64>>) -> Self {
        self.session.options.retry_budget = share.into();
        self
    }

    /// Whether a node gets fewer requests at a time while its replies are late or it says that it
    /// is overloaded. The others wait; those that cannot be answered within their timeout fail with
    /// [`Kind::Overloaded`](super::Kind::Overloaded) and are not sent. Default yes.
    pub fn adaptive_limits(mut self, enabled: bool) -> Self {
        self.session.options.adaptive_limits = enabled;
        self
    }

    /// Errors of a node within a second after which its circuit breaker opens; zero means never.
    /// Default 100.
    pub fn max_error_rate(mut self, errors: u32) -> Self {
        self.session.options.max_error_rate = errors;
        self
    }

    /// How long a statement that changes the schema waits for schema agreement of all nodes; zero:
    /// not at all. Default 10 s.
    pub fn schema_agreement(mut self, limit: Duration) -> Self {
        self.session.options.schema_agreement = limit;
        self
    }

    /// How many replicas must respond. Default [`Consistency::LocalOne`].
    pub fn consistency(mut self, level: Consistency) -> Self {
        self.session.options.consistency = level;
        self
    }

    /// The consistency level for the conditions of lightweight transactions. Default: the server's,
    /// `SERIAL`.
    pub fn serial_consistency(mut self, level: Consistency) -> Self {
        self.session.options.serial_consistency = Some(level);
        self
    }

    /// Rows per page; 0 requests all of them at once. Default 5,000.
    pub fn page_size(mut self, rows: u32) -> Self {
        self.session.options.page_size =
            (rows > 0).then(|| i32::try_from(rows).unwrap_or(i32::MAX));
        self
    }

    /// Whether writes have a timestamp of this process. Default yes; otherwise the servers' clocks
    /// are used.
    pub fn timestamps(mut self, client: bool) -> Self {
        self.session.options.timestamps = client;
        self
    }

    /// Name and version of the program, for the table `system_views.clients`.
    pub fn application(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        let name = ("APPLICATION_NAME".to_owned(), name.into());
        self.session.options.application =
            vec![name, ("APPLICATION_VERSION".to_owned(), version.into())];
        self
    }

    /// The archive with which a managed cluster is found (Astra's secure connect bundle). It has the
    /// contact points, the certificates and the local datacenter: the list of contact points must be
    /// empty. The user and the password are those of the cluster, such as `token` and a token.
    pub fn secure_connect_bundle(mut self, path: impl Into<String>) -> Self {
        self.session.secure_connect_bundle = Some(path.into());
        self
    }

    /// Threads that drive the connections of an [`AsyncSession`](super::AsyncSession) on any
    /// executor. Default 1.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Sets an option by name.
    pub(super) fn set(&mut self, name: &str, value: &Literal) -> Result<()> {
        if name == "threads" {
            self.threads = value.count(name, (1, 256))? as usize;
            return Ok(());
        }
        Ok(self.session.set(name, value, &[])?)
    }

    /// The validated options, and the number of threads.
    pub(super) fn finish(mut self, contact_points: &impl Seeds) -> Result<(Options, usize)> {
        self.session.set_contact_points(&contact_points.to_list())?;
        parse::count("threads", Some(self.threads as u64), (1, 256), self.threads)?;
        Ok((self.session.finish()?, self.threads))
    }
}
