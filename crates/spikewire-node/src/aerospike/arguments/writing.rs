//! Options of writes: time to live, generation, and what to do if the record exists or does not.

use spikewire_aerospike::command::{ExistsRule, GenerationRule, Ttl, WriteOptions, parse};

use super::{Options, reading, text};
use crate::aerospike::expression;
use crate::errors::{describe, kind_name};
use crate::js::create::MAX_SAFE;
use crate::js::{Failure, Result, Type, Value};

const TTL_FORMS: &str = "whole seconds, a Date, 'default', 'never' or 'unchanged'";

/// The time to live of a record after a write.
pub fn ttl(value: Value<'_>) -> Result<Ttl> {
    match value.kind() {
        Type::String => {
            let word = text("ttl", value)?;
            let unknown = || Failure::of_range(format!("ttl must be {TTL_FORMS}, got {word:?}"));
            parse::ttl(&word).ok_or_else(unknown)
        }
        Type::Number => {
            let number = value.number().unwrap_or(f64::NAN);
            if number.fract() != 0.0 || number.is_nan() {
                return Err(Failure::of_range(format!(
                    "ttl must be {TTL_FORMS}, got {}",
                    describe(value)
                )));
            }
            let whole = number.clamp(-(MAX_SAFE as f64), MAX_SAFE as f64) as i64;
            Ok(Ttl::seconds(whole, describe(value))?)
        }
        Type::Object if value.is_date() => {
            let at = value.date().unwrap_or(f64::NAN);
            if at.is_nan() {
                return Err(Failure::of_range("ttl must be a valid Date"));
            }
            Ok(Ttl::until(at / 1e3, "that date")?)
        }
        _ => Err(Failure::of_type(format!("ttl must be {TTL_FORMS}, not {}", kind_name(value)))),
    }
}

/// The required generation of the record: a number, or `[number]` for any older one.
fn generation(value: Value<'_>) -> Result<GenerationRule> {
    let newer = value.is_array();
    let number = if newer { value.element(0)? } else { value };
    let Some(generation) = number.number() else {
        return Err(Failure::of_type(format!(
            "generation must be a whole number or newer(number), not {}",
            kind_name(value)
        )));
    };
    if generation.fract() != 0.0 || !(0.0..=f64::from(u32::MAX)).contains(&generation) {
        return Err(GenerationRule::out_of_bounds(0, describe(number)).into());
    }
    let generation = generation as u32;
    let rule =
        if newer { GenerationRule::Newer(generation) } else { GenerationRule::Equals(generation) };
    rule.check()?;
    Ok(rule)
}

fn exists(value: Value<'_>) -> Result<ExistsRule> {
    Ok(parse::exists(&text("exists", value)?)?)
}

/// Options of every write.
#[inline]
pub fn write_options(options: &Options<'_>) -> Result<WriteOptions> {
    if options.is_empty() {
        return Ok(WriteOptions::default());
    }
    let filter = options.get(c"where")?;
    Ok(WriteOptions {
        ttl: options.get(c"ttl")?.map(ttl).transpose()?.unwrap_or_default(),
        generation: options.get(c"generation")?.map(generation).transpose()?.unwrap_or_default(),
        exists: options.get(c"exists")?.map(exists).transpose()?.unwrap_or_default(),
        durable: options.flag(c"durable")?.unwrap_or_default(),
        send_key: options.flag(c"sendKey")?,
        filter: filter.map(expression::filter).transpose()?,
        timeout: reading::timeout(options)?,
        replica: reading::replica(options)?,
        retry: reading::retry(options)?,
    })
}
