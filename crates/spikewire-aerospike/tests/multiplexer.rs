//! A multiplexer against a node whose every byte the test controls.

mod support;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use socket2::{Domain, Socket, Type};
use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::cluster::{Cluster, Node};
use spikewire_aerospike::command::{Command, Target};
use spikewire_aerospike::transport::{Multiplexer, Outcome, ResponseHandler};
use spikewire_aerospike::{Error, Kind, Options, Policy, ReplicaPolicy};
use spikewire_aerospike_protocol::compression::Packer;
use spikewire_aerospike_protocol::features::Build;
use spikewire_aerospike_protocol::frame::{self, Kind as Frame};
use spikewire_aerospike_protocol::host::Host;
use spikewire_aerospike_protocol::message::{Header, info1, info3, op, write_op};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_transport::limiter::Tolerance;
use spikewire_transport::{CommandFlags, Priority};
use support::fake::FakeNode;
use support::{LONG, eventually};

/// A ticket is a number.
#[derive(Debug, Clone, Copy)]
struct Number(usize);

impl ResponseHandler for Number {}

/// The outcome of a command: the result code of its reply and the number of attempts, or the error.
type Ending = Result<(u8, u32), Error>;

/// A multiplexer, and a node whose listener the test serves.
struct Bench {
    /// Gives the multiplexer a cluster; commands go to `node` anyway.
    _fake: FakeNode,
    listener: TcpListener,
    node: Arc<Node>,
    /// Whether the node answers the client's own requests. Nobody sends any here.
    is_probed: bool,
    multiplexer: Multiplexer<Number>,
    endings: Vec<(usize, Ending)>,
    /// A connection that a test keeps for later.
    peer: Option<TcpStream>,
}

impl Bench {
    fn new(change: impl FnOnce(&mut Options)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        Self::over(listener, address, change)
    }

    fn over(listener: TcpListener, address: SocketAddr, change: impl FnOnce(&mut Options)) -> Self {
        let fake = FakeNode::start("FAKE");
        fake.set_map(1, 0, &[&|_| true]);
        let name = fake.address.ip().to_string();
        let seed = Host { name, tls_name: None, port: fake.address.port() };
        let mut options = Options::new(vec![seed]);
        (options.connect_timeout, options.tend_interval) = (LONG, LONG);
        (options.connections_per_node, options.max_error_rate) = (Some(1), 0);
        options.retry_budget = None;
        change(&mut options);
        let multiplexer = Multiplexer::new(Cluster::connect(options).unwrap()).unwrap();
        let node = Arc::new(Node::new(1000, "SCRIPTED".into(), address, None));
        let (is_probed, endings, peer) = (false, Vec::new(), None);
        Self { _fake: fake, listener, node, is_probed, multiplexer, endings, peer }
    }

    fn command(&self, number: usize, bytes: Vec<u8>, policy: Policy) -> Box<Command<Number>> {
        let target = Target::node(self.node.clone(), true);
        Command::new(bytes, target, policy, Tick::now(), Number(number))
    }

    fn submit(&mut self, number: usize, bytes: Vec<u8>, policy: Policy) {
        let command = self.command(number, bytes, policy);
        self.multiplexer.submit(command, Tick::now());
        self.multiplexer.flush(Tick::now(), &mut into(&mut self.endings));
    }

    /// One iteration of a driver.
    fn turn(&mut self) {
        let mut deliver = into(&mut self.endings);
        self.multiplexer.turn(Some(Duration::from_millis(1)), &mut deliver).unwrap();
        let now = Tick::now();
        if self.multiplexer.alarm() <= now {
            self.multiplexer.expire(now, &mut deliver);
        }
        if self.is_probed {
            self.node.health.answered_probe(now);
        }
    }

    fn turn_until(&mut self, what: &str, mut holds: impl FnMut(&mut Self) -> bool) {
        eventually(what, || {
            self.turn();
            holds(self)
        });
    }

    fn ending(&mut self, number: usize) -> Ending {
        self.turn_until("a command ends", |bench| {
            bench.endings.iter().any(|(known, _)| *known == number)
        });
        let at = self.endings.iter().position(|(known, _)| *known == number).unwrap();
        self.endings.remove(at).1
    }

