//! Identical reads share a request, against a node whose every byte the test controls.

mod support;

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::Duration;

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::cluster::{Cluster, Node};
use spikewire_aerospike::command::{Command, Target};
use spikewire_aerospike::transport::{Multiplexer, Outcome, ResponseHandler};
use spikewire_aerospike::{Error, Hedge, Kind, Options, Policy, ReplicaPolicy, ShareReads};
use spikewire_aerospike_protocol::frame::{self, Kind as Frame};
use spikewire_aerospike_protocol::host::Host;
use spikewire_aerospike_protocol::message::{HEADER_LEN, Header, TIMEOUT_AT};
use support::fake::FakeNode;
use support::{LONG, eventually};

/// Bytes of a request.
const LEN: usize = frame::HEADER_LEN + HEADER_LEN;
/// Long enough to send, on a machine with other work.
const SOON: Duration = Duration::from_millis(300);

/// A ticket is a number, and may be withdrawn.
#[derive(Debug, Clone)]
struct Number(usize, Arc<AtomicBool>);

impl ResponseHandler for Number {
    fn is_withdrawn(&self) -> bool {
        self.1.load(SeqCst)
    }
}

/// The generation in the reply and the number of attempts, or the error.
type Ending = Result<(u32, u32), Error>;

struct Bench {
    /// Gives the multiplexer a cluster; commands go to `node` anyway.
    _fake: FakeNode,
    cluster: Arc<Cluster>,
    listener: TcpListener,
    node: Arc<Node>,
    multiplexer: Multiplexer<Number>,
    endings: Vec<(usize, Ending)>,
    peers: Vec<TcpStream>,
    /// The requests that arrived: the kind of each, and its connection.
    arrived: Vec<(u8, usize)>,
}

impl Bench {
    fn new(change: impl FnOnce(&mut Options)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let fake = FakeNode::start("FAKE");
        fake.set_map(1, 0, &[&|_| true]);
        let name = fake.address.ip().to_string();
        let seed = Host { name, tls_name: None, port: fake.address.port() };
        let mut options = Options::new(vec![seed]);
        (options.connect_timeout, options.tend_interval) = (LONG, LONG);
        (options.connections_per_node, options.max_error_rate) = (Some(1), 0);
        change(&mut options);
        let cluster = Cluster::connect(options).unwrap();
        let multiplexer = Multiplexer::for_loop(cluster.clone()).unwrap();
        let node = Arc::new(Node::new(1000, "SCRIPTED".into(), address, None));
        let (endings, peers, arrived) = (Vec::new(), Vec::new(), Vec::new());
        Self { _fake: fake, cluster, listener, node, multiplexer, endings, peers, arrived }
    }

    /// Submits a command of this kind, which is what its bytes consist of; it is not written yet.
    fn submit(&mut self, number: usize, kind: u8, share: ShareReads) -> Arc<AtomicBool> {
        self.submit_as(number, kind, share, policy(LONG))
    }

    fn submit_as(
        &mut self,
        number: usize,
        kind: u8,
        share: ShareReads,
        policy: Policy,
    ) -> Arc<AtomicBool> {
        let target = Target::node(self.node.clone(), false).with_share(share);
        self.submit_to(target, number, request(kind, policy.timeout), policy)
    }

    fn submit_write(&mut self, number: usize, kind: u8) {
        let target = Target::node(self.node.clone(), true);
        self.submit_to(target, number, request(kind, LONG), policy(LONG));
    }

    fn submit_to(
        &mut self,
        target: Target,
        number: usize,
        bytes: Vec<u8>,
        policy: Policy,
    ) -> Arc<AtomicBool> {
        let withdrawn = Arc::new(AtomicBool::new(false));
        let (now, ticket) = (Tick::now(), Number(number, withdrawn.clone()));
        let command: Box<Command<Number>> = Command::new(bytes, target, policy, now, ticket);
        self.multiplexer.submit(command, now);
        withdrawn
    }

    /// One iteration of a driver, and of the node's reading.
    fn turn(&mut self) {
        let mut deliver = into(&mut self.endings);
        self.multiplexer.flush(Tick::now(), &mut deliver);
        self.multiplexer.turn(Some(Duration::from_millis(1)), &mut deliver).unwrap();
        let now = Tick::now();
        if self.multiplexer.alarm() <= now {
            self.multiplexer.expire(now, &mut deliver);
        }
        // A slow machine must not make it wait for a node that nobody probes.
        self.node.health.answered_probe(now);
        if let Ok((peer, _)) = self.listener.accept() {
            peer.set_nonblocking(true).unwrap();
            self.peers.push(peer);
        }
        for (at, peer) in self.peers.iter_mut().enumerate() {
            let mut chunk = [0; LEN];
            while let Ok(LEN) = peer.read(&mut chunk) {
                self.arrived.push((chunk[LEN - 1], at));
            }
        }
    }

