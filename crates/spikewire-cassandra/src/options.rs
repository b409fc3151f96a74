//! Options of a session.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use spikewire_cql::consistency::Consistency;
use spikewire_cql::version::Version;
use spikewire_options::{
    Bounds, Form, InvalidArgument, OptionValue, parse, percentile, percentile_of,
};
use spikewire_transport::RetryBudget;
use spikewire_transport::health::SLOW_START;
use spikewire_transport::tls::Tls;

use crate::address_translator::AddressTranslator;
use crate::authenticator::Authenticator;

/// The default port of the native protocol.
pub const PORT: u16 = 9042;

/// Bounds of the options of sessions and statements.
pub(crate) const BOUNDS: Bounds = Bounds {
    counts: &[
        ("connections_per_node", (1, 1024)),
        ("max_error_rate", (0, 1 << 30)),
        ("max_retries", (0, 1000)),
        ("now_in_seconds", (0, i32::MAX as u64)),
        ("page_size", (1, i32::MAX as u64)),
        ("pipeline_depth", (1, i16::MAX as u64)),
        ("protocol_version", (4, 5)),
        ("queue_limit", (0, 100_000_000)),
        // Each copy goes to a different node.
        ("speculative_attempts", (1, 32)),
        ("warm_connections", (0, 1024)),
    ],
    spans: &[
        ("connect_timeout", (Duration::from_millis(1), Duration::MAX)),
        ("heartbeat", (Duration::from_millis(100), Duration::MAX)),
        ("idle_timeout", (Duration::from_millis(100), Duration::MAX)),
        ("reconnect", (Duration::from_millis(1), Duration::MAX)),
        ("speculative_delay", (Duration::from_millis(1), Duration::MAX)),
    ],
};

/// A proxy that leads to each node by the server name of a connection: the node's id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SniProxy {
    /// The ids of the nodes to contact first.
    pub nodes: Vec<String>,
}

/// A name or address, and a port.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Host {
    /// A host name, or an address without brackets.
    pub name: String,
    /// The port.
    pub port: u16,
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.name.contains(':') {
            write!(f, "[{}]:{}", self.name, self.port)
        } else {
            write!(f, "{}:{}", self.name, self.port)
        }
    }
}

impl Host {
    /// Parses `name`, `name:port`, `[address]` or `[address]:port`.
    pub fn parse(text: &str, default_port: u16) -> Result<Self, String> {
        let bad = |why: &str| format!("{text:?} is not a valid host: {why}");
        if text.contains("://") {
            // Not shown, because it may hold a password.
            return Err("a URL is not a valid host: expected host or host:port".to_owned());
        }
        let (name, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (name, rest) = rest.split_once(']').ok_or_else(|| bad("unmatched bracket"))?;
                let port = rest.strip_prefix(':');
                if port.is_none() && !rest.is_empty() {
                    return Err(bad("only a port may follow the bracket"));
                }
                (name, port)
            }
            // More than one colon means an IPv6 address.
            None if text.matches(':').count() > 1 => (text, None),
            None => match text.split_once(':') {
                Some((name, port)) => (name, Some(port)),
                None => (text, None),
            },
        };
        if name.is_empty() || name.contains(['/', ' ', ',', '@']) {
            return Err(bad("expected host or host:port"));
        }
        let port = match port {
            None => default_port,
            Some(port) => match port.parse::<u16>() {
                Ok(port) if port > 0 => port,
                _ => return Err(bad("a port is a number from 1 to 65535")),
            },
        };
        Ok(Self { name: name.to_owned(), port })
    }

    /// Parses a comma-separated list.
    pub fn parse_list(text: &str, default_port: u16) -> Result<Vec<Self>, String> {
        text.split(',').map(|part| Self::parse(part.trim(), default_port)).collect()
    }
}

