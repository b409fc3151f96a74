//! Options of calls, on single records and in batches, blocking and as futures.

mod support;

use std::time::Duration;

use futures::executor::block_on;
use spikewire::{
    CallOptions, Dataset, Exists, Kind, ReadMode, ReadTouch, ReplicaPolicy, Result, ResultCode,
    Row, Value, bins, op,
};

use support::{async_dataset, builder, cluster, dataset};

const OPTIONS: CallOptions = CallOptions::new();

fn code<T: std::fmt::Debug>(result: Result<T>) -> Kind {
    result.expect_err("this must fail").kind()
}

fn ages(users: &Dataset) -> Dataset {
    users.put_many((0..10).map(|id| (id, [("age", 15 + id)]))).unwrap().check().unwrap();
    users.with(OPTIONS.filter("$.age >= 20"))
}

#[test]
fn a_filter_applies_to_single_records() {
    let cluster = cluster(2);
    let users = dataset(&cluster);
    let adults = ages(&users);
    let filtered = Kind::Server(ResultCode::FILTERED_OUT);
    assert!(adults.get(0).unwrap().is_none());
    assert!(adults.get(9).unwrap().is_some());
    assert!(!adults.exists(4).unwrap());
    assert!(!adults.delete(4).unwrap());
    assert_eq!(code(adults.put(4, [("age", 99)])), filtered);
    assert_eq!(code(adults.operate(4, [op::get("age")])), filtered);
    adults.add(5, [("age", 1)]).unwrap();
    assert_eq!(users.get(5).unwrap().unwrap().get("age"), Some(&21.into()));
    assert_eq!(users.get(4).unwrap().unwrap().get("age"), Some(&19.into()));
    let unread = users.with(OPTIONS.filter("$.age >="));
    assert_eq!(code(unread.get(9)), Kind::Invalid);
    let rows: Vec<_> = adults.query().records().unwrap().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 5, "a query keeps the filter of its dataset");
}

#[test]
fn a_filter_applies_to_batches() {
    let cluster = cluster(2);
    let users = dataset(&cluster);
    let adults = ages(&users);
    let rows = adults.get_many(0..10).unwrap();
    assert_eq!(rows.iter().filter(|row| row.as_ref().unwrap().is_some()).count(), 5);
    let deleted = adults.delete_many(0..10).unwrap().check().unwrap();
    assert_eq!((0..10).filter(|row| deleted.code(*row) == 0).count(), 5);
    assert_eq!((0..10).filter(|id| users.exists(*id).unwrap()).count(), 5);
}

#[test]
fn a_write_that_is_not_newer_is_rejected() {
    let cluster = cluster(1);
    let users = dataset(&cluster);
    users.with(OPTIONS.newer(3)).put("k", [("from", "new")]).unwrap();
    users.touch("k").unwrap();
    users.touch("k").unwrap();
    let generation = Kind::Server(ResultCode::GENERATION);
    assert_eq!(code(users.with(OPTIONS.newer(3)).put("k", [("from", "old")])), generation);
    users.with(OPTIONS.newer(4)).put("k", [("from", "newer")]).unwrap();
    assert_eq!(users.get("k").unwrap().unwrap().get("from"), Some(&"newer".into()));
    assert_eq!(code(users.with(OPTIONS.newer(0)).put("k", [("a", 1)])), Kind::Invalid);
    assert_eq!(code(users.with(OPTIONS.newer(65_536)).put("k", [("a", 1)])), Kind::Invalid);
}

#[test]
fn reads_renew_the_time_to_live() {
    let cluster = cluster(1);
    let users = dataset(&cluster);
    let hour = OPTIONS.ttl(Duration::from_secs(3600));
    users.with(hour).put("k", [("a", 1)]).unwrap();
    let generation = |users: &Dataset| users.get("k").unwrap().unwrap().generation;
    let before = generation(&users);
    assert!(users.with(OPTIONS.read_touch(ReadTouch::Percent(100))).exists("k").unwrap());
    assert!(users.with(OPTIONS.read_touch(ReadTouch::Never)).exists("k").unwrap());
    assert_eq!(generation(&users), before, "renewing is no write");
    let odd = users.with(OPTIONS.read_touch(ReadTouch::Percent(101)));
    assert_eq!(code(odd.get("k")), Kind::Invalid);
    assert_eq!(code(odd.operate("k", [op::get("a")])), Kind::Invalid);
    odd.operate("k", [op::put("a", 2)]).unwrap();
}

