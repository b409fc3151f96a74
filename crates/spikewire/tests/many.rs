//! The verbs on many records, on the blocking client and as futures.

mod support;

use std::time::Duration;

use futures::executor::block_on;
use spikewire::{
    AsyncDataset, Batch, CallOptions, Dataset, Exists, Kind, Operation, Result, ResultCode, Value,
    op,
};

use spikewire_aerospike_server::{Cluster, Faults, NamespaceOptions, Options};

use support::{async_clients, async_dataset, cluster, dataset, eventually, kind, server};

/// The verbs of both APIs, awaited; keys are integers here.
trait Verbs {
    fn get_many(&self, keys: &[i64]) -> Result<Batch>;
    fn get_bins_many(&self, keys: &[i64], bins: &[&str]) -> Result<Batch>;
    fn exists_many(&self, keys: &[i64]) -> Result<Batch>;
    fn put_many(&self, records: &[(i64, Vec<(&str, Value)>)]) -> Result<Batch>;
    fn delete_many(&self, keys: &[i64]) -> Result<Batch>;
    fn operate_many(&self, keys: &[i64], operations: &[Operation]) -> Result<Batch>;
    fn with(&self, options: CallOptions) -> Box<dyn Verbs>;
}

macro_rules! waited {
    ($class:ty, $wait:expr) => {
        impl Verbs for $class {
            fn get_many(&self, keys: &[i64]) -> Result<Batch> {
                $wait(<$class>::get_many(self, keys.iter().copied()))
            }
            fn get_bins_many(&self, keys: &[i64], bins: &[&str]) -> Result<Batch> {
                $wait(<$class>::get_bins_many(self, keys.iter().copied(), bins))
            }
            fn exists_many(&self, keys: &[i64]) -> Result<Batch> {
                $wait(<$class>::exists_many(self, keys.iter().copied()))
            }
            fn put_many(&self, records: &[(i64, Vec<(&str, Value)>)]) -> Result<Batch> {
                $wait(<$class>::put_many(self, records.to_vec()))
            }
            fn delete_many(&self, keys: &[i64]) -> Result<Batch> {
                $wait(<$class>::delete_many(self, keys.iter().copied()))
            }
            fn operate_many(&self, keys: &[i64], operations: &[Operation]) -> Result<Batch> {
                $wait(<$class>::operate_many(self, keys.iter().copied(), operations))
            }
            fn with(&self, options: CallOptions) -> Box<dyn Verbs> {
                Box::new(<$class>::with(self, options))
            }
        }
    };
}

waited!(Dataset, std::convert::identity);
waited!(AsyncDataset, block_on);

fn on_both_apis(test: impl Fn(&dyn Verbs)) {
    let cluster = cluster(3);
    let blocking = dataset(&cluster);
    test(&blocking);
    for client in async_clients(&cluster) {
        cluster.truncate("test", Some("demo")).expect("there is such a set");
        let keys: Vec<i64> = (0..100).collect();
        eventually("truncation", || {
            let left = Verbs::exists_many(&blocking, &keys).expect("the cluster is well");
            left.iter().all(|row| matches!(row, Ok(None)))
        });
        test(&async_dataset(&client));
    }
}

fn numbers(batch: &Batch, bin: &str) -> Vec<Option<i64>> {
    let number = |row: Result<Option<spikewire::Record>>| match row.unwrap()?.get(bin) {
        Some(Value::Int(int)) => Some(*int),
        other => panic!("{other:?}"),
    };
    batch.iter().map(number).collect()
}

