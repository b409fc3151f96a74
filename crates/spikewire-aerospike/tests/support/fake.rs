//! Fake nodes: they answer info commands from a table that a test can change at any time, and
//! misbehave on demand, for what real clusters do only by accident.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use spikewire_aerospike_protocol::auth::{Reply, Request, Session, hash_password};
use spikewire_aerospike_protocol::frame::{self, Frame, Kind};
use spikewire_aerospike_protocol::info;
use spikewire_aerospike_protocol::partition::{Bitmap, Replicas};
use spikewire_aerospike_protocol::peers::{Address, Peer, Peers};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_sync::Mutex;

const TURN: Duration = Duration::from_millis(5);

#[derive(Default)]
struct State {
    values: BTreeMap<String, String>,
    commands: Vec<String>,
    hangs: bool,
    stopped: bool,
    security: Security,
}

/// Allowed users, and counters of logins.
#[derive(Default)]
struct Security {
    /// User name and password hash; `None`: no login required.
    user: Option<(String, String)>,
    /// Result code for every login, if set.
    answers: Option<ResultCode>,
    ttl: Option<u32>,
    tokens: Vec<Vec<u8>>,
    forgets: bool,
    logins: usize,
    rejected: usize,
    with_token: usize,
}

/// A connection.
struct Open {
    stream: TcpStream,
    input: Vec<u8>,
    /// Whether it is logged in.
    known: bool,
}

/// One node on a port of its own.
pub struct FakeNode {
    pub name: String,
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
    threads: Vec<JoinHandle<()>>,
}

impl FakeNode {
    /// A node without peers and partitions.
    pub fn start(name: &str) -> Self {
        Self::start_at(name, "127.0.0.1:0".parse().unwrap())
    }

    /// The same, at a given address.
    pub fn start_at(name: &str, address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let node =
            Self { name: name.to_owned(), address, state: Arc::default(), threads: Vec::new() };
        for (command, value) in [
            ("node", name),
            ("build", "8.1.2.0"),
            ("cluster-name", "fake"),
            ("partition-generation", "1"),
            ("peers-generation", "1"),
            ("rebalance-generation", "1"),
            ("service-clear-std", &address.to_string()),
            ("service-clear-alt", ""),
            ("peers-clear-std", "1,3000,[]"),
            ("peers-clear-alt", "1,3000,[]"),
            ("rack-ids", "ERROR:25:enterprise only"),
            ("replicas", ""),
        ] {
            node.set(command, value);
        }
        node.serve(listener)
    }

    fn serve(mut self, listener: TcpListener) -> Self {
        listener.set_nonblocking(true).unwrap();
        let state = self.state.clone();
        self.threads.push(thread::spawn(move || {
            let mut open: Vec<Open> = Vec::new();
            while !state.lock().stopped {
                while let Ok((stream, _)) = listener.accept() {
                    stream.set_nonblocking(true).unwrap();
                    open.push(Open { stream, input: Vec::new(), known: false });
                }
                if std::mem::take(&mut state.lock().security.forgets) {
                    open.iter_mut().for_each(|open| open.known = false);
                }
                open.retain_mut(|open| talk(open, &state));
                // The pace of the node.
                thread::sleep(TURN);
            }
        }));
        self
    }

    /// Changes a reply.
    pub fn set(&self, command: &str, value: impl Into<String>) {
        self.state.lock().values.insert(command.to_owned(), value.into());
    }

    /// Accepts connections and requests, and sends nothing.
    pub fn hang(&self, hangs: bool) {
        self.state.lock().hangs = hangs;
    }

    /// How often a command was received.
    pub fn requests_of(&self, command: &str) -> usize {
        self.state.lock().commands.iter().filter(|line| line.starts_with(command)).count()
    }

    /// From now on only this user is accepted.
    pub fn set_user(&self, name: &str, password: &str) {
        self.state.lock().security.user = Some((name.to_owned(), hash_password(password)));
    }

    /// Sets the lifetime of tokens in seconds.
    pub fn set_ttl(&self, ttl: u32) {
        self.state.lock().security.ttl = Some(ttl);
    }

    /// Sets the reply to every login.
    pub fn answer_logins(&self, code: ResultCode) {
        self.state.lock().security.answers = Some(code);
    }

    /// Invalidates all tokens.
    pub fn end_sessions(&self) {
        self.state.lock().security.tokens.clear();
    }

    /// Marks all connections as not logged in.
    pub fn forget_connections(&self) {
        self.state.lock().security.forgets = true;
    }

    /// The numbers of logins, rejected logins, and connections that presented a token.
    pub fn entries(&self) -> (usize, usize, usize) {
        let security = &self.state.lock().security;
        (security.logins, security.rejected, security.with_token)
    }

