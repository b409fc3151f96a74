//! Client options by name, with their bounds; set and checked by hosts in any language.

use std::time::Duration;

use spikewire_aerospike_protocol::frame::MAX_BODY;
use spikewire_aerospike_protocol::host;
use spikewire_options::{Bounds, InvalidArgument};
use spikewire_transport::RetryBudget;
use spikewire_transport::tls::{Tls, TlsOptions, TlsValue};

use crate::command::{CommandDefaults, MAX_RETRIES, ReadMode, multiplier, multiplier_of, parse};
use crate::model::Hedge;
use crate::model::Options;
use crate::model::{Auth, CommitLevel, ReplicaPolicy, Secret, ShareReads};

/// The options of a client.
#[derive(Debug, Clone)]
pub struct ClientOptions {
    /// The cluster, its connections, and the limits of commands.
    pub options: Options,
    /// Whether writes store the user key with the record.
    pub send_key: bool,
    /// Consistency of reads.
    pub read_mode: ReadMode,
    /// When reads of one record are hedged.
    pub hedge: Hedge,
    /// Which requests reads of one record share.
    pub share_reads: ShareReads,
    /// Encryption of connections, if any; [`ClientOptions::finish`] reads the certificates.
    pub tls: Option<TlsOptions>,
}

const NO_LIMIT: Duration = Duration::MAX;
/// The smallest near cache.
const LEAST_NEAR_CACHE: usize = 1 << 16;

const BOUNDS: Bounds = Bounds {
    counts: &[
        ("max_in_flight", (0, 100_000_000)),
        ("hedge_percent", (1, 100)),
        ("max_retries", MAX_RETRIES),
        ("connections_per_node", (1, 1024)),
        ("warm_connections", (0, 1024)),
        ("pipeline_depth", (1, 100_000)),
        ("queue_limit", (0, 100_000_000)),
        ("max_error_rate", (0, 1 << 30)),
        ("error_rate_window", (1, 3600)),
        ("near_cache", (0, 1 << 40)),
        ("near_cache_heat", (0, 100_000)),
        ("compression_threshold", (0, MAX_BODY as u64)),
    ],
    spans: &[
        ("connect_timeout", (Duration::from_millis(1), NO_LIMIT)),
        ("tend_interval", (Duration::from_millis(50), NO_LIMIT)),
        ("idle_timeout", (Duration::from_millis(100), NO_LIMIT)),
        ("near_cache_staleness", (Duration::from_millis(1), Duration::from_secs(3600))),
    ],
};

impl Default for ClientOptions {
    fn default() -> Self {
        let options = Options::new(Vec::new());
        let (read_mode, hedge) = (ReadMode::default(), Hedge::NEVER);
        let share_reads = ShareReads::Off;
        Self { options, send_key: false, read_mode, hedge, share_reads, tls: None }
    }
}

impl ClientOptions {
    /// The names of all options.
    pub const NAMES: [&str; 46] = [
        "adaptive_limits",
        "application_id",
        "auth",
        "cluster_name",
        "commit_level",
        "compress",
        "compression_threshold",
        "connect_timeout",
        "connections_per_node",
        "error_details",
        "error_rate_window",
        "fail_if_not_connected",
        "hedge",
        "hedge_percent",
        "idle_timeout",
        "ip_map",
        "max_error_rate",
        "max_in_flight",
        "max_retries",
        "max_sleep_between_retries",
        "near_cache",
        "near_cache_heat",
        "near_cache_staleness",
        "password",
        "pipeline_depth",
        "protect_servers",
        "queue_limit",
        "racks",
        "read_mode",
        "replica",
        "retry_budget",
        "retry_in_doubt",
        "seed_only",
        "send_key",
        "share_reads",
        "sleep_between_retries",
        "sleep_jitter",
        "sleep_multiplier",
        "slow_start",
        "socket_timeout",
        "tend_interval",
        "timeout",
        "tls",
        "use_services_alternate",
        "user",
        "warm_connections",
    ];

