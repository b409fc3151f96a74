//! TLS options.

use std::io;

use rustls::pki_types::DnsName;
use spikewire_options::{Form, OptionValue};

use crate::error::invalid;

/// TLS options. Certificates are generated for the cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsOptions {
    /// The TLS name of all nodes, which they advertise and which their certificate is issued for,
    /// in addition to the address that they listen on.
    pub name: String,
    /// Whether clients must present a certificate of the same authority.
    pub client_certificates: bool,
}

impl Default for TlsOptions {
    fn default() -> Self {
        Self { name: "spikewire".to_owned(), client_certificates: false }
    }
}

impl TlsOptions {
    /// Reads from a host whether connections are encrypted, or how.
    pub(crate) fn read<V: OptionValue>(name: &str, value: &V) -> Result<Option<Self>, V::Error> {
        let mut tls = Self::default();
        match value.form() {
            Form::Flag => return Ok(value.flag(name)?.then_some(tls)),
            Form::Map => {}
            _ => {
                let map = V::MAP;
                return Err(value.wrong_type(format_args!("{name} must be boolean or {map}")));
            }
        }
        let names = ["client_certificates", "name"];
        for (option, value) in value.options(name, &format!("{name}: unknown option"), &names)? {
            let what = format!("{name}: {option}");
            match option {
                "name" => tls.name = value.text(&what)?,
                _ => tls.client_certificates = value.flag(&what)?,
            }
        }
        Ok(Some(tls))
    }

    /// Validates the options.
    pub(crate) fn check(&self) -> io::Result<()> {
        if DnsName::try_from(self.name.as_str()).is_err() {
            return Err(invalid(format!("tls: {:?} is no name of a host", self.name)));
        }
        Ok(())
    }
}