    fn accept(&mut self) -> TcpStream {
        self.listener.set_nonblocking(true).unwrap();
        let mut accepted = None;
        self.turn_until("a connection", |bench| {
            accepted = bench.listener.accept().ok();
            accepted.is_some()
        });
        let (peer, _) = accepted.unwrap();
        peer.set_nonblocking(true).unwrap();
        peer
    }

    /// Drives the multiplexer until a request of this length has arrived.
    fn expect(&mut self, mut peer: &TcpStream, len: usize) -> Vec<u8> {
        let (mut came, mut chunk) = (Vec::new(), vec![0; len]);
        self.turn_until("a request", |_| {
            if let Ok(size) = peer.read(&mut chunk[..len - came.len()]) {
                assert!(size > 0, "closed after {} bytes", came.len());
                came.extend_from_slice(&chunk[..size]);
            }
            came.len() == len
        });
        came
    }

    /// Answers this many requests, one at a time, on any connection; returns the numbers of their
    /// commands.
    fn serve(&mut self, requests: usize) -> Vec<u8> {
        self.listener.set_nonblocking(true).unwrap();
        let (mut order, mut peers, mut chunk) = (Vec::new(), Vec::new(), [0; 38]);
        self.turn_until("so many requests", |bench| {
            if let Ok((peer, _)) = bench.listener.accept() {
                peer.set_nonblocking(true).unwrap();
                peers.push(peer);
            }
            for peer in &mut peers {
                if let Ok(38) = peer.read(&mut chunk) {
                    order.push(chunk[37]);
                    peer.write_all(&ok()).unwrap();
                }
            }
            order.len() == requests
        });
        order
    }

    /// Reads the rest of a connection, to its end.
    fn drain(&mut self, mut peer: &TcpStream) -> Vec<u8> {
        let (mut came, mut chunk) = (Vec::new(), vec![0; 1 << 20]);
        self.turn_until("the end of a connection", |_| match peer.read(&mut chunk) {
            Ok(size) => {
                came.extend_from_slice(&chunk[..size]);
                size == 0
            }
            Err(error) => error.kind() != std::io::ErrorKind::WouldBlock,
        });
        came
    }
}

