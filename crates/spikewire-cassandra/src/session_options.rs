//! Session options by name, with their bounds; set and checked by hosts in any language.

use std::sync::Arc;

use spikewire_cql::version::Version;
use spikewire_options::{InvalidArgument, OptionValue, Secret, check_credentials, parse};
use spikewire_transport::RetryBudget;
use spikewire_transport::tls::{Tls, TlsOptions, TlsValue};

use crate::authenticator::Password;
use crate::bundle::SecureBundle;
use crate::options::{BOUNDS, Host, Options, PORT, SpeculativeDelay, consistency};

/// The options of a session.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// The cluster, its connections, and the limits of statements.
    pub options: Options,
    /// The user to log in, with a password.
    pub user: Option<String>,
    /// That password.
    pub password: Option<Secret>,
    /// Encryption of connections, if any; [`SessionOptions::finish`] reads the certificates.
    pub tls: Option<TlsOptions>,
    /// The archive with which a managed cluster is found; [`SessionOptions::finish`] reads it.
    pub secure_connect_bundle: Option<String>,
}

impl Default for SessionOptions {
    fn default() -> Self {
        let options = Options::new(Vec::new());
        Self { options, user: None, password: None, tls: None, secure_connect_bundle: None }
    }
}

impl SessionOptions {
    /// The names of all options.
    pub const NAMES: [&str; 35] = [
        "adaptive_limits",
        "address_map",
        "application",
        "compression",
        "connect_timeout",
        "connections_per_node",
        "consistency",
        "heartbeat",
        "idle_timeout",
        "keyspace",
        "local_datacenter",
        "local_rack",
        "max_error_rate",
        "max_retries",
        "page_size",
        "password",
        "pipeline_depth",
        "protocol_version",
        "queue_limit",
        "reconnect",
        "remote_datacenters",
        "retry_budget",
        "schema_agreement",
        "secure_connect_bundle",
        "serial_consistency",
        "shard_aware_port",
        "slow_start",
        "socket_timeout",
        "speculative_attempts",
        "speculative_delay",
        "timeout",
        "timestamps",
        "tls",
        "user",
        "warm_connections",
    ];

