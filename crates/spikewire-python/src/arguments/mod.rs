//! Arguments of calls, checked before anything is encoded.
//!
//! | module | contents |
//! |---|---|
//! | here | arguments of any kind of call: seconds, counts, texts |
//! | [`flags`] | boolean arguments |
//! | `option` | the value of an option by name |

pub mod flags;
mod option;

pub use crate::bridge::keywords::text;
pub use option::OptionArgument;

use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBool, PyDelta, PyDeltaAccess, PyDict, PyInt, PyList, PyString, PyTuple};

use spikewire_options::parse;

use crate::errors::{
    LazyRepr, invalid_argument, repr_of, type_error, type_name, utf8, value_error,
};

/// An argument for which an explicit `None` differs from leaving it out.
pub enum Argument<'py> {
    Absent,
    Present(Bound<'py, PyAny>),
}

/// Rejects keywords that a verb does not have; the error names those that it has.
#[inline]
pub fn no_unknown(verb: &str, unknown: Option<&Bound<'_, PyDict>>, known: &str) -> PyResult<()> {
    match unknown {
        None => Ok(()),
        Some(unknown) => unknown_keyword(verb, unknown, known),
    }
}

#[cold]
fn unknown_keyword(verb: &str, unknown: &Bound<'_, PyDict>, known: &str) -> PyResult<()> {
    let Some(name) = unknown.keys().iter().next() else { return Ok(()) };
    Err(type_error(format!(
        "{verb}() got an unexpected keyword argument {}; there are: {known}",
        repr_of(&name)
    )))
}

impl<'py> FromPyObject<'_, 'py> for Argument<'py> {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self::Present(value.to_owned()))
    }
}

/// A number of seconds, finite and not negative.
pub fn seconds(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Duration> {
    if let Ok(delta) = value.cast::<PyDelta>() {
        let whole = i64::from(delta.get_days()) * 86_400 + i64::from(delta.get_seconds());
        let whole = u64::try_from(whole).map_err(|_| {
            value_error(format!("{what} must not be negative, got {}", repr_of(value)))
        })?;
        return Ok(Duration::new(whole, delta.get_microseconds() as u32 * 1000));
    }
    let number = if value.is_instance_of::<PyBool>() {
        None
    } else if value.is_instance_of::<PyInt>() {
        // An integer too large for a float is out of bounds as well.
        Some(value.extract().unwrap_or(f64::INFINITY))
    } else {
        value.extract::<f64>().ok()
    };
    let Some(number) = number else {
        return Err(type_error(format!(
            "{what} must be seconds as a number or a timedelta, not {}",
            type_name(value)
        )));
    };
    let span = parse::seconds(what, number, LazyRepr(value)).map_err(invalid_argument)?;
    if number >= LONG_TIMEOUT && value.is_instance_of::<PyInt>() && is_limit_of_call(what) {
        warn_of_milliseconds(what, value)?;
    }
    Ok(span)
}

/// From how many seconds on an int is likely meant as milliseconds, as other clients have them. The
/// drop-ins convert those, to floats.
const LONG_TIMEOUT: f64 = 1000.0;

fn is_limit_of_call(what: &str) -> bool {
    matches!(what, "timeout" | "socket_timeout" | "connect_timeout")
}

/// Warns once that timeouts are in seconds.
#[cold]
fn warn_of_milliseconds(what: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    static WARNED: AtomicBool = AtomicBool::new(false);
    if WARNED.swap(true, Relaxed) {
        return Ok(());
    }
    let py = value.py();
    let message = format!(
        "{what}={}: timeouts are in seconds; if that is meant, pass a float or a timedelta",
        repr_of(value)
    );
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &CString::new(message)?, 1)
}

/// An integer within bounds.
pub fn count(what: &str, value: &Bound<'_, PyAny>, min: u64, max: u64) -> PyResult<u64> {
    if !value.is_instance_of::<PyInt>() || value.is_instance_of::<PyBool>() {
        return Err(type_error(format!("{what} must be int, not {}", type_name(value))));
    }
    parse::count(what, value.extract().ok(), (min, max), LazyRepr(value)).map_err(invalid_argument)
}

/// The maximum number of submitted calls in flight.
pub fn submit_limit(value: &Bound<'_, PyAny>) -> PyResult<usize> {
    Ok(count("submit_limit", value, 1, 1_000_000)? as usize)
}

/// The default of that.
pub const SUBMIT_LIMIT: usize = 2048;

/// A URL without what it says about users, for messages.
fn redacted_url(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{:?}", format!("{scheme}://…@{rest}")),
        _ => format!("{url:?}"),
    }
}

/// How an argument with addresses is called.
#[derive(Debug)]
pub struct Hosts {
    /// The argument.
    pub names: &'static str,
    /// One of the addresses.
    pub name: &'static str,
    /// An address.
    pub example: &'static str,
    /// The class that opens a URL.
    pub opener: &'static str,
}

impl Hosts {
    /// The addresses as one comma-separated string, from a `str` or a list of `str`.
    pub fn join(&self, value: &Bound<'_, PyAny>) -> PyResult<String> {
        let Self { names, name, example, opener } = self;
        if let Ok(hosts) = value.cast::<PyString>() {
            let hosts = utf8(names, hosts)?;
            if hosts.contains("://") {
                let url = redacted_url(hosts);
                return Err(value_error(format!(
                    "{names} are addresses such as {example:?}; a URL is for \
                     {opener}.from_url({url}) or Async{opener}.from_url"
                )));
            }
            return Ok(hosts.to_owned());
        }
        if !value.is_instance_of::<PyList>() && !value.is_instance_of::<PyTuple>() {
            return Err(type_error(format!(
                "{names} must be a str such as {example:?} or a list of them, not {}",
                type_name(value)
            )));
        }
        let items: Vec<Bound<'_, PyAny>> = value.try_iter()?.collect::<PyResult<_>>()?;
        check_pairs(name, value, &items)?;
        let each = format!("each {name}");
        let hosts = items.iter().map(|item| text(&each, item));
        Ok(hosts.collect::<PyResult<Vec<&str>>>()?.join(","))
    }
}

/// Refuses a pair of host and port, alone or in a list, and says how it is written.
fn check_pairs(what: &str, whole: &Bound<'_, PyAny>, items: &[Bound<'_, PyAny>]) -> PyResult<()> {
    for pair in std::iter::once(whole).chain(items) {
        let Ok((host, port)) = pair.extract::<(PyBackedStr, u16)>() else { continue };
        let address =
            if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") };
        return Err(type_error(format!(
            "each {what} must be str: write {address:?} instead of {}",
            repr_of(pair)
        )));
    }
    Ok(())
}
