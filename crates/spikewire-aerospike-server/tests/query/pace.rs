//! Readers' pace, rates, limits, and the list of jobs.

use std::io::{ErrorKind, Read};
use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::message::op;
use spikewire_aerospike_protocol::query::{Query, Share};
use spikewire_aerospike_protocol::value::particle;
use spikewire_aerospike_server::Faults;

use crate::client::{StreamResult, all, scan, share};
use crate::wire::{Request, Wire, cluster, eventually};

/// Records of a scan that lasts.
const COUNT: usize = 10_000;

/// Records of 100 kB: enough to fill any socket.
fn fill_large(wire: &mut Wire, count: usize) {
    for at in 0..count {
        let put =
            Request::write(&format!("k{at}")).op(op::WRITE, "b", particle::BLOB, &vec![7; 100_000]);
        assert_eq!(wire.code(put), 0);
    }
}

fn start(wire: &mut Wire, query: &Query, share: &Share<'_>) {
    let mut out = Vec::new();
    query.write(share, &mut out).unwrap();
    wire.send(&out);
}

/// The status of a job, and how many records it has sent.
fn job(wire: &mut Wire, id: u64) -> (String, u64) {
    let text = wire.info(&format!("query-show:id={id}"));
    if text == "ERROR:2:job not found" {
        // Requests of different connections have no order.
        return (String::new(), 0);
    }
    let value = |key: &str| {
        let value = text.split(':').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='));
        value.unwrap_or_else(|| panic!("no {key} in {text}")).to_owned()
    };
    (value("status"), value("recs-succeeded").parse().unwrap())
}

#[test]
fn a_scan_waits_for_a_slow_reader() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    fill_large(&mut wire, 500);
    start(&mut wire, &scan(), &Share { id: 77, ..share(&all(), &[]) });
    // Others are served all the time, and the scan stands still once the sockets are full.
    let mut other = Wire::to(&cluster, 0);
    let mut last = (0, 0);
    while last.1 < 50 {
        assert_eq!(other.code(Request::head("k1")), 0);
        let (status, sent) = job(&mut other, 77);
        assert!(matches!(status.as_str(), "" | "active(ok)"), "{status}");
        last = if sent == last.0 { (sent, last.1 + 1) } else { (sent, 0) };
    }
    assert!(last.0 < 500, "{} records of 100 kB were sent and not read", last.0);
    let stream = wire.stream_result();
    assert_eq!((stream.code, stream.rows.len()), (0, 500));
    assert_eq!(job(&mut other, 77), ("done(ok)".to_owned(), 500));
}

#[test]
fn requests_behind_a_scan_are_answered_behind_it() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    fill_large(&mut wire, 30);
    let connections = |wire: &mut Wire| {
        let text = wire.info("statistics");
        let entry = text.split(';').find_map(|entry| entry.strip_prefix("client_connections="));
        entry.unwrap().parse::<usize>().unwrap()
    };
    let mut out = Vec::new();
    for _ in 0..3 {
        scan().write(&share(&all(), &[]), &mut out).unwrap();
        out.extend_from_slice(&Request::head("k1").bytes());
        out.extend_from_slice(&Request::head("missing").bytes());
    }
    wire.send(&out);
    for _ in 0..3 {
        let stream = wire.stream_result();
        assert_eq!((stream.code, stream.rows.len()), (0, 30));
        assert_eq!(wire.reply().unwrap().code(), 0);
        assert_eq!(wire.reply().unwrap().code(), 2);
    }
    assert_eq!(connections(&mut wire), 1);
    // A node that dies takes the connections along whose replies go on.
    scan().write(&share(&all(), &[]), &mut out).unwrap();
    fill_large(&mut wire, 200);
    wire.send(&out);
    wire.read_frame(&mut StreamResult::default()).unwrap();
    cluster.kill(0).unwrap();
    while wire.read_frame(&mut StreamResult::default()).is_ok() {}
    cluster.restart(0).unwrap();
    assert_eq!(connections(&mut Wire::to(&cluster, 0)), 1);
}

#[test]
fn a_client_that_does_not_read_is_disconnected() {
    let cluster = cluster(1);
    let mut other = Wire::to(&cluster, 0);
    fill_large(&mut other, 300);
    let mut wire = Wire::to(&cluster, 0);
    start(&mut wire, &scan(), &Share { id: 5, patience: 100, ..share(&all(), &[]) });
    eventually("a timeout", || job(&mut other, 5).0 == "done(abandoned-response-timeout)");
    // The stream breaks off without an end.
    let mut stream = StreamResult::default();
    while wire.read_frame(&mut stream).is_ok_and(|ended| !ended) {}
    assert!(stream.rows.len() < 300);
    // One that closes is noticed too.
    let mut wire = Wire::to(&cluster, 0);
    start(&mut wire, &scan(), &Share { id: 6, ..share(&all(), &[]) });
    wire.read_frame(&mut StreamResult::default()).unwrap();
    drop(wire);
    eventually("an error", || job(&mut other, 6).0 == "done(abandoned-response-error)");
}

