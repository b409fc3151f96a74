//! Encrypted connections to a real TLS server.

mod support;

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use mio::{Events, Interest, Poll, Token};
use pkcs8::der::pem::LineEnding;
use pkcs8::pkcs5::pbes2;
use pkcs8::{PrivateKeyInfoRef, SecretDocument};
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, DnType, IsCa, Issuer,
    KeyIdMethod, KeyPair, KeyUsagePurpose, RevokedCertParams, date_time_ymd,
};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::version::{TLS12, TLS13};
use rustls::{RootCertStore, ServerConfig, ServerConnection, SupportedProtocolVersion};
use spikewire_options::Secret;
use spikewire_transport::blocking::Single;
use spikewire_transport::dial::{DialError, Opening};
use spikewire_transport::protocol::Answers;
use spikewire_transport::tls::{Pem, RevocationCheck, Tls, TlsOptions};
use spikewire_transport::topology::Settings;
use spikewire_transport::{
    BlockingPool, Command, Encryption, FaultKind, OrderKey, Session, SessionError, Tick,
};
use support::{
    Bench, DONE, LONG, Nodes, SOON, Toy, Writes, event, eventually, frame, policy, read_frame,
    secure_nodes, settings,
};

type Proto = Toy<false>;

/// A certificate and its key, as PEM.
#[derive(Clone)]
struct Signed {
    certificate: String,
    key: String,
}

/// A certificate authority.
struct Authority {
    certificate: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        Self::named("an authority")
    }

    fn named(name: &str) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let certificate = params.self_signed(&key).unwrap().pem();
        Self { certificate, issuer: Issuer::new(params, key) }
    }

    fn sign(&self, name: &str) -> Signed {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap().pem();
        Signed { certificate, key: key.serialize_pem() }
    }

    /// Like [`Authority::sign`], with this serial number.
    fn sign_as(&self, name: &str, serial: u64) -> Signed {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.serial_number = Some(serial.into());
        let certificate = params.signed_by(&key, &self.issuer).unwrap().pem();
        Signed { certificate, key: key.serialize_pem() }
    }

    /// A list of revoked certificates with these serial numbers, valid until the end of that year.
    fn list(&self, serials: &[u64], until: i32) -> Pem {
        let revoked = |serial: &u64| RevokedCertParams {
            serial_number: (*serial).into(),
            revocation_time: date_time_ymd(2020, 1, 1),
            reason_code: None,
            invalidity_date: None,
        };
        let params = CertificateRevocationListParams {
            this_update: date_time_ymd(2020, 1, 1),
            next_update: date_time_ymd(until, 12, 31),
            crl_number: 1.into(),
            issuing_distribution_point: None,
            revoked_certs: serials.iter().map(revoked).collect(),
            key_identifier_method: KeyIdMethod::Sha256,
        };
        Pem::Bytes(params.signed_by(&self.issuer).unwrap().pem().unwrap().into_bytes())
    }

    fn trusted(&self) -> Pem {
        Pem::Bytes(self.certificate.clone().into_bytes())
    }

    fn options(&self) -> TlsOptions {
        TlsOptions { authorities: vec![self.trusted()], ..TlsOptions::default() }
    }
}

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

fn encryption(options: &TlsOptions) -> Encryption {
    Tls::new(options).unwrap().to_address(HERE)
}

/// A TLS server that speaks the toy protocol.
struct Secure {
    address: SocketAddr,
    accepted: Arc<AtomicU32>,
    /// Sessions that their clients closed properly.
    parted: Arc<AtomicU32>,
    /// Locked by a test to keep the server from reading.
    reads: Arc<Mutex<()>>,
}

#[derive(Clone)]
struct How {
    signed: Signed,
    version: &'static SupportedProtocolVersion,
    /// The authority whose certificates it requires from clients, if any.
    clients: Option<String>,
    /// Whether it reads and writes byte by byte.
    drips: bool,
}

fn how(authority: &Authority) -> How {
    How { signed: authority.sign("127.0.0.1"), version: &TLS13, clients: None, drips: false }
}

