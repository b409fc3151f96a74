//! TLS: the nodes' certificates, and the verification of clients.
//!
//! | module | what it holds |
//! |---|---|
//! | [`certificates`] | an authority for one cluster, and files with what clients need |
//! | [`options`] | the name of the nodes, and whether clients need a certificate |
//! | [`stream`] | one encrypted connection over a socket that does not wait |

pub mod certificates;
pub mod options;
pub mod stream;

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

use self::certificates::{Certificates, IssuedCertificates};
use self::options::TlsOptions;
use self::stream::TlsStream;

/// TLS state shared by all connections of a cluster.
#[derive(Debug)]
pub struct Tls {
    /// The name in the nodes' certificate, which they advertise to clients.
    pub name: String,
    /// The files for clients.
    pub certificates: Certificates,
    config: Arc<ServerConfig>,
}

impl Tls {
    /// Generates certificates for nodes that listen on `bind`, and writes the files for clients.
    pub fn new(options: &TlsOptions, bind: IpAddr) -> io::Result<Self> {
        let IssuedCertificates { files, authority, chain, key } =
            IssuedCertificates::new(&options.name, bind)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?;
        let builder = if options.client_certificates {
            let mut roots = RootCertStore::empty();
            roots.add(authority).map_err(io::Error::other)?;
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .build()
                .map_err(io::Error::other)?;
            builder.with_client_cert_verifier(verifier)
        } else {
            builder.with_no_client_auth()
        };
        let config = builder.with_single_cert(chain, key).map_err(io::Error::other)?;
        Ok(Self { name: options.name.clone(), certificates: files, config: Arc::new(config) })
    }

    /// The state of a new connection.
    pub fn accept(&self) -> io::Result<Box<TlsStream>> {
        TlsStream::new(self.config.clone()).map(Box::new)
    }
}
