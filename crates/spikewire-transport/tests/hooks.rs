//! What the topology is told about attempts and nodes, and what follows.

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use spikewire_transport::topology::Settings;
use spikewire_transport::{FaultKind, Policy, Tick};
use support::{
    Bench, DONE, LONG, Manners, Nodes, REFUSED, RETRY, Request, SOON, Script, Server, Stay, nodes,
    policy, settings,
};

/// A server that rejects this many requests with a retryable error, and answers the others with a
/// frame of this kind.
fn rejecting(mut times: u32, kind: u8) -> Server {
    let script: Script = Box::new(move |request: Request| {
        let rejects = times > 0;
        times = times.saturating_sub(1);
        request.answer(if rejects { RETRY } else { kind }, &request.body)
    });
    Server::start(false, Manners::Polite, script)
}

fn deaf() -> Server {
    Server::start(false, Manners::Polite, Box::new(|_| Vec::new()))
}

fn bench(server: &Server, pause: Duration) -> Bench<false> {
    let nodes = Arc::into_inner(nodes(server.address, settings())).unwrap();
    Bench::of(Arc::new(Nodes { pause, ..nodes }))
}

fn retries(max_retries: u32) -> Policy<Stay> {
    Policy { max_retries, ..policy(LONG) }
}

#[test]
fn each_attempt_that_another_one_follows_is_reported_and_has_its_pause() {
    let server = rejecting(2, DONE);
    let pause = Duration::from_millis(60);
    let mut bench = bench(&server, pause);
    let start = Instant::now();
    bench.submit(1, b"x", retries(5));
    assert_eq!(bench.ending(1).unwrap(), (b"x".to_vec(), 3));
    assert!(start.elapsed() >= 2 * pause);
    let failures = bench.nodes.failed.lock().unwrap().clone();
    let why = format!("refused with {RETRY}");
    assert_eq!(failures, [(why.clone(), 1), (why, 2)]);
}

#[test]
fn a_pause_that_the_deadline_does_not_allow_ends_the_command_at_once() {
    let server = rejecting(9, DONE);
    let mut bench = bench(&server, 2 * LONG);
    bench.submit(1, b"x", retries(5));
    let failed = bench.failure(1);
    assert_eq!((failed.kind, failed.attempts), (None, 1));
    assert_eq!(failed.message, format!("refused with {RETRY}"));
}

#[test]
fn the_last_error_lists_those_before() {
    let server = rejecting(9, DONE);
    let mut bench = bench(&server, Duration::ZERO);
    bench.submit(1, b"x", retries(2));
    let failed = bench.failure(1);
    assert_eq!(failed.attempts, 3);
    let why = format!("refused with {RETRY}");
    assert_eq!(failed.earlier, [why.clone(), why]);
}

#[test]
fn a_server_error_after_others_lists_them() {
    let server = rejecting(2, REFUSED);
    let mut bench = bench(&server, Duration::ZERO);
    bench.submit(1, b"x", retries(5));
    let failed = bench.failure(1);
    assert_eq!(failed.message, format!("refused with {REFUSED}"));
    assert_eq!((failed.attempts, failed.earlier.len()), (3, 2));
    assert!(failed.node.unwrap().contains(&server.address.to_string()));
    // Without an earlier failure, it is a reply like any other.
    bench.submit(2, b"x", retries(5));
    assert_eq!(bench.ending(2).unwrap(), (b"x".to_vec(), 1));
}

#[test]
fn time_that_ran_out_names_the_node() {
    let server = deaf();
    let address = server.address.to_string();
    let settings = Settings { depth: 1, ..settings() };
    let mut bench = Bench::<false>::new(server.address, settings);
    bench.submit(1, b"x", policy(SOON));
    bench.submit(2, b"x", policy(SOON));
    let (sent, waiting) = (bench.failure(1), bench.failure(2));
    for failed in [&sent, &waiting] {
        assert_eq!(failed.kind, Some(FaultKind::Timeout));
        assert!(failed.node.as_ref().unwrap().contains(&address), "{failed:?}");
        assert!(failed.message.contains(&address), "{failed:?}");
    }
    assert_eq!((sent.attempts, sent.in_doubt), (1, true));
    assert!(sent.message.contains("no answer came from"), "{sent:?}");
    assert_eq!((waiting.attempts, waiting.in_doubt), (0, false));
    assert!(waiting.message.contains("waiting to be sent to"), "{waiting:?}");
}

#[test]
fn a_timeout_between_two_attempts_lists_the_errors_before() {
    let server = rejecting(9, DONE);
    let mut bench = bench(&server, SOON / 2);
    bench.submit(1, b"x", Policy { timeout: SOON, ..retries(9) });
    let failed = bench.failure(1);
    assert!(!failed.earlier.is_empty(), "{failed:?}");
    assert!(!failed.in_doubt);
}