    /// Sets the option with this name in the host's spelling. `others` are the host's additional
    /// options, for the message about unknown names.
    pub fn set<V: TlsValue>(
        &mut self,
        name: &str,
        value: &V,
        others: &[&'static str],
    ) -> Result<(), V::Error> {
        let names = [&Self::NAMES, others].concat();
        let name = V::engine_name(name, "unknown session option", &names)?;
        let count = || BOUNDS.count(name, value);
        let span = || BOUNDS.span(name, value);
        let text = || value.optional(|value| value.text(name));
        let options = &mut self.options;
        let limits = &mut options.limits;
        match name {
            "keyspace" => options.keyspace = text()?,
            "protocol_version" => {
                options.version = value.optional(|value| version(name, value))?;
            }
            "compression" => {
                let words = [("none", false), ("lz4", true)];
                let word = value.optional(|value| value.word(name, &words))?;
                options.compression = word.unwrap_or_default();
            }
            "tls" => self.tls = if value.has_value() { value.tls(name)? } else { None },
            "secure_connect_bundle" => self.secure_connect_bundle = text()?,
            "user" => self.user = text()?,
            "password" => self.password = text()?.map(Secret::from),
            "local_datacenter" => options.local_datacenter = text()?,
            "local_rack" => options.local_rack = text()?,
            "remote_datacenters" => options.remote_datacenters = value.flag(name)?,
            "address_map" => {
                let pairs = value.text_map(name, "advertised to reachable addresses")?;
                options.address_map = pairs.into_iter().collect();
            }
            "application" => options.application = value.text_map(name, "names and strings")?,
            "connect_timeout" => options.connect_timeout = span()?,
            "heartbeat" => options.heartbeat = span()?,
            "idle_timeout" => options.idle = span()?,
            "slow_start" => options.slow_start = span()?,
            "schema_agreement" => options.schema_agreement = span()?,
            "reconnect" => {
                let what = "two spans, the shortest and the longest pause";
                let pauses = value.list(name, what)?;
                let [shortest, longest] = &pauses[..] else {
                    return Err(
                        value.wrong_type(format_args!("{name} must be {} of {what}", V::LIST))
                    );
                };
                options.reconnect = (BOUNDS.span(name, shortest)?, longest.span(name)?);
                options.check_pauses()?;
            }
            "timeout" => limits.timeout = span()?,
            "socket_timeout" => limits.socket_timeout = span()?,
            "max_retries" => limits.max_retries = count()? as u32,
            "speculative_delay" => {
                let delay = |value: &V| SpeculativeDelay::of(name, value);
                limits.speculation.delay = value.optional(delay)?;
            }
            "speculative_attempts" => limits.speculation.attempts = count()? as u32,
            "connections_per_node" => options.connections_per_node = Some(count()? as usize),
            "warm_connections" => options.warm_connections = count()? as usize,
            "shard_aware_port" => options.shard_aware_port = value.flag(name)?,
            "pipeline_depth" => options.depth = count()? as usize,
            "queue_limit" => options.queue = count()? as usize,
            "retry_budget" => options.retry_budget = RetryBudget::share_of(name, value)?,
            "adaptive_limits" => options.adaptive_limits = value.flag(name)?,
            "max_error_rate" => options.max_error_rate = count()? as u32,
            "consistency" => options.consistency = consistency(name, value)?,
            "serial_consistency" => {
                let level = value.optional(|value| consistency(name, value))?;
                options.serial_consistency = level;
            }
            "page_size" => options.page_size = value.optional(|_| count())?.map(|rows| rows as i32),
            "timestamps" => options.timestamps = value.flag(name)?,
            _ => return Err(parse::unknown("unknown session option", name, &names).into()),
        }
        Ok(())
    }

    /// Sets the nodes to contact first from a comma-separated list; after all options. It is empty
    /// with a `secure_connect_bundle`.
    pub fn set_contact_points(&mut self, list: &str) -> Result<(), InvalidArgument> {
        self.options.contact_points = match list {
            "" => Vec::new(),
            list => Host::parse_list(list, PORT).map_err(InvalidArgument::of_value)?,
        };
        if list.is_empty() && self.secure_connect_bundle.is_none() {
            return Err(InvalidArgument::of_value("no contact point given"));
        }
        Ok(())
    }

    /// Returns the engine's options. Reads certificates from files and the system, so it may block
    /// on disk. Rejects contradictory options.
    pub fn finish(mut self) -> Result<Options, InvalidArgument> {
        if let Some((user, password)) =
            check_credentials(self.user.as_deref(), self.password.as_ref())?
        {
            if self.options.authenticator.is_some() {
                let message = "an authenticator takes the place of user and password";
                return Err(InvalidArgument::of_value(message));
            }
            self.options.authenticator = Some(Arc::new(Password::new(user, password)?));
        }
        if let Some(path) = &self.secure_connect_bundle {
            if self.tls.is_some() || self.options.encryption.is_some() {
                let message =
                    "secure_connect_bundle says how connections are encrypted: leave tls out";
                return Err(InvalidArgument::of_value(message));
            }
            let SecureBundle { tls, service } = SecureBundle::open(path.as_ref())?;
            self.options.encryption = Some(tls);
            self.options.metadata_service = Some(service);
        }
        if let Some(tls) = &self.tls {
            let tls = Tls::new(tls).map_err(|error| InvalidArgument::of_value(error.to_string()));
            self.options.encryption = Some(tls?);
        }
        self.options.check()?;
        Ok(self.options)
    }
}

fn version<V: OptionValue>(name: &str, value: &V) -> Result<Version, V::Error> {
    let number = BOUNDS.count(name, value)? as u8;
    let invalid = || value.wrong_value(format_args!("{name} must be 4 or 5"));
    Version::from_number(number).ok_or_else(invalid)
}

#[cfg(test)]
mod tests {
    use spikewire_options::InvalidArgumentClass::{self, Type, Value};
    use spikewire_options::Literal;

    use super::*;

