//! Proxies in front of the nodes of an embedded cluster, with users, TLS, or both.
//!
//! Over TLS they are as strict as existing servers: they read one TLS record from the socket at a
//! time, and a request whose first bytes came in the same record as the end of another is an error
//! of the client. The nodes advertise the addresses of the proxies.

use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection};
use spikewire::{Pem, Tls, TlsOptions};
use spikewire_aerospike_protocol::auth::{Reply, Request, Session, hash_password};
use spikewire_aerospike_protocol::frame::{self, HEADER_LEN, Header, Kind};
use spikewire_aerospike_protocol::info;
use spikewire_aerospike_protocol::message::{self, Message, info3};
use spikewire_aerospike_protocol::peers::{Address, Peers, services};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_server::Cluster;

/// The name in all certificates.
pub const NAME: &str = "nodes.example";

/// A certificate and its key, as PEM.
struct Signed {
    certificate: String,
    key: String,
}

/// An authority with the certificates that it has issued.
pub struct Authority {
    certificate: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub fn new() -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([]).unwrap();
        params.distinguished_name.push(DnType::CommonName, "an authority");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let certificate = params.self_signed(&key).unwrap().pem();
        Self { certificate, issuer: Issuer::new(params, key) }
    }

    fn sign(&self, name: &str) -> Signed {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new([name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap().pem();
        Signed { certificate, key: key.serialize_pem() }
    }

    /// Options that trust it.
    pub fn trusted(&self) -> TlsOptions {
        let authorities = vec![Pem::Bytes(self.certificate.clone().into_bytes())];
        TlsOptions { authorities, ..TlsOptions::default() }
    }

    pub fn tls(&self) -> Tls {
        Tls::new(&self.trusted()).unwrap()
    }

    /// The same with a client certificate.
    pub fn identified(&self, name: &str) -> Tls {
        let Signed { certificate, key } = self.sign(name);
        let pem = |text: String| Pem::Bytes(text.into_bytes());
        let identity = Some((pem(certificate), pem(key)));
        Tls::new(&TlsOptions { identity, ..self.trusted() }).unwrap()
    }

    fn server(&self, clients: bool) -> ServerConfig {
        let provider = Arc::new(default_provider());
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = if clients {
            let mut roots = RootCertStore::empty();
            let pem = self.certificate.as_bytes();
            roots.add(CertificateDer::from_pem_slice(pem).unwrap()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
            builder.with_client_cert_verifier(verifier.build().unwrap())
        } else {
            builder.with_no_client_auth()
        };
        let signed = self.sign(NAME);
        let chain = vec![CertificateDer::from_pem_slice(signed.certificate.as_bytes()).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(signed.key.as_bytes()).unwrap();
        builder.with_single_cert(chain, key).unwrap()
    }
}

/// What the proxies require.
#[derive(Default)]
pub struct Rules<'a> {
    pub user: Option<(&'a str, &'a str)>,
    pub tls: Option<&'a Authority>,
    /// Whether clients log in with certificates.
    pub certificates: bool,
}

struct State {
    user: Option<(String, String)>,
    config: Option<Arc<ServerConfig>>,
    certificates: bool,
    /// The addresses of a node and its proxy.
    doors: Vec<(SocketAddr, SocketAddr)>,
    tokens: Mutex<HashSet<Vec<u8>>>,
    logins: AtomicUsize,
    /// Number of passwords received in plaintext.
    clear: AtomicUsize,
    /// Whether requests shared a TLS record with others.
    unseen: AtomicBool,
    /// How often all logins were reset.
    forgot: AtomicUsize,
}

/// The proxies of a cluster.
pub struct Front(Arc<State>);

impl Front {
    pub fn new(cluster: &Cluster, rules: &Rules<'_>) -> Self {
        let nodes: Vec<SocketAddr> = cluster.seeds();
        let listeners: Vec<TcpListener> =
            nodes.iter().map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
        let doors = listeners.iter().map(|it| it.local_addr().unwrap());
        let state = Arc::new(State {
            user: rules.user.map(|(name, password)| (name.to_owned(), hash_password(password))),
            config: rules.tls.map(|authority| Arc::new(authority.server(rules.certificates))),
            certificates: rules.certificates,
            doors: nodes.iter().copied().zip(doors).collect(),
            tokens: Mutex::default(),
            logins: AtomicUsize::new(0),
            clear: AtomicUsize::new(0),
            unseen: AtomicBool::new(false),
            forgot: AtomicUsize::new(0),
        });
        for (listener, node) in listeners.into_iter().zip(nodes) {
            let state = state.clone();
            thread::spawn(move || {
                for client in listener.incoming().flatten() {
                    let state = state.clone();
                    thread::spawn(move || {
                        client.set_nodelay(true).unwrap();
                        let up = TcpStream::connect(node).unwrap();
                        up.set_nodelay(true).unwrap();
                        let known = state.user.is_none() && !state.certificates;
                        // The client ends the connection: it may still have something to send, and
                        // must not lose data because of that.
                        let mut end = client.try_clone().unwrap();
                        let stream = Stream::new(client, state.config.clone());
                        let _ = Visit { state, stream, up, known }.serve();
                        let _ = end.shutdown(Shutdown::Write);
                        let _ = io::copy(&mut end, &mut io::sink());
                    });
                }
            });
        }
        Self(state)
    }

    /// The proxies, as seeds with this TLS name or without one.
    pub fn seeds(&self, name: Option<&str>) -> String {
        let name = name.map(|name| format!("{name}:")).unwrap_or_default();
        let doors = self.0.doors.iter().map(|(_, door)| format!("127.0.0.1:{name}{}", door.port()));
        doors.collect::<Vec<_>>().join(",")
    }

    pub fn logins(&self) -> usize {
        self.0.logins.load(SeqCst)
    }

    pub fn clear_passwords(&self) -> usize {
        self.0.clear.load(SeqCst)
    }

    /// Invalidates all tokens.
    pub fn end_sessions(&self) {
        self.0.tokens.lock().unwrap().clear();
    }

    /// Marks all connections as not logged in.
    pub fn forget(&self) {
        self.end_sessions();
        self.0.forgot.fetch_add(1, SeqCst);
    }

    /// Whether every request had TLS records of its own.
    pub fn saw_all(&self) -> bool {
        !self.0.unseen.load(SeqCst)
    }
}

/// The client's side of a connection.
enum Stream {
    Plain(TcpStream),
    Secure { socket: TcpStream, session: Box<ServerConnection>, plain: Vec<u8> },
}

impl Stream {
    fn new(socket: TcpStream, config: Option<Arc<ServerConfig>>) -> Self {
        match config {
            None => Self::Plain(socket),
            Some(config) => {
                let session = Box::new(ServerConnection::new(config).unwrap());
                Self::Secure { socket, session, plain: Vec::new() }
            }
        }
    }

    /// The next frame, including its header.
    fn next(&mut self, unseen: &AtomicBool) -> io::Result<Vec<u8>> {
        match self {
            Self::Plain(socket) => read_frame(socket),
            Self::Secure { socket, session, plain } => loop {
                if let Ok(Some(header)) = Header::parse(plain) {
                    let len = HEADER_LEN + header.len;
                    unseen.fetch_or(plain.len() > len, SeqCst);
                    if plain.len() >= len {
                        return Ok(plain.drain(..len).collect());
                    }
                }
                one_record(socket, session, plain)?;
            },
        }
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(socket) => socket.write_all(bytes),
            Self::Secure { socket, session, .. } => {
                for piece in bytes.chunks(30_000) {
                    session.writer().write_all(piece)?;
                    while session.wants_write() {
                        session.write_tls(socket)?;
                    }
                }
                Ok(())
            }
        }
    }
}

/// Reads exactly one TLS record from the socket.
fn one_record(
    socket: &mut TcpStream,
    session: &mut ServerConnection,
    plain: &mut Vec<u8>,
) -> io::Result<()> {
    let mut record = vec![0; 5];
    socket.read_exact(&mut record)?;
    let len = usize::from(u16::from_be_bytes([record[3], record[4]]));
    record.resize(5 + len, 0);
    socket.read_exact(&mut record[5..])?;
    let mut rest = &record[..];
    while !rest.is_empty() {
        session.read_tls(&mut rest)?;
    }
    let processed = session.process_new_packets();
    while session.wants_write() {
        session.write_tls(socket)?;
    }
    let state = processed.map_err(io::Error::other)?;
    let from = plain.len();
    plain.resize(from + state.plaintext_bytes_to_read(), 0);
    session.reader().read_exact(&mut plain[from..])?;
    if state.peer_has_closed() {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

fn read_frame(stream: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; HEADER_LEN];
    stream.read_exact(&mut bytes)?;
    let header = Header::parse(&bytes).map_err(io::Error::other)?.unwrap();
    bytes.resize(HEADER_LEN + header.len, 0);
    stream.read_exact(&mut bytes[HEADER_LEN..])?;
    Ok(bytes)
}

/// One connection.
struct Visit {
    state: Arc<State>,
    stream: Stream,
    up: TcpStream,
    known: bool,
}

impl Visit {
    fn serve(mut self) -> io::Result<()> {
        let mut forgot = self.state.forgot.load(SeqCst);
        loop {
            let request = self.stream.next(&self.state.unseen)?;
            if forgot != self.state.forgot.load(SeqCst) {
                forgot = self.state.forgot.load(SeqCst);
                self.known = false;
            }
            let kind = Header::parse(&request).map_err(io::Error::other)?.unwrap().kind;
            let body = &request[HEADER_LEN..];
            match kind {
                Kind::Admin => {
                    let answer = self.let_in(body);
                    self.stream.send(&answer)?;
                }
                Kind::Info => {
                    let answer = self.inform(body)?;
                    self.stream.send(&answer)?;
                }
                _ if !self.known => self.stream.send(&rejection())?,
                _ => self.relay(&request)?,
            }
        }
    }

    fn let_in(&mut self, body: &[u8]) -> Vec<u8> {
        let state = &self.state;
        let mut session = None;
        let mut login = |fits: bool, code| {
            let number = state.logins.fetch_add(1, SeqCst);
            if !fits {
                return code;
            }
            let token = format!("token {number}").into_bytes();
            state.tokens.lock().unwrap().insert(token.clone());
            session = Some(Session { token, ttl: Some(3600) });
            ResultCode::OK
        };
        let present = |token: &[u8]| {
            let holds = state.tokens.lock().unwrap().contains(token);
            if holds { ResultCode::OK } else { ResultCode::EXPIRED_SESSION }
        };
        let result = match (Request::parse(body).unwrap(), &state.user) {
            (Request::CertificateLogin, None) => {
                login(state.certificates, ResultCode::INVALID_CREDENTIAL)
            }
            (Request::CertificateAuthenticate { token }, None) => present(token),
            (Request::Login { user, credential, clear_password }, Some((name, hash))) => {
                state.clear.fetch_add(usize::from(clear_password.is_some()), SeqCst);
                let fits = user == name && credential == hash.as_bytes();
                login(fits, ResultCode::INVALID_PASSWORD)
            }
            (Request::Authenticate { user, token }, Some((name, _))) if user == name => {
                present(token)
            }
            _ => ResultCode::INVALID_CREDENTIAL,
        };
        self.known = result == ResultCode::OK;
        let mut out = Vec::new();
        Reply { result, session }.encode(&mut out);
        out
    }

    /// The node's reply to info commands, with the proxies' addresses.
    fn inform(&mut self, body: &[u8]) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let start = frame::begin(&mut out, Kind::Info);
        for command in info::commands(body) {
            let request_line = if self.state.config.is_some() {
                command.line.replace("-tls-", "-clear-")
            } else {
                command.line.to_owned()
            };
            let value = if request_line == command.line
                && request_line.contains("-clear-")
                && self.state.config.is_some()
            {
                "ERROR:25:these addresses are not for TLS".to_owned()
            } else if self.known {
                let mut request = Vec::new();
                info::request(&mut request, &[&request_line]);
                self.up.write_all(&request)?;
                let answer = read_frame(&mut self.up)?;
                let answer = String::from_utf8_lossy(&answer[HEADER_LEN..]).into_owned();
                let value = answer
                    .trim_end_matches('\n')
                    .split_once('\t')
                    .map(|(_, value)| value.to_owned());
                self.redirect(&request_line, value.unwrap_or_default())
            } else {
                "ERROR:80:not authenticated".to_owned()
            };
            info::answer(&mut out, command.line, &value);
        }
        frame::finish(&mut out, start);
        Ok(out)
    }

    fn redirect(&self, command: &str, value: String) -> String {
        let redirect = |address: &mut Address| {
            let door = self.state.doors.iter().find(|(node, _)| node.port() == address.port);
            address.port = door.map_or(address.port, |(_, door)| door.port());
        };
        if command.starts_with("peers-clear") {
            let mut peers = Peers::parse(&value).unwrap();
            for peer in &mut peers.peers {
                let is_secure = self.state.config.is_some();
                peer.tls_name = if is_secure { NAME.to_owned() } else { String::new() };
                peer.addresses.iter_mut().for_each(redirect);
            }
            peers.format()
        } else if command.starts_with("service-clear") {
            let mut services = services(&value).unwrap();
            services.iter_mut().for_each(redirect);
            let services: Vec<String> = services.iter().map(ToString::to_string).collect();
            services.join(",")
        } else {
            value
        }
    }

    fn relay(&mut self, request: &[u8]) -> io::Result<()> {
        self.up.write_all(request)?;
        let is_single = Message::parse(&request[HEADER_LEN..]).is_ok_and(|(message, _)| {
            message.fields().any(|field| field.id == message::field::DIGEST)
        });
        loop {
            let answer = read_frame(&mut self.up)?;
            self.stream.send(&answer)?;
            if is_single || is_last(&answer[HEADER_LEN..]) {
                return Ok(());
            }
        }
    }
}

/// Whether a frame ends a reply of several messages.
fn is_last(body: &[u8]) -> bool {
    let mut rest = body;
    while let Ok((message, used)) = Message::parse(rest) {
        if message.header.info3 & info3::LAST != 0 {
            return true;
        }
        rest = &rest[used..];
        if rest.is_empty() {
            return false;
        }
    }
    true
}

/// The reply to a message on a connection that is not logged in.
fn rejection() -> Vec<u8> {
    let mut out = Vec::new();
    let start = frame::begin(&mut out, Kind::Message);
    let mut head = [0; message::HEADER_LEN];
    (head[0], head[3], head[5]) =
        (message::HEADER_LEN as u8, info3::LAST, ResultCode::NOT_AUTHENTICATED.0);
    out.extend_from_slice(&head);
    frame::finish(&mut out, start);
    out
}
