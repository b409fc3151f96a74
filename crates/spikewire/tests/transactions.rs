//! Transactions of both clients.

use std::sync::Barrier;
use std::time::Duration;

use futures::executor::block_on;
use futures::future::join_all;
use spikewire::{
    AsyncClient, CallOptions, Client, EndStatus, EndingPart, Kind, ResultCode, RetryTransaction,
    Row, TransactionState, Value, bins, op,
};
use spikewire_aerospike_server::{Cluster, Edition, Faults, NamespaceOptions, Options};

fn cluster(nodes: usize) -> Cluster {
    let namespace = NamespaceOptions { strong_consistency: true, ..NamespaceOptions::default() };
    let edition = Edition::Enterprise;
    let options = Options { nodes, edition, namespaces: vec![namespace], ..Options::default() };
    Cluster::start(options).unwrap()
}

fn connect(cluster: &Cluster) -> Client {
    Client::builder().timeout(Duration::from_secs(30)).connect(cluster.seeds()).unwrap()
}

fn number(record: Option<spikewire::Record>) -> Option<i64> {
    match record?.get("n") {
        Some(Value::Int(number)) => Some(*number),
        _ => None,
    }
}

#[test]
fn a_commit_makes_all_writes_visible_and_an_abort_none() {
    let cluster = cluster(2);
    let client = connect(&cluster);
    let data = client.dataset("test", "s").unwrap();
    data.put("a", bins! { "n" => 1 }).unwrap();
    for commits in [false, true] {
        let txn = client.transaction(Duration::ZERO).unwrap();
        let inside = data.within(&txn).unwrap();
        assert_eq!(number(inside.get("a").unwrap()), Some(1));
        inside.put("a", bins! { "n" => 2 }).unwrap();
        inside.operate("b", [op::add("n", 5)]).unwrap();
        inside.put_many((0..10).map(|key| (key, [("n", key)]))).unwrap().check().unwrap();
        assert_eq!(number(inside.get("b").unwrap()), Some(5));
        assert_eq!(number(data.get("a").unwrap()), Some(1));
        assert!(!data.exists("b").unwrap());
        let locked = data.put("a", bins! { "n" => 9 }).unwrap_err();
        assert_eq!(locked.kind(), Kind::Server(ResultCode::TRANSACTION_BLOCKED));
        if commits {
            assert_eq!(txn.commit().unwrap(), EndStatus::Done);
            assert_eq!(txn.commit().unwrap(), EndStatus::Already);
            assert_eq!(txn.abort().unwrap_err().kind(), Kind::Transaction);
        } else {
            assert_eq!(txn.abort().unwrap(), EndStatus::Done);
            let refused = txn.commit().unwrap_err();
            assert_eq!((refused.part, refused.error.kind()), (None, Kind::Transaction));
        }
        let refused = inside.get("a").unwrap_err();
        assert_eq!(refused.kind(), Kind::Transaction);
    }
    assert_eq!(number(data.get("a").unwrap()), Some(2));
    assert!((0..10).all(|key| data.exists(key).unwrap()));
}

#[test]
fn a_changed_record_fails_the_commit_and_names_it() {
    let cluster = cluster(1);
    let client = connect(&cluster);
    let data = client.dataset("test", "s").unwrap();
    data.put("a", bins! { "n" => 1 }).unwrap();
    let txn = client.transaction(Duration::from_secs(60)).unwrap();
    let inside = txn.dataset("test", "s").unwrap();
    assert!(inside.get("a").unwrap().is_some());
    inside.put("b", bins! { "n" => 1 }).unwrap();
    data.put("a", bins! { "n" => 2 }).unwrap();
    let failure = txn.commit().unwrap_err();
    assert_eq!(failure.part, Some(EndingPart::Verify));
    assert_eq!(failure.error.kind(), Kind::Server(ResultCode::TRANSACTION_VERSION));
    assert_eq!(failure.records[0].digest.0, data.digest("a"));
    assert_eq!(txn.state(), TransactionState::Aborted);
    assert!(!data.exists("b").unwrap());
    data.put("b", bins! { "n" => 2 }).unwrap();
}

