//! Retry options of one call.

use std::fmt::Display;
use std::time::Duration;

use super::Policy;
use super::{InvalidArgument, parse};
use spikewire_aerospike_protocol::error_details::DetailLevel;
use spikewire_options::OptionValue;
use spikewire_transport::Priority;

/// Bounds of the number of retries.
pub const MAX_RETRIES: (u64, u64) = (0, 1000);
/// Bounds of the backoff multiplier.
const MULTIPLIERS: std::ops::RangeInclusive<f64> = 1.0..=100.0;

/// Retry options of one call; `None` uses the client's setting.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RetryOptions {
    /// Number of attempts after the first one.
    pub max_retries: Option<u32>,
    /// How long one attempt may take from when it has a place on a connection; zero: no limit. The
    /// next one goes to another node where that is possible.
    pub attempt_timeout: Option<Duration>,
    /// Pause before a retry on the same node.
    pub sleep: Option<Duration>,
    /// The factor between successive pauses; see [`multiplier`].
    pub multiplier: Option<f32>,
    /// The longest pause; zero: no limit.
    pub longest: Option<Duration>,
    /// Whether pauses are randomised.
    pub jitter: Option<bool>,
    /// Whether a write that may have been applied is retried.
    pub in_doubt: Option<bool>,
    /// Which of the commands that wait for a node go first.
    pub priority: Option<Priority>,
    /// Whether request and reply are compressed where nodes can do that.
    pub compress: Option<bool>,
    /// When a write is answered.
    pub commit_level: Option<CommitLevel>,
    /// How much the server is asked to say about errors.
    pub error_details: Option<DetailLevel>,
    /// Whether a write fails if its transaction has written the record already.
    pub on_locking_only: Option<bool>,
    /// Whether a node replies to all rows of a batch, also after one that failed.
    pub respond_all_keys: Option<bool>,
    /// Whether a node may run the rows of a batch that are in memory on the thread that received
    /// them, as it does by default.
    pub inline: Option<bool>,
    /// The same of rows on devices, which it does not by default.
    pub inline_on_devices: Option<bool>,
}

/// When a write is answered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CommitLevel {
    /// Once all copies of the record have it.
    #[default]
    All,
    /// Once the master has it: if it fails then, the write may be lost.
    Master,
}

impl CommitLevel {
    /// Those with a name.
    pub const NAMES: [(&str, Self); 2] = [("all", Self::All), ("master", Self::Master)];

    /// The level with this name.
    pub fn parse(text: &str) -> Result<Self, InvalidArgument> {
        spikewire_options::parse::named("commit_level", &Self::NAMES, text)
    }
}

impl RetryOptions {
    /// The client's settings.
    pub const NONE: Self = Self {
        max_retries: None,
        attempt_timeout: None,
        sleep: None,
        multiplier: None,
        longest: None,
        jitter: None,
        in_doubt: None,
        priority: None,
        compress: None,
        commit_level: None,
        error_details: None,
        on_locking_only: None,
        respond_all_keys: None,
        inline: None,
        inline_on_devices: None,
    };

    /// Boxes the options if any of them is set.
    #[inline]
    pub fn boxed(self) -> Option<Box<Self>> {
        let Self { max_retries, sleep, multiplier, longest, jitter, in_doubt, .. } = &self;
        let is_any_set = max_retries.is_some()
            | sleep.is_some()
            | multiplier.is_some()
            | longest.is_some()
            | jitter.is_some()
            | in_doubt.is_some()
            | self.attempt_timeout.is_some()
            | self.priority.is_some()
            | self.compress.is_some()
            | self.commit_level.is_some()
            | self.error_details.is_some()
            | self.on_locking_only.is_some()
            | self.respond_all_keys.is_some()
            | self.inline.is_some()
            | self.inline_on_devices.is_some();
        is_any_set.then(|| Box::new(self))
    }

    /// Rejects values out of bounds, for hosts that set fields directly.
    pub fn check(&self) -> Result<(), InvalidArgument> {
        if let Some(retries) = self.max_retries {
            parse::count("max_retries", Some(u64::from(retries)), MAX_RETRIES, retries)?;
        }
        if let Some(factor) = self.multiplier {
            multiplier("sleep_multiplier", f64::from(factor), factor)?;
        }
        Ok(())
    }

