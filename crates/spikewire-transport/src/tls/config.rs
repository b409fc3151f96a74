//! TLS options, read and checked.

use std::net::IpAddr;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};

use super::UnitLength;
use super::options::{Pem, TlsError, TlsOptions};
use super::pem::{certificates, named, read_key, revocation_lists};
use super::verifier::Verifier;

/// How a connection is encrypted, and which server name it must verify.
#[derive(Debug, Clone)]
pub struct Encryption {
    /// The rustls configuration; shared by all connections of a client.
    pub config: Arc<ClientConfig>,
    /// The name that the server's certificate must be valid for; sent to the server unless it is an
    /// address.
    pub name: ServerName<'static>,
    /// Limits records to units, if the server needs that.
    pub(super) unit: Option<UnitLength>,
}

impl Encryption {
    /// The same, for a server that needs records that end with each unit. Given bytes that begin a
    /// unit (a request), `length` returns how many belong to it, 0 if that is not known yet.
    #[must_use]
    pub fn with_units(self, length: UnitLength) -> Self {
        Self { unit: Some(length), ..self }
    }
}

/// Options that were read and checked; they encrypt the connections of one client.
#[derive(Debug, Clone)]
pub struct Tls {
    config: Arc<ClientConfig>,
    name: Option<ServerName<'static>>,
    identified: bool,
}

impl Tls {
    /// Reads the files and checks everything.
    pub fn new(options: &TlsOptions) -> Result<Self, TlsError> {
        let TlsOptions { authorities, system_authorities, identity, server_name, .. } = options;
        let verify = options.verify;
        let mut roots = RootCertStore::empty();
        for authority in authorities {
            trust(&mut roots, authority)?;
        }
        if system_authorities.unwrap_or(authorities.is_empty()) && verify {
            trust_system(&mut roots)?;
        }
        if roots.is_empty() && verify {
            return Err(TlsError("no authority is trusted: name one for TLS".to_owned()));
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        if !verify && !options.revocation_lists.is_empty() {
            return Err(TlsError(
                "lists of revoked certificates and certificates that are not verified exclude each \
                 other"
                    .to_owned(),
            ));
        }
        let verifier = if verify {
            let lists = revocation_lists(&options.revocation_lists)?;
            Verifier::new(roots, provider.clone(), lists, options)?
        } else {
            Verifier::of_keys_only(provider.clone())
        };
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsError(format!("TLS: {error}")))?
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(verifier));
        let config = match identity {
            None => builder.with_no_client_auth(),
            Some((chain, key)) => {
                let certificates = certificates(chain, "client certificate")?;
                let secret = read_key(key, options.key_password.as_ref())?;
                builder.with_client_auth_cert(certificates, secret).map_err(|error| {
                    let (chain, key) = (named(chain), named(key));
                    TlsError(format!(
                        "the client certificate {chain} and the private key {key} cannot be used: {error}"
                    ))
                })?
            }
        };
        let name = server_name.as_deref().map(name_of).transpose()?;
        Ok(Self { config: Arc::new(config), name, identified: identity.is_some() })
    }

    /// Whether the client has a certificate.
    pub fn has_identity(&self) -> bool {
        self.identified
    }

    /// Encryption for a server reached by this address.
    pub fn to_address(&self, address: IpAddr) -> Encryption {
        let name = self.name.clone().unwrap_or_else(|| ServerName::IpAddress(address.into()));
        Encryption { config: self.config.clone(), name, unit: None }
    }

    /// Encryption for a server reached by this name (or an address, as text).
    pub fn to_host(&self, host: &str) -> Result<Encryption, TlsError> {
        let name = self.name.clone().map_or_else(|| name_of(host), Ok)?;
        Ok(Encryption { config: self.config.clone(), name, unit: None })
    }
}

fn name_of(name: &str) -> Result<ServerName<'static>, TlsError> {
    let why = |_| TlsError(format!("{name:?} is not a valid server name"));
    ServerName::try_from(name.to_owned()).map_err(why)
}

fn trust(roots: &mut RootCertStore, authority: &Pem) -> Result<(), TlsError> {
    for certificate in certificates(authority, "authority certificate")? {
        roots.add(certificate).map_err(|error| {
            TlsError(format!(
                "the authority certificate {} cannot be used: {error}",
                named(authority)
            ))
        })?;
    }
    Ok(())
}

fn trust_system(roots: &mut RootCertStore) -> Result<(), TlsError> {
    let system = rustls_native_certs::load_native_certs();
    // Some systems have unusable certificates among the others.
    let (added, _) = roots.add_parsable_certificates(system.certs);
    if added == 0 {
        let why = system.errors.first().map_or_else(String::new, |error| format!(": {error}"));
        return Err(TlsError(format!("the system has no authority certificates{why}")));
    }
    Ok(())
}
