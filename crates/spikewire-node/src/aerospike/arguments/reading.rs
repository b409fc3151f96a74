//! Options of reads: replica, consistency, filter, read touch, retries.

use std::ffi::CStr;
use std::time::Duration;

use spikewire_aerospike::command::batch::deadline_of;
use spikewire_aerospike::command::{
    MAX_RETRIES, ReadMode, ReadOptions, ReadRules, ReadTouch, RetryOptions, limits, parse,
};
use spikewire_aerospike::{CommitLevel, Policy, ReplicaPolicy, ShareReads};

use spikewire_transport::Priority;

use super::{OptionArgument, Options, count, multiplier, span, text};
use crate::aerospike::expression;
use crate::errors::{describe, kind_name};
use crate::js::create::MAX_SAFE;
use crate::js::{Failure, Result, Value};

/// The total time limit of a call; zero: no limit.
pub fn timeout(options: &Options<'_>) -> Result<Option<Duration>> {
    options.get(c"timeout")?.map(|value| span("timeout", value)).transpose()
}

/// When a call returns what has come; `None`: it waits for everything.
pub fn deadline(options: &Options<'_>) -> Result<Option<Duration>> {
    options.get(c"deadline")?.map(|value| deadline_of(&OptionArgument(value))).transpose()
}

/// Which replicas a call goes to.
pub fn replica(options: &Options<'_>) -> Result<Option<ReplicaPolicy>> {
    let Some(value) = options.get(c"replica")? else { return Ok(None) };
    Ok(Some(parse::replica(&text("replica", value)?)?))
}

/// How a call is retried.
pub fn retry(options: &Options<'_>) -> Result<Option<Box<RetryOptions>>> {
    if options.is_empty() {
        return Ok(None);
    }
    let spans = |name: &CStr| {
        options.get(name)?.map(|value| span(&name.to_string_lossy(), value)).transpose()
    };
    let retries = options.get(c"maxRetries")?;
    let factor = options.get(c"sleepMultiplier")?;
    let retry = RetryOptions {
        max_retries: retries
            .map(|value| count("maxRetries", value, MAX_RETRIES).map(|retries| retries as u32))
            .transpose()?,
        attempt_timeout: spans(c"attemptTimeout")?,
        sleep: spans(c"sleepBetweenRetries")?,
        multiplier: factor.map(|value| multiplier("sleepMultiplier", value)).transpose()?,
        longest: spans(c"maxSleepBetweenRetries")?,
        jitter: options.flag(c"sleepJitter")?,
        in_doubt: options.flag(c"retryInDoubt")?,
        priority: options
            .get(c"priority")?
            .map(|value| Ok::<_, Failure>(Priority::parse(&text("priority", value)?)?))
            .transpose()?,
        compress: options.flag(c"compress")?,
        commit_level: options
            .get(c"commitLevel")?
            .map(|value| Ok::<_, Failure>(CommitLevel::parse(&text("commitLevel", value)?)?))
            .transpose()?,
        error_details: options
            .get(c"errorDetails")?
            .map(|value| Ok::<_, Failure>(parse::error_details(&text("errorDetails", value)?)?))
            .transpose()?,
        on_locking_only: options.flag(c"onLockingOnly")?,
        respond_all_keys: options.flag(c"respondAllKeys")?,
        inline: options.flag(c"allowInline")?,
        inline_on_devices: options.flag(c"allowInlineSSD")?,
    };
    Ok(retry.boxed())
}

/// The consistency of a read.
pub fn read_mode(value: Value<'_>) -> Result<ReadMode> {
    Ok(parse::read_mode(&text("readMode", value)?)?)
}

/// Which requests a read shares.
pub fn share_reads(value: Value<'_>) -> Result<ShareReads> {
    Ok(parse::share_reads(&text("shareReads", value)?)?)
}

/// When a read renews the time to live.
pub fn read_touch(value: Value<'_>) -> Result<ReadTouch> {
    let Some(number) = value.number() else {
        return Err(Failure::of_type(format!(
            "readTouch must be a number of percent, not {}",
            kind_name(value)
        )));
    };
    if number.fract() != 0.0 || number.abs() > MAX_SAFE as f64 {
        return Err(Failure::of_range(format!(
            "readTouch must be a whole number of percent, got {}",
            describe(value)
        )));
    }
    Ok(ReadTouch::percent(number as i64, describe(value))?)
}

/// Options specific to reads.
pub fn read_rules(options: &Options<'_>) -> Result<ReadRules> {
    let touch = options.get(c"readTouch")?.map(read_touch).transpose()?;
    let mode = options.get(c"readMode")?.map(read_mode).transpose()?;
    let hedge = options.get(c"hedge")?.map(|value| super::hedge("hedge", value)).transpose()?;
    let share = options.get(c"shareReads")?.map(share_reads).transpose()?;
    Ok(ReadRules { touch, mode, hedge, share })
}

/// Options of every read.
#[inline]
pub fn read_options(options: &Options<'_>) -> Result<ReadOptions> {
    if options.is_empty() {
        return Ok(ReadOptions::default());
    }
    let ReadRules { touch, mode, hedge, share } = read_rules(options)?;
    let filter = options.get(c"where")?;
    Ok(ReadOptions {
        filter: filter.map(expression::filter).transpose()?,
        touch,
        mode,
        replica: replica(options)?,
        timeout: timeout(options)?,
        retry: retry(options)?,
        hedge,
        share,
    })
}

/// The policy of a call that takes only limits.
pub fn policy(base: &Policy, options: &Options<'_>) -> Result<Policy> {
    Ok(limits(base, timeout(options)?, replica(options)?, retry(options)?.as_deref()))
}
