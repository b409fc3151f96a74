//! How connections are encrypted, from a keyword argument.

use std::path::PathBuf;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};
use spikewire_transport::tls::{Pem, RevocationCheck, TlsOptions};

use super::errors::{type_error, type_name, value_error};
use super::keywords::{flag, optional, text};

/// Parses `tls`: a bool, or a dict of options.
pub fn options(value: &Bound<'_, PyAny>) -> PyResult<Option<TlsOptions>> {
    if value.is_none() {
        return Ok(None);
    }
    let mut options = TlsOptions::default();
    if let Ok(entries) = value.cast::<PyDict>() {
        let (mut certificate, mut key) = (None, None);
        for (name, value) in entries {
            let name: String = name.extract().map_err(|_| wrong(&name))?;
            let what = format!("tls[{name:?}]");
            match name.as_str() {
                "ca" => options.authorities.extend(optional(&what, &value, pem)?),
                "system_ca" => options.system_authorities = optional(&what, &value, flag)?,
                "certificate" => certificate = optional(&what, &value, pem)?,
                "private_key" => key = optional(&what, &value, pem)?,
                "verify" => options.verify = flag(&what, &value)?,
                "private_key_password" => {
                    let secret =
                        |what: &str, value: &Bound<'_, PyAny>| Ok(text(what, value)?.into());
                    options.key_password = optional(&what, &value, secret)?;
                }
                "crls" => options.revocation_lists = pems(&what, &value)?,
                "crl_check" => {
                    let check = RevocationCheck::parse(&what, text(&what, &value)?);
                    options.revocation_check =
                        check.map_err(|error| value_error(error.message().to_owned()))?;
                }
                "verify_hostname" => options.verify_hostname = flag(&what, &value)?,
                "server_name" => {
                    let text =
                        |what: &str, value: &Bound<'_, PyAny>| Ok(text(what, value)?.to_owned());
                    options.server_name = optional(&what, &value, text)?;
                }
                _ => {
                    return Err(type_error(format!(
                        "unknown entry {name:?} of tls; there are: ca, certificate, crl_check, crls, \
                         private_key, private_key_password, server_name, system_ca, verify, \
                         verify_hostname"
                    )));
                }
            }
        }
        options.identity = match (certificate, key) {
            (None, None) => None,
            (Some(certificate), Some(key)) => Some((certificate, key)),
            _ => return Err(value_error("tls: certificate and private_key go together")),
        };
        if options.key_password.is_some() && options.identity.is_none() {
            return Err(value_error("tls: private_key_password goes with private_key"));
        }
    } else if !value.extract::<bool>().map_err(|_| wrong(value))? {
        return Ok(None);
    }
    Ok(Some(options))
}

fn wrong(value: &Bound<'_, PyAny>) -> PyErr {
    type_error(format!("tls must be True, False or a dict of str, not {}", type_name(value)))
}

/// PEM data of one file, or of several in a list or tuple.
fn pems(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<Pem>> {
    if value.is_none() {
        return Ok(Vec::new());
    }
    if !value.is_instance_of::<PyList>() && !value.is_instance_of::<PyTuple>() {
        return Ok(vec![pem(name, value)?]);
    }
    value.try_iter()?.map(|value| pem(name, &value?)).collect()
}

/// PEM data, given as a path or as the contents of such a file.
fn pem(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Pem> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Pem::Bytes(bytes.as_bytes().to_vec()));
    }
    value.extract::<PathBuf>().map(Pem::File).map_err(|_| {
        let kind = type_name(value);
        type_error(format!("{name} must be the path of a file or the bytes of one, not {kind}"))
    })
}
