//! Copies sent to nodes that only count requests and reply as configured.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::thread;
use std::time::Instant;

use spikewire_transport::Tick;
use spikewire_transport::health::ReplyTimes;

use super::*;
use crate::blocking::BlockingExecutor;
use crate::error::Result;

/// How a node replies to a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answers {
    AtOnce,
    After(Duration),
    Never,
    Refusing(u16),
}

const LATE: Duration = Duration::from_millis(2500);
/// What the nodes are known for: many times that is silence.
const SLOW_REPLY: Duration = Duration::from_millis(200);
/// Longer than anything here takes, and what a statement without copies would wait.
const LIMIT: Duration = Duration::from_secs(20);

/// Waits until `holds` returns true; panics with `what` if that takes too long.
#[track_caller]
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < LIMIT, "still waiting: {what}");
        thread::sleep(Duration::from_millis(1));
    }
}

#[derive(Debug)]
struct FakeNode {
    address: SocketAddr,
    requests: Arc<AtomicUsize>,
    answers: Arc<Mutex<Answers>>,
}

impl FakeNode {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (requests, answers) = (Arc::default(), Arc::new(Mutex::new(Answers::AtOnce)));
        let node = Self { address, requests, answers };
        let (requests, answers) = (node.requests.clone(), node.answers.clone());
        thread::spawn(move || {
            for socket in listener.incoming() {
                let (requests, answers) = (requests.clone(), answers.clone());
                let serve = move || serve(&socket.unwrap(), &requests, &answers);
                thread::spawn(serve);
            }
        });
        node
    }
}

/// Serves until the peer closes the connection.
fn serve(socket: &TcpStream, requests: &AtomicUsize, answers: &Mutex<Answers>) -> Option<()> {
    loop {
        let mut header = [0; 9];
        (&*socket).read_exact(&mut header).ok()?;
        let length = u32::from_be_bytes(header[5..].try_into().unwrap());
        let mut body = vec![0; length as usize];
        (&*socket).read_exact(&mut body).ok()?;
        let reply = |mut frame: Vec<u8>| {
            frame[0] = 0x84;
            frame[2..4].copy_from_slice(&header[2..4]);
            (&*socket).write_all(&frame).ok()
        };
        if header[4] == 1 {
            // STARTUP; READY.
            reply(frame(2, &[]))?;
            continue;
        }
        requests.fetch_add(1, SeqCst);
        let void = frame(8, &[0, 0, 0, 1]);
        let how = *answers.lock();
        match how {
            Answers::AtOnce => reply(void)?,
            Answers::After(delay) => {
                // The pace of the node.
                thread::sleep(delay);
                reply(void)?;
            }
            Answers::Never => {}
            Answers::Refusing(code) => reply(error_frame(code, &[]))?,
        }
    }
}

/// Three nodes, and an executor for calling threads.
struct Setting {
    nodes: Vec<FakeNode>,
    session: Arc<Session>,
    executor: BlockingExecutor,
}

fn setting(limits: Limits, depth: usize) -> Setting {
    let nodes: Vec<_> = (0..3).map(|_| FakeNode::start()).collect();
    let addresses: Vec<_> = nodes.iter().map(|node| node.address).collect();
    let local_datacenter = Some("dc1".to_owned());
    // Slow nodes keep their turns.
    let slow_start = Duration::ZERO;
    let options =
        Options { local_datacenter, slow_start, depth, limits, ..Options::new(Vec::new()) };
    let places = [("dc1", "r1"), ("dc1", "r2"), ("dc1", "r3")];
    let snapshot = sample::snapshot_at(&addresses, &places, &[], &options);
    // A busy machine must not make nodes look mute, from which statements would go on to others.
    let mut times = ReplyTimes::default();
    times.record(Tick(1), Tick(1).after(SLOW_REPLY), false);
    snapshot.nodes.iter().for_each(|node| node.health.note(times));
    let session = Session::sample(sample::cluster(snapshot, options, Version::V4));
    let executor = BlockingExecutor::new(session.cluster());
    let setting = Setting { nodes, session, executor };
    // From here on there are connections.
    for _ in 0..3 {
        setting.run(&marked(true)).unwrap();
    }
    setting.counts();
    setting
}

fn limits(attempts: u32) -> Limits {
    let speculation = Speculation { delay: Some(DELAY.into()), attempts };
    Limits { speculation, timeout: LIMIT, max_retries: 0, ..Limits::default() }
}

