//! Options of the verbs, validated before a byte is encoded.
//!
//! | module | what it holds |
//! |---|---|
//! | here | hedges, factors, names and parts of bins |
//! | [`reading`] | options of reads: replica, consistency, filter, read touch, retries |
//! | [`writing`] | options of writes: time to live, generation, existence |

pub mod reading;
mod writing;

pub use crate::arguments::{Options, count, span, text};
pub use reading::{deadline, policy, read_options, read_rules, retry};
pub use writing::{ttl, write_options};

use spikewire_aerospike::Hedge;
use spikewire_aerospike::command::{self, BinSelection, check_bin_name, parse};
use spikewire_aerospike_protocol::query::Collection;

use crate::arguments::OptionArgument;
use crate::errors::kind_name;
use crate::js::{Failure, Result, Value};

/// When a read has a second request: milliseconds, or a percentile such as `p99`.
pub fn hedge(what: &str, value: Value<'_>) -> Result<Hedge> {
    Hedge::of(what, &OptionArgument(value))
}

/// The factor by which pauses between retries grow.
pub fn multiplier(what: &str, value: Value<'_>) -> Result<f32> {
    command::multiplier_of(what, &OptionArgument(value))
}

/// The name of a bin.
pub fn bin_name(value: Value<'_>) -> Result<String> {
    let name = text("a bin name", value)?;
    check_bin_name(&name)?;
    Ok(name)
}

/// The names of bins in an array.
pub fn bin_names<C: FromIterator<String>>(array: Value<'_>) -> Result<C> {
    (0..array.len()?).map(|at| bin_name(array.element(at)?)).collect()
}

/// Which part of a bin is indexed.
pub fn collection(of: Value<'_>) -> Result<Collection> {
    let of = of.present().map(|of| text("of", of)).transpose()?;
    Ok(of.map_or(Ok(Collection::default()), |of| parse::collection(&of))?)
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
    let names: Vec<_> = bin_names(value)?;
    Ok((BinSelection::of(Some(names.len())), names))
}