impl Secure {
    fn start(how: How) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (accepted, parted) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
        let reads = Arc::new(Mutex::new(()));
        let (count, ends, waits) = (accepted.clone(), parted.clone(), reads.clone());
        let config = Arc::new(config(&how));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                count.fetch_add(1, SeqCst);
                let (config, ends, waits) = (config.clone(), ends.clone(), waits.clone());
                thread::spawn(move || {
                    stream.set_nodelay(true).unwrap();
                    let session = ServerConnection::new(config).unwrap();
                    let socket = Dripping(stream, how.drips);
                    let mut stream = rustls::StreamOwned::new(session, socket);
                    // The client sees what is wrong with a session.
                    if serve(&mut stream, &waits).is_ok_and(|clean| clean) {
                        ends.fetch_add(1, SeqCst);
                    }
                });
            }
        });
        Self { address, accepted, parted, reads }
    }

    fn nodes(&self, options: &TlsOptions) -> Arc<Nodes> {
        secure_nodes(self.address, Some(encryption(options)), settings())
    }

    fn bench(&self, options: &TlsOptions) -> Bench<false> {
        Bench::of(self.nodes(options))
    }
}

fn config(how: &How) -> ServerConfig {
    let provider = Arc::new(default_provider());
    let builder = ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[how.version])
        .unwrap();
    let builder = match &how.clients {
        None => builder.with_no_client_auth(),
        Some(authority) => {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        }
    };
    let chain = CertificateDer::pem_slice_iter(how.signed.certificate.as_bytes());
    let chain = chain.collect::<Result<Vec<_>, _>>().unwrap();
    let key = PrivateKeyDer::from_pem_slice(how.signed.key.as_bytes()).unwrap();
    builder.with_single_cert(chain, key).unwrap()
}

struct Dripping(TcpStream, bool);

impl Read for Dripping {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let most = if self.1 { out.len().min(1) } else { out.len() };
        self.0.read(&mut out[..most])
    }
}

