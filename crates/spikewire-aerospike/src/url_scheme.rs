//! URLs and environment variables of clients.

use spikewire_aerospike_protocol::host;
use spikewire_options::opening::{Check, Scheme, TextType};
use spikewire_options::{InvalidArgument, Literal};

use crate::ClientOptions;
use crate::command::SetRef;

use TextType::{Flag, Number, Optional, Pairs, Span, SpanOrPercentile, Text, Whole, Wholes};

/// What URLs and variables of clients look like.
pub const URL_SCHEME: Scheme = Scheme {
    name: "aerospike",
    prefix: "SPIKEWIRE_AEROSPIKE_",
    path: "namespace",
    port: host::DEFAULT_PORT,
    seed: "a host, host:port, host:tls-name:port",
    options: &[
        ("adaptive_limits", Flag),
        ("application_id", Optional(&Text)),
        ("auth", Optional(&Text)),
        ("cluster_name", Text),
        ("commit_level", Text),
        ("compress", Flag),
        ("compression_threshold", Whole),
        ("connect_timeout", Span),
        ("connections_per_node", Whole),
        ("error_details", Text),
        ("error_rate_window", Whole),
        ("fail_if_not_connected", Flag),
        ("hedge", SpanOrPercentile),
        ("hedge_percent", Whole),
        ("idle_timeout", Span),
        ("ip_map", Pairs),
        ("max_error_rate", Whole),
        ("max_in_flight", Whole),
        ("max_retries", Whole),
        ("max_sleep_between_retries", Span),
        ("near_cache", Whole),
        ("near_cache_heat", Whole),
        ("near_cache_staleness", Span),
        ("password", Optional(&Text)),
        ("pipeline_depth", Whole),
        ("protect_servers", Flag),
        ("queue_limit", Whole),
        ("racks", Wholes),
        ("read_mode", Text),
        ("replica", Text),
        ("retry_budget", Optional(&Number)),
        ("retry_in_doubt", Flag),
        ("seed_only", Flag),
        ("send_key", Flag),
        ("share_reads", Text),
        ("sleep_between_retries", Span),
        ("sleep_jitter", Flag),
        ("sleep_multiplier", Number),
        ("slow_start", Span),
        ("socket_timeout", Span),
        ("tend_interval", Span),
        ("timeout", Span),
        ("tls", Flag),
        ("use_services_alternate", Flag),
        ("user", Optional(&Text)),
        ("warm_connections", Whole),
    ],
    instead: &[],
};

/// The checks of hosts, namespaces and options in URLs and variables.
#[derive(Debug)]
pub struct UrlChecks;

impl Check for UrlChecks {
    fn seed(&self, host: &str) -> Result<(), InvalidArgument> {
        ClientOptions::default().set_seeds(host)
    }

    fn path(&self, namespace: &str) -> Result<(), InvalidArgument> {
        SetRef::new(namespace, "").map(drop)
    }

    fn option(&self, name: &str, value: &Literal) -> Result<(), InvalidArgument> {
        if !ClientOptions::NAMES.contains(&name) {
            return Ok(()); // A host's own option, whose text has said what it is.
        }
        let mut options = ClientOptions::default();
        options.set(name, value, &[])?;
        options.check()?;
        options.finish().map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_a_text() {
        assert_eq!(URL_SCHEME.options.iter().map(|it| it.0).collect::<Vec<_>>(), {
            let mut names = ClientOptions::NAMES;
            names.sort_unstable();
            names
        });
    }

    #[test]
    fn hosts_namespaces_and_options_are_checked() {
        UrlChecks.seed("db1:name:4333").unwrap();
        UrlChecks.seed("db1:0").unwrap_err();
        UrlChecks.path("test").unwrap();
        UrlChecks.path(&"n".repeat(32)).unwrap_err();
        UrlChecks.option("timeout", &Literal::Span(1.0)).unwrap();
        UrlChecks.option("integers", &"bigint".into()).unwrap();
        let error = UrlChecks.option("replica", &"near".into()).unwrap_err();
        assert!(error.message().starts_with("replica must be 'master'"), "{error}");
        let authority = Literal::from([("ca", "/nowhere")]);
        let error = UrlChecks.option("tls", &authority).unwrap_err();
        assert!(error.message().contains("authority certificate"), "{error}");
    }
}
