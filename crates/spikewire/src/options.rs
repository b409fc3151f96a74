//! How a client and its calls behave.

use std::collections::HashMap;
use std::fmt::Display;
use std::net::SocketAddr;
use std::time::Duration;

use spikewire_engine::{Policy, ReplicaPolicy};
use spikewire_protocol::host::{self, Host};
use spikewire_protocol::limits;
use spikewire_protocol::message::{Header, info2, info3};

use crate::{Error, Result};

/// How long a record lives after a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Ttl {
    /// As long as its namespace says.
    #[default]
    Default,
    /// For ever.
    Never,
    /// As long as it would have lived without the write.
    Unchanged,
    /// This long: whole seconds, from 1 s to 10 years.
    For(Duration),
}

impl Ttl {
    fn slot(self) -> Result<u32> {
        let span = match self {
            Self::Default => return Ok(limits::TTL_DEFAULT),
            Self::Never => return Ok(limits::TTL_NEVER),
            Self::Unchanged => return Ok(limits::TTL_UNCHANGED),
            Self::For(span) => span,
        };
        if span.subsec_nanos() != 0 {
            return Err(Error::invalid(format!("ttl must be whole seconds, got {span:?}")));
        }
        match u32::try_from(span.as_secs()) {
            Ok(seconds @ 1..=limits::TTL_SECONDS) => Ok(seconds),
            _ => Err(Error::invalid(format!(
                "ttl must be from 1 to {} seconds (10 years), got {span:?}; use Ttl::Never for \
                 no expiry and Ttl::Default for the namespace's own",
                limits::TTL_SECONDS
            ))),
        }
    }
}

impl From<Duration> for Ttl {
    fn from(span: Duration) -> Self {
        Self::For(span)
    }
}

/// What a write does when the record is there already, or is not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Exists {
    /// Creates the record, or changes the bins that are given and keeps the others.
    #[default]
    Merge,
    /// Only creates: fails with `RECORD_EXISTS` if the record is there.
    Create,
    /// Only updates: fails with `NOT_FOUND` if the record is missing.
    Update,
    /// Creates the record, or replaces it: bins that are not given go.
    Replace,
    /// Only replaces: fails with `NOT_FOUND` if the record is missing.
    ReplaceOnly,
}

/// What one call, or every call through one dataset, does differently from the client's defaults.
///
/// ```
/// use std::time::Duration;
/// use spikewire::{CallOptions, Exists};
///
/// let session = CallOptions::new().ttl(Duration::from_secs(1800));
/// let first = session.exists(Exists::Create);
/// # assert_ne!(first, session);
/// ```
///
/// Each verb takes from it what concerns it. `ttl`, `durable` and `send_key` do not concern reads,
/// so a dataset may carry them for its writes; `generation` and `exists` are promises, and a verb
/// that cannot keep them refuses them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CallOptions {
    pub(crate) timeout: Option<Duration>,
    ttl: Ttl,
    generation: Option<u32>,
    exists: Exists,
    durable: bool,
    pub(crate) send_key: Option<bool>,
}

impl CallOptions {
    /// The client's defaults.
    pub const fn new() -> Self {
        Self {
            timeout: None,
            ttl: Ttl::Default,
            generation: None,
            exists: Exists::Merge,
            durable: false,
            send_key: None,
        }
    }

    /// Total time for the command with all its retries; zero: no limit.
    pub const fn timeout(mut self, limit: Duration) -> Self {
        self.timeout = Some(limit);
        self
    }

    /// How long the record lives after a write: a `Duration` of whole seconds, or a [`Ttl`].
    pub fn ttl(mut self, ttl: impl Into<Ttl>) -> Self {
        self.ttl = ttl.into();
        self
    }

    /// Writes only if the record's generation is this one; fails with `GENERATION` otherwise.
    pub const fn generation(mut self, generation: u32) -> Self {
        self.generation = Some(generation);
        self
    }

    /// What a write does when the record is there already, or is not.
    pub const fn exists(mut self, exists: Exists) -> Self {
        self.exists = exists;
        self
    }