fn into(endings: &mut Vec<(usize, Ending)>) -> impl FnMut(Number, Outcome<'_>) + '_ {
    |Number(number), outcome| {
        endings.push((number, outcome.map(|reply| (reply.code().0, reply.attempts.count))));
    }
}

/// A message of this length that contains the number of its command.
fn request(number: usize, len: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let start = frame::begin(&mut out, Frame::Message);
    out.resize(out.len() + len, number as u8);
    frame::finish(&mut out, start);
    out
}

fn reply(header: Header) -> Vec<u8> {
    let mut out = Vec::new();
    let start = frame::begin(&mut out, Frame::Message);
    out.extend_from_slice(&header.to_bytes());
    frame::finish(&mut out, start);
    out
}

fn ok() -> Vec<u8> {
    reply(Header::default())
}

fn policy(timeout: Duration) -> Policy {
    Policy { timeout, max_retries: 0, ..Policy::default() }
}

/// Long enough to connect and to send, on a machine with other work.
const SOON: Duration = Duration::from_secs(1);
/// More than the socket buffers of both sides hold.
const HUGE: usize = 48 << 20;

#[test]
fn a_request_that_timed_out_half_sent_is_never_finished() {
    let mut bench = Bench::new(|_| {});
    bench.submit(1, request(1, HUGE), policy(SOON));
    let peer = bench.accept();
    let error = bench.ending(1).unwrap_err();
    assert_eq!((error.kind(), error.in_doubt(), error.attempts()), (Kind::Timeout, false, 1));
    // Nothing else is going to happen on that connection, so it is closed.
    assert!(bench.drain(&peer).len() < HUGE);
}

#[test]
fn neighbours_of_a_half_sent_request_lose_nothing() {
    let mut bench = Bench::new(|_| {});
    bench.is_probed = true;
    let small = 60_000;
    bench.submit(0, request(0, 30), policy(LONG));
    let deadline = Tick::now().after(SOON);
    for number in 1..500 {
        let mut command = bench.command(number, request(number, small), policy(SOON));
        command.deadline = deadline;
        bench.multiplexer.submit(command, Tick::now());
    }
    bench.submit(500, request(500, 40), policy(LONG));
    let first = bench.accept();
    let errors: Vec<Error> = (1..500).map(|number| bench.ending(number).unwrap_err()).collect();
    let sent = errors.iter().filter(|error| error.in_doubt()).count();
    assert!(errors.iter().all(|error| error.kind() == Kind::Timeout));
    // The command of which nothing had been sent continues elsewhere, as its first attempt.
    let second = bench.accept();
    bench.expect(&second, 8 + 40);
    (&second).write_all(&ok()).unwrap();
    assert_eq!(bench.ending(500).unwrap(), (0, 1));
    // The command that was sent still gets its reply, and then that connection is closed.
    (&first).write_all(&ok()).unwrap();
    assert_eq!(bench.ending(0).unwrap(), (0, 1));
    let came = bench.drain(&first).len() - 38;
    assert!(came > sent * (small + 8) && came < (sent + 1) * (small + 8), "{came} of {sent}");
}

#[test]
fn closing_reports_what_was_tried() {
    let mut bench = Bench::new(|_| {});
    let again = Policy {
        flags: CommandFlags::default().with_in_doubt(true),
        max_retries: 9,
        ..policy(LONG)
    };
    bench.submit(1, request(1, 30), again);
    let peer = bench.accept();
    bench.expect(&peer, 38);
    bench.multiplexer.close(&mut into(&mut bench.endings));
    let error = bench.endings.remove(0).1.unwrap_err();
    assert_eq!((error.kind(), error.in_doubt(), error.attempts()), (Kind::Closed, true, 1));
}

#[test]
fn a_full_queue_reports_what_was_tried_before() {
    let mut bench = Bench::new(|options| (options.depth, options.queue) = (1, 1));
    let sleep = Duration::from_secs(2);
    let replica = ReplicaPolicy::Master;
    let again = Policy {
        flags: CommandFlags::default().with_in_doubt(true),
        max_retries: 9,
        sleep: sleep.into(),
        replica,
        ..policy(LONG)
    };
    bench.submit(1, request(1, 30), again);
    let peer = bench.accept();
    bench.expect(&peer, 38);
    drop(peer);
    // The loss is noticed in the next turns, long before the retry is due.
    (0..10).for_each(|_| bench.turn());
    bench.submit(2, request(2, 30), policy(LONG));
    bench.submit(3, request(3, 30), policy(LONG));
    let peer = bench.accept();
    let error = bench.ending(1).unwrap_err();
    assert_eq!((error.kind(), error.in_doubt(), error.attempts()), (Kind::Busy, true, 1));
    bench.expect(&peer, 38);
    bench.submit(4, request(4, 30), policy(LONG));
    let error = bench.ending(4).unwrap_err();
    assert_eq!((error.kind(), error.in_doubt(), error.attempts()), (Kind::Busy, false, 0));
}

#[test]
fn commands_that_wait_are_let_in_when_places_become_free_and_before_newcomers() {
    // The backlog of this listener is full, so connecting blocks until it is emptied.
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&"127.0.0.1:0".parse::<SocketAddr>().unwrap().into()).unwrap();
    socket.listen(0).unwrap();
    let listener: TcpListener = socket.into();
    let address = listener.local_addr().unwrap();
    let filler = || {
        let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
        socket.set_nonblocking(true).unwrap();
        let _ = socket.connect(&address.into());
        socket
    };
    let fillers: Vec<_> = (0..3).map(|_| filler()).collect();
    let mut bench = Bench::over(listener, address, |options| options.depth = 1);
    bench.is_probed = true;
    bench.submit(1, request(1, 30), policy(SOON));
    bench.submit(2, request(2, 30), policy(LONG));
    bench.submit(3, request(3, 30), policy(LONG));
    assert_eq!(bench.ending(1).unwrap_err().kind(), Kind::Timeout);
    bench.submit(4, request(4, 30), policy(LONG));
    assert_eq!(bench.serve(3), [2, 3, 4]);
    for number in [2, 3, 4] {
        assert_eq!(bench.ending(number).unwrap(), (0, 1));
    }
    drop(fillers);
}

