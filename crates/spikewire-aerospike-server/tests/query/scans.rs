//! What a scan sends.

use spikewire_aerospike_protocol::expression::{Expression as E, Op};
use spikewire_aerospike_protocol::message::{field, info1, info2, info3, op};
use spikewire_aerospike_protocol::query::{Point, Query, Share};
use spikewire_aerospike_protocol::result_code::ResultCode;

use crate::client::{all, scan, scan_all, share};
use crate::wire::{Request, ResultBin, Wire, cluster};

/// Within each partition digests fall, and partitions come one after the other.
#[test]
fn every_record_once_in_its_order() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(20_000);
    assert_eq!(
        wire.code(Request::new("other", "x").info2(info2::WRITE).int(op::WRITE, "a", -1)),
        0
    );
    let stream = wire.query(&scan(), &share(&all(), &[]));
    assert_eq!((stream.code, stream.unavailable.len()), (0, 0));
    let mut values = stream.values();
    values.sort_unstable();
    assert_eq!(values, (0..20_000).collect::<Vec<_>>());
    for pair in stream.digests().windows(2) {
        if pair[0].partition() == pair[1].partition() {
            assert!(pair[0] > pair[1]);
        }
    }
    let row = &stream.rows[0];
    assert_eq!((&row.set[..], row.key.as_deref(), row.generation), (&b"demo"[..], None, 1));
    assert!(stream.frames.iter().all(|len| *len <= 1 << 20));
    assert_eq!(stream.frames.last(), Some(&22), "the end has a frame of its own");
    // The whole namespace has one more.
    let whole = Query { set: String::new(), ..scan() };
    assert_eq!(wire.query(&whole, &share(&all(), &[])).rows.len(), 20_001);
    // A set that was never written to is empty, and no error.
    let unknown = Query { set: "unknown".to_owned(), ..scan() };
    let stream = wire.query(&unknown, &share(&all(), &[]));
    assert_eq!((stream.code, stream.rows.len()), (0, 0));
    assert_eq!(wire.code(Request::get("k1")), 0, "the connection goes on");
}

#[test]
fn each_node_sends_its_partitions_and_rejects_others() {
    let cluster = cluster(3);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(3000);
    assert_eq!(scan_all(&cluster, &scan(), &[0, 1, 2]).len(), 3000);
    // Two copies on three nodes: each holds two thirds of the partitions.
    let mut seen = 0;
    let mut unavailable = 0;
    for node in 0..3 {
        let stream = Wire::to(&cluster, node).query(&scan(), &share(&all(), &[]));
        assert_eq!(stream.code, 0);
        assert!(stream.unavailable.is_sorted());
        let missing: std::collections::HashSet<u16> = stream.unavailable.into_iter().collect();
        assert!(stream.rows.iter().all(|row| !missing.contains(&row.point.digest.partition())));
        seen += stream.rows.len();
        unavailable += missing.len();
    }
    assert_eq!((seen, unavailable), (6000, 4096));
}

#[test]
fn a_scan_resumes_after_a_digest() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(3000);
    let whole = wire.query(&scan(), &share(&all(), &[])).digests();
    // Pages of some records each, from where each partition was left.
    let (mut points, mut pages) = (std::collections::HashMap::<u16, Point>::new(), 0);
    let mut met = Vec::new();
    loop {
        let fresh: Vec<u16> = all().into_iter().filter(|pid| !points.contains_key(pid)).collect();
        let after: Vec<Point> = points.values().copied().collect();
        let stream = wire.query(&scan(), &Share { limit: 700, ..share(&fresh, &after) });
        assert_eq!(stream.code, 0);
        pages += 1;
        met.extend(stream.digests());
        points.extend(stream.last());
        if stream.rows.len() < 700 {
            break;
        }
        assert_eq!(stream.rows.len(), 700);
    }
    assert_eq!(pages, 5);
    met.sort_unstable();
    let mut sorted = whole.clone();
    sorted.sort_unstable();
    assert_eq!(met, sorted);
    // After a digest that is not there, and after the last one.
    let mut digest = whole[0];
    digest.0[19] ^= 1;
    let pid = digest.partition();
    let expected: Vec<_> =
        whole.iter().filter(|it| it.partition() == pid && **it < digest).copied().collect();
    let points = [Point { digest, value: 0 }];
    assert_eq!(wire.query(&scan(), &share(&[], &points)).digests(), expected);
    let last = *whole.iter().filter(|it| it.partition() == pid).min().unwrap();
    let points = [Point { digest: last, value: 0 }];
    assert!(wire.query(&scan(), &share(&[], &points)).rows.is_empty());
}

