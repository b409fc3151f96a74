//! TLS options as a program sets them; nothing is read yet.

use std::fmt;
use std::path::PathBuf;

use spikewire_options::OptionValue;

/// Certificates or a key in PEM format.
#[derive(Clone, PartialEq, Eq)]
pub enum Pem {
    /// In this file.
    File(PathBuf),
    /// In memory.
    Bytes(Vec<u8>),
}

impl fmt::Debug for Pem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
            // It may be a private key.
            Self::Bytes(_) => f.write_str("Bytes(..)"),
        }
    }
}

/// Options of encrypted connections. By default, a server is trusted if its certificate was signed
/// by an authority that the system trusts and is valid for the name or address by which the server
/// is reached.
#[derive(Debug, Clone)]
pub struct TlsOptions {
    /// Trusted authorities: one or more certificates.
    pub authorities: Vec<Pem>,
    /// Whether the system's authorities are trusted as well; `None` means only if there are no
    /// others.
    pub system_authorities: Option<bool>,
    /// The client's certificate chain and its key.
    pub identity: Option<(Pem, Pem)>,
    /// Whether the server's certificate must be valid for the server's name. If not, whoever has
    /// any certificate signed by a trusted authority can pose as the server.
    pub verify_hostname: bool,
    /// Whether the server's certificate is verified at all. If not, anybody can pose as the server.
    pub verify: bool,
    /// The name in the certificates of all servers, if it differs from their own names or
    /// addresses.
    pub server_name: Option<String>,
}

/// An option's value in a host language that may describe encryption. Each host has its own names for
/// that, those of its standard library.
pub trait TlsValue: OptionValue {
    /// Encryption of connections, if any.
    fn tls(&self, name: &str) -> Result<Option<TlsOptions>, Self::Error>;
}

#[cfg(feature = "literal")]
impl TlsValue for spikewire_options::Literal {
    fn tls(&self, name: &str) -> Result<Option<TlsOptions>, Self::Error> {
        Ok(self.flag(name)?.then(TlsOptions::default))
    }
}

impl Default for TlsOptions {
    fn default() -> Self {
        Self {
            authorities: Vec::new(),
            system_authorities: None,
            identity: None,
            verify_hostname: true,
            verify: true,
            server_name: None,
        }
    }
}

/// Options that cannot be used; the message names the wrong one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsError(pub(super) String);

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TlsError {}