#[test]
fn a_silent_node_that_owes_replies_is_suspected_and_reported_repeatedly() {
    let server = deaf();
    let mut bench = bench(&server, Duration::ZERO);
    bench.is_trusted = false;
    let start = Instant::now();
    bench.submit(1, b"x", policy(LONG));
    bench.turn_until("the node is silent", |bench| bench.nodes.silent.load(SeqCst) > 1);
    assert!(start.elapsed() >= Duration::from_millis(250), "nothing is known of it");
    assert!(bench.nodes.node.health.is_suspected());
    assert!(bench.endings.is_empty(), "its command waits on");
}

#[test]
fn a_command_for_a_suspected_node_waits_until_a_probe_is_answered() {
    let server = rejecting(0, DONE);
    let mut bench = bench(&server, Duration::ZERO);
    bench.is_trusted = false;
    let health = &bench.nodes.clone().node.health;
    assert!(health.suspect(Tick::now()));
    bench.submit(1, b"x", policy(LONG));
    let start = Instant::now();
    bench.turn_until("a while passes", |_| start.elapsed() > Duration::from_millis(60));
    assert!(bench.endings.is_empty() && server.accepted.load(SeqCst) == 0);
    health.answered_probe(Tick::now());
    bench.ending(1).unwrap();
}

#[test]
fn a_silent_connection_gets_no_more_commands_once_its_node_answers_elsewhere() {
    let server = deaf();
    let mut bench = bench(&server, Duration::ZERO);
    bench.is_trusted = false;
    let health = &bench.nodes.clone().node.health;
    bench.submit(1, b"x", policy(LONG));
    bench.turn_until("the node is silent", |_| health.is_suspected());
    bench.turn_until("its probe is answered", |_| {
        health.answered_probe(Tick::now());
        !health.is_suspected()
    });
    bench.turn_until("the connection is left", |bench| {
        bench.nodes.silent.store(0, SeqCst);
        bench.submit(2, b"x", policy(LONG));
        server.accepted.load(SeqCst) == 2
    });
}

#[test]
fn commands_for_a_mute_node_fail_after_half_of_their_time() {
    let server = deaf();
    let mut bench = bench(&server, Duration::ZERO);
    bench.is_trusted = false;
    let health = &bench.nodes.clone().node.health;
    bench.submit(1, b"x", policy(SOON));
    bench.turn_until("it is suspected", |_| health.is_suspected());
    bench.submit(2, b"x", policy(LONG));
    health.missed_probe();
    let sent = bench.failure(1);
    assert!(sent.in_doubt && sent.kind == Some(FaultKind::Connection), "{sent:?}");
    bench.submit(3, b"x", policy(SOON));
    let unsent = bench.failure(3);
    assert!(!unsent.in_doubt && unsent.kind == Some(FaultKind::Connection), "{unsent:?}");
    assert_eq!(unsent.attempts, 0, "it was never sent");
    assert!(bench.endings.is_empty(), "the other one has more time");
}

#[test]
fn a_node_that_answers_is_not_silent() {
    let server = rejecting(0, DONE);
    let mut bench = bench(&server, Duration::ZERO);
    let start = Instant::now();
    let mut number = 0;
    while start.elapsed() < Duration::from_millis(600) {
        bench.submit(number, b"x", policy(LONG));
        bench.ending(number).unwrap();
        number += 1;
        // The pace of the commands.
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(bench.nodes.silent.load(SeqCst), 0);
}

#[test]
fn requests_to_a_lost_node_fail_at_once() {
    let server = deaf();
    let mut bench = bench(&server, Duration::ZERO);
    bench.submit(1, b"x", policy(LONG));
    let own = bench.nodes.clone();
    bench.turn_until("the request is sent", |_| server.accepted.load(SeqCst) == 1);
    own.node.lost.store(true, SeqCst);
    let failed = bench.failure(1);
    assert_eq!(failed.kind, Some(FaultKind::Connection));
    assert!(failed.message.contains("does not answer any more"), "{failed:?}");
    assert!(bench.nodes.refreshes.load(SeqCst) > 0);
}

/// Whether a call succeeds whose time is over must not depend on how soon somebody looks.
#[test]
fn a_command_whose_time_is_over_when_it_starts_is_not_sent() {
    let requests = Arc::new(AtomicUsize::new(0));
    let counts = requests.clone();
    let script: Script = Box::new(move |request: Request| {
        counts.fetch_add(1, SeqCst);
        request.answer(DONE, &request.body)
    });
    let server = Server::start(false, Manners::Polite, script);
    let mut bench = bench(&server, Duration::ZERO);
    bench.submit(1, b"x", policy(LONG));
    assert_eq!(bench.ending(1).unwrap().0, b"x");
    for number in 2..50 {
        bench.submit(number, b"y", policy(Duration::from_nanos(1)));
        let failed = bench.failure(number);
        assert_eq!((failed.kind, failed.attempts), (Some(FaultKind::Timeout), 0));
    }
    bench.submit(50, b"z", policy(LONG));
    assert_eq!(bench.ending(50).unwrap().0, b"z");
    assert_eq!(requests.load(SeqCst), 2);
}
