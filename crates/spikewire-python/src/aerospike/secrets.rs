//! Keeps secrets out of pickled options. Whoever unpickles them takes the secrets from elsewhere.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::value_error;

/// The environment variable with the password for a process that does not have the client.
/// `from_url` reads it too.
const PASSWORD: &str = "SPIKEWIRE_AEROSPIKE_PASSWORD";

/// The options without secrets: without a password, and without a key that is not in a file.
pub fn left_out<'py>(given: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let plain = given.copy()?;
    if plain.contains("password")? {
        plain.del_item("password")?;
    }
    if let Some((tls, key)) = of_tls(&plain, "private_key")?
        && key.is_instance_of::<PyBytes>()
    {
        let tls = tls.copy()?;
        tls.del_item("private_key")?;
        plain.set_item("tls", tls)?;
    }
    Ok(plain)
}

/// The options of a pickle, completed with the secrets that were left out.
pub fn put_back<'py>(pickled: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let py = pickled.py();
    let whole = pickled.copy()?;
    if let Some(user) = given(pickled, "user")?
        && given(pickled, "password")?.is_none()
    {
        let variables = py.import("os")?.getattr("environ")?;
        let password = variables.call_method1(intern!(py, "get"), (PASSWORD,))?;
        if password.is_none() {
            return Err(value_error(format!(
                "the password of user {} is in no pickle: without the client it came from, this \
                 process takes it from the variable {PASSWORD}, which is not there",
                user.repr()?
            )));
        }
        whole.set_item("password", password)?;
    }
    if of_tls(pickled, "certificate")?.is_some() && of_tls(pickled, "private_key")?.is_none() {
        return Err(value_error(
            "a private key that was given as bytes is in no pickle: give tls the path of its file",
        ));
    }
    Ok(whole)
}

fn given<'py>(options: &Bound<'py, PyDict>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    Ok(options.get_item(name)?.filter(|value| !value.is_none()))
}

/// `tls` if it is a dict with this entry, and the entry.
fn of_tls<'py>(
    options: &Bound<'py, PyDict>,
    name: &str,
) -> PyResult<Option<(Bound<'py, PyDict>, Bound<'py, PyAny>)>> {
    let Some(Ok(tls)) = given(options, "tls")?.map(Bound::cast_into::<PyDict>) else {
        return Ok(None);
    };
    let entry = given(&tls, name)?;
    Ok(entry.map(|entry| (tls, entry)))
}
