//! Blocking calls, which drive connections on the calling threads, against a node whose every byte
//! the test controls.

mod support;

use std::cell::Cell;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::cluster::{Cluster, Node};
use spikewire_aerospike::command::{Command, Target};
use spikewire_aerospike::transport::{Aerospike, BlockingPool, Outcome, ResponseHandler};
use spikewire_aerospike::{Error, Kind, Options, Policy};
use spikewire_aerospike_protocol::host::Host;
use spikewire_transport::blocking::{BlockingTicket, CallerLimits, pause};
use spikewire_transport::{Fault, FaultKind};
use support::LONG;
use support::fake::FakeNode;

const REQUEST: &[u8] = b"request";
/// Timeout of requests that should time out.
const HASTY: Duration = Duration::from_millis(500);

/// Keeps the result code of the reply, or the error.
#[derive(Debug, Default)]
struct OutcomeTicket(Option<Result<u8, Error>>);

impl ResponseHandler for OutcomeTicket {}

impl BlockingTicket<Aerospike> for OutcomeTicket {
    fn complete(&mut self, outcome: Outcome<'_>) {
        self.0 = Some(outcome.map(|reply| reply.body[5]));
    }
}

/// A pool, and a node whose listener the test serves.
struct Bench {
    /// Gives the pool a cluster; commands go to `node` anyway.
    _fake: FakeNode,
    pool: Arc<BlockingPool<OutcomeTicket>>,
    listener: TcpListener,
    node: Arc<Node>,
}

impl Bench {
    fn new(connections_per_node: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let fake = FakeNode::start("FAKE");
        fake.set_map(1, 0, &[&|_| true]);
        let name = fake.address.ip().to_string();
        let seed = Host { name, tls_name: None, port: fake.address.port() };
        let mut options = Options::new(vec![seed]);
        (options.connect_timeout, options.tend_interval) = (LONG, LONG);
        (options.connections_per_node, options.max_error_rate) = (Some(connections_per_node), 0);
        options.retry_budget = None;
        let address = listener.local_addr().unwrap();
        let node = Arc::new(Node::new(1000, "SCRIPTED".into(), address, None));
        let pool = Arc::new(BlockingPool::new(&Cluster::connect(options).unwrap()));
        Self { _fake: fake, pool, listener, node }
    }

    /// Sends one write to each of these nodes in one call; returns the result codes.
    fn codes(&self, nodes: &[&Arc<Node>], within: Duration) -> Vec<Result<u8, Error>> {
        let now = Tick::now();
        let commands = nodes.iter().map(|node| {
            let target = Target::node((*node).clone(), true);
            let policy = Policy { timeout: within, max_retries: 0, ..Policy::default() };
            Command::new(REQUEST.to_vec(), target, policy, now, OutcomeTicket::default())
        });
        let limits = CallerLimits {
            now,
            deadline: Tick::NEVER,
            alone: false,
            punctual: false,
            interrupted: None,
        };
        let mut outcomes = Vec::new();
        self.pool.run(commands, limits, |ticket| outcomes.extend(ticket.0)).unwrap();
        outcomes
    }

    /// Sends a write with one attempt; returns whether the call as a whole succeeded, and the
    /// outcome of the command.
    fn ask(
        &self,
        within: Duration,
        interrupted: Option<&dyn Fn() -> bool>,
    ) -> (Result<(), Fault>, Option<Result<u8, Error>>) {
        let target = Target::node(self.node.clone(), true);
        let policy = Policy { timeout: within, max_retries: 0, ..Policy::default() };
        let command =
            Command::new(REQUEST.to_vec(), target, policy, Tick::now(), OutcomeTicket::default());
        let limits = CallerLimits {
            now: Tick::now(),
            deadline: command.deadline,
            alone: false,
            punctual: false,
            interrupted,
        };
        let mut reply = None;
        let commands = std::iter::once(command);
        let outcome = self.pool.run(commands, limits, |ticket| reply = ticket.0);
        (outcome, reply)
    }

    fn code(&self, within: Duration) -> Result<u8, Error> {
        let (outcome, reply) = self.ask(within, None);
        outcome.unwrap();
        reply.unwrap()
    }
}

/// Another node whose listener the test serves.
fn other_node() -> (TcpListener, Arc<Node>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, Arc::new(Node::new(1001, "OTHER".into(), address, None)))
}

/// A reply with this result code.
fn reply(code: u8) -> [u8; 30] {
    let mut reply = [0; 30];
    reply[..9].copy_from_slice(&[2, 3, 0, 0, 0, 0, 0, 22, 22]);
    reply[13] = code;
    reply
}

fn read_request(mut stream: &TcpStream) {
    let mut came = [0; REQUEST.len()];
    stream.read_exact(&mut came).unwrap();
    assert_eq!(came, REQUEST);
}