fn records(keys: std::ops::Range<i64>) -> Vec<(i64, Vec<(&'static str, Value)>)> {
    keys.map(|key| (key, vec![("n", Value::Int(key * 10)), ("s", "x".into())])).collect()
}

#[test]
fn rows_come_in_input_order_with_duplicates_and_misses() {
    on_both_apis(|users| {
        users.put_many(&records(0..50)).unwrap().check().unwrap();
        let batch = users.get_many(&[7, 99, 3, 7, 49]).unwrap();
        assert_eq!(numbers(&batch, "n"), [Some(70), None, Some(30), Some(70), Some(490)]);
        assert_eq!((0..5).map(|row| batch.code(row)).collect::<Vec<_>>(), [0, 2, 0, 0, 0]);
        let part = users.get_bins_many(&[5, 6], &["n"]).unwrap();
        assert!(part.row(0).unwrap().unwrap().get("s").is_none());
        assert_eq!(users.get_many(&[]).unwrap().len(), 0);
        assert_eq!(numbers(&users.get_many(&[8]).unwrap(), "n"), [Some(80)]);
        let there = users.exists_many(&[1, 1000]).unwrap();
        assert!(there.row(0).unwrap().is_some() && there.row(1).unwrap().is_none());
    });
}

#[test]
fn many_are_written_changed_and_deleted() {
    on_both_apis(|users| {
        users.put_many(&records(0..20)).unwrap().check().unwrap();
        let keys: Vec<i64> = (0..20).collect();
        let changed = users.operate_many(&keys, &[op::add("n", 1), op::get("n")]).unwrap();
        assert_eq!(
            numbers(&changed, "n"),
            keys.iter().map(|key| Some(key * 10 + 1)).collect::<Vec<_>>()
        );
        let read = users.operate_many(&keys[..2], &[op::get("n")]).unwrap();
        assert_eq!(numbers(&read, "n"), [Some(1), Some(11)]);
        let gone = users.delete_many(&[0, 1, 500]).unwrap();
        let there: Vec<bool> = gone.iter().map(|row| row.unwrap().is_some()).collect();
        assert_eq!(there, [true, true, false]);
        let keyed = users.with(CallOptions::new().send_key(true));
        keyed.put_many(&records(0..3)).unwrap().check().unwrap();
        assert_eq!(
            numbers(&users.get_many(&[0, 1, 2]).unwrap(), "n"),
            [Some(0), Some(10), Some(20)]
        );
    });
}

#[test]
fn a_row_that_fails_does_not_disturb_the_others() {
    on_both_apis(|users| {
        users.put_many(&records(0..1)).unwrap().check().unwrap();
        let create = users.with(CallOptions::new().exists(Exists::Create));
        let batch = create.put_many(&records(0..4)).unwrap();
        let failed: Vec<_> = batch.errors().map(|(row, error)| (row, error.kind())).collect();
        assert_eq!(failed, [(0, server(ResultCode::RECORD_EXISTS))]);
        assert_eq!(kind(batch.check()), server(ResultCode::RECORD_EXISTS));
        assert_eq!(users.get_many(&[1, 2, 3]).unwrap().errors().count(), 0);
    });
}

#[test]
fn batches_of_ten_thousand_rows_succeed() {
    on_both_apis(|users| {
        users.put_many(&records(0..10_000)).unwrap().check().unwrap();
        let keys: Vec<i64> = (0..10_000).rev().collect();
        let batch = users.get_many(&keys).unwrap();
        let expected: Vec<_> = keys.iter().map(|key| Some(key * 10)).collect();
        assert_eq!(numbers(&batch, "n"), expected);
    });
}

#[test]
fn an_invalid_row_is_named() {
    on_both_apis(|users| {
        let mut bad = records(0..3);
        bad[2].1.clear();
        let error = users.put_many(&bad).unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid);
        assert!(error.to_string().contains("row 2: bins must not be empty"), "{error}");
        assert_eq!(kind(users.operate_many(&[1], &[])), Kind::Invalid);
        let wrong = users.with(CallOptions::new().generation(1));
        assert_eq!(kind(wrong.get_many(&[1])), Kind::Invalid);
        assert_eq!(
            users
                .exists_many(&[0, 1])
                .unwrap()
                .iter()
                .filter(|row| matches!(row, Ok(Some(_))))
                .count(),
            0
        );
    });
}

#[test]
fn a_dead_node_costs_a_retry_and_no_row() {
    let cluster = cluster(3);
    let users = dataset(&cluster);
    Verbs::put_many(&users, &records(0..300)).unwrap().check().unwrap();
    let keys: Vec<i64> = (0..300).collect();
    cluster.kill(1).unwrap();
    let batch = Verbs::get_many(&users, &keys).unwrap();
    assert_eq!(numbers(&batch, "n").iter().flatten().count(), 300);
    for client in async_clients(&cluster) {
        let batch = Verbs::get_many(&async_dataset(&client), &keys).unwrap();
        assert_eq!(numbers(&batch, "n").iter().flatten().count(), 300);
    }
}