impl Write for Dripping {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(if self.1 { &bytes[..1] } else { bytes })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

type Stream = rustls::StreamOwned<ServerConnection, Dripping>;

/// Serves one session; returns whether its client closed it properly.
fn serve(stream: &mut Stream, reads: &Mutex<()>) -> io::Result<bool> {
    for answer in [&b"who"[..], b"how", b"ready"] {
        if read_frame(stream).is_none() {
            return Ok(false);
        }
        stream.write_all(&frame(0, DONE, answer))?;
    }
    loop {
        drop(reads.lock().unwrap());
        let Some((id, body)) = read_frame(stream) else {
            // Without a close_notify this is an error.
            return Ok(matches!(stream.read(&mut [0]), Ok(0)));
        };
        match &body[..] {
            b"silence" => {}
            b"events" => {
                let mut out = event(&[7; 1000]).repeat(300);
                out.extend(frame(id, DONE, b"done"));
                out.extend(event(b"last"));
                stream.write_all(&out)?;
            }
            b"part" => {
                stream.conn.send_close_notify();
                stream.flush()?;
            }
            b"cut" => return Ok(false),
            _ => stream.write_all(&frame(id, DONE, &body))?,
        }
        stream.flush()?;
    }
}

fn bytes(count: u32) -> Vec<u8> {
    (0..count).map(|at| (at % 251) as u8).collect()
}

#[test]
fn commands_and_answers_of_any_size_behind_one_descriptor() {
    let authority = Authority::new();
    for version in [&TLS12, &TLS13] {
        let server = Secure::start(How { version, ..how(&authority) });
        let mut bench = server.bench(&authority.options());
        let large = bytes(5_000_000);
        for number in 0..50 {
            bench.submit(number, &[number as u8], policy(LONG));
        }
        bench.submit(50, &large, policy(LONG));
        bench.submit(51, b"behind it", policy(LONG));
        for number in 0..50 {
            assert_eq!(bench.ending(number).unwrap(), (vec![number as u8], 1));
        }
        assert!(bench.ending(50).unwrap().0 == large);
        assert_eq!(bench.ending(51).unwrap().0, b"behind it");
        assert_eq!(server.accepted.load(SeqCst), 1);
    }
}

#[test]
fn all_decrypted_bytes_are_processed_at_once() {
    // More than one read takes, all at once; nothing arrives at the socket afterwards.
    let authority = Authority::new();
    let server = Secure::start(how(&authority));
    let mut bench = server.bench(&authority.options());
    for round in 1..4 {
        bench.submit(round, b"events", policy(LONG));
        assert_eq!(bench.ending(round).unwrap().0, b"done");
        bench.turn_until("every event", |bench| {
            bench.nodes.events.lock().unwrap().len() == 301 * round
        });
    }
    assert_eq!(bench.nodes.events.lock().unwrap().last().unwrap(), b"last");
    // And nothing is woken while nothing happens.
    let (start, mut turns) = (Instant::now(), 0);
    while start.elapsed() < Duration::from_millis(300) {
        bench.multiplexer.turn(Some(Duration::from_millis(100)), &mut |_, _| {}).unwrap();
        turns += 1;
    }
    assert!(turns < 50, "{turns}");
}

#[test]
fn bytes_may_come_one_by_one() {
    let authority = Authority::new();
    for version in [&TLS12, &TLS13] {
        let server = Secure::start(How { version, drips: true, ..how(&authority) });
        let mut bench = server.bench(&authority.options());
        let some = bytes(20_000);
        bench.submit(1, &some, policy(LONG));
        bench.submit(2, b"x", policy(LONG));
        assert!(bench.ending(1).unwrap().0 == some);
        assert_eq!(bench.ending(2).unwrap().0, b"x");
    }
}

fn call(pool: &BlockingPool<Proto, Single<Proto>>, what: &[u8]) -> Vec<u8> {
    let (now, mut body) = (Tick::now(), Vec::new());
    let ticket = Single::new(Vec::new());
    let command = Command::new(
        frame(0, DONE, what),
        Writes(false, OrderKey::NONE),
        policy(LONG),
        now,
        ticket,
    );
    pool.call(command, now, &mut body, &mut None, None, Some).unwrap();
    body[1..].to_vec()
}

#[test]
fn calling_threads_wait_in_reads_and_for_each_other() {
    let authority = Authority::new();
    let server = Secure::start(how(&authority));
    let pool = BlockingPool::new(&server.nodes(&authority.options()));
    let large = bytes(1_000_000);
    for round in 0..50 {
        assert_eq!(call(&pool, &[round]), [round]);
    }
    assert!(call(&pool, &large) == large);
    thread::scope(|scope| {
        for number in 0..6_u8 {
            let (pool, large) = (&pool, &large);
            scope.spawn(move || {
                for round in 0..30 {
                    assert_eq!(call(pool, &[number, round]), [number, round]);
                }
                assert!(call(pool, large) == *large);
            });
        }
    });
    pool.close();
}

#[test]
fn sessions_and_single_connections_use_tls() {
    let authority = Authority::new();
    let server = Secure::start(how(&authority));
    let secure = encryption(&authority.options());
    let until = Tick::now().after(LONG);
    let mut session =
        Session::open(server.address, Some(secure.clone()), Proto::default(), LONG).unwrap();
    let answer = session.ask(&frame(3, DONE, b"events"), Answers::Id(3), until).unwrap();
    assert_eq!(answer[1..], *b"done");
    for _ in 0..301 {
        assert!(session.wait(until).unwrap().is_some());
    }
    assert!(session.wait(Tick::now().after(SOON)).unwrap().is_none());
    // The server says that it is done but keeps its socket open: that is the end.
    let parted = session.ask(&frame(4, DONE, b"part"), Answers::Id(4), until);
    assert!(matches!(parted, Err(SessionError::HungUp)));
    drop(session);

    // A connection for one request at a time.
    let (mut wire, mut opening) =
        Opening::start(server.address, Some(secure), Proto::default(), until).unwrap();
    let (mut poll, mut events) = (Poll::new().unwrap(), Events::with_capacity(4));
    let interest = Interest::READABLE | Interest::WRITABLE;
    poll.registry().register(&mut wire, Token(0), interest).unwrap();
    while !opening.advance(&mut wire).unwrap() {
        poll.poll(&mut events, Some(LONG)).unwrap();
    }
    poll.registry().deregister(&mut wire).unwrap();
    wire.write_all(&frame(5, DONE, b"x")).unwrap();
    let mut answer = vec![0; frame(5, DONE, b"x").len()];
    wire.waiting(LONG).unwrap().read_exact(&mut answer).unwrap();
    assert_eq!(answer, frame(5, DONE, b"x"));
    assert!(wire.is_quiet());
}

#[test]
fn both_sides_end_tls_before_closing() {
    let authority = Authority::new();
    let server = Secure::start(how(&authority));
    for (round, end) in [&b"part"[..], b"cut"].into_iter().enumerate() {
        let mut bench = server.bench(&authority.options());
        bench.submit(1, end, policy(LONG));
        let failed = bench.failure(1);
        assert_eq!((failed.kind, failed.in_doubt), (Some(FaultKind::Connection), true));
        assert!(failed.message.contains("closed the connection"), "{failed:?}");
        bench.submit(2, b"x", policy(LONG));
        assert_eq!(bench.ending(2).unwrap().0, b"x");
        assert_eq!(server.accepted.load(SeqCst) as usize, 2 * (round + 1));
        let before = server.parted.load(SeqCst);
        bench.multiplexer.close(&mut |_, _| {});
        eventually("the client parts", || server.parted.load(SeqCst) > before);
    }
}

#[test]
fn a_request_abandoned_half_sent_is_never_finished() {
    let authority = Authority::new();
    let server = Secure::start(how(&authority));
    let mut bench = server.bench(&authority.options());
    bench.submit(0, b"x", policy(LONG));
    bench.ending(0).unwrap();
    let lock = server.reads.lock().unwrap();
    bench.submit(1, b"the server reads this", policy(LONG));
    bench.flush();
    (0..50).for_each(|_| bench.turn());
    bench.submit(2, &bytes(48 << 20), policy(SOON));
    bench.submit(3, b"neighbour", policy(LONG));
    let failed = bench.failure(2);
    assert_eq!((failed.kind, failed.in_doubt), (Some(FaultKind::Timeout), false));
    drop(lock);
    assert_eq!(bench.ending(1).unwrap(), (b"the server reads this".to_vec(), 1));
    assert_eq!(bench.ending(3).unwrap(), (b"neighbour".to_vec(), 1));
    bench.turn_until("another connection", |_| server.accepted.load(SeqCst) == 2);
}

/// The error of opening a connection. The multiplexer must report the same as a session.
fn dial_error(address: SocketAddr, encryption: Option<Encryption>) -> String {
    let opened = Session::open(address, encryption.clone(), Proto::default(), LONG);
    let nodes = secure_nodes(address, encryption, settings());
    let mut bench = Bench::<false>::of(nodes);
    bench.submit(1, b"x", policy(LONG));
    let failed = bench.failure(1);
    assert_eq!((failed.kind, failed.in_doubt), (Some(FaultKind::Connection), false), "{failed:?}");
    assert!(failed.message.contains(&address.to_string()), "{failed:?}");
    let error = opened.unwrap_err().to_string();
    assert!(failed.message.ends_with(&error), "{failed:?} {error}");
    error
}

#[test]
fn certificates_are_verified() {
    let (authority, other) = (Authority::new(), Authority::named("another"));
    let server = Secure::start(how(&authority));
    let error_with = |options: &TlsOptions| dial_error(server.address, Some(encryption(options)));
    let why = error_with(&other.options());
    assert!(why.contains("no authority that the client trusts"), "{why}");

    let elsewhere = How { signed: authority.sign("db.example"), ..how(&authority) };
    let server = Secure::start(elsewhere);
    let error_with = |options: &TlsOptions| dial_error(server.address, Some(encryption(options)));
    let why = error_with(&authority.options());
    assert!(why.contains("another name") && why.contains("127.0.0.1"), "{why}");
    let any = TlsOptions { verify_hostname: false, ..authority.options() };
    let fixed =
        |name: &str| TlsOptions { server_name: Some(name.to_owned()), ..authority.options() };
    for options in [&any, &fixed("db.example")] {
        let mut bench = server.bench(options);
        bench.submit(1, b"x", policy(LONG));
        assert_eq!(bench.ending(1).unwrap().0, b"x");
    }
    assert!(error_with(&fixed("db.example.org")).contains("another name"));
    // Not verifying the name does not make an authority trusted.
    let stranger = TlsOptions { verify_hostname: false, ..other.options() };
    assert!(error_with(&stranger).contains("no authority that the client trusts"));
    // Unless nothing is verified, which needs no authority.
    let unverified = TlsOptions { verify: false, ..TlsOptions::default() };
    let mut bench = server.bench(&unverified);
    bench.submit(1, b"x", policy(LONG));
    assert_eq!(bench.ending(1).unwrap().0, b"x");
    // By name.
    let tls = Tls::new(&authority.options()).unwrap();
    let named = tls.to_host("db.example").unwrap();
    assert!(Session::open(server.address, Some(named), Proto::default(), LONG).is_ok());
    assert!(tls.to_host("no name").unwrap_err().to_string().contains("not a valid server name"));
}

#[test]
fn clients_show_their_certificates() {
    let (authority, clients) = (Authority::new(), Authority::named("of clients"));
    for version in [&TLS12, &TLS13] {
        let demands = Some(clients.certificate.clone());
        let server = Secure::start(How { version, clients: demands, ..how(&authority) });
        let identity = |signed: Signed| {
            let (chain, key) = (signed.certificate.into_bytes(), signed.key.into_bytes());
            let identity = Some((Pem::Bytes(chain), Pem::Bytes(key)));
            TlsOptions { identity, ..authority.options() }
        };
        let mut bench = server.bench(&identity(clients.sign("me")));
        bench.submit(1, b"x", policy(LONG));
        assert_eq!(bench.ending(1).unwrap().0, b"x");
        let missing = encryption(&authority.options());
        let opened = Session::open(server.address, Some(missing), Proto::default(), LONG);
        let why = opened.unwrap_err().to_string();
        assert!(why.contains("demands a client certificate") || is_reset(&why), "{why}");
        let wrong = encryption(&identity(authority.sign("me")));
        let opened = Session::open(server.address, Some(wrong), Proto::default(), LONG);
        let why = opened.unwrap_err().to_string();
        assert!(why.contains("another client certificate") || is_reset(&why), "{why}");
    }
}

/// A server that closes its socket with bytes unread resets the connection, and its last message
/// may be lost.
fn is_reset(why: &str) -> bool {
    why.contains("reset") || why.contains("Broken pipe")
}

#[test]
fn a_side_that_does_not_encrypt_is_reported() {
    let authority = Authority::new();
    // As from a plain server that replies at once.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let plain = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 1000]);
            let _ = stream.write_all(b"what is this?\n\n");
            let _ = stream.read_to_end(&mut Vec::new());
        }
    });
    let why = dial_error(plain, Some(encryption(&authority.options())));
    assert!(why.contains("is not TLS"), "{why}");
    // One that closes the connection.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let shy = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 10_000]);
        }
    });
    let why = dial_error(shy, Some(encryption(&authority.options())));
    assert!(why.contains("during the TLS handshake"), "{why}");
    // A plain client.
    let server = Secure::start(how(&authority));
    let opened = Session::open(server.address, None, Proto::default(), LONG);
    opened.unwrap_err();
}