#[test]
fn a_late_reply_that_was_not_read_does_not_make_the_node_a_silent_one() {
    let bench = Bench::new(4);
    let (say, gives_up) = std::sync::mpsc::channel::<()>();
    thread::scope(|scope| {
        let bench = &bench;
        scope.spawn(move || {
            let (mut stream, _) = bench.listener.accept().unwrap();
            read_request(&stream);
            gives_up.recv().unwrap();
            stream.write_all(&reply(1)).unwrap();
            // On the same connection.
            read_request(&stream);
            stream.write_all(&reply(2)).unwrap();
        });
        let error = bench.code(HASTY).unwrap_err();
        assert_eq!((error.kind(), error.in_doubt()), (Kind::Timeout, true));
        say.send(()).unwrap();
        // The pace of the test: longer than the reply to an orphaned request may take.
        thread::sleep(Duration::from_secs(3) + HASTY);
        assert_eq!(bench.code(LONG).unwrap(), 2);
    });
}

#[test]
fn a_connection_that_ended_unused_is_replaced_before_anything_is_sent() {
    // A multiplexer of its own, or the shared one.
    for connections in [4, 0] {
        let bench = Bench::new(connections.max(1));
        let occupied = (connections == 0).then(|| occupy(&bench));
        thread::scope(|scope| {
            scope.spawn(|| {
                for code in [1, 2] {
                    let (mut stream, _) = bench.listener.accept().unwrap();
                    read_request(&stream);
                    stream.write_all(&reply(code)).unwrap();
                }
            });
            assert_eq!(bench.code(LONG).unwrap(), 1);
            // The pace of the test: connections are looked at when they were idle for a while.
            thread::sleep(Duration::from_millis(200));
            assert_eq!(bench.code(LONG).unwrap(), 2, "a write that is sent once at most");
        });
        if let Some((peer, thread)) = occupied {
            drop(peer);
            thread.join().unwrap();
        }
    }
}

/// Occupies the only unshared multiplexer; ends when the peer is dropped.
fn occupy(bench: &Bench) -> (TcpStream, thread::JoinHandle<()>) {
    let (pool, node) = (bench.pool.clone(), bench.node.clone());
    let thread = thread::spawn(move || {
        let target = Target::node(node, true);
        let policy = Policy { timeout: LONG, max_retries: 0, ..Policy::default() };
        let command =
            Command::new(REQUEST.to_vec(), target, policy, Tick::now(), OutcomeTicket::default());
        let limits = CallerLimits {
            now: Tick::now(),
            deadline: Tick::NEVER,
            alone: false,
            punctual: false,
            interrupted: None,
        };
        pool.run(std::iter::once(command), limits, |_| {}).unwrap();
    });
    let (peer, _) = bench.listener.accept().unwrap();
    read_request(&peer);
    (peer, thread)
}

#[test]
fn an_interrupted_call_reports_what_became_of_its_command() {
    for shared in [false, true] {
        let bench = Bench::new(1);
        let occupied = shared.then(|| occupy(&bench));
        thread::scope(|scope| {
            let peer = scope.spawn(|| {
                let (stream, _) = bench.listener.accept().unwrap();
                read_request(&stream);
                stream
            });
            let checks = Cell::new(0);
            let interrupted = || {
                checks.set(checks.get() + 1);
                checks.get() == 3
            };
            let (outcome, reply) = bench.ask(LONG, Some(&interrupted));
            assert_eq!(outcome.unwrap_err().kind, FaultKind::Withdrawn);
            let ended = reply.unwrap().unwrap_err();
            assert_eq!((ended.attempts(), ended.in_doubt()), (1, true));
            drop(peer.join().unwrap());
        });
        if let Some((peer, thread)) = occupied {
            drop(peer);
            thread.join().unwrap();
        }
    }
}

#[test]
fn closing_ends_calls_that_wait() {
    for shared in [false, true] {
        let bench = Bench::new(1);
        let occupied = shared.then(|| occupy(&bench));
        thread::scope(|scope| {
            let call = scope.spawn(|| bench.code(Duration::ZERO).unwrap_err());
            let (peer, _) = bench.listener.accept().unwrap();
            read_request(&peer);
            bench.pool.close();
            let error = call.join().unwrap();
            assert_eq!((error.kind(), error.in_doubt()), (Kind::Closed, true));
        });
        if let Some((_, thread)) = occupied {
            thread.join().unwrap();
        }
        assert_eq!(bench.code(LONG).unwrap_err().kind(), Kind::Closed);
    }
}