    /// Sets the option with this name. `others` are the host's additional options, for the message
    /// about unknown names.
    pub fn set<V: TlsValue>(
        &mut self,
        name: &str,
        value: &V,
        others: &[&str],
    ) -> Result<(), V::Error> {
        let count = || BOUNDS.count(name, value);
        let span = || BOUNDS.span(name, value);
        let options = &mut self.options;
        match name {
            "cluster_name" => options.cluster_name = Some(value.text(name)?),
            "application_id" if !value.has_value() => options.application_id = None,
            "application_id" => options.application_id = Some(value.text(name)?),
            "seed_only" => options.seed_only = value.flag(name)?,
            "fail_if_not_connected" => options.fail_if_not_connected = value.flag(name)?,
            "protect_servers" => options.protect_servers = value.flag(name)?,
            "user" | "password" | "auth" if !value.has_value() => {}
            "user" => options.login.user = Some(value.text(name)?),
            "password" => options.login.password = Some(Secret::from(value.text(name)?)),
            "auth" => options.login.auth = Some(Auth::parse(&value.text(name)?)?),
            "tls" => self.tls = if value.has_value() { value.tls(name)? } else { None },
            "timeout" => options.policy.timeout = span()?,
            "socket_timeout" => options.policy.socket_timeout = span()?.into(),
            "sleep_between_retries" => options.policy.sleep = span()?.into(),
            "sleep_multiplier" => options.policy.multiplier = multiplier_of(name, value)?,
            "max_sleep_between_retries" => options.policy.longest = span()?.into(),
            "sleep_jitter" => options.policy.flags.set_jitter(value.flag(name)?),
            "max_retries" => options.policy.max_retries = count()? as u32,
            "retry_in_doubt" => options.policy.flags.set_in_doubt(value.flag(name)?),
            "commit_level" => {
                let level = CommitLevel::parse(&value.text(name)?)?;
                options.policy.flags.set_commits_at_master(level == CommitLevel::Master);
            }
            "compress" => options.policy.flags.set_compress(value.flag(name)?),
            "error_details" => {
                let level = parse::error_details(&value.text(name)?)?;
                options.policy.flags.set_details(level as u8);
            }
            "compression_threshold" => options.compression_threshold = count()? as usize,
            "replica" => options.policy.replica = parse::replica(&value.text(name)?)?,
            "read_mode" => self.read_mode = parse::read_mode(&value.text(name)?)?,
            "hedge" => self.hedge = Hedge::of(name, value)?,
            "hedge_percent" => options.hedge_percent = count()? as u32,
            "share_reads" => self.share_reads = parse::share_reads(&value.text(name)?)?,
            "send_key" => self.send_key = value.flag(name)?,
            "connect_timeout" => options.connect_timeout = span()?,
            "tend_interval" => options.tend_interval = span()?,
            "idle_timeout" => options.idle = span()?,
            "slow_start" => options.slow_start = span()?,
            "use_services_alternate" => options.use_services_alternate = value.flag(name)?,
            "connections_per_node" => options.connections_per_node = Some(count()? as usize),
            "warm_connections" => options.warm_connections = count()? as usize,
            "pipeline_depth" => options.depth = count()? as usize,
            // Zero: no limit.
            "max_in_flight" => {
                options.in_flight =
                    (count()? as usize).checked_sub(1).map_or(usize::MAX, |it| it + 1);
            }
            "queue_limit" => options.queue = count()? as usize,
            "retry_budget" => options.retry_budget = RetryBudget::share_of(name, value)?,
            "adaptive_limits" => options.adaptive_limits = value.flag(name)?,
            "max_error_rate" => options.max_error_rate = count()? as u32,
            "error_rate_window" => options.error_rate_window = count()? as u32,
            "ip_map" => {
                let pairs = value.text_map(name, "advertised to reachable addresses")?;
                options.ip_map = pairs.into_iter().collect();
            }
            "near_cache" if !value.has_value() => options.near_cache.bytes = 0,
            "near_cache" => options.near_cache.bytes = count()? as usize,
            "near_cache_heat" => options.near_cache.heat = count()? as u32,
            "near_cache_staleness" => options.near_cache.staleness = span()?,
            "racks" => options.racks = value.counts(name, "rack ids", "a rack id")?,
            _ => {
                let names = [&Self::NAMES, others].concat();
                return Err(parse::unknown("unknown client option", name, &names).into());
            }
        }
        Ok(())
    }

    /// Rejects values out of bounds, for hosts that set fields directly.
    pub fn check(&self) -> Result<(), InvalidArgument> {
        let options = &self.options;
        for (name, span) in [
            ("connect_timeout", options.connect_timeout),
            ("tend_interval", options.tend_interval),
            ("idle_timeout", options.idle),
            ("near_cache_staleness", options.near_cache.staleness),
        ] {
            BOUNDS.check_span(name, span)?;
        }
        for (name, count) in [
            ("max_retries", options.policy.max_retries as usize),
            ("hedge_percent", options.hedge_percent as usize),
            ("connections_per_node", options.connections_per_node()),
            ("warm_connections", options.warm_connections),
            ("pipeline_depth", options.depth),
            ("queue_limit", options.queue),
            ("max_error_rate", options.max_error_rate as usize),
            ("error_rate_window", options.error_rate_window as usize),
            ("near_cache", options.near_cache.bytes),
            ("near_cache_heat", options.near_cache.heat as usize),
            ("compression_threshold", options.compression_threshold),
        ] {
            BOUNDS.check_count(name, count as u64)?;
        }
        check_application(options.application_id.as_deref())?;
        RetryBudget::check("retry_budget", options.retry_budget)?;
        let factor = options.policy.multiplier;
        multiplier("sleep_multiplier", f64::from(factor), factor)?;
        Ok(())
    }