impl Setting {
    /// The node that answered a write, and the attempts.
    fn run(&self, options: &StatementOptions) -> Result<(SocketAddr, u32)> {
        let call = query(&self.session, SET, options);
        self.executor.run(call, None, |answer| {
            answer.map(|answer| (answer.node.address, answer.attempts.count))
        })
    }

    fn answer(&self, node: usize, answers: Answers) {
        *self.nodes[node].answers.lock() = answers;
    }

    /// How many statements arrived at each node since the last call.
    fn counts(&self) -> Vec<usize> {
        self.nodes.iter().map(|node| node.requests.swap(0, SeqCst)).collect()
    }
}

#[test]
fn a_copy_answers_for_a_silent_node() {
    let setting = setting(limits(1), 1024);
    setting.answer(1, Answers::Never);
    let began = Instant::now();
    let mut attempts: Vec<_> = (0..3)
        .map(|_| {
            let (node, attempts) = setting.run(&marked(true)).unwrap();
            assert_ne!(node, setting.nodes[1].address);
            attempts
        })
        .collect();
    assert!(began.elapsed() < LIMIT);
    attempts.sort_unstable();
    assert_eq!(attempts, [1, 1, 2], "each node is the first in turn");
    let counts = setting.counts();
    assert_eq!((counts[1], counts.iter().sum::<usize>()), (1, 4), "{counts:?}");
}

#[test]
fn a_percentile_of_known_latencies_is_a_delay() {
    let speculation = Speculation { delay: Some(SpeculativeDelay::Percentile(9900)), attempts: 1 };
    let setting = setting(Limits { speculation, ..limits(1) }, 1024);
    let lowest = || setting.session.cluster().snapshot().lowest_latency(9900);
    assert_eq!(lowest(), None, "nothing is known yet");
    // A node is measured a hundred times.
    let mut statements = 0;
    while lowest().is_none() {
        assert_eq!(setting.run(&marked(true)).unwrap().1, 1, "until then there are no copies");
        statements += 1;
    }
    assert!(statements >= 97, "{statements}");
    let usual = lowest().unwrap();
    assert!(usual >= Duration::from_millis(1) && usual < LATE, "{usual:?}");
    setting.answer(1, Answers::After(LATE));
    let began = Instant::now();
    let answered: Vec<_> = (0..3).map(|_| setting.run(&marked(true)).unwrap()).collect();
    assert!(began.elapsed() < LATE, "{:?}", began.elapsed());
    assert!(answered.iter().all(|(node, _)| *node != setting.nodes[1].address), "{answered:?}");
    assert!(lowest().unwrap() < LATE / 2, "one slow node does not change it");
}

/// Without copies, too, a mute node costs an idempotent statement little of its time; others fail
/// after half of it.
#[test]
fn a_mute_node_costs_idempotent_statements_little_of_their_time() {
    let limits = Limits { timeout: LIMIT, ..Limits::default() };
    let setting = setting(limits, 1024);
    setting.answer(1, Answers::Never);
    let began = Instant::now();
    for _ in 0..9 {
        let (node, _) = setting.run(&marked(true)).unwrap();
        assert_ne!(node, setting.nodes[1].address);
    }
    assert!(began.elapsed() < LIMIT / 4, "{:?}", began.elapsed());
    // Only the first found out.
    assert_eq!(setting.counts()[1], 1);
}

#[test]
fn a_mute_node_fails_other_statements_after_half_of_their_time() {
    let limits = Limits { timeout: LATE, ..Limits::default() };
    let setting = setting(limits, 1024);
    setting.answer(1, Answers::Never);
    // What the cluster's thread does with a node that does not answer its probes.
    let node = setting.session.cluster().snapshot().nodes[1].clone();
    let options = StatementOptions { node: Some(node.clone()), ..marked(false) };
    thread::scope(|scope| {
        let caller = scope.spawn(|| setting.run(&options).unwrap_err());
        eventually("it is suspected", || node.health.is_suspected());
        node.health.missed_probe();
        let error = caller.join().unwrap();
        assert_eq!((error.kind(), error.in_doubt()), (Kind::Connection, true), "{error}");
    });
    let error = setting.run(&options).unwrap_err();
    assert_eq!((error.kind(), error.in_doubt()), (Kind::Connection, false), "{error}");
    // Those that may go elsewhere do.
    for _ in 0..3 {
        assert_eq!(setting.run(&marked(false)).unwrap().1, 1);
    }
}