/// Default limits of statements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Timeout for a statement including all retries and preparation; zero means no limit.
    pub timeout: Duration,
    /// Longest silence on a connection with a request in flight; zero means no limit.
    pub socket_timeout: Duration,
    /// Maximum number of retries.
    pub max_retries: u32,
    /// Pause before an attempt on a node that was already asked.
    pub sleep: Duration,
    /// When copies of an idempotent statement are sent to further nodes.
    pub speculation: Speculation,
}

/// When copies of a statement are sent to further nodes. Only idempotent statements have copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Speculation {
    /// How long each copy waits for an answer to the ones before it; `None` disables copies.
    pub delay: Option<SpeculativeDelay>,
    /// Maximum number of copies besides the first request.
    pub attempts: u32,
}

/// How long a copy waits for an answer to the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpeculativeDelay {
    /// This time, at least 1 ms.
    Time(Duration),
    /// A percentile of recent latencies of the node whose is lowest, as a share in ten thousandths.
    /// There are no copies before a hundred latencies of a node are known.
    Percentile(u16),
}

impl SpeculativeDelay {
    /// After a percentile of latencies, from 50 to 99.9.
    pub fn percentile(percent: f64) -> Result<Self, InvalidArgument> {
        percentile_of("speculative_delay", percent, percent).map(Self::Percentile)
    }

    /// As a host has it: a time, or the name of a percentile.
    pub(crate) fn of<V: OptionValue>(name: &str, value: &V) -> Result<Self, V::Error> {
        Ok(match value.form() {
            Form::Text => Self::Percentile(percentile(name, &value.text(name)?)?),
            _ => Self::Time(BOUNDS.span(name, value)?),
        })
    }
}

impl From<Duration> for SpeculativeDelay {
    fn from(delay: Duration) -> Self {
        Self::Time(delay)
    }
}

impl Default for Speculation {
    /// No copies; one if a delay is given.
    fn default() -> Self {
        Self { delay: None, attempts: 1 }
    }
}

impl Speculation {
    /// Rejects invalid values; the message names the option.
    pub fn check(&self) -> Result<(), InvalidArgument> {
        if let Some(SpeculativeDelay::Time(delay)) = self.delay {
            BOUNDS.check_span("speculative_delay", delay)?;
        }
        BOUNDS.check_count("speculative_attempts", self.attempts.into())
    }
}

impl Default for Limits {
    /// 10 s in total, so that a server's own timeout can be reported; 2 retries.
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10),
            socket_timeout: Duration::ZERO,
            max_retries: 2,
            sleep: Duration::from_millis(20),
            speculation: Speculation::default(),
        }
    }
}

