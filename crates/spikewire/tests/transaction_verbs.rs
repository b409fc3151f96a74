//! What each verb does in a transaction: row by row of the table in docs/transactions.md.

use std::time::Duration;

use futures::executor::block_on;
use spikewire::{
    AsyncClient, AsyncDataset, CallOptions, Client, Dataset, EndStatus, Kind, Result, ResultCode,
    Row, Value, bins, op,
};
use spikewire_aerospike_server::{Cluster, Edition, NamespaceOptions, Options};

const MODULE: &str = "function add(record, amount)
  record['n'] = record['n'] + amount
  aerospike:update(record)
  return record['n']
end";

fn cluster() -> Cluster {
    let namespace = NamespaceOptions { strong_consistency: true, ..NamespaceOptions::default() };
    let edition = Edition::Enterprise;
    let options = Options { edition, namespaces: vec![namespace], ..Options::default() };
    Cluster::start(options).unwrap()
}

fn connect(cluster: &Cluster) -> Client {
    Client::builder().timeout(Duration::from_secs(30)).connect(cluster.seeds()).unwrap()
}

fn number(data: &Dataset, key: &str) -> Option<i64> {
    match data.get(key).unwrap()?.get("n") {
        Some(Value::Int(number)) => Some(*number),
        _ => None,
    }
}