#[test]
fn a_scan_sends_only_the_requested_parts_of_records() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let put = Request::write("k").key("k").int(op::WRITE, "a", 1).text(op::WRITE, "b", "two");
    assert_eq!(wire.code(put.ttl(1000)), 0);
    assert_eq!(wire.code(Request::put("plain", 5)), 0);
    let ask = |wire: &mut Wire, query: &Query| {
        let mut stream = wire.query(query, &share(&all(), &[]));
        assert_eq!(stream.code, 0);
        stream.rows.sort_by_key(|row| row.key.is_none());
        stream.rows
    };
    let rows = ask(&mut wire, &scan());
    assert_eq!(rows[0].bins, [ResultBin::int(1, "a", 1), ResultBin::text(1, "b", "two")]);
    assert_eq!(rows[0].key.as_deref(), Some(&b"\x03k"[..]));
    assert!(rows[0].void_time > 0 && rows[1].void_time == 0 && rows[1].key.is_none());
    let rows = ask(&mut wire, &Query { no_bins: true, ..scan() });
    assert!(rows.len() == 2 && rows.iter().all(|row| row.bins.is_empty()));
    // A record without any of the bins is left out, unless all operations answer.
    let mut some = scan();
    some.op(op::READ, "b");
    some.op(op::READ, "zz");
    assert_eq!(ask(&mut wire, &some).len(), 1);
    let rows = ask(&mut wire, &Query { respond_all_ops: true, ..some.clone() });
    assert_eq!(rows[1].bins, [ResultBin::null(1, "b"), ResultBin::null(1, "zz")]);
    // A record on which an operation fails is skipped, too, and the stream continues.
    let mut size = Vec::new();
    spikewire_aerospike_protocol::message::write_op(&mut size, op::CDT_READ, b"a", 4, &[0x91, 16]);
    let failing = Query { ops: size, op_count: 1, respond_all_ops: true, ..scan() };
    assert!(ask(&mut wire, &failing).is_empty());
    // An empty name is no bin, and not all of them.
    let mut nameless = scan();
    nameless.op(op::READ, "");
    assert!(ask(&mut wire, &nameless).is_empty());
    // The older form of a projection.
    let older = Request::bare()
        .info1(info1::READ)
        .info3(info3::PARTITION_DONE)
        .field(field::NAMESPACE, b"test")
        .field(
            field::PARTITIONS,
            &all().iter().flat_map(|pid| pid.to_le_bytes()).collect::<Vec<_>>(),
        )
        .field(field::BINS, b"\x02\x01b\x01a");
    wire.send(&older.bytes());
    let mut rows = wire.stream_result().rows;
    rows.sort_by_key(|row| row.key.is_none());
    assert_eq!(rows[0].bins, [ResultBin::text(1, "b", "two"), ResultBin::int(1, "a", 1)]);
    assert_eq!(wire.code(older.bin("a")), 4, "both forms");
}