    fn turn_until(&mut self, what: &str, mut holds: impl FnMut(&mut Self) -> bool) {
        eventually(what, || {
            self.turn();
            holds(self)
        });
    }

    /// Drives the multiplexer until so many requests have arrived.
    fn arrive(&mut self, requests: usize) {
        self.turn_until("requests", |bench| bench.arrived.len() >= requests);
        assert_eq!(self.kinds().len(), requests);
    }

    fn kinds(&self) -> Vec<u8> {
        self.arrived.iter().map(|(kind, _)| *kind).collect()
    }

    /// Answers the oldest request on the latest connection, with a record of this generation.
    fn answer(&mut self, generation: u32) {
        let mut out = Vec::new();
        let start = frame::begin(&mut out, Frame::Message);
        out.extend_from_slice(&Header { generation, ..Header::default() }.to_bytes());
        frame::finish(&mut out, start);
        self.peers.last_mut().unwrap().write_all(&out).unwrap();
    }

    fn ending(&mut self, number: usize) -> Ending {
        self.turn_until("a command ends", |bench| {
            bench.endings.iter().any(|(known, _)| *known == number)
        });
        let at = self.endings.iter().position(|(known, _)| *known == number).unwrap();
        self.endings.remove(at).1
    }

    /// All commands have ended, and nothing is left of them.
    fn is_over(&mut self, joined: u64) {
        self.turn_until("nothing is in flight", |bench| bench.multiplexer.in_flight() == 0);
        assert!(self.endings.is_empty(), "{:?}", self.endings);
        assert_eq!(self.cluster.stats().reads_shared, joined);
        assert!(format!("{:?}", self.multiplexer).contains("ReadTable { reads: 0, followers: 0 }"));
    }
}