#[test]
fn a_long_upload_is_no_silence() {
    let mut bench = Bench::new(|_| {});
    let socket_timeout = Duration::from_millis(1500);
    bench.submit(
        1,
        request(1, HUGE),
        Policy { socket_timeout: socket_timeout.into(), ..policy(LONG) },
    );
    let mut peer = bench.accept();
    let (mut came, mut chunk, begun) = (0, vec![0; HUGE / 12], Instant::now());
    bench.turn_until("the whole request", |_| {
        // The pace of the node: read in a dozen pieces, so slowly that it takes longer than the socket timeout.
        std::thread::sleep(socket_timeout / 8);
        while came < HUGE + 8 {
            match peer.read(&mut chunk) {
                Ok(size) => {
                    assert!(size > 0, "given up after {came} bytes");
                    came += size;
                    if came % (HUGE / 12) < size {
                        break;
                    }
                }
                Err(_) => break,
            }
        }
        came == HUGE + 8
    });
    assert!(begun.elapsed() > socket_timeout);
    peer.write_all(&ok()).unwrap();
    assert_eq!(bench.ending(1).unwrap(), (0, 1));
}

#[test]
fn an_attempt_ends_after_its_own_time_and_its_connection_stays() {
    let mut bench = Bench::new(|_| {});
    // The node is only slow: one that answers nobody gets no further attempts.
    bench.is_probed = true;
    let mut flags = CommandFlags::default().with_in_doubt(true);
    flags.set_bounds_attempts(true);
    let limit = Duration::from_millis(200);
    let once = Policy { socket_timeout: limit.into(), flags, max_retries: 0, ..policy(LONG) };
    let begun = Instant::now();
    bench.submit(1, request(1, 30), once);
    bench.submit(2, request(2, 30), policy(LONG));
    bench.submit(3, request(3, 30), Policy { max_retries: 2, ..once });
    let mut peer = bench.accept();
    bench.expect(&peer, 3 * 38);
    let error = bench.ending(1).unwrap_err();
    assert_eq!((error.kind(), error.in_doubt(), error.attempts()), (Kind::Timeout, true, 1));
    assert!(error.message().contains("within 0.2 s"), "{error}");
    let error = bench.ending(3).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (Kind::Timeout, 3));
    assert!(begun.elapsed() >= 3 * limit && begun.elapsed() < LONG);
    // The other command has no such limit, and gets its reply where it was sent.
    peer.write_all(&[ok(), ok()].concat()).unwrap();
    assert_eq!(bench.ending(2).unwrap(), (0, 1));
}

#[test]
fn bytes_behind_a_request_that_is_not_answered_are_no_sign_of_life() {
    let mut bench = Bench::new(|_| {});
    let socket_timeout = Duration::from_millis(200);
    bench.submit(
        0,
        request(0, 30),
        Policy { socket_timeout: socket_timeout.into(), ..policy(LONG) },
    );
    let mut number = 1;
    bench.turn_until("the silence is noticed", |bench| {
        bench.submit(number, request(number, 30), policy(LONG));
        number += 1;
        bench.endings.iter().any(|(number, _)| *number == 0)
    });
    assert_eq!(bench.ending(0).unwrap_err().kind(), Kind::Connection);
}

#[test]
fn retries_at_once_leave_the_event_loop_its_turns() {
    let mut bench = Bench::new(|_| {});
    bench.node.breaker.reset(1);
    (0..2).for_each(|_| bench.node.breaker.record());
    let policy = Policy { max_retries: u32::MAX, ..policy(SOON) };
    for number in 0..50 {
        bench.submit(number, request(number, 30), policy);
    }
    // Each call ends long before the retries do.
    for number in 0..50 {
        let error = bench.ending(number).unwrap_err();
        assert!(error.attempts() > 1 && !error.in_doubt(), "{error:?}");
    }
}