    /// Applies the call's options to the client's limits.
    pub fn apply(&self, policy: &mut Policy) {
        policy.max_retries = self.max_retries.unwrap_or(policy.max_retries);
        if let Some(limit) = self.attempt_timeout.filter(|limit| !limit.is_zero()) {
            policy.socket_timeout = limit.into();
            policy.flags.set_bounds_attempts(true);
        }
        policy.sleep = self.sleep.map_or(policy.sleep, Into::into);
        policy.multiplier = self.multiplier.unwrap_or(policy.multiplier);
        policy.longest = self.longest.map_or(policy.longest, Into::into);
        if let Some(jitter) = self.jitter {
            policy.flags.set_jitter(jitter);
        }
        if let Some(in_doubt) = self.in_doubt {
            policy.flags.set_in_doubt(in_doubt);
        }
        if let Some(compress) = self.compress {
            policy.flags.set_compress(compress);
        }
        if let Some(level) = self.commit_level {
            policy.flags.set_commits_at_master(level == CommitLevel::Master);
        }
        if let Some(only) = self.on_locking_only {
            policy.flags.set_must_lock(only);
        }
        if let Some(all) = self.respond_all_keys {
            policy.flags.set_ends_at_failure(!all);
        }
        if let Some(inline) = self.inline {
            policy.flags.set_inline(inline);
        }
        if let Some(inline) = self.inline_on_devices {
            policy.flags.set_inline_on_devices(inline);
        }
        if let Some(level) = self.error_details {
            policy.flags.set_details(level as u8);
        }
        policy.priority = self.priority.unwrap_or(policy.priority);
    }
}

/// The backoff multiplier as a host has it.
pub fn multiplier_of<V: OptionValue>(name: &str, value: &V) -> Result<f32, V::Error> {
    match value.number() {
        Some(number) => Ok(multiplier(name, number, value.describe())?),
        None => Err(value.wrong_type(format_args!("{name} must be a number from 1 to 100"))),
    }
}

/// Validates the backoff multiplier; `text` is the value as the caller wrote it.
pub fn multiplier(what: &str, number: f64, text: impl Display) -> Result<f32, InvalidArgument> {
    if MULTIPLIERS.contains(&number) {
        return Ok(number as f32);
    }
    Err(InvalidArgument::of_value(format!("{what} must be from 1 to 100, got {text}")))
}

#[cfg(test)]
mod tests {
    use spikewire_transport::Backoff;

    use super::*;

    #[test]
    fn a_call_changes_what_it_names() {
        let base = Policy::default();
        let mut policy = base;
        assert_eq!(RetryOptions::default().boxed(), None);
        let second = Duration::from_secs(1);
        let own = RetryOptions {
            max_retries: Some(0),
            longest: Some(second),
            in_doubt: Some(true),
            ..RetryOptions::default()
        };
        own.boxed().unwrap().apply(&mut policy);
        assert_eq!((policy.max_retries, policy.flags.in_doubt()), (0, true));
        assert_eq!(policy.sleep, base.sleep);
        assert_eq!(policy.backoff(), Backoff { longest: second, ..base.backoff() });
    }

    #[test]
    fn a_call_has_other_details_than_the_client() {
        let mut policy = Policy::default();
        assert_eq!((policy.flags.details(), policy.flags.marks_requests()), (0, false));
        for (name, level) in DetailLevel::NAMES {
            assert_eq!(parse::error_details(name), Ok(level));
            let own = RetryOptions { error_details: Some(level), ..RetryOptions::default() };
            own.boxed().unwrap().apply(&mut policy);
            let expected = (level as u8, level != DetailLevel::Off);
            assert_eq!((policy.flags.details(), policy.flags.marks_requests()), expected);
            assert!(!policy.flags.compress() && !policy.flags.in_doubt(), "{name}");
        }
        assert_eq!(
            parse::error_details("all").unwrap_err().message(),
            "error_details must be 'off', 'subcode', 'message' or 'trace', got \"all\""
        );
    }

    #[test]
    fn retry_options_are_bounded() {
        for wrong in [0.9, 100.1, f64::NAN, f64::INFINITY, -1.0] {
            let error = multiplier("sleep_multiplier", wrong, wrong).unwrap_err();
            assert!(error.message().contains("from 1 to 100"), "{error}");
        }
        assert_eq!(multiplier("sleep_multiplier", 1.5, 1.5), Ok(1.5));
        let many = RetryOptions { max_retries: Some(1001), ..RetryOptions::default() };
        assert_eq!(
            many.check().unwrap_err().message(),
            "max_retries must be from 0 to 1000, got 1001"
        );
    }
}