    /// A delete leaves a tombstone, so that the record cannot come back (Enterprise servers).
    pub const fn durable(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    /// Whether writes store the user key with the record.
    pub const fn send_key(mut self, send_key: bool) -> Self {
        self.send_key = Some(send_key);
        self
    }

    /// The header of a write.
    pub(crate) fn write_header(&self) -> Result<Header> {
        let mut header = Header { info2: info2::WRITE, ttl: self.ttl.slot()?, ..Header::default() };
        if let Some(generation) = self.generation {
            if generation > 0xFFFF {
                return Err(Error::invalid(format!(
                    "generation must be from 0 to 65535, got {generation}"
                )));
            }
            header.generation = generation;
            header.info2 |= info2::GENERATION;
        }
        match self.exists {
            Exists::Merge => {}
            Exists::Create => header.info2 |= info2::CREATE_ONLY,
            Exists::Update => header.info3 |= info3::UPDATE_ONLY,
            Exists::Replace => header.info3 |= info3::CREATE_OR_REPLACE,
            Exists::ReplaceOnly => header.info3 |= info3::REPLACE_ONLY,
        }
        if self.durable {
            header.info2 |= info2::DURABLE_DELETE;
        }
        Ok(header)
    }

    /// Refuses what a read cannot keep.
    pub(crate) fn check_read(&self) -> Result<()> {
        if self.generation.is_some() || self.exists != Exists::Merge {
            return Err(Error::invalid(
                "generation and exists apply to writes, and this is a read",
            ));
        }
        Ok(())
    }

    /// Refuses what a background job cannot keep.
    pub(crate) fn check_job(&self) -> Result<()> {
        if self.generation.is_some() || self.exists != Exists::Merge {
            return Err(Error::invalid("generation and exists do not apply to a background job"));
        }
        Ok(())
    }

    /// Refuses what a delete or a touch cannot keep.
    pub(crate) fn check_no_exists(&self, verb: &str) -> Result<()> {
        if self.exists != Exists::Merge {
            return Err(Error::invalid(format!("exists does not apply to {verb}")));
        }
        Ok(())
    }
}

/// Seed hosts: where a client looks for the cluster first.
///
/// Texts such as `"db1"`, `"db1:3000"`, `"[::1]:3000"` or comma lists of them, socket addresses,
/// and slices, arrays and vectors of these.
pub trait Seeds {
    /// The seeds as one comma list.
    fn to_list(&self) -> String;
}

impl Seeds for str {
    fn to_list(&self) -> String {
        self.to_owned()
    }
}

impl Seeds for String {
    fn to_list(&self) -> String {
        self.clone()
    }
}

impl Seeds for SocketAddr {
    fn to_list(&self) -> String {
        self.to_string()
    }
}

impl<T: Display> Seeds for [T] {
    fn to_list(&self) -> String {
        self.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
    }
}

impl<T: Display, const N: usize> Seeds for [T; N] {
    fn to_list(&self) -> String {
        self.as_slice().to_list()
    }
}

impl<T: Display> Seeds for Vec<T> {
    fn to_list(&self) -> String {
        self.as_slice().to_list()
    }
}

impl<T: Seeds + ?Sized> Seeds for &T {
    fn to_list(&self) -> String {
        (**self).to_list()
    }
}

/// A client's options, then a client.
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
#[must_use = "a builder makes a client only when it is told to connect"]
pub struct Builder {
    options: spikewire_engine::Options,
    send_key: bool,
    threads: usize,
}

/// What every call inherits from its client.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Defaults {
    pub policy: Policy,
    pub send_key: bool,
}

impl Default for Builder {
    fn default() -> Self {
        Self { options: spikewire_engine::Options::new(Vec::new()), send_key: false, threads: 1 }
    }
}

impl Builder {
    /// Total time for a command with all its retries; zero: no limit. Default 1 s.
    pub fn timeout(mut self, limit: Duration) -> Self {
        self.options.policy.timeout = limit;
        self
    }

    /// Longest silence on a socket before an attempt is given up; zero: no limit, which is the
    /// default.
    pub fn socket_timeout(mut self, limit: Duration) -> Self {
        self.options.policy.socket_timeout = limit;
        self
    }