/// Options of a session.
#[derive(Debug, Clone)]
pub struct Options {
    /// The nodes to contact first.
    pub contact_points: Vec<Host>,
    /// The default keyspace of statements.
    pub keyspace: Option<String>,
    /// The only protocol version to try; `None` tries 5, then 4.
    pub version: Option<Version>,
    /// Whether bodies (v4) or segments (v5) are compressed with LZ4.
    pub compression: bool,
    /// How connections are encrypted; `None` if they are not. Nodes are reached by their addresses,
    /// for which their certificates must be valid unless this says otherwise.
    pub encryption: Option<Tls>,
    /// How to log in.
    pub authenticator: Option<Arc<dyn Authenticator>>,
    /// The datacenter whose nodes are used; `None` for that of the first node that answers.
    pub local_datacenter: Option<String>,
    /// The rack whose nodes are preferred.
    pub local_rack: Option<String>,
    /// Whether nodes of other datacenters are used if no local one is left.
    pub remote_datacenters: bool,
    /// Where advertised addresses are reached: `host` or `host:port` each.
    pub address_map: HashMap<String, String>,
    /// The proxy of a managed cluster through which all nodes are reached; its contact point is that
    /// proxy. The metadata service names it.
    pub proxy: Option<SniProxy>,
    /// Where the proxy of a managed cluster is asked for, before the first connection; the service has
    /// the same authority as the nodes.
    pub metadata_service: Option<Host>,
    /// Says where advertised addresses are reached, in place of the map.
    pub address_translator: Option<Arc<dyn AddressTranslator>>,
    /// Time limit from the first packet to the end of the handshake.
    pub connect_timeout: Duration,
    /// Silence on the control connection after which a heartbeat is sent.
    pub heartbeat: Duration,
    /// The shortest and the longest pause between two attempts to reach a node that is down.
    pub reconnect: (Duration, Duration),
    /// Connections per node, or per shard for nodes with shards, and how many threads get one each
    /// for blocking calls. `None`: 1, and as many threads as a session should have connections for.
    pub connections_per_node: Option<usize>,
    /// Connections that are opened to each node before the first statement.
    pub warm_connections: usize,
    /// In which time the share of a node that returns grows to its whole, at most; zero: at once.
    pub slow_start: Duration,
    /// Whether connections choose their shard by their source port, if the server has a shard-aware
    /// port; otherwise the server chooses.
    pub shard_aware_port: bool,
    /// Maximum number of requests in flight on one connection before the next one waits; up to
    /// 32,767.
    pub depth: usize,
    /// How many requests may wait for a place on one node.
    pub queue: usize,
    /// How long a connection may be idle before it is closed.
    pub idle: Duration,
    /// Retries and speculative executions per statement that the session may send; `None` for any
    /// number.
    pub retry_budget: Option<f64>,
    /// Whether nodes get fewer requests at a time when their replies become late.
    pub adaptive_limits: bool,
    /// Number of errors of a node per window above which its circuit breaker opens; 0 for never.
    pub max_error_rate: u32,
    /// How long statements wait for schema agreement after a change; zero disables waiting.
    pub schema_agreement: Duration,
    /// Default limits of statements.
    pub limits: Limits,
    /// Default consistency of statements.
    pub consistency: Consistency,
    /// Consistency of the conditions of lightweight transactions; `None` for the server's default.
    pub serial_consistency: Option<Consistency>,
    /// Rows per page; `None` disables paging.
    pub page_size: Option<i32>,
    /// Whether the client sets the timestamps of writes.
    pub timestamps: bool,
    /// Name and version of the program, for `system_views.clients`.
    pub application: Vec<(String, String)>,
}

impl Options {
    /// Defaults for these contact points.
    pub fn new(contact_points: Vec<Host>) -> Self {
        Self {
            contact_points,
            keyspace: None,
            version: None,
            compression: false,
            encryption: None,
            authenticator: None,
            local_datacenter: None,
            local_rack: None,
            remote_datacenters: false,
            address_map: HashMap::new(),
            proxy: None,
            metadata_service: None,
            address_translator: None,
            connect_timeout: Duration::from_secs(5),
            heartbeat: Duration::from_secs(30),
            reconnect: (Duration::from_millis(100), Duration::from_secs(30)),
            connections_per_node: None,
            warm_connections: 0,
            slow_start: SLOW_START,
            shard_aware_port: true,
            depth: 1024,
            queue: 100_000,
            idle: Duration::from_secs(120),
            retry_budget: Some(RetryBudget::SHARE),
            adaptive_limits: true,
            max_error_rate: 100,
            schema_agreement: Duration::from_secs(10),
            limits: Limits::default(),
            consistency: Consistency::LocalOne,
            serial_consistency: None,
            page_size: Some(5000),
            timestamps: true,
            application: Vec::new(),
        }
    }

    /// Connections per node, or per shard for nodes with shards.
    pub fn connections_per_node(&self) -> usize {
        self.connections_per_node.unwrap_or(1)
    }