#[test]
fn a_handshake_has_the_time_that_connecting_has() {
    let authority = Authority::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap();
    let settings = Settings { connect_timeout: Duration::from_millis(200), ..settings() };
    let nodes = secure_nodes(address, Some(encryption(&authority.options())), settings);
    let mut bench = Bench::<false>::of(nodes);
    bench.submit(1, b"x", policy(LONG));
    let failed = bench.failure(1);
    assert!(failed.message.contains("connect timeout"), "{failed:?}");
    let secure = Some(encryption(&authority.options()));
    let opened = Session::open(address, secure, Proto::default(), SOON);
    assert!(matches!(&opened, Err(DialError::Io(error))
        if error.kind() == io::ErrorKind::TimedOut));
}

/// A file with this content, removed when dropped.
struct File(PathBuf);

impl File {
    fn new(name: &str, content: &str) -> Self {
        let name = format!("spikewire-tls-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, content).unwrap();
        Self(path)
    }

    fn pem(&self) -> Pem {
        Pem::File(self.0.clone())
    }
}

impl Drop for File {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn options_that_cannot_be_used_name_the_culprit() {
    let authority = Authority::new();
    let (signed, other) = (authority.sign("me"), authority.sign("another"));
    let trusted = File::new("ca.pem", &authority.certificate);
    let (chain, key) = (File::new("me.pem", &signed.certificate), File::new("me.key", &signed.key));
    let wrong = File::new("other.key", &other.key);
    let empty = File::new("empty.pem", "nothing\n");
    let locked = File::new(
        "locked.key",
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
    );
    let base = || TlsOptions { authorities: vec![trusted.pem()], ..TlsOptions::default() };
    let identity = |chain: &File, key: &File| TlsOptions {
        identity: Some((chain.pem(), key.pem())),
        ..base()
    };
    assert!(Tls::new(&identity(&chain, &key)).is_ok());
    let missing = Pem::File(PathBuf::from("/there/is/no/such.pem"));
    let cases: [(TlsOptions, &[&str]); 8] = [
        (
            TlsOptions { authorities: vec![missing], ..base() },
            &["/there/is/no/such.pem", "No such file"],
        ),
        (TlsOptions { authorities: vec![empty.pem()], ..base() }, &["no certificate", "empty.pem"]),
        (identity(&empty, &key), &["no certificate", "empty.pem"]),
        (identity(&chain, &chain), &["no private key", "me.pem"]),
        (identity(&chain, &locked), &["locked.key", "encrypted"]),
        (identity(&chain, &wrong), &["me.pem", "other.key"]),
        (
            TlsOptions { system_authorities: Some(false), ..TlsOptions::default() },
            &["no authority is trusted"],
        ),
        (
            TlsOptions { server_name: Some("a b".to_owned()), ..base() },
            &["\"a b\"", "not a valid server name"],
        ),
    ];
    for (options, expected) in cases {
        let error = Tls::new(&options).unwrap_err().to_string();
        assert!(expected.iter().all(|part| error.contains(part)), "{error}");
    }
    // A key is not printed by accident.
    let held = TlsOptions {
        identity: Some((Pem::Bytes(vec![42; 9]), Pem::Bytes(b"secret".to_vec()))),
        ..base()
    };
    assert!(!format!("{held:?}").contains("42, 42"), "{held:?}");
}

#[test]
fn revoked_certificates_are_rejected() {
    let (authority, other) = (Authority::new(), Authority::named("another"));
    let secure = How { signed: authority.sign_as("127.0.0.1", 7), ..how(&authority) };
    let server = Secure::start(secure);
    let with = |lists: Vec<Pem>| TlsOptions { revocation_lists: lists, ..authority.options() };
    let error_with = |lists| dial_error(server.address, Some(encryption(&with(lists))));
    let mut bench = server.bench(&with(vec![authority.list(&[6, 8], 4000)]));
    bench.submit(1, b"x", policy(LONG));
    assert_eq!(bench.ending(1).unwrap().0, b"x");
    let why = error_with(vec![other.list(&[], 4000), authority.list(&[7], 4000)]);
    assert!(why.contains("was revoked"), "{why}");
    let why = error_with(vec![authority.list(&[], 2021)]);
    assert!(why.contains("list of revoked certificates has expired"), "{why}");
    let why = error_with(vec![other.list(&[], 4000)]);
    assert!(why.contains("no list of revoked certificates covers"), "{why}");
    // Not verifying the name leaves that as it is.
    let any = TlsOptions { verify_hostname: false, ..with(vec![authority.list(&[7], 4000)]) };
    assert!(dial_error(server.address, Some(encryption(&any))).contains("was revoked"));
}

/// With an authority between the trusted one and the server.
#[test]
fn a_chain_is_looked_up_as_a_whole_or_only_at_its_end() {
    let root = Authority::named("the root");
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new([]).unwrap();
    params.distinguished_name.push(DnType::CommonName, "in between");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let certificate = params.signed_by(&key, &root.issuer).unwrap().pem();
    let between = Authority { certificate: certificate.clone(), issuer: Issuer::new(params, key) };
    let mut signed = between.sign_as("127.0.0.1", 7);
    signed.certificate.push_str(&certificate);
    let server = Secure::start(How { signed, ..how(&root) });
    let options = |revocation_check| TlsOptions {
        revocation_lists: vec![between.list(&[8], 4000)],
        revocation_check,
        ..root.options()
    };
    let why = dial_error(server.address, Some(encryption(&options(RevocationCheck::Chain))));
    assert!(why.contains("no list of revoked certificates covers"), "{why}");
    let mut bench = server.bench(&options(RevocationCheck::Leaf));
    bench.submit(1, b"x", policy(LONG));
    assert_eq!(bench.ending(1).unwrap().0, b"x");
}

/// A key as `openssl pkcs8 -topk8` writes it.
fn encrypted(key: &str, password: &str) -> Pem {
    let (_, plain) = SecretDocument::from_pem(key).unwrap();
    let plain = PrivateKeyInfoRef::try_from(plain.as_bytes()).unwrap();
    let how = pbes2::Parameters::generate_pbkdf2_sha256_aes256cbc(2048, &[1; 16], [2; 16]).unwrap();
    let locked = plain.encrypt_with_params(how, password).unwrap();
    let text = locked.to_pem("ENCRYPTED PRIVATE KEY", LineEnding::LF).unwrap();
    Pem::Bytes(text.as_bytes().to_vec())
}

#[test]
fn encrypted_keys_take_their_password() {
    let (authority, clients) = (Authority::new(), Authority::named("of clients"));
    let demands = Some(clients.certificate.clone());
    let server = Secure::start(How { clients: demands, ..how(&authority) });
    let signed = clients.sign("me");
    let chain = Pem::Bytes(signed.certificate.clone().into_bytes());
    let with = |key: Pem, password: Option<&str>| TlsOptions {
        identity: Some((chain.clone(), key)),
        key_password: password.map(Secret::from),
        ..authority.options()
    };
    let locked = encrypted(&signed.key, "hidden");
    let mut bench = server.bench(&with(locked.clone(), Some("hidden")));
    bench.submit(1, b"x", policy(LONG));
    assert_eq!(bench.ending(1).unwrap().0, b"x");

    let Pem::Bytes(bytes) = &locked else { panic!("bytes") };
    let plain = Pem::Bytes(signed.key.clone().into_bytes());
    let damaged = Pem::Bytes([&bytes[..100], &bytes[140..]].concat());
    let old = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: X,1\n\nAA==\n\
               -----END RSA PRIVATE KEY-----\n";
    let old = Pem::Bytes(old.into());
    for (key, password, expected) in [
        (&locked, None, "is encrypted: it needs its password"),
        (&locked, Some("hiddem"), "is encrypted, and the password is wrong"),
        (&locked, Some(""), "is encrypted, and the password is wrong"),
        (&plain, Some("hidden"), "is not encrypted, so it takes no password"),
        (&damaged, Some("hidden"), "is encrypted, and cannot be read"),
        (&old, Some("hidden"), "before PKCS #8; convert it with `openssl pkcs8 -topk8`"),
    ] {
        let why = Tls::new(&with(key.clone(), password)).unwrap_err().to_string();
        assert!(why.contains(expected) && !why.contains("hidde"), "{expected}: {why}");
    }
}

#[test]
fn lists_that_are_none_are_rejected() {
    let authority = Authority::new();
    for (list, expected) in [
        (authority.trusted(), "there is no list of revoked certificates in PEM format"),
        (Pem::File("/nowhere.crl".into()), "cannot be read from /nowhere.crl"),
        (
            Pem::Bytes(b"-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n".to_vec()),
            "a list of revoked certificates",
        ),
    ] {
        let options = TlsOptions { revocation_lists: vec![list], ..authority.options() };
        let why = Tls::new(&options).unwrap_err().to_string();
        assert!(why.contains(expected), "{why}");
    }
}