#[test]
fn rows_of_a_slow_node_are_late_or_come_from_another() {
    let keys: Vec<i64> = (0..60).collect();
    let within = |millis| CallOptions::new().deadline(Duration::from_millis(millis));
    for copies in [1, 2] {
        let namespace =
            NamespaceOptions { replication_factor: copies, ..NamespaceOptions::named("test") };
        let options = Options { nodes: 3, namespaces: vec![namespace], ..Options::default() };
        let cluster = Cluster::start(options).unwrap();
        assert!(cluster.wait_settled(Duration::from_secs(60)));
        let blocking = dataset(&cluster);
        Verbs::put_many(&blocking, &records(0..60)).unwrap().check().unwrap();
        let clients = async_clients(&cluster);
        let futures =
            clients.iter().map(|client| Box::new(async_dataset(client)) as Box<dyn Verbs>);
        for users in futures.chain([Box::new(blocking) as Box<dyn Verbs>]) {
            users.get_many(&keys).unwrap().check().unwrap();
            cluster.inject(1, Faults { drop: 1.0, ..Faults::default() }).unwrap();
            let batch = users.with(within(if copies == 1 { 200 } else { 30_000 }));
            let batch = batch.get_many(&keys).unwrap();
            let late: Vec<usize> = batch.late().collect();
            assert_eq!(late.is_empty(), copies == 2, "{late:?}");
            assert!(late.len() < keys.len());
            for (row, key) in keys.iter().enumerate() {
                if batch.is_late(row) {
                    assert_eq!(batch.code(row), -16);
                    assert_eq!(batch.row(row).unwrap_err().kind(), Kind::Timeout);
                } else {
                    let record = batch.row(row).unwrap().unwrap();
                    assert_eq!(record.get("n"), Some(&Value::Int(key * 10)));
                }
            }
            assert_eq!(batch.errors().count(), 0);
            batch.check().unwrap();
            cluster.clear_faults(1).unwrap();
        }
    }
}

#[test]
fn only_reads_within_their_timeout_have_a_deadline() {
    on_both_apis(|users| {
        let soon = users.with(CallOptions::new().deadline(Duration::from_millis(500)));
        assert_eq!(soon.get_many(&[1]).unwrap().len(), 1);
        for refused in [soon.put_many(&records(0..1)), soon.operate_many(&[1], &[op::add("n", 1)])]
        {
            let error = refused.unwrap_err();
            assert!(error.to_string().contains("deadline and writes"), "{error}");
        }
        let options = CallOptions::new().timeout(Duration::from_millis(10));
        let beyond = users.with(options.deadline(Duration::from_millis(11)));
        let error = beyond.get_many(&[1]).unwrap_err();
        assert!(error.to_string().contains("deadline must not be longer than timeout"), "{error}");
    });
}

#[test]
fn replies_end_where_a_row_fails() {
    let cluster = cluster(1);
    let users = dataset(&cluster);
    let large = "x".repeat(50_000);
    for key in 0..12 {
        users.put(key, [("large", &*large), ("n", "")]).unwrap();
        if key != 1 {
            users.put(key, [("n", 1)]).unwrap();
        }
    }
    let steps = [op::add("n", 1), op::get("large")];
    let options = CallOptions::new().respond_all_keys(false);
    let batch = users.with(options).operate_many(0..12, &steps).unwrap();
    let codes: Vec<i32> = (0..12).map(|row| batch.code(row)).collect();
    assert_eq!(codes, [0, 12, 0, -15, -15, -15, -15, -15, -15, -15, -15, -15]);
    let error = batch.row(4).unwrap_err();
    assert!(error.in_doubt() && error.kind() == Kind::Unanswered, "{error}");
    let read = users.get_bins(4, ["n"]).unwrap().unwrap();
    assert_eq!(read.get("n"), Some(&2.into()));
}

#[test]
fn a_closed_client_reports_it() {
    let cluster = cluster(1);
    let client = support::builder().connect(cluster.seeds()).unwrap();
    let users = client.dataset("test", "demo").unwrap();
    client.close();
    assert_eq!(kind(users.get_many([1, 2])), Kind::Closed);
    for client in async_clients(&cluster) {
        let users = async_dataset(&client);
        client.close();
        assert_eq!(kind(block_on(users.get_many([1, 2]))), Kind::Closed);
    }
}