#[test]
fn one_silent_connection_counts_once() {
    let mut bench = Bench::new(|_| {});
    bench.node.breaker.reset(1);
    let socket_timeout = Duration::from_millis(100);
    for number in 0..5 {
        bench.submit(
            number,
            request(number, 30),
            Policy { socket_timeout: socket_timeout.into(), ..policy(LONG) },
        );
    }
    for number in 0..5 {
        assert_eq!(bench.ending(number).unwrap_err().kind(), Kind::Connection);
    }
    assert!(!bench.node.breaker.is_open());
    bench.node.breaker.record();
    assert!(bench.node.breaker.is_open(), "the second one");
}

#[test]
fn an_error_for_a_whole_batch_ends_it_without_the_last_flag() {
    let mut bench = Bench::new(|_| {});
    let batch = |bench: &Bench, number| {
        let mut command = bench.command(number, request(number, 30), policy(LONG));
        (command.stream, command.rows) = (true, 2);
        command
    };
    for (code, closes) in [(ResultCode::PARAMETER, false), (ResultCode::NOT_AUTHENTICATED, true)] {
        let command = batch(&bench, 1);
        bench.multiplexer.submit(command, Tick::now());
        let command = batch(&bench, 2);
        bench.multiplexer.submit(command, Tick::now());
        bench.multiplexer.flush(Tick::now(), &mut into(&mut bench.endings));
        let mut peer = match bench.peer.take() {
            Some(peer) => peer,
            None => bench.accept(),
        };
        bench.expect(&peer, 76);
        peer.write_all(&reply(Header { result: code.0, ..Header::default() })).unwrap();
        assert_eq!(bench.ending(1).unwrap(), (code.0, 1));
        if closes {
            assert!(bench.ending(2).unwrap_err().in_doubt());
            continue;
        }
        // A failed row is not an error of the batch, and the end does not belong to the next reply.
        peer.write_all(&reply(Header { result: 2, timeout: 1, ..Header::default() })).unwrap();
        peer.write_all(&reply(Header { info3: info3::LAST, ..Header::default() })).unwrap();
        assert_eq!(bench.ending(2).unwrap(), (0, 1));
        bench.peer = Some(peer);
    }
}

#[test]
fn a_reply_without_end_is_abandoned() {
    let mut bench = Bench::new(|_| {});
    let mut command = bench.command(1, request(1, 30), policy(LONG));
    (command.stream, command.rows) = (true, 2);
    bench.multiplexer.submit(command, Tick::now());
    bench.multiplexer.flush(Tick::now(), &mut into(&mut bench.endings));
    let mut peer = bench.accept();
    bench.expect(&peer, 38);
    for row in 1..4 {
        peer.write_all(&reply(Header { timeout: row, ..Header::default() })).unwrap();
    }
    let error = bench.ending(1).unwrap_err();
    assert!(error.kind() == Kind::Malformed && error.message().contains("more messages"));
}

#[test]
fn a_node_that_is_overloaded_gets_few_commands_and_those_that_matter_first() {
    let mut bench = Bench::new(|_| {});
    bench.submit(0, request(0, 30), policy(LONG));
    let mut peer = bench.accept();
    bench.expect(&peer, 38);
    peer.write_all(&ok()).unwrap();
    bench.ending(0).unwrap();
    let node = bench.node.clone();
    let limiter = node.health.limiter();
    limiter.back_off(6, Tolerance::EVEN, Tick::now());
    let background = Policy { priority: Priority::Background, ..policy(LONG) };
    for number in 1..=4 {
        bench.submit(number, request(number, 30), policy(LONG));
    }
    for number in 5..=8 {
        bench.submit(number, request(number, 30), background);
    }
    for number in 9..=12 {
        bench.submit(number, request(number, 30), policy(LONG));
    }
    let sent = bench.expect(&peer, 4 * 38);
    let numbers = |bytes: &[u8]| bytes.chunks(38).map(|it| it[37]).collect::<Vec<_>>();
    assert_eq!(numbers(&sent), [1, 2, 3, 4]);
    // Replies make room for more.
    (0..3).for_each(|_| peer.write_all(&ok()).unwrap());
    let mut order = Vec::new();
    while order.len() < 8 {
        peer.write_all(&ok()).unwrap();
        order.extend(numbers(&bench.expect(&peer, 38)));
    }
    peer.write_all(&ok()).unwrap();
    assert_eq!(order, [9, 10, 11, 12, 5, 6, 7, 8]);
    for number in 1..=12 {
        bench.ending(number).unwrap();
    }
    assert_eq!(limiter.stats().waiting, 0);
}