    fn set(name: &str, value: impl Into<Literal>) -> Result<SessionOptions, InvalidArgument> {
        let mut options = SessionOptions::default();
        options.set(name, &value.into(), &["submit_limit"])?;
        Ok(options)
    }

    #[test]
    fn every_name_is_an_option() {
        for name in SessionOptions::NAMES {
            let error = set(name, 1000).err().map(|error| error.message().to_owned());
            assert!(!error.unwrap_or_default().contains("unknown"), "{name}");
        }
        let unknown = set("speed", 1).unwrap_err();
        assert!(
            unknown
                .message()
                .starts_with("unknown session option \"speed\"; there are: adaptive_limits, addr")
        );
        assert!(unknown.message().contains("submit_limit, timeout"));
    }

    #[test]
    fn invalid_values_are_rejected_with_their_bounds() {
        let pauses = |shortest: f64, longest: f64| Literal::list([shortest, longest]);
        let cases: [(&str, Literal, InvalidArgumentClass, &str); 18] = [
            ("connect_timeout", 0.into(), Value, " must be at least 0.001 s, got 0 s"),
            ("heartbeat", 0.05.into(), Value, " must be at least 0.1 s, got 0.05 s"),
            ("timeout", "1".into(), Type, " must be seconds as a number, not string"),
            (
                "reconnect",
                1.into(),
                Type,
                " must be a list of two spans, the shortest and the longest pause, not number",
            ),
            ("reconnect", pauses(0.0, 1.0), Value, " must be at least 0.001 s, got 0 s"),
            (
                "reconnect",
                pauses(2.0, 1.0),
                Value,
                ": the longest pause must not be below the shortest, got 2 s and 1 s",
            ),
            ("max_retries", 1001.into(), Value, " must be from 0 to 1000, got 1001"),
            ("pipeline_depth", 32_768.into(), Value, " must be from 1 to 32767, got 32768"),
            ("page_size", 0.into(), Value, " must be from 1 to 2147483647, got 0"),
            ("speculative_delay", 0.into(), Value, " must be at least 0.001 s, got 0 s"),
            (
                "speculative_delay",
                "p10".into(),
                Value,
                " must be a time, or a percentile from 'p50' to 'p99.9', got \"p10\"",
            ),
            ("speculative_attempts", 33.into(), Value, " must be from 1 to 32, got 33"),
            ("protocol_version", 3.into(), Value, " must be from 4 to 5, got 3"),
            ("compression", "zip".into(), Value, " must be 'none' or 'lz4', got \"zip\""),
            (
                "address_map",
                5.into(),
                Type,
                " must be a map of advertised to reachable addresses, not number",
            ),
            ("keyspace", 5.into(), Type, " must be a string, not number"),
            ("timestamps", 1.into(), Type, " must be boolean, not number"),
            ("application", [("A", 1)].into(), Type, ": \"A\" must be a string, not number"),
        ];
        for (name, value, class, expected) in cases {
            let error = set(name, value).unwrap_err();
            assert_eq!((error.class(), error.message()), (class, &*format!("{name}{expected}")));
        }
        let error = set("consistency", "most").unwrap_err();
        assert!(error.message().starts_with("consistency must be 'any', 'one', "), "{error}");
    }

    #[test]
    fn contradictory_options_are_rejected_by_finish() {
        let finish = |mut options: SessionOptions| {
            options.set_contact_points("db1")?;
            options.finish()
        };
        let error = finish(set("user", "app").unwrap()).unwrap_err();
        assert_eq!(error.message(), "user and password go together");
        let error = finish(set("serial_consistency", "one").unwrap()).unwrap_err();
        assert_eq!(
            error.message(),
            "serial_consistency must be 'serial' or 'local_serial', got \"one\""
        );
        let error = finish(set("local_rack", "").unwrap()).unwrap_err();
        assert_eq!(error.message(), "local_rack must not be empty");
        let error = SessionOptions::default().set_contact_points("").unwrap_err();
        assert_eq!(error.message(), "no contact point given");
        let options = finish(set("compression", "lz4").unwrap()).unwrap();
        assert!(options.compression && options.authenticator.is_none());
    }
}
