//! Secure connect bundles: a managed cluster is found by an archive. The node is the server of canned
//! replies, behind a proxy that knows it by the server name of a connection, and a metadata service.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use futures::executor::block_on;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};
use spikewire::cql::{Builder, Kind, Session, Tls, TlsOptions};
use spikewire_cql_server::{Options, Server};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

type Entries = Vec<(&'static str, String)>;

/// A managed cluster of one node.
struct Managed {
    node: Server,
    host_id: String,
    /// The server names of connections to the proxy.
    names: Arc<Mutex<BTreeSet<String>>>,
    entries: Entries,
    folder: PathBuf,
}

impl Managed {
    fn start(test: &str) -> Self {
        let node = Server::start(&Options::default()).unwrap();
        let direct = Session::connect(node.address().to_string()).unwrap();
        let row = direct.execute("SELECT host_id FROM system.local", ()).unwrap().row(0).unwrap();
        let host_id = hyphenated(row.get::<[u8; 16]>("host_id").unwrap());
        let authority = Authority::new();
        let config = Arc::new(authority.server_config());
        let names = Arc::new(Mutex::new(BTreeSet::new()));
        let proxy = listen({
            let (config, names, host_id) = (config.clone(), names.clone(), host_id.clone());
            let node = node.address();
            move |client| pass(client, &config, &names, &host_id, node)
        });
        let metadata = format!(
            r#"{{"version": 1, "contact_info": {{"type": "sni_proxy", "local_dc": "dc1",
                "contact_points": ["{host_id}"], "sni_proxy_address": "{proxy}"}}}}"#
        );
        let service = listen(move |client| reply(client, &config, &metadata));
        let (cert, key) = authority.sign("client");
        let entries = vec![
            ("ca.crt", authority.certificate.clone()),
            ("cert", cert),
            ("key", key),
            ("config.json", service_config(service)),
        ];
        let folder = std::env::temp_dir().join(format!("bundle-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self { node, host_id, names, entries, folder }
    }

    /// Writes an archive with these entries.
    fn write(&self, entries: &[(&'static str, String)]) -> PathBuf {
        let path = self.folder.join("bundle.zip");
        let mut archive = ZipWriter::new(File::create(&path).unwrap());
        for (name, content) in entries {
            archive.start_file(*name, SimpleFileOptions::default()).unwrap();
            archive.write_all(content.as_bytes()).unwrap();
        }
        archive.finish().unwrap();
        path
    }

    /// The archive with another entry, or without one.
    fn write_changed(&self, name: &str, content: Option<&str>) -> PathBuf {
        let mut entries = self.entries.clone();
        match content {
            None => entries.retain(|(known, _)| *known != name),
            Some(content) => {
                let entry = entries.iter_mut().find(|(known, _)| *known == name).unwrap();
                content.clone_into(&mut entry.1);
            }
        }
        self.write(&entries)
    }
}

impl Drop for Managed {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn hyphenated(id: [u8; 16]) -> String {
    let hex = format!("{:032x}", u128::from_be_bytes(id));
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

fn service_config(service: SocketAddr) -> String {
    format!(r#"{{"host": "{}", "port": {}}}"#, service.ip(), service.port())
}

/// Serves each connection in a thread of its own.
fn listen(serve: impl Fn(TcpStream) -> io::Result<()> + Clone + Send + 'static) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let at = listener.local_addr().unwrap();
    thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let serve = serve.clone();
            thread::spawn(move || serve(client));
        }
    });
    at
}

type Secured = StreamOwned<ServerConnection, TcpStream>;

fn accept(client: TcpStream, config: &Arc<ServerConfig>) -> io::Result<Secured> {
    let connection = ServerConnection::new(config.clone()).map_err(io::Error::other)?;
    let mut secured = StreamOwned::new(connection, client);
    while secured.conn.is_handshaking() {
        secured.conn.complete_io(&mut secured.sock)?;
    }
    Ok(secured)
}

/// Passes bytes on to the node that the server name says, in both directions.
fn pass(
    client: TcpStream,
    config: &Arc<ServerConfig>,
    names: &Mutex<BTreeSet<String>>,
    host_id: &str,
    node: SocketAddr,
) -> io::Result<()> {
    let mut secured = accept(client, config)?;
    let name = secured.conn.server_name().unwrap_or_default().to_owned();
    names.lock().unwrap().insert(name.clone());
    if name != host_id {
        return Ok(());
    }
    let mut node = TcpStream::connect(node)?;
    let brief = Some(Duration::from_millis(1));
    secured.sock.set_read_timeout(brief)?;
    node.set_read_timeout(brief)?;
    let mut bytes = vec![0; 1 << 16];
    loop {
        match secured.read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(len) => node.write_all(&bytes[..len])?,
            Err(error) => is_early(error)?,
        }
        match node.read(&mut bytes) {
            Ok(0) => return Ok(()),
            Ok(len) => secured.write_all(&bytes[..len])?,
            Err(error) => is_early(error)?,
        }
    }
}

/// An error, unless there is nothing to read yet.
fn is_early(error: io::Error) -> io::Result<()> {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Ok(()),
        _ => Err(error),
    }
}