/// A frame of the compressed kind around a reply with a long bin, and what it costs to restore.
fn compressed_reply() -> Vec<u8> {
    let mut plain = Vec::new();
    let start = frame::begin(&mut plain, Frame::Message);
    plain.extend_from_slice(&Header { ops: 1, ..Header::default() }.to_bytes());
    write_op(&mut plain, op::READ, b"b", 3, &vec![b'x'; 100_000]);
    frame::finish(&mut plain, start);
    let mut packed = Vec::new();
    assert!(Packer::default().pack(&plain, 0, &mut packed));
    packed
}

fn asking(number: usize) -> Vec<u8> {
    let mut bytes = request(number, 30);
    bytes[9] = info1::READ | info1::COMPRESS_RESPONSE;
    bytes
}

impl Bench {
    /// The node is of the Enterprise Edition, or not.
    fn with_edition(self, is_enterprise: bool) -> Self {
        let node = Node::new(1000, "SCRIPTED".into(), self.node.address, None);
        Self { node: Arc::new(node.with_build(Build([8, 1, 2, 0]), is_enterprise)), ..self }
    }
}

#[test]
fn compressed_replies_come_in_any_order_with_others() {
    let mut bench = Bench::new(|_| {}).with_edition(true);
    for number in 0..3 {
        bench.submit(number, asking(number), policy(LONG));
    }
    let mut peer = bench.accept();
    let came = bench.expect(&peer, 3 * 38);
    assert_eq!(came, [asking(0), asking(1), asking(2)].concat(), "short requests stay plain");
    peer.write_all(&[compressed_reply(), ok(), compressed_reply()].concat()).unwrap();
    for number in 0..3 {
        assert_eq!(bench.ending(number).unwrap(), (0, 1));
    }
}

/// A length that was believed would be allocated at once, and what follows a damaged stream would be
/// taken for another reply.
#[test]
fn a_damaged_compressed_reply_ends_the_connection() {
    let good = compressed_reply();
    let with_len = |len: u64| {
        let mut bytes = good.clone();
        bytes[8..16].copy_from_slice(&len.to_be_bytes());
        bytes
    };
    let mut garbled = good.clone();
    *garbled.last_mut().unwrap() ^= 1;
    let mut cut = good[..good.len() - 5].to_vec();
    frame::finish(&mut cut, 0);
    for (bad, why) in [
        (with_len(u64::MAX), "longer than 128 MiB"),
        (with_len(128 << 20), "more than the stream can hold"),
        (with_len(100), "longer than announced"),
        (with_len(200_000), "shorter than announced"),
        (garbled, "damaged"),
        (cut, "the stream is cut"),
    ] {
        let mut bench = Bench::new(|_| {}).with_edition(true);
        bench.submit(0, asking(0), policy(LONG));
        let mut peer = bench.accept();
        bench.expect(&peer, 38);
        peer.write_all(&bad).unwrap();
        let error = bench.ending(0).unwrap_err();
        assert_eq!(error.kind(), Kind::Malformed);
        assert!(error.message().contains(why), "{error}");
        assert_eq!(bench.drain(&peer), []);
    }
}

#[test]
fn a_compressed_reply_that_nobody_asked_for_is_refused() {
    let mut bench = Bench::new(|_| {}).with_edition(false);
    bench.submit(0, asking(0), policy(LONG));
    let mut peer = bench.accept();
    let came = bench.expect(&peer, 38);
    assert_eq!(came[9], info1::READ, "such a node is not asked");
    peer.write_all(&compressed_reply()).unwrap();
    let error = bench.ending(0).unwrap_err();
    assert_eq!(error.kind(), Kind::Malformed);
    assert!(error.message().contains("nobody asked for"), "{error}");
}