#[test]
fn a_write_may_have_to_be_the_first_one() {
    let cluster = cluster(1);
    let client = connect(&cluster);
    let data = client.dataset("test", "s").unwrap();
    let txn = client.transaction(Duration::from_secs(60)).unwrap();
    let first = CallOptions::new().on_locking_only(true);
    let inside = txn.dataset("test", "s").unwrap().with(first.clone());
    inside.add("a", bins! { "n" => 1 }).unwrap();
    let refused = inside.add("a", bins! { "n" => 1 }).unwrap_err();
    assert_eq!(refused.kind(), Kind::Server(ResultCode::TRANSACTION_LOCKED));
    let row = |key| Row::put(key, bins! { "n" => 2 }).with(first.clone());
    let batch = inside.batch([row("a"), row("b")]).unwrap();
    assert_eq!([batch.code(0), batch.code(1)], [126, 0]);
    txn.commit().unwrap();
    assert_eq!(number(data.get("a").unwrap()), Some(1));
}

#[test]
fn other_clients_and_odd_options_are_refused() {
    let cluster = cluster(1);
    let (client, other) = (connect(&cluster), connect(&cluster));
    let txn = client.transaction(Duration::ZERO).unwrap();
    let foreign = other.dataset("test", "s").unwrap().within(&txn).unwrap_err();
    assert_eq!(foreign.kind(), Kind::Transaction);
    for odd in [Duration::from_secs(121), Duration::from_millis(1500)] {
        assert_eq!(client.transaction(odd).unwrap_err().kind(), Kind::Invalid);
    }
    let never = RetryTransaction { attempts: 0, ..RetryTransaction::default() };
    let error = client.run_in_transaction(never, |_| Ok(())).unwrap_err();
    assert_eq!(error.error.kind(), Kind::Invalid);
    assert!(error.error.message().contains("attempts must be at least 1"), "{error}");
}

#[test]
fn servers_without_transactions_are_sent_nothing() {
    let older =
        Options { edition: Edition::Enterprise, build: "7.2.0.4".to_owned(), ..Options::default() };
    let available = Options { edition: Edition::Enterprise, ..Options::default() };
    let (version, namespace) = (
        "transactions: needs server 8.0 Enterprise Edition; node",
        "transactions: needs a strongly consistent namespace; namespace \"test\" is not",
    );
    for (options, expected, has) in [
        (Options::default(), version, "has 8.1.2.0 Community Edition"),
        (older, version, "has 7.2.0.4 Enterprise Edition"),
        (available, namespace, ""),
    ] {
        let cluster = Cluster::start(options).unwrap();
        let client = connect(&cluster);
        let txn = client.transaction(Duration::ZERO).unwrap();
        let inside = txn.dataset("test", "s").unwrap();
        let calls = [
            inside.get(1).map(drop).unwrap_err(),
            inside.put(1, bins! { "n" => 1 }).unwrap_err(),
            inside.get_many([1, 2]).map(drop).unwrap_err(),
        ];
        for error in calls {
            assert_eq!((error.kind(), error.attempts()), (Kind::Unsupported, 0), "{error}");
            let message = error.message();
            assert!(message.starts_with(expected) && message.ends_with(has), "{message}");
        }
        assert_eq!(txn.commit().unwrap(), EndStatus::Done);
        block_on(async {
            let client = AsyncClient::connect(cluster.seeds()).await.unwrap();
            let txn = client.transaction(Duration::ZERO).unwrap();
            let error = txn.dataset("test", "s").unwrap().get(1).await.unwrap_err();
            assert_eq!(error.kind(), Kind::Unsupported);
        });
    }
}

