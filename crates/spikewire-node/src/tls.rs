//! Parses TLS options from an object with the names of `tls.connect`.

use std::path::PathBuf;

use spikewire_transport::tls::{Pem, RevocationCheck, TlsOptions, TlsValue};

use crate::arguments::{OptionArgument, flag, text};
use crate::errors::kind_name;
use crate::js::{Failure, Result, Type, Value};

/// All option names.
const NAMES: [&str; 10] = [
    "ca",
    "cert",
    "crl",
    "crlCheck",
    "key",
    "passphrase",
    "rejectUnauthorized",
    "servername",
    "systemCa",
    "verifyHostname",
];

impl TlsValue for OptionArgument<'_> {
    fn tls(&self, _: &str) -> Result<Option<TlsOptions>> {
        options(self.0)
    }
}

/// Parses the option `tls`: a boolean, or an object. Certificates are parsed when connecting.
fn options(value: Value<'_>) -> Result<Option<TlsOptions>> {
    let mut options = TlsOptions::default();
    if let Some(encrypted) = value.boolean() {
        return Ok(encrypted.then_some(options));
    }
    if value.kind() != Type::Object || value.is_array() {
        let kind = kind_name(value);
        return Err(Failure::of_type(format!("tls must be boolean or an object, not {kind}")));
    }
    let (mut certificate, mut key) = (None, None);
    let names = value.own_names()?;
    for at in 0..names.len()? {
        let name = names.element(at)?;
        let Some(value) = value.get(name)?.present() else { continue };
        let name = text("an entry of tls", name)?;
        let what = format!("tls.{name}");
        match name.as_str() {
            "ca" => options.authorities = pems(&what, value)?,
            "systemCa" => options.system_authorities = Some(flag(&what, value)?),
            "cert" => certificate = Some(pem(&what, value)?),
            "key" => key = Some(pem(&what, value)?),
            "passphrase" => options.key_password = Some(text(&what, value)?.into()),
            "crl" => options.revocation_lists = pems(&what, value)?,
            "crlCheck" => {
                options.revocation_check = RevocationCheck::parse(&what, &text(&what, value)?)?;
            }
            "servername" => options.server_name = Some(text(&what, value)?),
            "verifyHostname" => options.verify_hostname = flag(&what, value)?,
            "rejectUnauthorized" => options.verify = flag(&what, value)?,
            _ => {
                let names = NAMES.join(", ");
                return Err(Failure::of_type(format!(
                    "unknown entry {name} of tls; there are: {names}"
                )));
            }
        }
    }
    options.identity = match (certificate, key) {
        (None, None) => None,
        (Some(certificate), Some(key)) => Some((certificate, key)),
        _ => return Err(Failure::of_range("tls.cert and tls.key go together")),
    };
    if options.key_password.is_some() && options.identity.is_none() {
        return Err(Failure::of_range("tls.passphrase goes with tls.key"));
    }
    Ok(Some(options))
}

/// PEM files: one, or an array of them.
fn pems(what: &str, value: Value<'_>) -> Result<Vec<Pem>> {
    if !value.is_array() {
        return Ok(vec![pem(what, value)?]);
    }
    let authorities: Vec<Pem> =
        (0..value.len()?).map(|at| pem(what, value.element(at)?)).collect::<Result<_>>()?;
    if authorities.is_empty() {
        return Err(Failure::of_range(format!("{what} must not be empty")));
    }
    Ok(authorities)
}

/// A PEM file: its contents as text or bytes, or its path.
fn pem(what: &str, value: Value<'_>) -> Result<Pem> {
    if let Some(bytes) = value.with_bytes(<[u8]>::to_vec) {
        return Ok(Pem::Bytes(bytes));
    }
    if value.kind() != Type::String {
        let kind = kind_name(value);
        return Err(Failure::of_type(format!(
            "{what} must be a string or a Buffer in PEM format, or the path of a file, not {kind}"
        )));
    }
    let text = text(what, value)?;
    if text.contains("-----BEGIN ") {
        return Ok(Pem::Bytes(text.into_bytes()));
    }
    let path = PathBuf::from(text);
    if path.is_file() {
        return Ok(Pem::File(path));
    }
    // The message must not contain the text, which may be a secret.
    Err(Failure::of_range(format!(
        "{what} must be the contents of a PEM file, or the path of one: this text is neither"
    )))
}
