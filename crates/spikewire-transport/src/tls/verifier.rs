//! Verification of a server's certificate.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{VerifierBuilderError, WebPkiServerVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::options::{RevocationCheck, TlsError, TlsOptions};

/// Verifies certificates as usual, but perhaps not the name, or nothing but that the server has the
/// certificate's key.
#[derive(Debug)]
pub struct Verifier {
    provider: Arc<CryptoProvider>,
    usual: Option<Arc<WebPkiServerVerifier>>,
    names: bool,
}

impl Verifier {
    /// One that accepts every certificate.
    pub fn of_keys_only(provider: Arc<CryptoProvider>) -> Self {
        Self { provider, usual: None, names: false }
    }

    /// One that trusts these authorities, and no certificate in the lists.
    pub fn new(
        roots: RootCertStore,
        provider: Arc<CryptoProvider>,
        lists: Vec<CertificateRevocationListDer<'static>>,
        options: &TlsOptions,
    ) -> Result<Self, TlsError> {
        let mut usual =
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone())
                .with_crls(lists)
                .enforce_revocation_expiration();
        if options.revocation_check == RevocationCheck::Leaf {
            usual = usual.only_check_end_entity_revocation();
        }
        let usual = usual.build().map_err(|error| {
            let what = match error {
                VerifierBuilderError::InvalidCrl(_) => "a list of revoked certificates: ",
                _ => "",
            };
            TlsError(format!("TLS: {what}{error}"))
        })?;
        Ok(Self { provider, usual: Some(usual), names: options.verify_hostname })
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
        let Some(usual) = &self.usual else { return Ok(ServerCertVerified::assertion()) };
        match usual.verify_server_cert(certificate, others, name, status, now) {
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
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
