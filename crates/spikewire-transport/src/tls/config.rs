//! TLS options, read and checked.

use std::net::IpAddr;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

use super::UnitLength;
use super::options::{Pem, TlsError, TlsOptions};

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
        let TlsOptions { authorities, system_authorities, identity, verify_hostname, .. } = options;
        let TlsOptions { server_name, verify, .. } = options;
        let mut roots = RootCertStore::empty();
        for authority in authorities {
            trust(&mut roots, authority)?;
        }
        if system_authorities.unwrap_or(authorities.is_empty()) && *verify {
            trust_system(&mut roots)?;
        }
        if roots.is_empty() && *verify {
            return Err(TlsError("no authority is trusted: name one for TLS".to_owned()));
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier: Arc<dyn ServerCertVerifier> = if *verify {
            Arc::new(Verifier::new(roots, provider.clone(), *verify_hostname)?)
        } else {
            Arc::new(Unverified(provider.clone()))
        };
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| TlsError(format!("TLS: {error}")))?
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let config = match identity {
            None => builder.with_no_client_auth(),
            Some((chain, key)) => {
                let (certificates, secret) =
                    (certificates(chain, "client certificate")?, read_key(key)?);
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

fn certificates(pem: &Pem, what: &str) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let bytes = read(pem, what)?;
    let list: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes).collect();
    match list {
        Ok(list) if !list.is_empty() => Ok(list),
        Ok(_) => Err(TlsError(format!("there is no certificate in PEM format {}", named(pem)))),
        Err(error) => Err(TlsError(format!("the {what} {} cannot be read: {error}", named(pem)))),
    }
}

fn read_key(pem: &Pem) -> Result<PrivateKeyDer<'static>, TlsError> {
    let bytes = read(pem, "private key")?;
    PrivateKeyDer::from_pem_slice(&bytes).map_err(|error| {
        let encrypted = bytes.windows(9).any(|window| window == b"ENCRYPTED");
        let why = if encrypted {
            "it is encrypted, which is not supported".to_owned()
        } else {
            error.to_string()
        };
        TlsError(format!("there is no private key in PEM format {}: {why}", named(pem)))
    })
}

fn read(pem: &Pem, what: &str) -> Result<Vec<u8>, TlsError> {
    match pem {
        Pem::Bytes(bytes) => Ok(bytes.clone()),
        Pem::File(path) => std::fs::read(path).map_err(|error| {
            TlsError(format!("the {what} cannot be read from {}: {error}", path.display()))
        }),
    }
}

fn named(pem: &Pem) -> String {
    match pem {
        Pem::File(path) => format!("in {}", path.display()),
        Pem::Bytes(_) => "in the bytes given".to_owned(),
    }
}

/// Accepts every certificate of whoever has its key.
#[derive(Debug)]
struct Unverified(Arc<CryptoProvider>);

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Verifies certificates as usual, but perhaps not the name.
#[derive(Debug)]
struct Verifier {
    usual: Arc<WebPkiServerVerifier>,
    names: bool,
}

impl Verifier {
    fn new(
        roots: RootCertStore,
        provider: Arc<CryptoProvider>,
        names: bool,
    ) -> Result<Self, TlsError> {
        let usual = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
        let usual = usual.map_err(|error| TlsError(format!("TLS: {error}")))?;
        Ok(Self { usual, names })
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        status: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        match self.usual.verify_server_cert(certificate, others, name, status, now) {
            // The name is checked only after everything else was found valid.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if !self.names => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.usual.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.usual.supported_verify_schemes()
    }
}