    /// Returns the engine's options. Reads certificates from files and the system, so it may block
    /// on disk. Rejects contradictory options.
    pub fn finish(mut self) -> Result<Options, InvalidArgument> {
        if self.options.retry_budget == Some(0.0) && self.hedge != Hedge::NEVER {
            let message = "hedge needs a retry_budget above 0, because second requests are taken \
                           from it";
            return Err(InvalidArgument::of_value(message));
        }
        check_application(self.options.application_id.as_deref())?;
        if let Some(tls) = &self.tls {
            let tls =
                Tls::new(tls).map_err(|error| InvalidArgument::of_value(error.to_string()))?;
            self.options.tls = Some(tls);
        }
        self.options.login.check(self.options.tls.as_ref())?;
        if self.share_reads == ShareReads::InFlight && self.read_mode.is_current() {
            return Err(ReadMode::cannot_share());
        }
        self.check_near_cache()?;
        Ok(self.options)
    }

    /// Rejects a near cache that could never be used, or is too small for any record.
    fn check_near_cache(&self) -> Result<(), InvalidArgument> {
        let bytes = self.options.near_cache.bytes;
        let problem = if bytes == 0 {
            return Ok(());
        } else if bytes < LEAST_NEAR_CACHE {
            format!(
                "near_cache must be 0 for none, or at least {LEAST_NEAR_CACHE} bytes, got {bytes}"
            )
        } else if self.read_mode != ReadMode::One {
            "near_cache and read_mode contradict each other: only reads with read_mode 'one' can be \
             answered from a cache"
                .to_owned()
        } else if self.options.policy.replica == ReplicaPolicy::Master {
            "near_cache and replica contradict each other: reads with replica 'master' are never \
             answered from a cache"
                .to_owned()
        } else {
            return Ok(());
        };
        Err(InvalidArgument::of_value(problem))
    }

    /// Sets the seeds from a comma-separated list of hosts.
    pub fn set_seeds(&mut self, list: &str) -> Result<(), InvalidArgument> {
        self.options.seeds = host::parse_hosts(list, host::DEFAULT_PORT)
            .map_err(|error| InvalidArgument::of_value(format!("seeds: {error}")))?;
        Ok(())
    }

    /// Defaults that commands inherit from the client.
    pub fn defaults(&self) -> CommandDefaults {
        let policy = self.options.policy;
        let Self { send_key, read_mode, hedge, share_reads: share, .. } = *self;
        CommandDefaults { policy, send_key, read_mode, hedge, share }
    }
}

/// The longest name of a program: servers accept no longer ones, with what stands before it.
const APPLICATION: usize = 40;

/// Rejects names of programs that servers cannot tell from what stands before them.
fn check_application(name: Option<&str>) -> Result<(), InvalidArgument> {
    let Some(name) = name else { return Ok(()) };
    let fits = |byte: u8| byte.is_ascii_graphic() && byte != b',';
    if (1..=APPLICATION).contains(&name.len()) && name.bytes().all(fits) {
        return Ok(());
    }
    let problem = format!(
        "application_id must be 1 to {APPLICATION} visible ASCII characters without commas, got {name:?}"
    );
    Err(InvalidArgument::of_value(problem))
}

#[cfg(test)]
mod tests {
    use spikewire_options::{InvalidArgumentClass, Literal};

    use super::*;

    #[test]
    fn every_name_is_an_option() {
        for name in ClientOptions::NAMES {
            let set = ClientOptions::default().set(name, &Literal::from(1000), &[]);
            let error = set.err().map(|error| error.message().to_owned());
            assert!(!error.unwrap_or_default().contains("unknown"), "{name}");
        }
        let unknown =
            ClientOptions::default().set("speed", &Literal::from(1), &["codec"]).unwrap_err();
        assert!(
            unknown
                .message()
                .starts_with("unknown client option \"speed\"; there are: adaptive_limits, appl")
        );
        assert!(unknown.message().contains("codec, commit_level"));
    }

