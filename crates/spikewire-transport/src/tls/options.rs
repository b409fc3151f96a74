//! TLS options as a program sets them; nothing is read yet.

use std::fmt;
use std::path::PathBuf;

use spikewire_options::{Form, InvalidArgument, Literal, OptionValue, Secret, parse};

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
    /// The password of the key, if it is encrypted (PKCS #8).
    pub key_password: Option<Secret>,
    /// Lists of revoked certificates, which the authorities publish. If there are any, each
    /// certificate that is checked must be covered by one that has not expired.
    pub revocation_lists: Vec<Pem>,
    /// Which certificates are looked up in these lists.
    pub revocation_check: RevocationCheck,
    /// Whether the server's certificate must be valid for the server's name. If not, whoever has
    /// any certificate signed by a trusted authority can pose as the server.
    pub verify_hostname: bool,
    /// Whether the server's certificate is verified at all. If not, anybody can pose as the server.
    pub verify: bool,
    /// The name in the certificates of all servers, if it differs from their own names or
    /// addresses.
    pub server_name: Option<String>,
}

/// Which certificates of a server's chain are looked up in the lists of revoked ones.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RevocationCheck {
    /// All, except that of the trusted authority.
    #[default]
    Chain,
    /// The server's own.
    Leaf,
}

impl RevocationCheck {
    /// Those with a name.
    pub const NAMES: [(&str, Self); 2] = [("chain", Self::Chain), ("leaf", Self::Leaf)];

    /// The one with this name; `what` is the option.
    pub fn parse(what: &str, text: &str) -> Result<Self, InvalidArgument> {
        parse::named(what, &Self::NAMES, text)
    }
}

/// An option's value in a host language that may describe encryption. Each host has its own names for
/// that, those of its standard library.
pub trait TlsValue: OptionValue {
    /// Encryption of connections, if any.
    fn tls(&self, name: &str) -> Result<Option<TlsOptions>, Self::Error>;
}

/// The entries, by their names in URLs and variables.
const ENTRIES: [&str; 10] = [
    "ca",
    "certificate",
    "crl_check",
    "crls",
    "private_key",
    "private_key_password",
    "server_name",
    "system_ca",
    "verify",
    "verify_hostname",
];

/// From URLs and variables, which have the paths of files.
impl TlsValue for Literal {
    fn tls(&self, name: &str) -> Result<Option<TlsOptions>, Self::Error> {
        let mut options = TlsOptions::default();
        if self.form() != Form::Map {
            return Ok(self.flag(name)?.then_some(options));
        }
        let (mut certificate, mut key) = (None, None);
        for (name, value) in self.options(name, "unknown entry of tls", &ENTRIES)? {
            if !value.has_value() {
                continue;
            }
            let file = || Ok::<_, InvalidArgument>(Pem::File(value.text(name)?.into()));
            match name {
                "ca" => options.authorities = vec![file()?],
                "certificate" => certificate = Some(file()?),
                "crl_check" => {
                    options.revocation_check = RevocationCheck::parse(name, &value.text(name)?)?;
                }
                "crls" => options.revocation_lists = vec![file()?],
                "private_key" => key = Some(file()?),
                "private_key_password" => options.key_password = Some(value.text(name)?.into()),
                "server_name" => options.server_name = Some(value.text(name)?),
                "system_ca" => options.system_authorities = Some(value.flag(name)?),
                "verify" => options.verify = value.flag(name)?,
                _ => options.verify_hostname = value.flag(name)?,
            }
        }
        options.identity = match (certificate, key) {
            (None, None) => None,
            (Some(certificate), Some(key)) => Some((certificate, key)),
            _ => {
                let message = "tls: certificate and private_key go together";
                return Err(InvalidArgument::of_value(message));
            }
        };
        if options.key_password.is_some() && options.identity.is_none() {
            let message = "tls: private_key_password goes with private_key";
            return Err(InvalidArgument::of_value(message));
        }
        Ok(Some(options))
    }
}

impl Default for TlsOptions {
    fn default() -> Self {
        Self {
            authorities: Vec::new(),
            system_authorities: None,
            identity: None,
            key_password: None,
            revocation_lists: Vec::new(),
            revocation_check: RevocationCheck::default(),
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
