//! Options of an execution.

use std::sync::Arc;
use std::time::Duration;

use spikewire_cql::consistency::Consistency;
use spikewire_options::{InvalidArgument, OptionValue, parse};
use spikewire_transport::Priority;

use crate::cluster::{Cluster, Node};
use crate::options::{BOUNDS, Speculation, SpeculativeDelay, consistency};

/// Bytes by name, or nothing by name.
pub type Payload = Vec<(String, Option<Vec<u8>>)>;

/// Options of one execution; for those not given, the session's apply.
#[derive(Debug, Clone, Default)]
pub struct StatementOptions {
    /// The consistency level.
    pub consistency: Option<Consistency>,
    /// The consistency level of a lightweight transaction's condition.
    pub serial_consistency: Option<Consistency>,
    /// Rows per page; 0 disables paging.
    pub page_size: Option<i32>,
    /// Where the page begins, from the previous page's result.
    pub paging_state: Option<Arc<[u8]>>,
    /// The timestamp of writes, in microseconds since 1970.
    pub timestamp: Option<i64>,
    /// Whether executing it twice makes no difference. Assumed for `SELECT`.
    pub idempotent: Option<bool>,
    /// Whether the server records a trace.
    pub tracing: bool,
    /// Custom payload for a query handler in the server.
    pub payload: Payload,
    /// The default keyspace for tables. Protocol version 5.
    pub keyspace: Option<Arc<str>>,
    /// The current time for TTLs, in seconds since 1970. Protocol version 5.
    pub now_in_seconds: Option<i32>,
    /// Timeout for the statement including all retries; zero means no limit.
    pub timeout: Option<Duration>,
    /// Longest silence on a connection with the request in flight; zero means no limit.
    pub socket_timeout: Option<Duration>,
    /// Maximum number of retries.
    pub max_retries: Option<u32>,
    /// When copies are sent to further nodes, if the statement is idempotent. Boxed because it is
    /// rare.
    pub speculation: Option<Box<SpeculationOptions>>,
    /// Which of the requests that wait for a node go first.
    pub priority: Priority,
    /// The only node to ask.
    pub node: Option<Arc<Node>>,
}

/// Speculation options of one execution.
#[derive(Debug, Clone, Copy, Default)]
pub struct SpeculationOptions {
    /// How long each copy waits for an answer to the ones before it; `Some(None)` disables copies.
    pub delay: Option<Option<SpeculativeDelay>>,
    /// Maximum number of copies besides the first request.
    pub attempts: Option<u32>,
}

impl StatementOptions {
    /// The options for preparing what is then executed with these.
    #[must_use]
    pub fn to_prepare(&self) -> Self {
        Self { tracing: false, payload: Vec::new(), ..self.clone() }
    }

    /// Its speculation options, mutable.
    pub fn speculation_mut(&mut self) -> &mut SpeculationOptions {
        self.speculation.get_or_insert_default()
    }

    /// The names of all options.
    pub const NAMES: [&str; 17] = [
        "consistency",
        "idempotent",
        "keyspace",
        "max_retries",
        "node",
        "now_in_seconds",
        "page_size",
        "paging_state",
        "payload",
        "priority",
        "serial_consistency",
        "socket_timeout",
        "speculative_attempts",
        "speculative_delay",
        "timeout",
        "timestamp",
        "tracing",
    ];

    /// Sets the option with this name; `cluster` knows the nodes. Without a value, the session's
    /// applies, except that there are then no copies.
    pub fn set<V: OptionValue>(
        &mut self,
        name: &str,
        value: &V,
        cluster: &Cluster,
    ) -> Result<(), V::Error> {
        let count = |value: &V| BOUNDS.count(name, value);
        let span = |value: &V| BOUNDS.span(name, value);
        let flag = |value: &V| value.flag(name);
        let level = |value: &V| consistency(name, value);
        match name {
            "consistency" => self.consistency = value.optional(level)?,
            "serial_consistency" => self.serial_consistency = value.optional(level)?,
            "page_size" => self.page_size = value.optional(count)?.map(|rows| rows as i32),
            "paging_state" => {
                self.paging_state =
                    value.optional(|value| value.bytes(name, |bytes| bytes.into()))?;
            }
            "timestamp" => {
                let expected = "must be whole microseconds since 1970";
                self.timestamp = value.optional(|value| {
                    let wrong = || value.wrong_type(format_args!("{name} {expected}"));
                    value.integer().ok_or_else(wrong)
                })?;
            }
            "idempotent" => self.idempotent = value.optional(flag)?,
            "tracing" => self.tracing = flag(value)?,
            "payload" => self.payload = payload(name, value)?,
            "keyspace" => {
                self.keyspace = value.optional(|value| value.text(name))?.map(Arc::from);
            }
            "now_in_seconds" => {
                self.now_in_seconds = value.optional(count)?.map(|seconds| seconds as i32);
            }
            "timeout" => self.timeout = value.optional(span)?,
            "socket_timeout" => self.socket_timeout = value.optional(span)?,
            "max_retries" => self.max_retries = value.optional(count)?.map(|tries| tries as u32),
            "speculative_delay" => {
                let delay = |value: &V| SpeculativeDelay::of(name, value);
                self.speculation_mut().delay = Some(value.optional(delay)?);
            }
            "speculative_attempts" => {
                let attempts = value.optional(count)?.map(|attempts| attempts as u32);
                self.speculation_mut().attempts = attempts;
            }
            "priority" => {
                let priority = value.optional(|value| value.word(name, &Priority::NAMES))?;
                self.priority = priority.unwrap_or_default();
            }
            "node" => {
                let node = |value: &V| Ok(cluster.snapshot().node_at(&value.text(name)?)?);
                self.node = value.optional(node)?;
            }
            _ => return Err(parse::unknown("unknown option", name, &Self::NAMES).into()),
        }
        Ok(())
    }

