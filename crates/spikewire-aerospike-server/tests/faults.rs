//! Nodes that misbehave.

mod wire;

use std::io::{ErrorKind, Read};
use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_server::{Cluster, Drip, Faults, Refuse};
use wire::{Request, Wire, cluster, eventually};

fn start(faults: Faults) -> (Cluster, Wire) {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 0)), 0);
    cluster.inject(0, faults).unwrap();
    (cluster, wire)
}

/// The reply does not come within a short while.
fn is_silent(wire: &mut Wire) -> bool {
    wire.0.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let outcome = wire.0.read(&mut [0]);
    wire.0.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    matches!(outcome, Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
}

#[test]
fn delay_holds_replies_and_keeps_their_order() {
    let delay = Duration::from_millis(80);
    let (cluster, mut wire) = start(Faults { delay, ..Faults::default() });
    let started = Instant::now();
    for at in 0..50 {
        wire.send(&Request::put("k", at).bytes());
    }
    for at in 0..50 {
        assert_eq!(wire.reply().unwrap().header.generation, at + 2);
    }
    assert!(started.elapsed() >= delay);
    // Info requests work as usual, unless they are affected, too.
    let started = Instant::now();
    assert_eq!(wire.info("status"), "ok");
    let quick = started.elapsed();
    cluster.inject(0, Faults { delay, info: true, ..Faults::default() }).unwrap();
    let started = Instant::now();
    assert_eq!(wire.info("status"), "ok");
    assert!(started.elapsed() >= delay, "{quick:?}");
    // A request held when the faults end is still answered, before those that come after.
    wire.send(&Request::put("k", 1).bytes());
    eventually("the write", || cluster.stats(0).unwrap().counters.writes >= 52);
    cluster.clear_faults(0).unwrap();
    wire.send(&Request::put("k", 2).bytes());
    assert_eq!(wire.reply().unwrap().header.generation, 52);
    assert_eq!(wire.reply().unwrap().header.generation, 53);
}

#[test]
fn requests_wait_for_each_other_at_a_node_with_a_service_time() {
    let service_time = Duration::from_millis(4);
    let (cluster, mut wire) = start(Faults { service_time, ..Faults::default() });
    let mut other = Wire::to(&cluster, 0);
    let started = Instant::now();
    for at in 0..10 {
        wire.send(&Request::put("k", at).bytes());
        other.send(&Request::put("other", at).bytes());
    }
    for _ in 0..10 {
        wire.reply().unwrap();
        other.reply().unwrap();
    }
    assert!(started.elapsed() >= 20 * service_time);
    // Those whose client has gone are not waited for, which would take a minute.
    let service_time = Duration::from_millis(100);
    cluster.inject(0, Faults { service_time, ..Faults::default() }).unwrap();
    let written = cluster.stats(0).unwrap().counters.writes;
    for at in 0..600 {
        other.send(&Request::put("other", at).bytes());
    }
    eventually("the writes", || cluster.stats(0).unwrap().counters.writes >= written + 600);
    drop(other);
    eventually("the end", || cluster.stats(0).unwrap().connections == 1);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
}

#[test]
fn a_dropped_request_is_not_run_a_dropped_reply_is() {
    let (cluster, mut wire) = start(Faults { drop: 1.0, ..Faults::default() });
    wire.send(&Request::put("k", 7).bytes());
    assert!(is_silent(&mut wire));
    assert_eq!(wire.info("status"), "ok");
    let mut other = Wire::to(&cluster, 0);
    cluster.inject(0, Faults { drop_reply: 1.0, ..Faults::default() }).unwrap();
    other.send(&Request::put("k", 8).bytes());
    assert!(is_silent(&mut other));
    cluster.clear_faults(0).unwrap();
    // A stream that lost a reply stays silent: the next one would pass for it.
    for wire in [&mut wire, &mut other] {
        wire.send(&Request::get("k").bytes());
        assert!(is_silent(wire));
    }
    let reply = Wire::to(&cluster, 0).ask(Request::get("k"));
    assert_eq!((reply.head(), reply.bins[0].value[7]), ((0, 2, 0), 8));
}

#[test]
fn an_error_code_instead_of_the_command() {
    let code = ResultCode::TIMEOUT;
    let (cluster, mut wire) = start(Faults { error: 1.0, code, ..Faults::default() });
    assert_eq!(wire.ask(Request::put("k", 7)).head(), (9, 0, 0));
    assert_eq!(wire.ask(Request::get("k")).head(), (9, 0, 0));
    cluster.inject(0, Faults { error: 0.5, code, seed: 3, ..Faults::default() }).unwrap();
    let codes: Vec<u8> = (0..400).map(|_| wire.code(Request::get("k"))).collect();
    let failed: usize = codes.iter().map(|code| usize::from(*code == 9)).sum();
    assert!((140..260).contains(&failed) && codes.iter().all(|code| [0, 9].contains(code)));
    // The same seed and the same requests: the same faults.
    cluster.inject(0, Faults { error: 0.5, code, seed: 3, ..Faults::default() }).unwrap();
    let again: Vec<u8> = (0..400).map(|_| wire.code(Request::get("k"))).collect();
    assert_eq!(codes, again);
}

#[test]
fn a_cut_sends_half_a_reply() {
    for delay in [Duration::ZERO, Duration::from_millis(20)] {
        let (cluster, mut wire) = start(Faults { cut: 1.0, delay, ..Faults::default() });
        wire.send(&Request::put("k", 7).bytes().repeat(2));
        let mut rest = Vec::new();
        // The second request is not read any more, so the end may come as a reset.
        let _ = wire.0.read_to_end(&mut rest);
        assert!(rest.len() == 15 || rest.is_empty(), "{rest:02x?}");
        cluster.clear_faults(0).unwrap();
        assert_eq!(Wire::to(&cluster, 0).ask(Request::get("k")).header.generation, 2);
    }
}

#[test]
fn injected_refusals_reject_new_connections() {
    let (cluster, mut wire) = start(Faults { refuse: Refuse::Close, ..Faults::default() });
    let mut fresh = Wire::to(&cluster, 0);
    assert!(fresh.is_closed());
    assert_eq!(wire.code(Request::get("k")), 0, "open connections are served");
    cluster.inject(0, Faults { refuse: Refuse::Port, ..Faults::default() }).unwrap();
    let error = Wire::connect(cluster.seeds()[0]).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::ConnectionRefused);
    assert_eq!(wire.code(Request::get("k")), 0);
    cluster.clear_faults(0).unwrap();
    assert_eq!(Wire::to(&cluster, 0).code(Request::get("k")), 0);
}

#[test]
fn a_drip_sends_replies_in_pieces() {
    let every = Duration::from_millis(10);
    let drip = Some(Drip { bytes: 8, every });
    let (cluster, mut wire) = start(Faults { drip, ..Faults::default() });
    let started = Instant::now();
    let mut first = [0; 64];
    wire.send(&Request::get("k").bytes());
    let count = wire.0.read(&mut first).unwrap();
    wire.0.read_exact(&mut first[count..47]).unwrap();
    // 47 bytes in pieces of 8: five pauses.
    assert!(started.elapsed() >= every * 5);
    wire.send(&Request::get("k").bytes());
    cluster.clear_faults(0).unwrap();
    assert_eq!(wire.reply().unwrap().code(), 0);
}

#[test]
fn a_restarted_node_is_healthy() {
    let (cluster, _) = start(Faults { drop: 1.0, refuse: Refuse::Port, ..Faults::default() });
    cluster.kill(0).unwrap();
    cluster.restart(0).unwrap();
    assert_eq!(Wire::to(&cluster, 0).code(Request::get("k")), 2);
    assert!(cluster.inject(0, Faults { drop: 2.0, ..Faults::default() }).is_err());
    assert!(cluster.inject(5, Faults::default()).is_err());
}
