//! The keywords of a call, and the command options built from them.

use std::ops::Deref;
use std::sync::Arc;

use pyo3::prelude::*;

use spikewire_aerospike::Policy;
use spikewire_aerospike::command::{self, CommandDefaults, RetryOptions};

use crate::aerospike::arguments;
use crate::aerospike::expression;
use crate::aerospike::value::Codec;

/// What every call inherits from its client.
#[derive(Debug, Clone)]
pub struct Defaults {
    pub commands: CommandDefaults,
    pub codec: Option<Arc<Codec>>,
}

impl Deref for Defaults {
    type Target = CommandDefaults;

    fn deref(&self) -> &CommandDefaults {
        &self.commands
    }
}

/// Keywords that only concern reading.
pub struct ReadRules<'py> {
    pub touch: Option<Bound<'py, PyAny>>,
    pub mode: Option<Bound<'py, PyAny>>,
    pub hedge: Option<Bound<'py, PyAny>>,
}

impl ReadRules<'_> {
    #[inline]
    pub fn checked(&self) -> PyResult<command::ReadRules> {
        let touch = arguments::read_touch(self.touch.as_ref())?;
        let mode = self.mode.as_ref().map(arguments::read_mode).transpose()?;
        let hedge =
            self.hedge.as_ref().map(|value| arguments::hedge("hedge", value)).transpose()?;
        Ok(command::ReadRules { touch, mode, hedge })
    }
}

/// Keywords that concern retries.
#[derive(Default)]
pub struct RetryRules<'py> {
    pub max_retries: Option<Bound<'py, PyAny>>,
    pub sleep: Option<Bound<'py, PyAny>>,
    pub multiplier: Option<Bound<'py, PyAny>>,
    pub longest: Option<Bound<'py, PyAny>>,
    pub jitter: Option<bool>,
    pub in_doubt: Option<bool>,
}

impl RetryRules<'_> {
    #[inline]
    pub fn checked(&self) -> PyResult<Option<Box<RetryOptions>>> {
        let Self { max_retries, sleep, multiplier, longest, jitter, in_doubt } = self;
        let silent = max_retries.is_none() && sleep.is_none() && multiplier.is_none();
        if silent && longest.is_none() && jitter.is_none() && in_doubt.is_none() {
            return Ok(None);
        }
        self.read().map(RetryOptions::boxed)
    }

    #[cold]
    fn read(&self) -> PyResult<RetryOptions> {
        let (least, most) = command::MAX_RETRIES;
        let count = |value| arguments::count("max_retries", value, least, most);
        let span = |what, value: &Option<Bound<'_, PyAny>>| {
            value.as_ref().map(|value| arguments::seconds(what, value)).transpose()
        };
        let factor = |value| arguments::multiplier("sleep_multiplier", value);
        Ok(RetryOptions {
            max_retries: self.max_retries.as_ref().map(count).transpose()?.map(|it| it as u32),
            sleep: span("sleep_between_retries", &self.sleep)?,
            multiplier: self.multiplier.as_ref().map(factor).transpose()?,
            longest: span("max_sleep_between_retries", &self.longest)?,
            jitter: self.jitter,
            in_doubt: self.in_doubt,
        })
    }
}

/// Keywords for the limits of calls that have no other limits.
pub struct Limits<'py> {
    pub replica: Option<Bound<'py, PyAny>>,
    pub timeout: Option<Bound<'py, PyAny>>,
    pub retry: RetryRules<'py>,
}

impl Limits<'_> {
    /// The client's limits, modified by the keywords.
    pub fn policy(&self, base: &Policy) -> PyResult<Policy> {
        let timeout = arguments::timeout_of(self.timeout.as_ref())?;
        let replica = self.replica.as_ref().map(arguments::replica).transpose()?;
        Ok(command::limits(base, timeout, replica, self.retry.checked()?.as_deref()))
    }
}

/// Keywords for the rows of a batch that do not set them.
pub struct RowOptions<'py> {
    pub rules: ReadRules<'py>,
    pub ttl: Option<Bound<'py, PyAny>>,
    pub exists: Option<Bound<'py, PyAny>>,
    pub durable: bool,
    pub send_key: Option<bool>,
}

impl RowOptions<'_> {
    /// Rejects values that are invalid for every row.
    pub fn check(&self) -> PyResult<()> {
        self.rules.checked()?;
        arguments::ttl(self.ttl.as_ref())?;
        arguments::exists(self.exists.as_ref()).map(drop)
    }
}

/// Keywords of all reads.
pub struct ReadOptions<'py> {
    pub filter: Option<Bound<'py, PyAny>>,
    pub rules: ReadRules<'py>,
    pub replica: Option<Bound<'py, PyAny>>,
    pub timeout: Option<Bound<'py, PyAny>>,
    pub retry: RetryRules<'py>,
}

impl ReadOptions<'_> {
    #[inline]
    pub fn checked(&self) -> PyResult<command::ReadOptions> {
        let filter = expression::filter(self.filter.as_ref())?;
        let timeout = arguments::timeout_of(self.timeout.as_ref())?;
        let replica = self.replica.as_ref().map(arguments::replica).transpose()?;
        let command::ReadRules { touch, mode, hedge } = self.rules.checked()?;
        let retry = self.retry.checked()?;
        Ok(command::ReadOptions { filter, touch, mode, replica, timeout, retry, hedge })
    }
}

/// Keywords of all writes.
#[derive(Default)]
pub struct WriteOptions<'py> {
    pub ttl: Option<Bound<'py, PyAny>>,
    pub generation: Option<Bound<'py, PyAny>>,
    pub exists: Option<Bound<'py, PyAny>>,
    pub durable: bool,
    pub send_key: Option<bool>,
    pub filter: Option<Bound<'py, PyAny>>,
    pub replica: Option<Bound<'py, PyAny>>,
    pub timeout: Option<Bound<'py, PyAny>>,
    pub retry: RetryRules<'py>,
}

impl WriteOptions<'_> {
    #[inline]
    pub fn checked(&self) -> PyResult<command::WriteOptions> {
        Ok(command::WriteOptions {
            ttl: arguments::ttl(self.ttl.as_ref())?,
            generation: arguments::generation(self.generation.as_ref())?,
            exists: arguments::exists(self.exists.as_ref())?,
            durable: self.durable,
            send_key: self.send_key,
            filter: expression::filter(self.filter.as_ref())?,
            timeout: arguments::timeout_of(self.timeout.as_ref())?,
            replica: self.replica.as_ref().map(arguments::replica).transpose()?,
            retry: self.retry.checked()?,
        })
    }
}
