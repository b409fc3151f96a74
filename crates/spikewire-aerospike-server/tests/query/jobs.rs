//! Background jobs: started, counted, paced and ended.

use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::expression::{Expression as E, Op};
use spikewire_aerospike_protocol::message::{self, field, info1, info2, info3, op};
use spikewire_aerospike_protocol::query::{Collection, Index, Query, Range, Subject, Task};
use spikewire_aerospike_protocol::value::particle;
use spikewire_aerospike_server::Cluster;

use crate::client::{all, scan, share};
use crate::wire::{Request, Wire, cluster, eventually, hex};

pub const TASK: Task<'_> = Task::Operations { info2: 0, info3: 0, ttl: 0 };

pub fn add(amount: i64) -> Query {
    let mut query = scan();
    let value = amount.to_be_bytes();
    message::write_op(&mut query.ops, op::ADD, b"a", particle::INTEGER, &value);
    query.op_count = 1;
    query
}

/// Starts a job; the code of the reply.
pub fn start(wire: &mut Wire, query: &Query, id: u64, task: &Task<'_>) -> u8 {
    let mut out = Vec::new();
    query.write_task(id, task, &mut out).unwrap();
    wire.send(&out);
    let reply = wire.reply().unwrap();
    let last = if reply.code() == 0 { info3::LAST } else { 0 };
    assert_eq!(reply.header.info3, last);
    reply.code()
}

fn value(text: &str, key: &str) -> String {
    let value = text.split(':').find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='));
    value.unwrap_or_else(|| panic!("no {key} in {text}")).to_owned()
}

/// Waits until a job is done; what the node says of it.
fn done(wire: &mut Wire, id: u64) -> String {
    let mut text = String::new();
    eventually("the job is done", || {
        text = wire.info(&format!("query-show:id={id}"));
        value(&text, "status") != "active(ok)"
    });
    text
}

fn counts(text: &str) -> [u64; 3] {
    ["recs-succeeded", "recs-failed", "recs-filtered-bins"]
        .map(|key| value(text, key).parse().unwrap())
}

#[test]
fn a_background_job_changes_every_record() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(1000);
    assert_eq!(start(&mut wire, &add(10_000), 7, &TASK), 0);
    let text = done(&mut wire, 7);
    assert_eq!((value(&text, "status").as_str(), counts(&text)), ("done(ok)", [1000, 0, 0]));
    for part in
        [":job-type=background-ops:", ":rps=10000:", ":job-progress=100.00:", ":ops-active=0"]
    {
        assert!(text.contains(part), "{part} in {text}");
    }
    let mut values = wire.query(&scan(), &share(&all(), &[])).values();
    values.sort_unstable();
    assert_eq!(values, (10_000..11_000).collect::<Vec<_>>());
    // By a filter; what an operation fails on is counted.
    let small = E::apply(Op::Lt, vec![E::bin("a").unwrap(), E::from(10_100_i64)]).unwrap();
    let filtered = Query { filter: Some(small.filter().unwrap()), ..add(-10_000) };
    assert_eq!(start(&mut wire, &filtered, 8, &TASK), 0);
    assert_eq!(counts(&done(&mut wire, 8)), [100, 0, 900]);
    let mut failing = scan();
    let text = b"text";
    message::write_op(&mut failing.ops, op::APPEND, b"a", particle::STRING, text);
    failing.op_count = 1;
    assert_eq!(start(&mut wire, &failing, 9, &TASK), 0);
    assert_eq!(counts(&done(&mut wire, 9)), [0, 1000, 0]);
    // A TTL for all of them, then the end of all of them.
    let mut touch = scan();
    touch.op(op::TOUCH, "");
    let task = Task::Operations { info2: 0, info3: 0, ttl: 5000 };
    assert_eq!(start(&mut wire, &touch, 10, &task), 0);
    assert_eq!(counts(&done(&mut wire, 10)), [1000, 0, 0]);
    assert!(wire.query(&scan(), &share(&all(), &[])).rows.iter().all(|row| row.void_time > 0));
    let mut delete = scan();
    delete.op(op::DELETE, "");
    assert_eq!(start(&mut wire, &delete, 11, &TASK), 0);
    assert_eq!(counts(&done(&mut wire, 11)), [1000, 0, 0]);
    assert!(wire.query(&scan(), &share(&all(), &[])).rows.is_empty());
}