/// The metadata service.
fn reply(client: TcpStream, config: &Arc<ServerConfig>, metadata: &str) -> io::Result<()> {
    let mut secured = accept(client, config)?;
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        secured.read_exact(&mut byte)?;
        request.push(byte[0]);
    }
    assert!(request.starts_with(b"GET /metadata HTTP/1.0\r\n"));
    write!(secured, "HTTP/1.0 200 OK\r\nContent-Length: {}\r\n\r\n{metadata}", metadata.len())?;
    secured.conn.send_close_notify();
    secured.flush()
}

/// An authority that signs certificates.
struct Authority {
    certificate: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([]).unwrap();
        params.distinguished_name.push(DnType::CommonName, "an authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap().pem();
        Self { certificate, issuer: Issuer::new(params, key) }
    }

    /// A certificate and its key, as PEM.
    fn sign(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }

    /// For a server with a name that no client knows, whose clients need certificates.
    fn server_config(&self) -> ServerConfig {
        let provider = Arc::new(default_provider());
        let mut roots = RootCertStore::empty();
        let certificate_of = |pem: &str| CertificateDer::from_pem_slice(pem.as_bytes()).unwrap();
        roots.add(certificate_of(&self.certificate)).unwrap();
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider.clone());
        let (certificate, key) = self.sign("proxy.example");
        ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(verifier.build().unwrap())
            .with_single_cert(
                vec![certificate_of(&certificate)],
                PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap(),
            )
            .unwrap()
    }
}

fn builder(bundle: &Path) -> Builder {
    let patient = Duration::from_secs(60);
    let builder = Session::builder().timeout(patient).connect_timeout(patient);
    builder.secure_connect_bundle(bundle.display().to_string())
}

fn no_points() -> Vec<String> {
    Vec::new()
}

const READ: &str = "SELECT release_version FROM system.local";

#[test]
fn sessions_find_the_nodes_by_an_archive() {
    let cluster = Managed::start("finds");
    let bundle = cluster.write(&cluster.entries);
    let session = builder(&bundle).connect(no_points()).unwrap();
    assert_eq!(session.execute(READ, ()).unwrap().len(), 1);
    block_on(async {
        let session = builder(&bundle).connect_async(no_points()).await.unwrap();
        assert_eq!(session.execute(READ, ()).await.unwrap().len(), 1);
    });
    // Nodes have the addresses that they advertise, not that of the proxy.
    let nodes: Vec<_> = session.nodes().into_iter().map(|node| node.address).collect();
    assert_eq!(nodes, [cluster.node.address()]);
    assert_eq!(*cluster.names.lock().unwrap(), [cluster.host_id.clone()].into());
}

#[test]
fn faulty_archives_are_refused_with_a_reason() {
    let cluster = Managed::start("faulty");
    let refused = |bundle: &Path| builder(bundle).connect(no_points()).unwrap_err();
    let missing = cluster.folder.join("none.zip");
    let error = refused(&missing);
    assert_eq!(error.kind(), Kind::Invalid, "{error}");
    assert!(error.message().contains("none.zip: it cannot be read"), "{error}");
    std::fs::write(&missing, b"no archive").unwrap();
    assert!(refused(&missing).message().contains("it is no zip archive"));
    for name in ["config.json", "ca.crt", "cert", "key"] {
        let error = refused(&cluster.write_changed(name, None));
        assert!(error.message().contains(&format!("its entry {name} cannot be read")), "{error}");
    }
    for (config, why) in [
        ("{", "its config.json is no JSON"),
        ("{}", "its config.json lacks host or port"),
        (r#"{"host": "h"}"#, "its config.json lacks host or port"),
        (r#"{"host": "h", "port": 0}"#, "its config.json lacks host or port"),
    ] {
        let error = refused(&cluster.write_changed("config.json", Some(config)));
        assert!(error.message().contains(why), "{error}");
    }
    let error = refused(&cluster.write_changed("ca.crt", Some("none")));
    assert!(error.message().contains("certificate"), "{error}");
    let nowhere = service_config((Ipv4Addr::LOCALHOST, 1).into());
    let error = refused(&cluster.write_changed("config.json", Some(&nowhere)));
    assert_eq!(error.kind(), Kind::Connection, "{error}");
    assert!(error.message().contains("the metadata service 127.0.0.1:1 of the bundle"), "{error}");
}

#[test]
fn an_archive_and_what_it_has_exclude_each_other() {
    let cluster = Managed::start("excludes");
    let bundle = cluster.write(&cluster.entries);
    let error = builder(&bundle).connect("127.0.0.1").unwrap_err();
    assert!(error.message().contains("has the contact points: give none besides"), "{error}");
    let unchecked = TlsOptions { verify: false, ..TlsOptions::default() };
    let tls = Tls::new(&unchecked).unwrap();
    let error = builder(&bundle).tls(tls).connect(no_points()).unwrap_err();
    assert!(error.message().contains("leave tls out"), "{error}");
    let error = Session::builder().connect(no_points()).unwrap_err();
    assert!(error.message().contains("no contact point"), "{error}");
}