#[test]
fn a_function_is_run_until_it_commits() {
    let cluster = cluster(1);
    let client = connect(&cluster);
    let data = client.dataset("test", "s").unwrap();
    data.put("n", bins! { "n" => 0 }).unwrap();
    let options = RetryTransaction { attempts: 1000, ..RetryTransaction::default() };
    let barrier = Barrier::new(4);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                barrier.wait();
                for _ in 0..10 {
                    let added = client.run_in_transaction(options, |txn| {
                        let inside = data.within(txn)?;
                        let old = number(inside.get("n")?).unwrap();
                        inside.put("n", bins! { "n" => old + 1 })
                    });
                    added.unwrap();
                }
            });
        }
    });
    assert_eq!(number(data.get("n").unwrap()), Some(40));
    let failed = client.run_in_transaction(options, |txn| {
        data.within(txn)?.put("n", bins! { "n" => 7 })?;
        data.within(txn)?.touch("missing")
    });
    let failed = failed.unwrap_err();
    assert_eq!(failed.error.kind(), Kind::Server(ResultCode::NOT_FOUND));
    assert_eq!(number(data.get("n").unwrap()), Some(40));
    data.put("n", bins! { "n" => 8 }).unwrap();
}

#[test]
fn a_commit_in_doubt_is_resolved_by_another_one() {
    let cluster = cluster(1);
    let client = connect(&cluster);
    let data = client.dataset("test", "s").unwrap();
    let txn = client.transaction(Duration::from_secs(120)).unwrap();
    data.within(&txn).unwrap().put("a", bins! { "n" => 1 }).unwrap();
    cluster.inject(0, Faults { drop_reply: 1.0, ..Faults::default() }).unwrap();
    let failure = txn.commit().unwrap_err();
    assert_eq!(failure.part, Some(EndingPart::Mark));
    assert!(failure.error.in_doubt() && txn.state() == TransactionState::InDoubt);
    assert_eq!(txn.abort().unwrap_err().kind(), Kind::Transaction);
    cluster.clear_faults(0).unwrap();
    assert_eq!(txn.commit().unwrap(), EndStatus::Done);
    assert_eq!(number(data.get("a").unwrap()), Some(1));
}

#[test]
fn futures_do_the_same() {
    let cluster = cluster(2);
    block_on(async {
        let client = AsyncClient::connect(cluster.seeds()).await.unwrap();
        let data = client.dataset("test", "s").unwrap();
        data.put("a", bins! { "n" => 1 }).await.unwrap();
        let txn = client.transaction(Duration::ZERO).unwrap();
        let inside = data.within(&txn).unwrap();
        // Many calls create the monitor at the same time.
        let calls = (0..20).map(|key| inside.put(key, bins! { "n" => key }));
        assert!(join_all(calls).await.iter().all(Result::is_ok));
        assert_eq!(number(inside.get("a").await.unwrap()), Some(1));
        inside.put_many([("b", [("n", 2)])]).await.unwrap().check().unwrap();
        assert!(!data.exists("b").await.unwrap());
        assert_eq!(txn.commit().await.unwrap(), EndStatus::Done);
        assert!(data.exists("b").await.unwrap());
        let txn = client.transaction(Duration::ZERO).unwrap();
        data.within(&txn).unwrap().put("a", bins! { "n" => 3 }).await.unwrap();
        assert_eq!(txn.abort().await.unwrap(), EndStatus::Done);
        let options = RetryTransaction::default();
        let result = client.run_in_transaction(options, |txn| async move {
            let inside = txn.dataset("test", "s")?;
            let old = number(inside.get("a").await?).unwrap();
            inside.put("a", bins! { "n" => old + 1 }).await?;
            Ok(old)
        });
        assert_eq!(result.await.unwrap(), 1);
        assert_eq!(number(data.get("a").await.unwrap()), Some(2));
        assert!(data.within(&txn).unwrap().query().records().is_err());
    });
}