    /// Changes the peers and their generation.
    pub fn set_peers(&self, generation: u64, peers: &[&FakeNode]) {
        let peers = peers
            .iter()
            .map(|peer| Peer {
                name: peer.name.clone(),
                tls_name: String::new(),
                addresses: vec![Address {
                    host: peer.address.ip().to_string(),
                    port: peer.address.port(),
                }],
            })
            .collect();
        self.set("peers-clear-std", Peers { generation, peers }.format());
        self.set("peers-generation", generation.to_string());
    }

    /// Changes its partitions of namespace `test`: `columns[i]` selects the partitions of which it
    /// is replica i.
    pub fn set_map(&self, generation: i64, regime: u32, columns: &[&dyn Fn(u16) -> bool]) {
        let columns: Vec<Bitmap> = columns
            .iter()
            .map(|holds| {
                let mut bitmap = Bitmap::default();
                (0..4096).filter(|pid| holds(*pid)).for_each(|pid| bitmap.insert(pid));
                bitmap
            })
            .collect();
        let factor = columns.len() as u8;
        let replicas = Replicas { namespace: "test".into(), regime, factor, columns };
        self.set("replicas", Replicas::format(&[replicas]));
        self.set("partition-generation", generation.to_string());
    }

    /// Stops: connections break, the port refuses.
    pub fn kill(&mut self) {
        self.state.lock().stopped = true;
        self.threads.drain(..).for_each(|thread| thread.join().unwrap());
    }

    /// Restarts at the same address with the same replies.
    pub fn revive(self) -> Self {
        self.state.lock().stopped = false;
        let listener = TcpListener::bind(self.address).unwrap();
        let (name, address, state) = (self.name.clone(), self.address, self.state.clone());
        Self { name, address, state, threads: Vec::new() }.serve(listener)
    }
}

impl Drop for FakeNode {
    fn drop(&mut self) {
        // Not if it was restarted with `revive`.
        if !self.threads.is_empty() {
            self.kill();
        }
    }
}

/// Answers available requests; `false` when the connection is over.
fn talk(open: &mut Open, state: &Mutex<State>) -> bool {
    let mut chunk = [0; 4096];
    loop {
        match open.stream.read(&mut chunk) {
            Ok(0) => return false,
            Ok(count) => open.input.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => break,
            Err(_) => return false,
        }
    }
    if state.lock().hangs {
        return true;
    }
    while let Ok(Some((frame, used))) = frame::split(&open.input) {
        let mut state = state.lock();
        let out = match frame {
            Frame { kind: Kind::Admin, body } => let_in(body, &mut open.known, &mut state.security),
            Frame { body, .. } => answer(body, open.known, &mut state),
        };
        drop(state);
        open.input.drain(..used);
        open.stream.set_nonblocking(false).unwrap();
        if open.stream.write_all(&out).is_err() {
            return false;
        }
        open.stream.set_nonblocking(true).unwrap();
    }
    true
}

fn answer(body: &[u8], known: bool, state: &mut State) -> Vec<u8> {
    let is_stranger = state.security.user.is_some() && !known;
    let mut out = Vec::new();
    let start = frame::begin(&mut out, Kind::Info);
    for command in info::commands(body) {
        state.commands.push(command.line.to_owned());
        let value = state.values.get(command.line).map(String::as_str);
        let value = value.unwrap_or("ERROR:4:unrecognized command");
        let value = if is_stranger { "ERROR:80:not authenticated" } else { value };
        info::answer(&mut out, command.line, value);
    }
    frame::finish(&mut out, start);
    out
}

fn let_in(body: &[u8], known: &mut bool, security: &mut Security) -> Vec<u8> {
    let mut session = None;
    let result = match Request::parse(body).unwrap() {
        Request::Authenticate { token, .. } => {
            security.with_token += 1;
            let holds = security.tokens.iter().any(|known| known == token);
            if holds { ResultCode::OK } else { ResultCode::EXPIRED_SESSION }
        }
        Request::Login { user, credential, .. } => {
            security.logins += 1;
            match (&security.user, security.answers) {
                (_, Some(code)) => code,
                (None, _) => ResultCode::SECURITY_NOT_ENABLED,
                (Some((name, _)), _) if *name != user => ResultCode::INVALID_USER,
                (Some((_, hash)), _) if hash.as_bytes() != credential => {
                    ResultCode::INVALID_PASSWORD
                }
                _ => {
                    let token = format!("token {}", security.logins).into_bytes();
                    security.tokens.push(token.clone());
                    session = Some(Session { token, ttl: security.ttl });
                    ResultCode::OK
                }
            }
        }
        other => panic!("{other:?}"),
    };
    *known = result == ResultCode::OK;
    let by_login = body[2] == spikewire_aerospike_protocol::auth::command::LOGIN;
    security.rejected += usize::from(by_login && !*known);
    let mut out = Vec::new();
    Reply { result, session }.encode(&mut out);
    out
}