    #[test]
    fn bounds_hold_however_an_option_is_set() {
        use InvalidArgumentClass::{Type, Value};
        let cases: [(&str, Literal, InvalidArgumentClass, &str); 12] = [
            ("tend_interval", 0.049.into(), Value, "must be at least 0.05 s, got 0.049 s"),
            ("connect_timeout", 0.into(), Value, "must be at least 0.001 s, got 0 s"),
            ("timeout", (-1).into(), Value, "must be a number of seconds from 0 to 3.2e9, got -1"),
            ("max_retries", 1001.into(), Value, "must be from 0 to 1000, got 1001"),
            ("sleep_multiplier", 101.into(), Value, "must be from 1 to 100, got 101"),
            ("sleep_multiplier", "2".into(), Type, "must be a number from 1 to 100, not string"),
            ("error_rate_window", 0.into(), Value, "must be from 1 to 3600, got 0"),
            (
                "hedge",
                "p10".into(),
                Value,
                "must be a time, or a percentile from 'p50' to 'p99.9', got \"p10\"",
            ),
            (
                "replica",
                "far".into(),
                Value,
                "must be 'master', 'sequence', 'any' or 'prefer-rack', got \"far\"",
            ),
            (
                "ip_map",
                5.into(),
                Type,
                "must be a map of advertised to reachable addresses, not number",
            ),
            ("racks", 5.into(), Type, "must be a list of rack ids, not number"),
            ("send_key", 1.into(), Type, "must be boolean, not number"),
        ];
        for (name, value, class, expected) in cases {
            let error = ClientOptions::default().set(name, &value, &[]).unwrap_err();
            assert_eq!((error.class(), error.message()), (class, &*format!("{name} {expected}")));
        }
        let mut options = ClientOptions::default();
        options.check().unwrap();
        options.options.connections_per_node = Some(2000);
        let error = options.check().unwrap_err();
        assert_eq!(error.message(), "connections_per_node must be from 1 to 1024, got 2000");
    }

    #[test]
    fn names_of_programs_are_short_and_visible() {
        for name in ["", "a b", "a,b", "büro", &"x".repeat(41)] {
            let mut options = ClientOptions::default();
            options.set("application_id", &Literal::from(name), &[]).unwrap();
            let message = |error: InvalidArgument| error.message().to_owned();
            let errors = [options.check().unwrap_err(), options.finish().unwrap_err()].map(message);
            assert!(errors.iter().all(|it| it.contains("application_id must be")), "{errors:?}");
        }
        check_application(Some(&"x".repeat(40))).unwrap();
        check_application(None).unwrap();
    }

    #[test]
    fn a_near_cache_that_is_never_used_is_rejected() {
        let finish = |pairs: &[(&str, Literal)]| {
            let mut options = ClientOptions::default();
            pairs.iter().for_each(|(name, value)| options.set(name, value, &[]).unwrap());
            options.finish().map_err(|error| error.message().to_owned())
        };
        let size = || ("near_cache", Literal::from(1 << 20));
        assert_eq!(finish(&[size()]).unwrap().near_cache.bytes, 1 << 20);
        for (name, value) in [("read_mode", "session"), ("read_mode", "all"), ("replica", "master")]
        {
            finish(&[(name, value.into())]).unwrap();
            let error = finish(&[size(), (name, value.into())]).unwrap_err();
            assert!(error.contains("near_cache") && error.contains(name), "{error}");
        }
        assert!(finish(&[("near_cache", 1000.into())]).unwrap_err().contains("at least 65536"));
    }

    #[test]
    fn a_user_without_a_password_is_rejected() {
        let mut options = ClientOptions::default();
        options.options.login.user = Some("app".to_owned());
        let error = options.clone().finish().unwrap_err();
        assert_eq!(error.message(), "user and password go together");
        options.options.login.password = Some("opensesame".into());
        assert!(!format!("{options:?}").contains("opensesame"));
        assert_eq!(options.finish().unwrap().login.user.as_deref(), Some("app"));
    }

    #[test]
    fn contradictory_options_are_rejected() {
        let set = |share: &'static str, mode: &'static str| {
            let mut options = ClientOptions::default();
            options.set("share_reads", &Literal::from(share), &[]).unwrap();
            options.set("read_mode", &Literal::from(mode), &[]).unwrap();
            options.finish().map_err(|error| error.message().to_owned())
        };
        for mode in ["linearize", "session"] {
            let error = set("in_flight", mode).unwrap_err();
            assert!(error.starts_with("share_reads 'in_flight' cannot be combined with read_mode"));
            set("unsent", mode).unwrap();
        }
        set("in_flight", "one").unwrap();
    }

    #[test]
    fn seeds_say_what_is_wrong() {
        let error = ClientOptions::default().set_seeds("db1,,db2:99999").unwrap_err();
        assert!(error.message().starts_with("seeds: "), "{error}");
    }
}