    /// Attempts after the first one. Default 2.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.options.policy.max_retries = retries;
        self
    }

    /// Pause before a retry on the same node. Default none.
    pub fn sleep_between_retries(mut self, pause: Duration) -> Self {
        self.options.policy.sleep = pause;
        self
    }

    /// Whether a write that may have been applied is tried again. Default no: the error says that
    /// it is in doubt.
    pub fn retry_in_doubt(mut self, retry: bool) -> Self {
        self.options.policy.retry_in_doubt = retry;
        self
    }

    /// Which replica a command goes to. Default [`ReplicaPolicy::Sequence`].
    pub fn replica(mut self, replica: ReplicaPolicy) -> Self {
        self.options.policy.replica = replica;
        self
    }

    /// Whether writes store the user key with the record. Default no.
    pub fn send_key(mut self, send_key: bool) -> Self {
        self.send_key = send_key;
        self
    }

    /// The name the cluster must have.
    pub fn cluster_name(mut self, name: impl Into<String>) -> Self {
        self.options.cluster_name = Some(name.into());
        self
    }

    /// Time for one connection attempt. Default 1 s, at least 1 ms.
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.options.connect_timeout = limit;
        self
    }

    /// Pause between two looks at the cluster. Default 1 s, at least 50 ms.
    pub fn tend_interval(mut self, interval: Duration) -> Self {
        self.options.tend_interval = interval;
        self
    }

    /// Connections idle for this long are closed. Default 55 s, at least 100 ms.
    pub fn idle_timeout(mut self, limit: Duration) -> Self {
        self.options.idle = limit;
        self
    }

    /// Whether nodes are asked for their alternate addresses. Default no.
    pub fn use_services_alternate(mut self, alternate: bool) -> Self {
        self.options.use_services_alternate = alternate;
        self
    }

    /// Addresses that nodes advertise, and what to use instead.
    pub fn ip_map(mut self, map: HashMap<String, String>) -> Self {
        self.options.ip_map = map;
        self
    }

    /// The client's racks, best first, for [`ReplicaPolicy::PreferRack`].
    pub fn racks(mut self, racks: impl Into<Vec<u32>>) -> Self {
        self.options.racks = racks.into();
        self
    }

    /// Most connections to one node for short commands, per driver. Default 4.
    pub fn connections_per_node(mut self, connections: usize) -> Self {
        self.options.connections_per_node = connections;
        self
    }

    /// Commands in flight on one connection before the next one waits. Default 512.
    pub fn pipeline_depth(mut self, depth: usize) -> Self {
        self.options.depth = depth;
        self
    }

    /// Commands that may wait for a place on one node; beyond it they fail as busy. Default
    /// 100,000.
    pub fn queue_limit(mut self, limit: usize) -> Self {
        self.options.queue = limit;
        self
    }

    /// Errors per window after which a node is given a rest; zero: never. Default 100.
    pub fn max_error_rate(mut self, errors: u32) -> Self {
        self.options.max_error_rate = errors;
        self
    }

    /// Length of that window in tend intervals. Default 1.
    pub fn error_rate_window(mut self, intervals: u32) -> Self {
        self.options.error_rate_window = intervals;
        self
    }

    /// Threads that drive the connections of an [`AsyncClient`](crate::AsyncClient) on any
    /// executor. One (the default) serves several hundred thousand commands per second.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// The checked options, what calls inherit, and the number of threads.
    pub(crate) fn finish(
        mut self,
        seeds: &impl Seeds,
    ) -> Result<(spikewire_engine::Options, Defaults, usize)> {
        self.options.seeds = parse(seeds)?;
        let options = &self.options;
        let millis = Duration::from_millis;
        let spans = [
            ("connect_timeout", options.connect_timeout, millis(1)),
            ("tend_interval", options.tend_interval, millis(50)),
            ("idle_timeout", options.idle, millis(100)),
        ];
        if let Some((name, span, least)) = spans.into_iter().find(|(_, span, least)| span < least) {
            return Err(Error::invalid(format!("{name} must be at least {least:?}, got {span:?}")));
        }
        let counts = [
            ("max_retries", options.policy.max_retries as usize, 0, 1000),
            ("connections_per_node", options.connections_per_node, 1, 1024),
            ("pipeline_depth", options.depth, 1, 100_000),
            ("queue_limit", options.queue, 0, 100_000_000),
            ("max_error_rate", options.max_error_rate as usize, 0, 1 << 30),
            ("error_rate_window", options.error_rate_window as usize, 1, 3600),
            ("threads", self.threads, 1, 256),
        ];
        for (name, count, least, most) in counts {
            if !(least..=most).contains(&count) {
                return Err(Error::invalid(format!(
                    "{name} must be from {least} to {most}, got {count}"
                )));
            }
        }
        let defaults = Defaults { policy: options.policy, send_key: self.send_key };
        Ok((self.options, defaults, self.threads))
    }
}

fn parse(seeds: &impl Seeds) -> Result<Vec<Host>> {
    host::parse_hosts(&seeds.to_list(), host::DEFAULT_PORT)
        .map_err(|error| Error::invalid(format!("seeds: {error}")))
}
