//! The policy for clients of the crate `aerospike`.

use std::sync::Arc;

use aerospike::{AuthMode, ClientPolicy, TlsPolicy};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use crate::access::{Access, Tls};

/// The crate's defaults, with credentials and TLS.
pub fn client_policy(access: &Access) -> Result<ClientPolicy, String> {
    let mut policy = ClientPolicy::default();
    let (user, password) = (access.user.clone(), access.password.clone());
    policy.set_auth_mode(match access.auth.as_str() {
        "" => AuthMode::None,
        "internal" => AuthMode::Internal(user, password),
        "external" => AuthMode::External(user, password),
        "external-insecure" => AuthMode::ExternalInsecure(user, password),
        "pki" => AuthMode::Pki,
        other => return Err(format!("no way to log in is called {other}")),
    });
    if let Some(tls) = &access.tls {
        policy.tls_policy = Some(TlsPolicy::new(Arc::new(encryption(tls)?)));
    }
    Ok(policy)
}

fn encryption(tls: &Tls) -> Result<ClientConfig, String> {
    let mut trusted = RootCertStore::empty();
    if tls.ca.is_empty() {
        for certificate in rustls_native_certs::load_native_certs().certs {
            // Some of the system's certificates may be unusable.
            let _ = trusted.add(certificate);
        }
    } else {
        for certificate in certificates(&tls.ca)? {
            trusted.add(certificate).map_err(|error| format!("{}: {error}", tls.ca))?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(trusted);
    if tls.certificate.is_empty() {
        return Ok(config.with_no_client_auth());
    }
    let key = PrivateKeyDer::from_pem_file(&tls.key);
    let key = key.map_err(|error| format!("{}: {error}", tls.key))?;
    let config = config.with_client_auth_cert(certificates(&tls.certificate)?, key);
    config.map_err(|error| format!("{}: {error}", tls.certificate))
}

fn certificates(path: &str) -> Result<Vec<CertificateDer<'static>>, String> {
    let certificates = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    certificates.map_err(|error: rustls::pki_types::pem::Error| format!("{path}: {error}"))
}
