//! Options of encrypted connections as a program gives them: nothing is read yet.

use std::fmt;
use std::path::PathBuf;

/// Certificates or a key in PEM format.
#[derive(Clone, PartialEq, Eq)]
pub enum Pem {
    /// In this file.
    File(PathBuf),
    /// Here.
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

/// Options of encrypted connections. By default, a server is trusted whose certificate was signed
/// by an authority that the system trusts, and is for the name or address by which it is reached.
#[derive(Debug, Clone)]
pub struct TlsOptions {
    /// Authorities that are trusted: certificates, one or more.
    pub authorities: Vec<Pem>,
    /// Whether those of the system are trusted, too; `None`: if there are no others.
    pub system_authorities: Option<bool>,
    /// The client's certificate with those that lead to an authority, and its key.
    pub identity: Option<(Pem, Pem)>,
    /// Whether the server's certificate has to be for the server's name. Without that, whoever has
    /// any certificate of a trusted authority can pass for a server.
    pub verify_hostname: bool,
    /// The name that the certificates of all servers are for, instead of their own names or
    /// addresses.
    pub server_name: Option<String>,
}

impl Default for TlsOptions {
    fn default() -> Self {
        Self {
            authorities: Vec::new(),
            system_authorities: None,
            identity: None,
            verify_hostname: true,
            server_name: None,
        }
    }
}

/// Options that cannot be used, in words that name the culprit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsError(pub(super) String);

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for TlsError {}