#[test]
fn scans_apply_filters_and_limits() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(500);
    let small = E::apply(Op::Lt, vec![E::bin("a").unwrap(), E::from(100_i64)]).unwrap();
    let filtered = Query { filter: Some(small.filter().unwrap()), ..scan() };
    let stream = wire.query(&filtered, &share(&all(), &[]));
    let mut values = stream.values();
    values.sort_unstable();
    assert_eq!(values, (0..100).collect::<Vec<_>>());
    // The limit counts what passes the filter, whatever the projection makes of it.
    let everything = all();
    let limited = Share { limit: 30, ..share(&everything, &[]) };
    assert_eq!(wire.query(&filtered, &limited).rows.len(), 30);
    let mut nothing = filtered.clone();
    nothing.op(op::READ, "zz");
    assert_eq!(wire.query(&nothing, &limited).rows.len(), 0);
    let broken = Query { filter: Some(b"\x93".to_vec()), ..scan() };
    assert_eq!(wire.query(&broken, &limited).code, 4);
    assert_eq!(wire.query(&Query { short: true, ..scan() }, &limited).rows.len(), 30);
    // A short query ends in its last frame.
    let short = wire.query(&Query { short: true, ..scan() }, &share(&all(), &[]));
    assert!(short.rows.len() == 500 && short.frames.last() != Some(&22));
}

/// An early refusal is one message without any flag.
#[test]
fn invalid_scan_requests_are_rejected() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let ids = [0, 0];
    let bare = || Request::bare().info1(info1::READ).field(field::NAMESPACE, b"test");
    let request = || bare().info3(info3::PARTITION_DONE);
    for (request, code) in [
        (bare().field(field::PARTITIONS, &ids), 16),
        (request(), 16),
        (request().field(field::PARTITIONS, b""), 4),
        (request().field(field::PARTITIONS, &[0, 16]), 4),
        (request().field(field::PARTITIONS, &[1, 0, 1, 0]), 4),
        (request().field(field::DIGESTS, &[1; 19]), 4),
        (request().field(field::PARTITIONS, &ids).field(field::MAX_RECORDS, &[0; 4]), 4),
        (request().field(field::PARTITIONS, &ids).field(field::SOCKET_TIMEOUT, &[0; 8]), 4),
        (request().field(field::PARTITIONS, &ids).int(op::WRITE, "a", 1), 4),
        (request().field(field::PARTITIONS, &ids).bin("sixteen letters."), 21),
        (request().field(field::PARTITIONS, &ids).field(field::FILTER, b""), 4),
    ] {
        let reply = wire.ask(request);
        assert_eq!((reply.code(), reply.header.info3), (code, 0));
    }
    let nowhere = Query { namespace: "nowhere".to_owned(), ..scan() };
    assert_eq!(wire.query(&nowhere, &share(&[1], &[])).code, ResultCode::NAMESPACE.0);
    let paced = Query { short: true, records_per_second: 5, ..scan() };
    assert_eq!(wire.query(&paced, &share(&[1], &[])).code, 4);
}

/// Among writes, deletions and additions, what is there all the time is met exactly once.
#[test]
fn a_scan_under_writes_sends_unchanged_records_once() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(20_000);
    let over = std::sync::atomic::AtomicBool::new(false);
    let order = std::sync::atomic::Ordering::Relaxed;
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut wire = Wire::to(&cluster, 0);
            let mut at = 0_i64;
            while !over.load(order) {
                at += 1;
                // The lower half changes, the upper half comes and goes.
                let old = format!("k{}", at % 10_000);
                assert_eq!(wire.code(Request::put(&old, at % 10_000)), 0);
                let young = format!("k{}", 10_000 + at % 10_000);
                wire.ask(Request::delete(&young));
                assert_eq!(wire.code(Request::put(&format!("new{at}"), -1)), 0);
            }
        });
        for _ in 0..5 {
            let mut values = wire.query(&scan(), &share(&all(), &[])).values();
            values.retain(|value| (0..10_000).contains(value));
            values.sort_unstable();
            assert_eq!(values, (0..10_000).collect::<Vec<_>>());
        }
        over.store(true, order);
        writer.join().unwrap();
    });
}