#[test]
fn reads_accept_every_mode_and_replica() {
    let cluster = cluster(2);
    let users = dataset(&cluster);
    users.put("k", [("a", 1)]).unwrap();
    let modes = [
        ReadMode::One,
        ReadMode::All,
        ReadMode::Session,
        ReadMode::AllowReplica,
        ReadMode::AllowUnavailable,
    ];
    for mode in modes {
        let users = users.with(OPTIONS.read_mode(mode));
        assert!(users.get("k").unwrap().is_some());
        assert!(users.get_many(["k"]).unwrap().row(0).unwrap().is_some());
    }
    // This requires strong consistency, which the namespace does not have; the error shows that it
    // reaches the server.
    let enterprise_only = Kind::Server(ResultCode::ENTERPRISE_ONLY);
    let linear = users.with(OPTIONS.read_mode(ReadMode::Linearize));
    assert_eq!(code(linear.get("k")), enterprise_only);
    assert_eq!(code(linear.get_many(["k"]).unwrap().row(0)), enterprise_only);
    let client = builder().read_mode(ReadMode::Linearize).connect(cluster.seeds()).unwrap();
    let linear = client.dataset("test", "demo").unwrap();
    assert_eq!(code(linear.exists("k")), enterprise_only);
    assert!(linear.with(OPTIONS.read_mode(ReadMode::One)).exists("k").unwrap());
    let spread = users.with(OPTIONS.replica(ReplicaPolicy::Any));
    let reads = |node| cluster.stats(node).unwrap().counters.requests;
    let before = [reads(0), reads(1)];
    for _ in 0..40 {
        assert!(spread.exists("k").unwrap());
    }
    // Round robin: each of the two replicas gets half of the reads.
    for (node, before) in before.iter().enumerate() {
        support::eventually("counting", || reads(node) >= before + 20);
    }
}

#[test]
fn a_delete_compares_the_key() {
    let cluster = cluster(1);
    let users = dataset(&cluster);
    let stored = users.with(OPTIONS.send_key(true));
    stored.put("k", [("a", 1)]).unwrap();
    assert!(stored.delete("k").unwrap());
    stored.put_many([("a", [("n", 1)]), ("b", [("n", 2)])]).unwrap().check().unwrap();
    let deleted = stored.delete_many(["a", "b", "c"]).unwrap().check().unwrap();
    assert_eq!((0..3).map(|row| deleted.code(row)).collect::<Vec<_>>(), [0, 0, 2]);
}

fn mixed<'k>() -> Vec<Row<'k>> {
    vec![
        Row::put("new", bins! { "a" => 1, "b" => "x" }),
        Row::get("old"),
        Row::get_bins("old", ["a"]),
        Row::exists("nobody"),
        Row::operate("old", [op::add("a", 1), op::touch(), op::get("a")]),
        Row::put("old", [("a", 7)]).with(OPTIONS.exists(Exists::Create)),
        Row::delete("gone"),
        Row::touch("nobody"),
        Row::get("old").with(OPTIONS.filter("$.a > 100")),
        Row::add("old", [("a", 10)]),
    ]
}

fn check_mixed(batch: &spikewire::Batch, users: &Dataset) {
    let codes: Vec<i32> = (0..batch.len()).map(|row| batch.code(row)).collect();
    assert_eq!(codes, [0, 0, 0, 2, 0, 5, 0, 2, 27, 0]);
    let old = batch.row(1).unwrap().unwrap();
    assert_eq!((old.get("a"), old.get("b")), (Some(&1.into()), Some(&"y".into())));
    assert_eq!(batch.row(2).unwrap().unwrap().bins.len(), 1);
    let results = batch.row(4).unwrap().unwrap();
    assert_eq!((results.bins.len(), &results.bins[2].value), (3, &2.into()));
    let failed: Vec<_> = batch.errors().collect();
    assert_eq!(failed.len(), 1);
    assert_eq!((failed[0].0, failed[0].1.kind()), (5, Kind::Server(ResultCode::RECORD_EXISTS)));
    assert!(failed[0].1.node().is_some() && failed[0].1.attempts() == 1);
    assert_eq!(users.get("old").unwrap().unwrap().get("a"), Some(&12.into()));
    assert_eq!(users.get("new").unwrap().unwrap().get("b"), Some(&"x".into()));
    assert!(!users.exists("gone").unwrap());
}