#[test]
fn statements_not_marked_idempotent_are_sent_once() {
    let setting = setting(limits(2), 1024);
    setting.answer(0, Answers::After(LATE));
    for _ in 0..3 {
        assert_eq!(setting.run(&StatementOptions::default()).unwrap().1, 1);
    }
    assert_eq!(setting.counts(), [1, 1, 1]);
}

#[test]
fn late_answers_give_their_places_back() {
    let setting = setting(limits(1), 2);
    setting.answer(2, Answers::After(LATE));
    for round in 0..3 {
        for _ in 0..3 {
            let (node, _) = setting.run(&marked(true)).unwrap();
            assert_ne!(node, setting.nodes[2].address, "round {round}");
        }
        // A connection has only two places. If they were not freed, the third round's statement
        // would not be sent there.
        eventually("the statement", || setting.nodes[2].requests.load(SeqCst) > round);
        // The pace of the node: its answer comes, and nothing tells that it was read.
        thread::sleep(LATE);
    }
    setting.answer(2, Answers::AtOnce);
    let node = Some(setting.session.cluster().snapshot().nodes[2].clone());
    assert_eq!(setting.run(&StatementOptions { node, ..marked(true) }).unwrap().1, 1);
}

#[test]
fn the_deadline_is_one_for_all() {
    let setting = setting(Limits { timeout: LATE, ..limits(5) }, 1024);
    for node in 0..3 {
        setting.answer(node, Answers::Never);
    }
    let error = setting.run(&marked(true)).unwrap_err();
    assert_eq!((error.kind(), error.attempts()), (Kind::Timeout, 3));
    assert!(error.in_doubt());
    let mut failed_nodes: Vec<_> =
        error.failed_attempts().filter_map(|(node, _)| node.map(str::to_owned)).collect();
    failed_nodes.sort_unstable();
    let mut nodes: Vec<_> = setting.nodes.iter().map(|node| node.address.to_string()).collect();
    nodes.sort_unstable();
    assert_eq!(failed_nodes, nodes);
    assert_eq!(setting.counts(), [1, 1, 1], "one for each node, and no more");
}

#[test]
fn an_error_ends_its_copy_or_the_whole_statement() {
    let setting = setting(limits(2), 1024);
    setting.answer(0, Answers::After(LATE));
    setting.answer(1, Answers::Refusing(OVERLOADED));
    setting.answer(2, Answers::Refusing(OVERLOADED));
    let ended: Vec<_> = (0..3).map(|_| setting.run(&marked(true))).collect();
    let (answered, failed): (Vec<_>, Vec<_>) = ended.into_iter().partition(Result::is_ok);
    // One starts at the slow node, whose answer arrives although both copies failed.
    assert_eq!(answered.len(), 1);
    assert_eq!(answered[0].as_ref().unwrap(), &(setting.nodes[0].address, 3));
    for error in failed.into_iter().map(Result::unwrap_err) {
        assert_eq!((error.kind(), error.attempts()), (Kind::Server, 1), "nothing was on its way");
    }
    setting.counts();
    setting.answer(0, Answers::Never);
    setting.answer(1, Answers::Refusing(SYNTAX));
    setting.answer(2, Answers::Refusing(SYNTAX));
    let began = Instant::now();
    for _ in 0..3 {
        assert_eq!(setting.run(&marked(true)).unwrap_err().kind(), Kind::Server);
    }
    assert!(began.elapsed() < LIMIT);
    assert_eq!(setting.counts().iter().sum::<usize>(), 4);
}

#[test]
fn closing_the_session_ends_waiting_calls() {
    let setting = setting(limits(2), 1024);
    for node in 0..3 {
        setting.answer(node, Answers::Never);
    }
    thread::scope(|scope| {
        let caller = scope.spawn(|| setting.run(&marked(true)));
        eventually("a request", || setting.counts().iter().sum::<usize>() > 0);
        setting.executor.close();
        assert_eq!(caller.join().unwrap().unwrap_err().kind(), Kind::Closed);
    });
    assert_eq!(setting.run(&marked(true)).unwrap_err().kind(), Kind::Closed);
}
