//! Keeps secrets out of pickled options. Whoever unpickles them takes the secrets from elsewhere.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::bridge::cached::intern;
use crate::errors::value_error;

/// The environment variable with the password for a process that does not have the client.
/// `from_url` reads it too.
const PASSWORD: &str = "SPIKEWIRE_AEROSPIKE_PASSWORD";

/// The options without secrets: without a password, and without a key that is not in a file.
pub fn without_secrets<'py>(options: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let plain = options.copy()?;
    if plain.contains("password")? {
        plain.del_item("password")?;
    }
    if let Some((tls, key)) = tls_entry(&plain, "private_key")?
        && key.is_instance_of::<PyBytes>()
    {
        let tls = tls.copy()?;
        tls.del_item("private_key")?;
        plain.set_item("tls", tls)?;
    }
    Ok(plain)
}

/// The options of a pickle, with the secrets that were left out of it.
pub fn with_secrets<'py>(pickled: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let py = pickled.py();
    let options = pickled.copy()?;
    if let Some(user) = option_value(pickled, "user")?
        && option_value(pickled, "password")?.is_none()
    {
        let variables = py.import("os")?.getattr("environ")?;
        let password = variables.call_method1(intern!(py, "get"), (PASSWORD,))?;
        if password.is_none() {
            return Err(value_error(format!(
                "passwords are not pickled: without the client, the password of user {} \
                 must be in the environment variable {PASSWORD}, which is not set",
                user.repr()?
            )));
        }
        options.set_item("password", password)?;
    }
    if tls_entry(pickled, "certificate")?.is_some() && tls_entry(pickled, "private_key")?.is_none()
    {
        return Err(value_error(
            "private keys passed as bytes are not pickled: pass the path of the file in tls",
        ));
    }
    Ok(options)
}

fn option_value<'py>(
    options: &Bound<'py, PyDict>,
    name: &str,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(options.get_item(name)?.filter(|value| !value.is_none()))
}

/// `tls` if it is a dict with this entry, and the entry.
fn tls_entry<'py>(
    options: &Bound<'py, PyDict>,
    name: &str,
) -> PyResult<Option<(Bound<'py, PyDict>, Bound<'py, PyAny>)>> {
    let Some(Ok(tls)) = option_value(options, "tls")?.map(Bound::cast_into::<PyDict>) else {
        return Ok(None);
    };
    let entry = option_value(&tls, name)?;
    Ok(entry.map(|entry| (tls, entry)))
}
