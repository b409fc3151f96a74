//! Options of the verbs, validated before a byte is encoded.
//!
//! | module | what it holds |
//! |---|---|
//! | here | hedges, factors, names of bins |
//! | [`reading`] | options of reads: replica, consistency, filter, read touch, retries |
//! | [`writing`] | options of writes: time to live, generation, existence |

mod reading;
mod writing;

pub use crate::arguments::{Options, count, flag, span, text};
pub use reading::{policy, read_options, read_rules, replica, retry, timeout};
pub use writing::{ttl, write_options};

use spikewire_aerospike::Hedge;
use spikewire_aerospike::command::{self, BinSelection, check_bin_name};

use crate::errors::{describe, kind_name};
use crate::js::{Failure, Result, Type, Value};

/// When a read has a second request: milliseconds, or a percentile such as `p99`.
pub fn hedge(what: &str, value: Value<'_>) -> Result<Hedge> {
    if value.kind() == Type::String {
        return Ok(Hedge::word(what, &text(what, value)?)?);
    }
    let delay = span(what, value)?;
    Ok(Hedge::time(what, delay, format_args!("{} ms", describe(value)))?)
}

/// The factor by which pauses between retries grow.
pub fn multiplier(what: &str, value: Value<'_>) -> Result<f32> {
    let Some(number) = value.number() else {
        return Err(Failure::of_type(format!(
            "{what} must be a number from 1 to 100, not {}",
            kind_name(value)
        )));
    };
    Ok(command::multiplier(what, number, describe(value))?)
}

/// The bins that a read returns: the selection and the names.
pub fn bins(value: Value<'_>) -> Result<(BinSelection, Vec<String>)> {
    if value.is_absent() {
        return Ok((BinSelection::All, Vec::new()));
    }
    if !value.is_array() {
        return Err(Failure::of_type(format!(
            "bins must be an array of bin names, not {}",
            kind_name(value)
        )));
    }
    let names = (0..value.len()?).map(|at| {
        let name = text("a bin name", value.element(at)?)?;
        check_bin_name(&name)?;
        Ok(name)
    });
    let names = names.collect::<Result<Vec<_>>>()?;
    Ok((BinSelection::of(Some(names.len())), names))
}
