//! TLS options.

use std::io;

use rustls::pki_types::DnsName;

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
    /// Validates the options.
    pub(crate) fn check(&self) -> io::Result<()> {
        if DnsName::try_from(self.name.as_str()).is_err() {
            return Err(invalid(format!("tls: {:?} is no name of a host", self.name)));
        }
        Ok(())
    }
}
