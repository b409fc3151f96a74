//! Fake nodes: they answer info commands from a table that a test rewrites as it goes, and
//! misbehave on demand. For what a real cluster does only by accident.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use spikewire_aerospike_protocol::frame::{self, Kind};
use spikewire_aerospike_protocol::info;
use spikewire_aerospike_protocol::partition::{Bitmap, Replicas};
use spikewire_aerospike_protocol::peers::{Address, Peer, Peers};
use spikewire_sync::Mutex;

const TURN: Duration = Duration::from_millis(5);

#[derive(Default)]
struct State {
    values: BTreeMap<String, String>,
    asked: Vec<String>,
    hangs: bool,
    stopped: bool,
}

/// One node on a port of its own.
pub struct FakeNode {
    pub name: String,
    pub address: SocketAddr,
    state: Arc<Mutex<State>>,
    threads: Vec<JoinHandle<()>>,
}

impl FakeNode {
    /// A node that is alone and holds nothing.
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
            let mut open: Vec<(TcpStream, Vec<u8>)> = Vec::new();
            while !state.lock().stopped {
                while let Ok((stream, _)) = listener.accept() {
                    stream.set_nonblocking(true).unwrap();
                    open.push((stream, Vec::new()));
                }
                open.retain_mut(|(stream, input)| talk(stream, input, &state));
                thread::sleep(TURN);
            }
        }));
        self
    }

    /// Changes an answer.
    pub fn set(&self, command: &str, value: impl Into<String>) {
        self.state.lock().values.insert(command.to_owned(), value.into());
    }

    /// Takes the connections and the questions, and says nothing.
    pub fn hang(&self, hangs: bool) {
        self.state.lock().hangs = hangs;
    }

    /// How often a command was asked.
    pub fn asked(&self, command: &str) -> usize {
        self.state.lock().asked.iter().filter(|line| line.starts_with(command)).count()
    }

    /// Changes the peers, and the generation that says so.
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

    /// Changes what it holds of namespace `test`: `columns[i]` picks the partitions of which it is
    /// replica i.
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

    /// Comes back at the same address, saying the same.
    pub fn revive(self) -> Self {
        self.state.lock().stopped = false;
        let listener = TcpListener::bind(self.address).unwrap();
        let (name, address, state) = (self.name.clone(), self.address, self.state.clone());
        Self { name, address, state, threads: Vec::new() }.serve(listener)
    }
}

impl Drop for FakeNode {
    fn drop(&mut self) {
        // Not when it lives on after `revive`.
        if !self.threads.is_empty() {
            self.kill();
        }
    }
}

/// Answers what is there; `false` when the connection is over.
fn talk(stream: &mut TcpStream, input: &mut Vec<u8>, state: &Mutex<State>) -> bool {
    let mut chunk = [0; 4096];
    loop {
        match stream.read(&mut chunk) {
            Ok(0) => return false,
            Ok(count) => input.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => break,
            Err(_) => return false,
        }
    }
    if state.lock().hangs {
        return true;
    }
    while let Ok(Some((frame, used))) = frame::split(input) {
        let mut out = Vec::new();
        let start = frame::begin(&mut out, Kind::Info);
        let mut state = state.lock();
        for command in info::commands(frame.body) {
            state.asked.push(command.line.to_owned());
            let value = state.values.get(command.line).map(String::as_str);
            info::answer(&mut out, command.line, value.unwrap_or("ERROR:4:unrecognized command"));
        }
        drop(state);
        frame::finish(&mut out, start);
        input.drain(..used);
        stream.set_nonblocking(false).unwrap();
        if stream.write_all(&out).is_err() {
            return false;
        }
        stream.set_nonblocking(true).unwrap();
    }
    true
}