#[test]
fn deadlines_of_all_lengths_hold_on_one_connection() {
    // Otherwise a late reply would make the next call open another one.
    let bench = Bench::new(1);
    thread::scope(|scope| {
        scope.spawn(|| {
            let (mut stream, _) = bench.listener.accept().unwrap();
            for _ in 0..4 {
                read_request(&stream);
                stream.write_all(&reply(1)).unwrap();
                // Held back until the next request, which comes after the end of this call.
                for _ in 0..2 {
                    read_request(&stream);
                }
                stream.write_all(&[reply(100), reply(2)].concat()).unwrap();
            }
        });
        for millis in [20, 3, 35, 80] {
            assert_eq!(bench.code(LONG).unwrap(), 1);
            let error = bench.code(Duration::from_millis(millis)).unwrap_err();
            assert_eq!((error.kind(), error.in_doubt()), (Kind::Timeout, true));
            assert_eq!(bench.code(LONG).unwrap(), 2, "{millis} ms");
        }
    });
}

#[test]
fn a_node_that_closes_fails_the_call_that_waits_and_no_other() {
    let bench = Bench::new(4);
    thread::scope(|scope| {
        scope.spawn(|| {
            for code in [1, 2] {
                let (mut stream, _) = bench.listener.accept().unwrap();
                read_request(&stream);
                stream.write_all(&reply(code)).unwrap();
                read_request(&stream);
                // A partial reply does not count.
                stream.write_all(&reply(code)[..code as usize * 9]).unwrap();
            }
        });
        for code in [1, 2] {
            assert_eq!(bench.code(LONG).unwrap(), code);
            let error = bench.code(LONG).unwrap_err();
            assert_eq!((error.kind(), error.in_doubt()), (Kind::Connection, true));
        }
    });
}

#[test]
fn calls_to_one_node_and_to_several_take_turns() {
    let bench = Bench::new(4);
    let (listener, other) = other_node();
    let node = &bench.node;
    thread::scope(|scope| {
        let (bench, listener) = (&bench, &listener);
        // Tells the test what the caller has received, so that a node replies late, or after the
        // other one.
        let (say, received) = std::sync::mpsc::channel::<()>();
        let late = Duration::from_millis(60);
        scope.spawn(move || {
            let (mut stream, _) = bench.listener.accept().unwrap();
            for turn in 0..20 {
                // Alone, in two pieces; the pace of the node is that the second is sometimes late.
                read_request(&stream);
                stream.write_all(&reply(1)[..12]).unwrap();
                thread::sleep(if turn % 7 == 0 { late } else { Duration::ZERO });
                stream.write_all(&reply(1)[12..]).unwrap();
                // Together with the other node.
                read_request(&stream);
                if turn % 2 == 0 {
                    received.recv().unwrap();
                }
                stream.write_all(&reply(2)).unwrap();
                if turn % 2 == 1 {
                    received.recv().unwrap();
                }
            }
        });
        scope.spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            for turn in 0..20 {
                // Together with the first node.
                read_request(&stream);
                thread::sleep(if turn % 5 == 0 { late } else { Duration::ZERO });
                stream.write_all(&reply(3)).unwrap();
                say.send(()).unwrap();
                // Alone.
                read_request(&stream);
                stream.write_all(&reply(4)).unwrap();
            }
        });
        for _ in 0..20 {
            let mut codes = bench.codes(&[node], LONG);
            let both = bench.codes(&[node, &other], LONG);
            codes.extend(both);
            codes.extend(bench.codes(&[&other], LONG));
            let mut codes: Vec<_> = codes.into_iter().map(Result::unwrap).collect();
            codes.sort_unstable();
            assert_eq!(codes, [1, 2, 3, 4]);
        }
    });
}

#[test]
fn a_late_reply_of_one_node_comes_while_another_one_is_waited_for() {
    let bench = Bench::new(4);
    let (listener, other) = other_node();
    thread::scope(|scope| {
        let (bench, listener, other) = (&bench, &listener, &other);
        let (say, received) = std::sync::mpsc::channel::<()>();
        scope.spawn(move || {
            let (mut stream, _) = bench.listener.accept().unwrap();
            read_request(&stream);
            received.recv().unwrap();
            stream.write_all(&reply(100)).unwrap();
            read_request(&stream);
            stream.write_all(&reply(1)).unwrap();
        });
        scope.spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            read_request(&stream);
            say.send(()).unwrap();
            // The pace of the node: longer than a single wait of the caller.
            thread::sleep(Duration::from_millis(250));
            stream.write_all(&reply(2)).unwrap();
        });
        assert_eq!(bench.code(HASTY).unwrap_err().kind(), Kind::Timeout);
        assert_eq!(bench.codes(&[other], LONG).remove(0).unwrap(), 2);
        assert_eq!(bench.code(LONG).unwrap(), 1, "on the connection that was late");
    });
}

#[test]
fn a_pause_ends_when_its_caller_gives_up() {
    let far = Tick::now().after(Duration::from_secs(3600));
    assert_eq!(pause(far, Some(&|| true)).unwrap_err().kind, FaultKind::Withdrawn);
    assert!(pause(Tick::now().after(HASTY), None).is_ok());
}
