//! The control connection to a node that goes away, against the server of canned replies: how often
//! it reconnects, and that closing a session does not wait for it.

use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use spikewire::cql::{Builder, Session};
use spikewire_cql_server::{Options, Server};

/// Much longer than anything here takes.
const LONG: Duration = Duration::from_secs(60);

/// Opcode of the first request of a connection. Heartbeats have another one.
const STARTUP: u8 = 1;

/// How connections are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Forwarded to the node.
    Open,
    /// The node replies to OPTIONS and hangs up on STARTUP.
    Shut,
    /// No replies.
    Still,
}

/// A proxy in front of a node.
struct Gate {
    mode: Mutex<Mode>,
    /// Number of OPTIONS and STARTUP requests.
    requests: AtomicU32,
    begun: AtomicU32,
    connections: Mutex<Vec<TcpStream>>,
}

impl Gate {
    fn start(node: SocketAddr) -> (Arc<Self>, SocketAddr) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let at = listener.local_addr().unwrap();
        let gate = Arc::new(Self {
            mode: Mutex::new(Mode::Open),
            requests: AtomicU32::new(0),
            begun: AtomicU32::new(0),
            connections: Mutex::default(),
        });
        let own = gate.clone();
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let Ok(node) = TcpStream::connect(node) else { continue };
                let both = [client.try_clone().unwrap(), node.try_clone().unwrap()];
                own.connections.lock().unwrap().extend(both);
                let (replies, back) = (node.try_clone().unwrap(), client.try_clone().unwrap());
                let (there, back_again) = (own.clone(), own.clone());
                thread::spawn(move || there.pass(client, node, true));
                thread::spawn(move || back_again.pass(replies, back, false));
            }
        });
        (gate, at)
    }

    /// Forwards bytes while that is allowed.
    fn pass(&self, mut from: TcpStream, mut to: TcpStream, from_client: bool) {
        let mut greets = from_client;
        let mut some = vec![0; 4096];
        loop {
            let read =
                if greets { first_frame(&mut from, &mut some) } else { from.read(&mut some) };
            let Ok(size @ 1..) = read else { break };
            self.requests.fetch_add(u32::from(greets), SeqCst);
            let starts = greets && some[4] == STARTUP;
            greets &= !starts;
            if starts {
                self.begun.fetch_add(1, SeqCst);
            }
            match *self.mode.lock().unwrap() {
                Mode::Shut if starts => break,
                Mode::Still => continue,
                _ => {}
            }
            if to.write_all(&some[..size]).is_err() {
                break;
            }
        }
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    }

    fn set(&self, mode: Mode) {
        *self.mode.lock().unwrap() = mode;
    }

    fn hang_up(&self) {
        for stream in self.connections.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    fn begun(&self) -> u32 {
        self.begun.load(SeqCst)
    }
}

/// Reads one request, before compression or segments are in use.
fn first_frame(from: &mut TcpStream, into: &mut Vec<u8>) -> io::Result<usize> {
    from.read_exact(&mut into[..9])?;
    let body = u32::from_be_bytes(into[5..9].try_into().unwrap()) as usize;
    into.resize(into.len().max(9 + body), 0);
    from.read_exact(&mut into[9..9 + body])?;
    Ok(9 + body)
}

fn open(builder: Builder) -> (Session, Server, Arc<Gate>) {
    let server = Server::start(&Options::default()).unwrap();
    let (gate, at) = Gate::start(server.address());
    (builder.connect(at.to_string()).unwrap(), server, gate)
}

fn until(what: &str, holds: impl Fn() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < LONG, "still waiting: {what}");
        thread::sleep(Duration::from_millis(2));
    }
}

/// Takes less time than a session waits for a silent node.
fn assert_closes_at_once(session: &Session) {
    let begin = Instant::now();
    session.close();
    assert!(begin.elapsed() < LONG / 2, "closing took {:?}", begin.elapsed());
}

#[test]
fn an_address_is_dialled_once_each_round() {
    let (session, _server, gate) = open(Session::builder().reconnect(LONG, LONG));
    let before = gate.begun();
    gate.set(Mode::Shut);
    gate.hang_up();
    until("the first round", || gate.begun() > before);
    // The contact point is the known node, and not another one.
    // The pace of the test: time enough for another one.
    thread::sleep(Duration::from_millis(300));
    assert_eq!(gate.begun(), before + 1);
    assert_closes_at_once(&session);
}

#[test]
fn closing_does_not_wait_for_a_node_that_is_dialled() {
    let (session, _server, gate) = open(Session::builder().connect_timeout(2 * LONG));
    let before = gate.requests.load(SeqCst);
    gate.set(Mode::Still);
    gate.hang_up();
    // One of the two is a heartbeat.
    until("the node is dialled", || gate.requests.load(SeqCst) > before + 1);
    assert_closes_at_once(&session);
}

#[test]
fn closing_does_not_wait_for_an_answer() {
    let heartbeat = Duration::from_millis(100);
    let builder = Session::builder().connect_timeout(2 * LONG).heartbeat(heartbeat);
    let (session, _server, gate) = open(builder);
    gate.set(Mode::Still);
    // The pace of the test: heartbeats are due by then, and are not answered.
    thread::sleep(3 * heartbeat);
    assert_closes_at_once(&session);
}