#[test]
fn a_background_job_by_index_changes_matching_records() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(500);
    let index = "sindex-create:namespace=test;set=demo;indexname=i;bin=a;type=numeric";
    assert_eq!(wire.info(index), "ok");
    while !wire.info("sindex-stat:namespace=test;indexname=i").contains("load_pct=100") {}
    let subject = Subject::Bin("a".to_owned());
    let (collection, range) = (Collection::Value, Range::Int(10, 19));
    let index = Index { subject, collection, context: None, range };
    // Records moved out of the range, or within it, are not visited again.
    for (id, amount, changed) in [(1001, 5, 10), (1002, 1000, 5), (1003, 1, 0)] {
        let query = Query { index: Some(index.clone()), ..add(amount) };
        assert_eq!(start(&mut wire, &query, id, &TASK), 0);
        assert_eq!(counts(&done(&mut wire, id))[0], changed, "job {id}");
    }
    let subject = Subject::Name("none".to_owned());
    let index = Some(Index { subject, ..index });
    assert_eq!(start(&mut wire, &Query { index, ..add(1) }, 0, &TASK), 201);
}

#[test]
fn invalid_background_jobs_are_rejected() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(1);
    let job = || Request::bare().info2(info2::WRITE).field(field::NAMESPACE, b"test");
    assert_eq!(wire.code(job()), 4, "no operation");
    assert_eq!(wire.code(job().bin("a")), 4, "one that reads");
    assert_eq!(wire.code(job().int(op::WRITE, "a", 1).info1(info1::READ)), 4);
    assert_eq!(wire.code(job().int(op::WRITE, "a", 1).info1(info1::SHORT_QUERY)), 4);
    assert_eq!(wire.code(job().int(op::WRITE, "a", 1).info2(info2::DELETE)), 4);
    assert_eq!(start(&mut wire, &Query { set: "unknown".to_owned(), ..add(1) }, 5, &TASK), 2);
    assert_eq!(start(&mut wire, &Query { records_per_second: 10_001, ..add(1) }, 5, &TASK), 4);
    assert_eq!(start(&mut wire, &Query { records_per_second: 1, ..add(1) }, 5, &TASK), 0);
    assert_eq!(start(&mut wire, &add(1), 5, &TASK), 4, "the number is taken");
    assert_eq!(wire.query(&scan(), &share(&all(), &[])).rows.len(), 1);
}

/// A job that is paced lets others work, is aborted at once, and dies with its node.
#[test]
fn slow_jobs_end_when_they_are_aborted() {
    let cluster = cluster(2);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(4000);
    let slow = Query { records_per_second: 100, ..add(1) };
    let started = Instant::now();
    assert_eq!(start(&mut wire, &slow, 1001, &TASK), 0);
    // Another job passes it by.
    assert_eq!(start(&mut wire, &add(10_000), 1002, &TASK), 0);
    assert_eq!(value(&done(&mut wire, 1002), "status"), "done(ok)");
    eventually("some records", || counts(&wire.info("query-show:id=1001"))[0] >= 10);
    assert!(started.elapsed() >= Duration::from_millis(95));
    assert_eq!(wire.info("query-abort:id=1001"), "ok");
    assert_eq!(value(&done(&mut wire, 1001), "status"), "done(user-aborted)");
    assert_eq!(start(&mut wire, &slow, 1003, &TASK), 0);
    cluster.kill(0).unwrap();
    cluster.restart(0).unwrap();
    assert_eq!(Wire::to(&cluster, 0).info("query-show"), "");
}

fn sum(cluster: &Cluster, nodes: &[usize]) -> (usize, i64) {
    let rows = crate::client::scan_all(cluster, &scan(), nodes);
    let values =
        rows.iter().map(|row| i64::from_be_bytes(row.bins[0].value.clone().try_into().unwrap()));
    (rows.len(), values.sum())
}