type Verb = (&'static str, fn(&Dataset) -> Result<()>);

const READS: [Verb; 9] = [
    ("get", |it| it.get("a").map(drop)),
    ("get_bins", |it| it.get_bins("a", ["n"]).map(drop)),
    ("exists", |it| it.exists("a").map(drop)),
    ("operate", |it| it.operate("a", [op::get("n")]).map(drop)),
    ("get_many", |it| it.get_many(["a"])?.check().map(drop)),
    ("get_bins_many", |it| it.get_bins_many(["a"], ["n"])?.check().map(drop)),
    ("exists_many", |it| it.exists_many(["a"])?.check().map(drop)),
    ("operate_many", |it| it.operate_many(["a"], [op::get("n")])?.check().map(drop)),
    ("batch", |it| it.batch([Row::get("a")])?.check().map(drop)),
];

/// Each makes `n` of record "a" 2; it was 1.
const WRITES: [Verb; 8] = [
    ("put", |it| it.put("a", bins! { "n" => 2 })),
    ("add", |it| it.add("a", bins! { "n" => 1 })),
    ("operate", |it| it.operate("a", [op::add("n", 1)]).map(drop)),
    ("apply", |it| it.apply("a", "verbs", "add", &[Value::Int(1)]).map(drop)),
    ("put_many", |it| it.put_many([("a", [("n", 2)])])?.check().map(drop)),
    ("operate_many", |it| it.operate_many(["a"], [op::add("n", 1)])?.check().map(drop)),
    ("apply_many", |it| it.apply_many(["a"], "verbs", "add", &[Value::Int(1)])?.check().map(drop)),
    ("batch", |it| it.batch([Row::add("a", bins! { "n" => 1 })])?.check().map(drop)),
];

const DELETIONS: [Verb; 3] = [
    ("delete", |it| it.delete("a").map(drop)),
    ("delete_many", |it| it.delete_many(["a"])?.check().map(drop)),
    ("batch", |it| it.batch([Row::delete("a")])?.check().map(drop)),
];

#[test]
fn reads_are_verified_when_it_commits() {
    let cluster = cluster();
    let client = connect(&cluster);
    let data = client.dataset("test", "s").unwrap();
    for (name, verb) in READS {
        data.put("a", bins! { "n" => 1 }).unwrap();
        let txn = client.transaction(Duration::ZERO).unwrap();
        verb(&data.within(&txn).unwrap()).unwrap();
        data.put("a", bins! { "n" => 2 }).unwrap();
        let failure = txn.commit().expect_err(name);
        let code = failure.records[0].error.kind();
        assert_eq!(code, Kind::Server(ResultCode::TRANSACTION_VERSION), "{name}");
        assert_eq!(failure.records[0].names(), ("test", "s"));
    }
}

#[test]
fn writes_lock_and_take_effect_at_the_commit() {
    let cluster = cluster();
    let client = connect(&cluster);
    client.modules().register("verbs.lua", MODULE, Duration::from_secs(30)).unwrap();
    let data = client.dataset("test", "s").unwrap();
    for (name, verb) in WRITES {
        for commits in [false, true] {
            data.put("a", bins! { "n" => 1 }).unwrap();
            let txn = client.transaction(Duration::ZERO).unwrap();
            let inside = data.within(&txn).unwrap();
            verb(&inside).unwrap();
            assert_eq!((number(&inside, "a"), number(&data, "a")), (Some(2), Some(1)), "{name}");
            let locked = data.put("a", bins! { "n" => 9 }).unwrap_err();
            assert_eq!(locked.kind(), Kind::Server(ResultCode::TRANSACTION_BLOCKED));
            let end = if commits { txn.commit().unwrap() } else { txn.abort().unwrap() };
            assert_eq!(end, EndStatus::Done);
            assert_eq!(number(&data, "a"), Some(if commits { 2 } else { 1 }), "{name}");
        }
    }
}

#[test]
fn texts_and_times_to_live_change_at_the_commit() {
    let cluster = cluster();
    let client = connect(&cluster);
    let data = client.dataset("test", "s").unwrap();
    data.put("a", bins! { "s" => "x" }).unwrap();
    let txn = client.transaction(Duration::ZERO).unwrap();
    let inside = data.within(&txn).unwrap();
    inside.append("a", bins! { "s" => "y" }).unwrap();
    inside.prepend("a", bins! { "s" => "z" }).unwrap();
    inside.touch("a").unwrap();
    let text = || data.get("a").unwrap().unwrap().get("s").cloned();
    assert_eq!(text(), Some(Value::from("x")));
    txn.commit().unwrap();
    assert_eq!(text(), Some(Value::from("zxy")));
}

#[test]
fn deletions_take_effect_at_the_commit() {
    let cluster = cluster();
    let client = connect(&cluster);
    let data = client.dataset("test", "s").unwrap();
    for (name, verb) in DELETIONS {
        data.put("a", bins! { "n" => 1 }).unwrap();
        let txn = client.transaction(Duration::ZERO).unwrap();
        let inside = data.within(&txn).unwrap();
        verb(&inside).unwrap();
        assert!(!inside.exists("a").unwrap() && data.exists("a").unwrap(), "{name}");
        txn.commit().unwrap();
        assert!(!data.exists("a").unwrap(), "{name}");
    }
}

#[test]
fn a_deadline_is_for_reads() {
    let cluster = cluster();
    let client = connect(&cluster);
    let data = client.dataset("test", "s").unwrap();
    data.put("a", bins! { "n" => 1 }).unwrap();
    let txn = client.transaction(Duration::ZERO).unwrap();
    let soon = CallOptions::new().deadline(Duration::from_secs(20));
    let inside = data.within(&txn).unwrap().with(soon);
    assert!(inside.get_many(["a"]).unwrap().row(0).unwrap().is_some());
    let refused = inside.operate_many(["a"], [op::add("n", 1)]).unwrap_err();
    assert_eq!(refused.kind(), Kind::Invalid);
    txn.abort().unwrap();
}

#[test]
fn queries_and_jobs_are_no_part_of_transactions() {
    let cluster = cluster();
    let client = connect(&cluster);
    let txn = client.transaction(Duration::ZERO).unwrap();
    let inside = txn.dataset("test", "s").unwrap();
    let refusals = [
        inside.query().records().map(drop).unwrap_err(),
        inside.query().touch_all().map(drop).unwrap_err(),
        inside.query().delete_all().map(drop).unwrap_err(),
    ];
    for refusal in refusals {
        assert_eq!(refusal.kind(), Kind::Transaction);
        assert!(refusal.message().contains("a query is no part of transactions"), "{refusal}");
    }
}

#[test]
fn futures_take_part_alike() {
    let cluster = cluster();
    let blocking = connect(&cluster);
    blocking.modules().register("verbs.lua", MODULE, Duration::from_secs(30)).unwrap();
    let plain = blocking.dataset("test", "s").unwrap();
    plain.put_many((0..8).map(|key| (key, [("n", 1)]))).unwrap().check().unwrap();
    let client = block_on(AsyncClient::connect(cluster.seeds())).unwrap();
    let txn = client.transaction(Duration::ZERO).unwrap();
    let inside = txn.dataset("test", "s").unwrap();
    block_on(use_all(&inside)).unwrap();
    let numbers = || {
        let rows = plain.get_many(0..9).unwrap();
        rows.iter().map(|row| row.unwrap()?.get("n").cloned()).collect::<Vec<_>>()
    };
    let mut expected = vec![Some(Value::Int(1)); 8];
    expected.push(None);
    assert_eq!(numbers(), expected);
    assert_eq!(block_on(txn.commit()).unwrap(), EndStatus::Done);
    let mut expected = vec![Some(Value::Int(2)); 6];
    expected.extend([None, None, Some(Value::Int(2))]);
    assert_eq!(numbers(), expected);
    let error = inside.query().records().map(drop).unwrap_err();
    assert_eq!(error.kind(), Kind::Transaction);
}

/// Makes `n` of all records 2, and deletes those of keys 6 and 7.
async fn use_all(inside: &AsyncDataset) -> Result<()> {
    assert!(inside.get(0).await?.is_some() && inside.exists(0).await?);
    inside.put(0, bins! { "n" => 2 }).await?;
    inside.add(1, bins! { "n" => 1 }).await?;
    inside.operate(2, [op::add("n", 1)]).await?;
    inside.apply(3, "verbs", "add", &[Value::Int(1)]).await?;
    inside.operate_many([4], [op::add("n", 1)]).await?.check()?;
    inside.apply_many([5], "verbs", "add", &[Value::Int(1)]).await?.check()?;
    assert!(inside.delete(6).await?);
    inside.batch([Row::delete(7), Row::put(8, bins! { "n" => 2 })]).await?.check()?;
    inside.touch(0).await?;
    inside.get_many([0, 1]).await?.check().map(drop)
}
