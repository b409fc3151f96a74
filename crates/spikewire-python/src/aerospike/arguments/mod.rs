//! Arguments of the verbs, checked before anything is encoded.
//!
//! | module | contents |
//! |---|---|
//! | here | hedges, factors, names of bins |
//! | [`reading`] | replica, read mode, shared requests, and whether a read renews the TTL |
//! | [`writing`] | time to live, generation, and what to do if the record exists |

mod reading;
mod writing;

pub use crate::arguments::{Argument, count, flags, no_unknown, seconds};
pub use reading::{error_details, priority, read_mode, read_touch, replica, share_reads, timeout};
pub use writing::{Newer, commit_level, exists, generation, ttl};

use pyo3::PyClass;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use spikewire_aerospike::Hedge;
use spikewire_aerospike::command;

use super::value::bin_name;
use crate::arguments::OptionArgument;
use crate::errors::{type_error, type_name};

/// When a read sends a second request: after a time, or at a percentile given by name.
pub fn hedge(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Hedge> {
    Ok(Hedge::of(what, &OptionArgument(value.clone()))?)
}

/// The factor by which the pause between retries grows.
pub fn multiplier(what: &str, value: &Bound<'_, PyAny>) -> PyResult<f32> {
    Ok(command::multiplier_of(what, &OptionArgument(value.clone()))?)
}

/// The objects of a class in a list or tuple; `all` and `each` say what they are.
pub fn objects<'py, T: PyClass>(
    what: &str,
    value: &Bound<'py, PyAny>,
    (all, each): (&str, &str),
) -> PyResult<Vec<Bound<'py, T>>> {
    let items: Vec<Bound<'py, PyAny>> = if let Ok(list) = value.cast::<PyList>() {
        list.iter().collect()
    } else if let Ok(items) = value.cast::<PyTuple>() {
        items.iter().collect()
    } else {
        let other = type_name(value);
        return Err(type_error(format!("{what} must be a list or tuple of {all}, not {other}")));
    };
    let object = |(at, item): (usize, Bound<'py, PyAny>)| {
        item.cast_into::<T>().map_err(|error| {
            let other = type_name(&error.into_inner());
            type_error(format!("{what}[{at}] must be {each}, not {other}"))
        })
    };
    items.into_iter().enumerate().map(object).collect()
}

/// The bin names of a read; `each` checks every one.
pub fn bins(value: &Bound<'_, PyAny>, mut each: impl FnMut(&str)) -> PyResult<()> {
    let mut name = |name: &Bound<'_, PyAny>| bin_name(name).map(&mut each);
    if let Ok(list) = value.cast::<PyList>() {
        return list.iter().try_for_each(|item| name(&item));
    }
    if let Ok(items) = value.cast::<PyTuple>() {
        return items.iter().try_for_each(|item| name(&item));
    }
    Err(type_error(format!("bins must be a list or tuple of bin names, not {}", type_name(value))))
}