    /// Rejects values out of bounds, for hosts that set fields directly.
    #[inline]
    pub fn check(&self) -> Result<(), InvalidArgument> {
        if self.max_retries.is_none() && self.speculation.is_none() {
            return Ok(());
        }
        self.check_limits()
    }

    fn check_limits(&self) -> Result<(), InvalidArgument> {
        if let Some(retries) = self.max_retries {
            BOUNDS.check_count("max_retries", retries.into())?;
        }
        let own = self.speculation.as_deref().copied().unwrap_or_default();
        let attempts = own.attempts.unwrap_or(Speculation::default().attempts);
        Speculation { delay: own.delay.flatten(), attempts }.check()
    }

    /// When copies are sent, given the session's options.
    #[inline]
    pub(crate) fn speculation(&self, session: Speculation) -> Speculation {
        match &self.speculation {
            None => session,
            Some(own) => Speculation {
                delay: own.delay.unwrap_or(session.delay),
                attempts: own.attempts.unwrap_or(session.attempts),
            },
        }
    }
}

fn payload<V: OptionValue>(name: &str, value: &V) -> Result<Payload, V::Error> {
    let entries = value.map(name, "names and bytes")?.into_iter();
    let entries = entries.map(|(key, value)| {
        let what = format!("{name}: {key:?}");
        let bytes = value.optional(|value| value.bytes(&what, <[u8]>::to_vec))?;
        Ok((key, bytes))
    });
    entries.collect()
}

#[cfg(test)]
mod tests {
    use spikewire_options::InvalidArgumentClass::{self, Type, Value};
    use spikewire_options::Literal;

    use spikewire_cql::version::Version;

    use super::*;
    use crate::cluster::sample;
    use crate::options::Options;

    #[test]
    fn invalid_values() {
        let snapshot = sample::snapshot(&[("dc1", "r1")], &[], &Options::new(Vec::new()));
        let cluster = sample::cluster(snapshot, Options::new(Vec::new()), Version::V5);
        let set =
            |name: &str, value: &Literal| StatementOptions::default().set(name, value, &cluster);
        for name in StatementOptions::NAMES {
            let error = set(name, &5.into()).err().map(|error| error.message().to_owned());
            assert!(!error.unwrap_or_default().contains("unknown"), "{name}");
        }
        let cases: [(&str, Literal, InvalidArgumentClass, &str); 9] = [
            ("page_size", 0.into(), Value, " must be from 1 to 2147483647, got 0"),
            ("paging_state", 5.into(), Type, " must be bytes, not number"),
            ("timestamp", 0.5.into(), Type, " must be whole microseconds since 1970, not number"),
            ("idempotent", 1.into(), Type, " must be boolean, not number"),
            ("payload", true.into(), Type, " must be a map of names and bytes, not boolean"),
            ("max_retries", 1001.into(), Value, " must be from 0 to 1000, got 1001"),
            ("speculative_delay", 0.into(), Value, " must be at least 0.001 s, got 0 s"),
            ("speculative_attempts", 33.into(), Value, " must be from 1 to 32, got 33"),
            (
                "node",
                "10.9.9.9:9042".into(),
                Value,
                " \"10.9.9.9:9042\" is not known; there are: 10.0.0.1:9042",
            ),
        ];
        for (name, value, class, expected) in cases {
            let error = set(name, &value).unwrap_err();
            assert_eq!((error.class(), error.message()), (class, &*format!("{name}{expected}")));
        }
        let unknown = set("speed", &1.into()).unwrap_err();
        let expected = "unknown option \"speed\"; there are: consistency, idempotent";
        assert!(unknown.message().starts_with(expected), "{unknown}");
    }
}