fn prepare(users: &Dataset) {
    users.delete("new").unwrap();
    users.put("old", bins! { "a" => 1, "b" => "y" }).unwrap();
    users.put("gone", [("a", 1)]).unwrap();
}

#[test]
fn batches_mix_reads_writes_and_deletes() {
    let cluster = cluster(3);
    let users = dataset(&cluster);
    prepare(&users);
    check_mixed(&users.batch(mixed()).unwrap(), &users);
    let client = block_on(builder().connect_async(cluster.seeds())).unwrap();
    prepare(&users);
    check_mixed(&block_on(async_dataset(&client).batch(mixed())).unwrap(), &users);
}

#[test]
fn rows_that_cannot_be_sent_say_which_they_are() {
    let cluster = cluster(1);
    let users = dataset(&cluster);
    let limited = OPTIONS.timeout(Duration::from_secs(1));
    let rows: Vec<(Row<'_>, &str)> = vec![
        (Row::put("k", [("a\0b", 1)]), "row 1: the bin name \"a\\0b\" contains a NUL"),
        (Row::put("k", Vec::<(&str, i64)>::new()), "row 1: bins must not be empty"),
        (Row::add("k", [("a", "x")]), "row 1: bin \"a\": add takes"),
        (Row::operate("k", []), "row 1: operations must not be empty"),
        (Row::apply("k", "m.lua", "f", &[]), "row 1: module"),
        (Row::get("k").with(OPTIONS.generation(1)), "row 1: generation"),
        (Row::delete("k").with(OPTIONS.exists(Exists::Create)), "row 1: exists does not apply"),
        (
            Row::get("k").with(limited),
            "row 1: timeout, deadline, replica and retries apply to the batch",
        ),
        (
            Row::get("k").with(OPTIONS.max_retries(1)),
            "row 1: timeout, deadline, replica and retries apply",
        ),
    ];
    for (row, expected) in rows {
        let error = users.batch([Row::put("first", [("a", 1)]), row]).unwrap_err();
        assert!(error.message().starts_with(expected), "{error}");
        assert_eq!(error.kind(), Kind::Invalid);
    }
    assert!(!users.exists("first").unwrap());
}

#[test]
fn a_function_runs_on_many_records() {
    let cluster = cluster(2);
    let client = builder().connect(cluster.seeds()).unwrap();
    let users = client.dataset("test", "functions").unwrap();
    let source = "function plus(record, n) return (record['a'] or 0) + n end";
    client.modules().register("sums.lua", source, Duration::from_secs(5)).unwrap();
    users.put_many((0..5).map(|id| (id, [("a", id)]))).unwrap().check().unwrap();
    let sums = users.apply_many(0..5, "sums", "plus", &[Value::from(10)]).unwrap();
    let value = |row: usize| sums.row(row).unwrap().unwrap().bins[0].value.clone();
    assert_eq!((0..5).map(value).collect::<Vec<_>>(), [10, 11, 12, 13, 14].map(Value::from));
    let rows = [Row::apply(3, "sums", "plus", &[Value::from(1)]), Row::get(3)];
    let mixed = users.batch(rows).unwrap();
    assert_eq!(mixed.row(0).unwrap().unwrap().bins[0].value, Value::from(4));
    let failed = users.apply_many([1], "sums", "missing", &[]).unwrap();
    assert_eq!(failed.errors().count(), 1);
}

#[test]
fn a_batch_takes_time_and_replica_from_its_dataset() {
    let cluster = cluster(2);
    let users = dataset(&cluster);
    users.put("k", [("a", 1)]).unwrap();
    let spread = users.with(OPTIONS.replica(ReplicaPolicy::Any));
    let reads = |node| cluster.stats(node).unwrap().counters.requests;
    let before = [reads(0), reads(1)];
    for _ in 0..20 {
        let rows = [Row::get("k"), Row::exists("k"), Row::get_bins("k", ["a"])];
        assert!(spread.batch(rows).unwrap().errors().next().is_none());
    }
    for (node, before) in before.iter().enumerate() {
        support::eventually("counting", || reads(node) > *before);
    }
}