fn into(endings: &mut Vec<(usize, Ending)>) -> impl FnMut(Number, Outcome<'_>) + '_ {
    |Number(number, _), outcome| {
        let ending = outcome
            .map(|reply| (Header::parse(reply.body).unwrap().generation, reply.attempts.count));
        endings.push((number, ending));
    }
}

/// A message whose bytes are its kind, but for its time limit.
fn request(kind: u8, limit: Duration) -> Vec<u8> {
    let mut out = Vec::new();
    let start = frame::begin(&mut out, Frame::Message);
    out.resize(LEN, kind);
    let at = frame::HEADER_LEN + TIMEOUT_AT;
    out[at..at + 4].copy_from_slice(&(limit.as_millis() as u32).to_be_bytes());
    frame::finish(&mut out, start);
    out
}

fn policy(timeout: Duration) -> Policy {
    let replica = ReplicaPolicy::Master;
    Policy { timeout, max_retries: 0, replica, ..Policy::default() }
}

use ShareReads::{InFlight, Off, Unsent};

#[test]
fn reads_join_what_is_unsent_or_on_its_way() {
    let mut bench = Bench::new(|_| {});
    bench.submit(1, b'a', Unsent);
    bench.submit_as(2, b'a', Unsent, policy(LONG * 2));
    bench.submit(3, b'a', InFlight);
    bench.submit(4, b'b', InFlight);
    bench.submit(5, b'a', Off);
    bench.arrive(3);
    assert_eq!(bench.kinds(), b"aba");
    bench.submit(6, b'a', InFlight);
    bench.submit(7, b'a', Unsent);
    bench.arrive(4);
    // It joins the latest one, which was sent for the seventh.
    bench.submit(8, b'a', InFlight);
    for (generation, numbers) in [(1, &[1, 2, 3, 6][..]), (2, &[4]), (3, &[5]), (4, &[7, 8])] {
        bench.answer(generation);
        for number in numbers {
            assert_eq!(bench.ending(*number).unwrap(), (generation, 1), "read {number}");
        }
    }
    bench.is_over(4);
    bench.submit(9, b'a', InFlight);
    bench.arrive(5);
    bench.answer(5);
    assert_eq!(bench.ending(9).unwrap(), (5, 1));
    bench.is_over(4);
}

#[test]
fn no_read_joins_one_from_before_a_write_or_its_end() {
    let mut bench = Bench::new(|_| {});
    bench.submit(1, b'a', InFlight);
    bench.submit_write(2, b'w');
    bench.submit(3, b'a', InFlight);
    bench.submit(4, b'a', InFlight);
    bench.arrive(3);
    assert_eq!(bench.kinds(), b"awa", "the fourth joins the third");
    bench.answer(1);
    bench.answer(2);
    assert_eq!((bench.ending(1).unwrap().0, bench.ending(2).unwrap().0), (1, 2));
    // The third may have missed the write, which has ended since.
    bench.submit(5, b'a', InFlight);
    bench.arrive(4);
    bench.answer(3);
    bench.answer(4);
    let generations = [3, 4, 5].map(|number| bench.ending(number).unwrap().0);
    assert_eq!(generations, [3, 3, 4]);
    bench.is_over(1);
}

#[test]
fn other_limits_than_the_time_are_others_requests() {
    let mut bench = Bench::new(|_| {});
    bench.submit(1, b'a', Unsent);
    bench.submit_as(2, b'a', Unsent, Policy { max_retries: 1, ..policy(LONG) });
    let hedge = Hedge::after(Duration::from_secs(9)).unwrap();
    let target = Target::node(bench.node.clone(), false).with_share(Unsent).with_hedge(hedge);
    bench.submit_to(target, 3, request(b'a', LONG), policy(LONG));
    bench.arrive(3);
    for number in 1..=3 {
        bench.answer(number as u32);
        assert_eq!(bench.ending(number).unwrap().0, number as u32);
    }
    bench.is_over(0);
}

#[test]
fn each_caller_has_its_own_time() {
    let mut bench = Bench::new(|_| {});
    bench.submit_as(1, b'a', InFlight, policy(SOON));
    bench.submit(2, b'a', InFlight);
    bench.submit_as(3, b'a', InFlight, policy(SOON));
    bench.arrive(1);
    for number in [1, 3] {
        let error = bench.ending(number).unwrap_err();
        assert_eq!((error.kind(), error.in_doubt(), error.attempts()), (Kind::Timeout, false, 1));
        let message = error.message();
        assert!(message.contains("timeout of 0.3 s passed: no answer came from"), "{message}");
    }
    bench.answer(7);
    assert_eq!(bench.ending(2).unwrap(), (7, 1));
    bench.is_over(2);
}

#[test]
fn whoever_leaves_takes_nothing_from_the_others() {
    let mut bench = Bench::new(|_| {});
    let first = bench.submit(1, b'a', InFlight);
    bench.submit(2, b'a', InFlight);
    bench.arrive(1);
    first.store(true, SeqCst);
    assert!(bench.ending(1).is_err());
    bench.submit(3, b'a', InFlight);
    bench.answer(7);
    assert_eq!((bench.ending(2).unwrap().0, bench.ending(3).unwrap().0), (7, 7));
    bench.is_over(2);
    // If all leave, it is over, and its late reply is nobody's.
    let both = [bench.submit(4, b'a', InFlight), bench.submit(5, b'a', InFlight)];
    bench.arrive(2);
    both.iter().for_each(|it| it.store(true, SeqCst));
    assert!(bench.ending(4).is_err() && bench.ending(5).is_err());
    bench.submit(6, b'a', InFlight);
    bench.arrive(3);
    bench.answer(8);
    bench.answer(9);
    assert_eq!(bench.ending(6).unwrap().0, 9);
    bench.is_over(3);
}

#[test]
fn all_get_the_error_or_the_next_attempt() {
    let mut bench = Bench::new(|_| {});
    for number in [1, 2] {
        bench.submit(number, b'a', InFlight);
    }
    bench.arrive(1);
    bench.peers.clear();
    for number in [1, 2] {
        assert_eq!(bench.ending(number).unwrap_err().kind(), Kind::Connection);
    }
    bench.is_over(1);
    bench.arrived.clear();
    let again = Policy { max_retries: 1, ..policy(LONG) };
    for number in [3, 4] {
        bench.submit_as(number, b'a', InFlight, again);
    }
    bench.arrive(1);
    bench.peers.clear();
    bench.arrive(2);
    bench.answer(7);
    for number in [3, 4] {
        assert_eq!(bench.ending(number).unwrap(), (7, 2));
    }
    bench.is_over(2);
    bench.submit(5, b'a', InFlight);
    bench.submit(6, b'a', InFlight);
    bench.multiplexer.close(&mut into(&mut bench.endings));
    for number in [5, 6] {
        assert_eq!(bench.ending(number).unwrap_err().kind(), Kind::Closed);
    }
    bench.is_over(3);
}

#[test]
fn callers_without_a_request_take_no_room() {
    let mut bench = Bench::new(|options| options.in_flight = 1);
    bench.submit(1, b'a', Unsent);
    for number in 2..=20 {
        bench.submit(number, b'b', Unsent);
    }
    bench.submit(21, b'c', Unsent);
    for (at, kind) in b"abc".iter().enumerate() {
        bench.arrive(at + 1);
        assert_eq!(bench.arrived[at].0, *kind);
        bench.answer(at as u32);
        bench.turn_until("its callers", |bench| {
            bench.endings.iter().any(|(_, ending)| ending.as_ref().unwrap().0 == at as u32)
        });
    }
    for number in 1..=21 {
        bench.ending(number).unwrap();
    }
    bench.is_over(18);
}