    /// Rejects invalid values; the message names the option as sessions know it.
    pub fn check(&self) -> Result<(), InvalidArgument> {
        self.check_contact_points()?;
        for (name, count) in [
            ("connections_per_node", self.connections_per_node()),
            ("warm_connections", self.warm_connections),
            ("pipeline_depth", self.depth),
            ("queue_limit", self.queue),
            ("max_retries", self.limits.max_retries as usize),
            ("max_error_rate", self.max_error_rate as usize),
        ] {
            BOUNDS.check_count(name, count as u64)?;
        }
        for (name, span) in [
            ("connect_timeout", self.connect_timeout),
            ("heartbeat", self.heartbeat),
            ("idle_timeout", self.idle),
            ("reconnect", self.reconnect.0),
        ] {
            BOUNDS.check_span(name, span)?;
        }
        self.check_pauses()?;
        if let Some(level) = self.serial_consistency.filter(|level| !level.is_serial()) {
            let (names, level) = (["serial", "local_serial"], level.name().to_lowercase());
            return Err(parse::not_among("serial_consistency", &names, &level));
        }
        if let Some(size) = self.page_size {
            BOUNDS.check_count("page_size", u64::try_from(size).unwrap_or_default())?;
        }
        if self.address_translator.is_some() && !self.address_map.is_empty() {
            let message = "address_translator takes the place of address_map";
            return Err(InvalidArgument::of_value(message));
        }
        RetryBudget::check("retry_budget", self.retry_budget)?;
        if self.retry_budget == Some(0.0) && self.limits.speculation.delay.is_some() {
            let message = "speculative_delay needs a retry_budget above 0, because speculative \
                           executions are taken from it";
            return Err(InvalidArgument::of_value(message));
        }
        self.limits.speculation.check()?;
        let names = [
            ("keyspace", &self.keyspace),
            ("local_datacenter", &self.local_datacenter),
            ("local_rack", &self.local_rack),
        ];
        match names.iter().find(|(_, name)| name.as_deref() == Some("")) {
            Some((what, _)) => Err(InvalidArgument::of_value(format!("{what} must not be empty"))),
            None => Ok(()),
        }
    }

    fn check_contact_points(&self) -> Result<(), InvalidArgument> {
        match (&self.metadata_service, self.contact_points.is_empty()) {
            (None, true) => Err(InvalidArgument::of_value("no contact point given")),
            (Some(_), false) => Err(InvalidArgument::of_value(
                "secure_connect_bundle has the contact points: give none besides",
            )),
            _ => Ok(()),
        }
    }

    pub(crate) fn check_pauses(&self) -> Result<(), InvalidArgument> {
        let (shortest, longest) = self.reconnect;
        if longest >= shortest {
            return Ok(());
        }
        let (shortest, longest) = (shortest.as_secs_f64(), longest.as_secs_f64());
        Err(InvalidArgument::of_value(format!(
            "reconnect: the longest pause must not be below the shortest, got {shortest} s and \
             {longest} s"
        )))
    }
}

/// The consistency level that a host names.
pub(crate) fn consistency<V: OptionValue>(name: &str, value: &V) -> Result<Consistency, V::Error> {
    let word = value.text(name)?;
    word.parse().map_err(|_| {
        let names = Consistency::ALL.map(|level| level.name().to_lowercase());
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        parse::not_among(name, &names, &word).into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contact_points_parse_with_optional_ports() {
        for (text, name, port) in [
            ("db1", "db1", 9042),
            ("db1:19042", "db1", 19042),
            ("::1", "::1", 9042),
            ("[::1]:7", "::1", 7),
            ("[::1]", "::1", 9042),
            ("127.0.0.1:9043", "127.0.0.1", 9043),
        ] {
            let host = Host::parse(text, PORT).unwrap();
            assert_eq!((host.name.as_str(), host.port), (name, port), "{text}");
        }
        for bad in
            ["", ":9042", "db1:", "db1:0", "db1:65536", "http://db1", "[::1", "[::1]x", "a@b"]
        {
            let why = Host::parse(bad, PORT).unwrap_err();
            assert!(why.contains("is not a valid host"), "{bad}: {why}");
        }
        let several = Host::parse_list("a, b:1,[::2]:3", PORT).unwrap();
        assert_eq!(
            several.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["a:9042", "b:1", "[::2]:3"]
        );
    }
}