/// Every node changes what it is the master of, and every copy gets it.
#[test]
fn a_background_job_on_all_nodes_changes_every_copy() {
    let cluster = cluster(3);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(900);
    let before = sum(&cluster, &[0, 1, 2]);
    let mut changed = 0;
    for node in 0..3 {
        let mut wire = Wire::to(&cluster, node);
        assert_eq!(start(&mut wire, &add(1), 50, &TASK), 0);
        changed += counts(&done(&mut wire, 50))[0];
    }
    assert_eq!(changed, 900);
    assert_eq!(sum(&cluster, &[0, 1, 2]), (900, before.1 + 900));
    cluster.kill(2).unwrap();
    assert!(cluster.wait_settled(Duration::from_secs(30)));
    assert_eq!(sum(&cluster, &[0, 1]), (900, before.1 + 900));
}

/// A function on every record; one that is not there fails on each.
#[test]
fn a_background_function_runs_on_every_record() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(50);
    let source = "function double(r)\n  r.a = r.a * 2\n  aerospike:update(r)\nend\n";
    let content = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, source);
    let len = content.len();
    let put = format!("udf-put:filename=m.lua;content={content};content-len={len};udf-type=LUA;");
    assert_eq!(wire.info(&put), "ok");
    let call = |package| Task::Function { package, name: "double", arguments: &[0x90] };
    assert_eq!(start(&mut wire, &scan(), 70, &call("m")), 0);
    let text = done(&mut wire, 70);
    assert_eq!(counts(&text), [50, 0, 0]);
    assert!(text.contains(":job-type=background-udf:"));
    let mut values = wire.query(&scan(), &share(&all(), &[])).values();
    values.sort_unstable();
    assert_eq!(values, (0..50).map(|at| at * 2).collect::<Vec<_>>());
    assert_eq!(start(&mut wire, &scan(), 71, &call("none")), 0);
    assert_eq!(counts(&done(&mut wire, 71)), [0, 50, 0]);
}

/// A record whose new value is one that the job looks for is not changed again.
#[test]
fn a_job_does_not_chase_its_own_changes() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let index = "sindex-create:namespace=test;set=demo;indexname=i;bin=a;type=numeric";
    assert_eq!(wire.info(index), "ok");
    // All in one partition, and more than are changed in one slice.
    for at in 0..1000_i64 {
        let mut digest = [7; 20];
        digest[10..18].copy_from_slice(&at.to_be_bytes());
        let put = Request::bare().info2(info2::WRITE).field(field::NAMESPACE, b"test");
        let put = put.field(field::SET, b"demo").field(field::DIGEST, &digest);
        assert_eq!(wire.code(put.int(op::WRITE, "a", at)), 0);
    }
    while !wire.info("sindex-stat:namespace=test;indexname=i").contains("load_pct=100") {}
    let subject = Subject::Bin("a".to_owned());
    let (collection, range) = (Collection::Value, Range::Int(0, i64::MAX));
    let index = Some(Index { subject, collection, context: None, range });
    assert_eq!(start(&mut wire, &Query { index, ..add(500) }, 90, &TASK), 0);
    assert_eq!(counts(&done(&mut wire, 90)), [1000, 0, 0]);
    let mut values = wire.query(&scan(), &share(&all(), &[])).values();
    values.sort_unstable();
    assert_eq!(values, (500..1500).collect::<Vec<_>>());
}

#[test]
fn a_background_job_changes_elements_by_paths() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    for key in ["a", "b"] {
        let list = Request::write(key).op(op::WRITE, "l", particle::LIST, &[0x93, 1, 2, 3]);
        assert_eq!(wire.code(list), 0);
    }
    assert_eq!(wire.code(Request::write("c").int(op::WRITE, "l", 1)), 0);
    let mut query = scan();
    // Twice what is more than 1.
    let twice = hex("94ccfe 92 04 9303937a020101 04 9316937a020102");
    message::write_op(&mut query.ops, op::CDT_MODIFY, b"l", particle::BLOB, &twice);
    query.op_count = 1;
    assert_eq!(start(&mut wire, &query, 7, &TASK), 0);
    assert_eq!(counts(&done(&mut wire, 7)), [2, 1, 0]);
    let bins = wire.ask(Request::get("a")).bins;
    assert_eq!(bins[0].value, [0x93, 1, 4, 6]);
}
