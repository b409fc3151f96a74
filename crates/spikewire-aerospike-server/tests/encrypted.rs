//! Encrypted connections, with a client of TLS that knows bytes and nothing else.

mod wire;

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::info;
use spikewire_aerospike_server::{Certificates, Cluster, Drip, Faults, Options, TlsOptions};
use wire::{Reply, Request};

fn cluster(nodes: usize, tls: TlsOptions) -> Cluster {
    Cluster::start(Options { nodes, tls: Some(tls), ..Options::default() }).unwrap()
}

struct Secure(StreamOwned<ClientConnection, TcpStream>);

impl Secure {
    fn to(cluster: &Cluster, node: usize, name: &str, shows: bool) -> Self {
        let Certificates { ca, certificate, key, .. } = cluster.certificates().unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(ca).unwrap()).unwrap();
        let builder = ClientConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let config = if shows {
            let chain = vec![CertificateDer::from_pem_file(certificate).unwrap()];
            builder
                .with_client_auth_cert(chain, PrivateKeyDer::from_pem_file(key).unwrap())
                .unwrap()
        } else {
            builder.with_no_client_auth()
        };
        let name = ServerName::try_from(name.to_owned()).unwrap();
        let session = ClientConnection::new(Arc::new(config), name).unwrap();
        let socket = TcpStream::connect(cluster.seeds()[node]).unwrap();
        socket.set_nodelay(true).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        Self(StreamOwned::new(session, socket))
    }

    fn frame(&mut self) -> std::io::Result<(Kind, Vec<u8>)> {
        let mut head = [0; frame::HEADER_LEN];
        self.0.read_exact(&mut head)?;
        let header = frame::Header::parse(&head).unwrap().unwrap();
        let mut body = vec![0; header.len];
        self.0.read_exact(&mut body)?;
        Ok((header.kind, body))
    }

    fn ask(&mut self, request: &Request) -> Reply {
        self.0.write_all(&request.bytes()).unwrap();
        Reply::parse(&self.frame().unwrap().1)
    }

    fn info(&mut self, command: &str) -> String {
        let mut out = Vec::new();
        info::request(&mut out, &[command]);
        self.0.write_all(&out).unwrap();
        let body = String::from_utf8(self.frame().unwrap().1).unwrap();
        body.trim_start_matches(command).trim().to_owned()
    }
}

#[test]
fn nodes_are_reached_by_address_and_by_their_name() {
    let cluster = cluster(2, TlsOptions { name: "db.example".to_owned(), ..TlsOptions::default() });
    for name in ["127.0.0.1", "localhost", "db.example"] {
        let mut wire = Secure::to(&cluster, 0, name, false);
        assert_eq!(wire.ask(&Request::put("k", 1)).code(), 0, "{name}");
    }
    let mut wire = Secure::to(&cluster, 0, "other.example", false);
    assert!(wire.0.write_all(&Request::put("k", 1).bytes()).is_err());
}

#[test]
fn nodes_advertise_tls_names_and_ports() {
    let cluster = cluster(2, TlsOptions::default());
    let mut wire = Secure::to(&cluster, 0, "spikewire", false);
    let [first, second] = cluster.seeds()[..] else { panic!() };
    assert_eq!(wire.info("service-tls-std"), first.to_string());
    let peers = wire.info("peers-tls-std");
    let name = cluster.node_name(1).unwrap();
    assert!(peers.ends_with(&format!(",3000,[[{name},spikewire,[{second}]]]")), "{peers}");
    assert_eq!(wire.info("service-clear-std"), "");
    assert!(wire.info("peers-clear-std").ends_with(",3000,[]"));
    assert_eq!(wire.info("services"), "");
}

#[test]
fn long_requests_and_replies_arrive_whole() {
    let cluster = cluster(1, TlsOptions::default());
    let mut wire = Secure::to(&cluster, 0, "spikewire", false);
    let value: Vec<u8> = (0..900_000_u32).map(|at| at as u8).collect();
    assert_eq!(wire.ask(&Request::write("k").op(2, "b", 4, &value)).code(), 0);
    let many = Request::get("k").bytes().repeat(20);
    wire.0.write_all(&many).unwrap();
    // The pace of the test: a client that is slow to read.
    std::thread::sleep(Duration::from_millis(50));
    for _ in 0..20 {
        assert_eq!(Reply::parse(&wire.frame().unwrap().1).bins[0].value, value);
    }
    let drip = Some(Drip { bytes: 1000, every: Duration::from_micros(10) });
    cluster.inject(0, Faults { drip, ..Faults::default() }).unwrap();
    assert_eq!(Secure::to(&cluster, 0, "spikewire", false).ask(&Request::get("k")).code(), 0);
}

#[test]
fn a_client_without_a_certificate_is_rejected_where_one_is_required() {
    let cluster = cluster(1, TlsOptions { client_certificates: true, ..TlsOptions::default() });
    let mut wire = Secure::to(&cluster, 0, "spikewire", true);
    assert_eq!(wire.ask(&Request::put("k", 1)).code(), 0);
    let mut wire = Secure::to(&cluster, 0, "spikewire", false);
    let _ = wire.0.write_all(&Request::put("k", 1).bytes());
    let error = wire.frame().unwrap_err().to_string();
    assert!(error.contains("CertificateRequired"), "{error}");
}

#[test]
fn a_client_without_tls_is_disconnected() {
    let cluster = cluster(1, TlsOptions::default());
    let mut wire = wire::Wire::to(&cluster, 0);
    wire.send(&Request::put("k", 1).bytes());
    assert!(wire.reply().is_err());
}

#[test]
fn the_files_end_with_the_cluster() {
    let cluster = cluster(1, TlsOptions::default());
    let Certificates { ca, key, .. } = cluster.certificates().unwrap();
    let (ca, key) = (ca.clone(), key.clone());
    assert!(fs::read_to_string(&key).unwrap().contains("BEGIN PRIVATE KEY"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    }
    drop(cluster);
    assert!(!ca.exists() && !key.parent().unwrap().exists());
}

#[test]
fn impossible_names_are_rejected() {
    let tls = Some(TlsOptions { name: "a b".to_owned(), ..TlsOptions::default() });
    let error = Cluster::start(Options { tls, ..Options::default() }).unwrap_err();
    assert!(error.to_string().contains("\"a b\" is no name of a host"), "{error}");
}
