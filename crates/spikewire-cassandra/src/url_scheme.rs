//! URLs and environment variables of sessions.

use spikewire_options::opening::{Check, Scheme, TextType};
use spikewire_options::{InvalidArgument, Literal};

use crate::SessionOptions;
use crate::options::PORT;

use TextType::{Flag, Number, Optional, Pairs, Span, SpanOrPercentile, Text, TwoSpans, Whole};

/// What URLs and variables of sessions look like.
pub const URL_SCHEME: Scheme = Scheme {
    name: "cassandra",
    prefix: "SPIKEWIRE_CQL_",
    path: "keyspace",
    port: PORT,
    seed: "a host, host:port",
    options: &[
        ("adaptive_limits", Flag),
        ("address_map", Pairs),
        ("application", Pairs),
        ("compression", Optional(&Text)),
        ("connect_timeout", Span),
        ("connections_per_node", Whole),
        ("consistency", Text),
        ("heartbeat", Span),
        ("idle_timeout", Span),
        ("keyspace", Optional(&Text)),
        ("local_datacenter", Optional(&Text)),
        ("local_rack", Optional(&Text)),
        ("max_error_rate", Whole),
        ("max_retries", Whole),
        ("page_size", Optional(&Whole)),
        ("password", Optional(&Text)),
        ("pipeline_depth", Whole),
        ("protocol_version", Optional(&Whole)),
        ("queue_limit", Whole),
        ("reconnect", TwoSpans),
        ("remote_datacenters", Flag),
        ("retry_budget", Optional(&Number)),
        ("schema_agreement", Span),
        ("secure_connect_bundle", Text),
        ("serial_consistency", Optional(&Text)),
        ("shard_aware_port", Flag),
        ("slow_start", Span),
        ("socket_timeout", Span),
        ("speculative_attempts", Whole),
        ("speculative_delay", Optional(&SpanOrPercentile)),
        ("timeout", Span),
        ("timestamps", Flag),
        ("tls", Flag),
        ("user", Optional(&Text)),
        ("warm_connections", Whole),
    ],
    instead: &["secure_connect_bundle"],
};

/// The checks of hosts and options in URLs and variables.
#[derive(Debug)]
pub struct UrlChecks;

impl Check for UrlChecks {
    fn seed(&self, host: &str) -> Result<(), InvalidArgument> {
        if host.is_empty() {
            return Err(InvalidArgument::of_value("a host must not be empty"));
        }
        SessionOptions::default().set_contact_points(host)
    }

    fn path(&self, _: &str) -> Result<(), InvalidArgument> {
        Ok(()) // It is an option.
    }

    fn option(&self, name: &str, value: &Literal) -> Result<(), InvalidArgument> {
        if !SessionOptions::NAMES.contains(&name) {
            return Ok(()); // A host's own option, whose text has said what it is.
        }
        let mut options = SessionOptions::default();
        options.set(name, value, &[])?;
        options.set_contact_points("127.0.0.1")?;
        options.finish().map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_a_text() {
        let names: Vec<_> = URL_SCHEME.options.iter().map(|it| it.0).collect();
        assert_eq!(names, SessionOptions::NAMES);
    }

    #[test]
    fn hosts_and_options_are_checked() {
        UrlChecks.seed("db1:9043").unwrap();
        for host in ["", "db1:0", "db1:x"] {
            UrlChecks.seed(host).unwrap_err();
        }
        UrlChecks.option("reconnect", &Literal::List(vec![0.1.into(), 30.into()])).unwrap();
        let error = UrlChecks.option("page_size", &0.into()).unwrap_err();
        assert!(error.message().starts_with("page_size must be"), "{error}");
    }
}