/// Scans and background jobs keep their rate by pauses that are short, as on a real server.
#[test]
fn rates_below_a_hundred_are_exceeded() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(100);
    let took = |wire: &mut Wire, records_per_second: u32| {
        let paced = Query { records_per_second, ..scan() };
        let started = Instant::now();
        assert_eq!(wire.query(&paced, &share(&all(), &[])).rows.len(), 100);
        started.elapsed()
    };
    // At most 10 ms each, however low the rate is.
    let (slowest, slow) = (took(&mut wire, 1), took(&mut wire, 10));
    assert!(slowest >= Duration::from_millis(985), "{slowest:?}");
    assert!(slowest < Duration::from_secs(50) && slow < Duration::from_secs(5), "{slow:?}");
    let limited = took(&mut wire, 250);
    assert!(limited >= Duration::from_millis(385) && limited < slowest, "{limited:?} {slowest:?}");
    assert!(took(&mut wire, 1_000_000) < limited);
}

#[test]
fn jobs_are_listed_limited_and_aborted() {
    let cluster = cluster(1);
    let mut other = Wire::to(&cluster, 0);
    // At 10 ms a record no scan ends before the test does.
    other.fill(COUNT as i64);
    assert_eq!(other.info("query-show"), "");
    assert_eq!(other.info("query-show:id=9"), "ERROR:2:job not found");
    assert_eq!(other.info("query-show:id=x"), "ERROR:4:bad id");
    assert_eq!(other.info("query-abort"), "ERROR:4:missing 'id'");
    assert_eq!(other.info("query-abort:id=9"), "ERROR:2:id not active");
    let slow = Query { records_per_second: 1, ..scan() };
    let mut wires: Vec<Wire> = (1001..=1128)
        .map(|id| {
            let mut wire = Wire::to(&cluster, 0);
            start(&mut wire, &slow, &Share { id, ..share(&all(), &[]) });
            wire
        })
        .collect();
    while other.info("query-show").split(';').count() < 128 {}
    let list = other.info("query-show");
    assert!(list.split(';').all(|job| job.contains(":status=active(ok):")), "{list}");
    let first = other.info("query-show:trid=1001");
    for part in [
        "trid=1001:ns=test:set=demo:n-pids-requested=4096:n-keyds-requested=0:rps=1:",
        ":job-type=basic:",
        ":socket-timeout=0",
        ":from=127.0.0.1+",
    ] {
        assert!(first.contains(part), "{part} in {first}");
    }
    let mut late = Wire::to(&cluster, 0);
    assert_eq!(late.query(&scan(), &share(&all(), &[])).code, 22);
    assert_eq!(other.info("query-abort:id=1001"), "ok");
    assert_eq!(wires[0].stream_result().code, 15);
    assert_eq!(other.info("query-abort:trid=1001"), "ERROR:2:id not active");
    assert_eq!(late.query(&scan(), &Share { id: 1001, ..share(&all(), &[]) }).code, 4);
    assert_eq!(late.query(&scan(), &share(&all(), &[])).rows.len(), COUNT);
    assert_eq!(other.info("query-abort-all"), "number-of-queries-killed:127");
    for wire in &mut wires[1..] {
        assert_eq!(wire.stream_result().code, 15);
    }
    assert!(other.info("query-show:id=1001").contains(":status=done(user-aborted):"));
}

/// A short query that takes too long sends what it has, and reports that.
#[test]
fn a_short_query_has_little_time() {
    let cluster = cluster(1);
    let mut other = Wire::to(&cluster, 0);
    fill_large(&mut other, 300);
    let mut wire = Wire::to(&cluster, 0);
    start(&mut wire, &Query { short: true, ..scan() }, &share(&all(), &[]));
    assert_eq!(other.info("query-show"), "");
    // The pace of the test: it cannot end while nothing is read.
    std::thread::sleep(Duration::from_secs(2));
    let stream = wire.stream_result();
    assert!(stream.code == 9 && stream.rows.len() < 300, "{} {}", stream.code, stream.rows.len());
}

#[test]
fn the_end_may_leave_a_while_after_the_last_record() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(20);
    let late_end = Duration::from_secs(1);
    cluster.inject(0, Faults { late_end, ..Faults::default() }).unwrap();
    for (limit, count) in [(0, 20), (5, 5)] {
        let started = Instant::now();
        start(&mut wire, &scan(), &Share { limit, ..share(&all(), &[]) });
        let mut stream = StreamResult::default();
        while stream.rows.len() < count {
            assert!(!wire.read_frame(&mut stream).unwrap(), "the end came with the records");
        }
        wire.0.set_nonblocking(true).unwrap();
        assert_eq!(wire.0.read(&mut [0]).unwrap_err().kind(), ErrorKind::WouldBlock);
        wire.0.set_nonblocking(false).unwrap();
        assert!(wire.read_frame(&mut stream).unwrap());
        assert_eq!((stream.code, stream.rows.len()), (0, count));
        assert!(started.elapsed() >= late_end);
        // The connection stays usable.
        assert_eq!(wire.code(Request::get("k1")), 0);
    }
}
