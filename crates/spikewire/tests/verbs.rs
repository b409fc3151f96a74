//! Every verb, on the blocking client and as futures.

mod support;

use std::collections::BTreeMap;
use std::time::Duration;

use futures::executor::block_on;
use spikewire::{
    AsyncDataset, CallOptions, Dataset, Key, Operation, Record, Result, ResultCode, Value, bins, op,
};

use support::{async_clients, async_dataset, cluster, dataset, home, kind, server};

/// The verbs of both clients, awaited.
trait Verbs: Sized {
    fn get(&self, key: Key<'_>) -> Result<Option<Record>>;
    fn get_bins(&self, key: Key<'_>, bins: &[&str]) -> Result<Option<Record>>;
    fn exists(&self, key: Key<'_>) -> Result<bool>;
    fn put(&self, key: Key<'_>, bins: &[(&str, Value)]) -> Result<()>;
    fn add(&self, key: Key<'_>, bins: &[(&str, Value)]) -> Result<()>;
    fn append(&self, key: Key<'_>, bins: &[(&str, Value)]) -> Result<()>;
    fn prepend(&self, key: Key<'_>, bins: &[(&str, Value)]) -> Result<()>;
    fn delete(&self, key: Key<'_>) -> Result<bool>;
    fn touch(&self, key: Key<'_>) -> Result<()>;
    fn operate(&self, key: Key<'_>, operations: &[Operation]) -> Result<Record>;
    fn with(&self, options: CallOptions) -> Self;
}

macro_rules! waited {
    ($class:ty, $wait:expr) => {
        impl Verbs for $class {
            fn get(&self, key: Key<'_>) -> Result<Option<Record>> {
                $wait(<$class>::get(self, key))
            }
            fn get_bins(&self, key: Key<'_>, bins: &[&str]) -> Result<Option<Record>> {
                $wait(<$class>::get_bins(self, key, bins))
            }
            fn exists(&self, key: Key<'_>) -> Result<bool> {
                $wait(<$class>::exists(self, key))
            }
            fn put(&self, key: Key<'_>, bins: &[(&str, Value)]) -> Result<()> {
                $wait(<$class>::put(self, key, bins.to_vec()))
            }
            fn add(&self, key: Key<'_>, bins: &[(&str, Value)]) -> Result<()> {
                $wait(<$class>::add(self, key, bins.to_vec()))
            }
            fn append(&self, key: Key<'_>, bins: &[(&str, Value)]) -> Result<()> {
                $wait(<$class>::append(self, key, bins.to_vec()))
            }
            fn prepend(&self, key: Key<'_>, bins: &[(&str, Value)]) -> Result<()> {
                $wait(<$class>::prepend(self, key, bins.to_vec()))
            }
            fn delete(&self, key: Key<'_>) -> Result<bool> {
                $wait(<$class>::delete(self, key))
            }
            fn touch(&self, key: Key<'_>) -> Result<()> {
                $wait(<$class>::touch(self, key))
            }
            fn operate(&self, key: Key<'_>, operations: &[Operation]) -> Result<Record> {
                $wait(<$class>::operate(self, key, operations))
            }
            fn with(&self, options: CallOptions) -> Self {
                <$class>::with(self, options)
            }
        }
    };
}

waited!(Dataset, std::convert::identity);
waited!(AsyncDataset, block_on);

fn all_verbs(users: &impl Verbs) {
    let key = || Key::from("alice");
    let get = |name: &str| users.get(key()).unwrap().and_then(|it| it.get(name).cloned());
    assert_eq!(users.get(key()).unwrap(), None);
    assert!(!users.exists(key()).unwrap());
    assert!(!users.delete(key()).unwrap());
    assert_eq!(kind(users.touch(key())), server(ResultCode::NOT_FOUND));

    users.put(key(), &[("name", "Alice".into()), ("age", 28.into())]).unwrap();
    assert!(users.exists(key()).unwrap());
    let record = users.get(key()).unwrap().unwrap();
    assert_eq!(record.bins.len(), 2);
    assert_eq!(record.get("name"), Some(&"Alice".into()));
    assert_eq!((record.generation, record.ttl), (1, None));

    users.add(key(), &[("age", 2.into()), ("new", 1.into())]).unwrap();
    users.append(key(), &[("name", "!".into())]).unwrap();
    users.prepend(key(), &[("name", "Dr ".into())]).unwrap();
    assert_eq!(get("age"), Some(30.into()));
    assert_eq!(get("new"), Some(1.into()));
    assert_eq!(get("name"), Some("Dr Alice!".into()));

    let some = users.get_bins(key(), &["age", "none"]).unwrap().unwrap();
    assert_eq!((some.bins.len(), some.get("age")), (1, Some(&30.into())));
    let none = users.get_bins(key(), &[]).unwrap().unwrap();
    assert_eq!((none.bins.len(), none.generation), (0, 4));
    assert_eq!(users.get_bins(Key::from("nobody"), &["age"]).unwrap(), None);

    users.put(key(), &[("new", Value::Nil)]).unwrap();
    assert_eq!(get("new"), None);

    let day = Duration::from_secs(86_400);
    users.with(CallOptions::new().ttl(day)).touch(key()).unwrap();
    let ttl = users.get(key()).unwrap().unwrap().ttl.unwrap();
    assert!(ttl <= day && ttl > Duration::from_secs(86_340), "{ttl:?}");

    let steps =
        [op::get("age"), op::add("age", 5), op::touch(), op::get("age"), op::put("page", "/")];
    let record = users.operate(key(), &steps).unwrap();
    let values: Vec<_> = record.bins.iter().map(|bin| bin.value.clone()).collect();
    assert_eq!(values, [30.into(), Value::Nil, Value::Nil, 35.into(), Value::Nil]);
    assert_eq!(record.get("age"), Some(&35.into()));
    let record = users.operate(key(), &[op::append("page", "home"), op::get_all()]).unwrap();
    assert_eq!(record.get("page"), Some(&"/home".into()));
    assert_eq!(record.get("name"), Some(&"Dr Alice!".into()));
    let read = users.operate(key(), &[op::get("age"), op::get("none")]).unwrap();
    assert_eq!(read.get("age"), Some(&35.into()));
    assert_eq!(read.generation, record.generation, "reading does not count");
    assert_eq!(
        kind(users.operate(Key::from("nobody"), &[op::get("age")])),
        server(ResultCode::NOT_FOUND)
    );
    users.operate(key(), &[op::delete()]).unwrap();
    assert!(!users.exists(key()).unwrap());

    users.put(key(), &[("age", 1.into())]).unwrap();
    assert_eq!(kind(users.append(key(), &[("age", "x".into())])), server(ResultCode::BIN_TYPE));
    // Errors say what the server does not: the bins that may be meant, and how large the request was.
    let error_of = |result: Result<()>| result.unwrap_err().to_string();
    let one = error_of(users.append(key(), &[("age", "x".into())]));
    assert!(one.ends_with("type of the bin: bin \"age\""), "{one}");
    let several = error_of(users.append(key(), &[("age", "x".into()), ("name", "y".into())]));
    assert!(several.ends_with("one of bins \"age\", \"name\""), "{several}");
    let of_steps = users.operate(key(), &[op::get("age"), op::append("age", "x")]).unwrap_err();
    assert!(of_steps.to_string().ends_with("bin \"age\""), "{of_steps}");
    let large = error_of(users.put(key(), &[("page", "x".repeat(2 << 20).into())]));
    assert!(large.contains("max-record-size; the request has 2097"), "{large}");
    assert!(users.delete(key()).unwrap());
}

#[test]
fn all_verbs_on_the_blocking_client() {
    let (_cluster, users) = home(3);
    all_verbs(&users);
}

#[test]
fn all_verbs_on_any_executor() {
    let cluster = cluster(3);
    for client in async_clients(&cluster) {
        all_verbs(&async_dataset(&client));
    }
}

#[cfg(feature = "tokio")]
#[test]
fn all_verbs_on_tokio() {
    let cluster = cluster(3);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let client = runtime.block_on(support::builder().connect_tokio(cluster.seeds())).unwrap();
    // The futures themselves can be awaited anywhere.
    all_verbs(&async_dataset(&client));
}

#[test]
fn every_kind_of_key_is_a_record_of_its_own() {
    let cluster = cluster(1);
    let users = dataset(&cluster);
    let text = String::from("1");
    let keys: [(Key<'_>, i64); 5] =
        [(1.into(), 1), ("1".into(), 2), (b"1".into(), 3), ("".into(), 4), (i64::MIN.into(), 5)];
    for (key, number) in &keys {
        users.put(key, [("n", number)]).unwrap();
    }
    for (key, number) in &keys {
        let record = users.get(key).unwrap().unwrap();
        assert_eq!(record.get("n"), Some(&(*number).into()), "{key:?}");
        let digest = Key::Digest(users.digest(key));
        assert_eq!(users.get(digest).unwrap(), Some(record), "{key:?} by its digest");
    }
    assert_eq!(users.get(&text).unwrap(), users.get(text).unwrap());
    assert_eq!(users.get(vec![b'1']).unwrap(), users.get(&b"1"[..]).unwrap());
    assert_eq!(users.get(1_u8).unwrap(), users.get(1_i64).unwrap());
}

#[test]
fn bins_may_come_as_arrays_vectors_or_maps() {
    let (_cluster, users) = home(1);
    users.put(1, [("a", 1)]).unwrap();
    users.put(1, vec![("b", Value::from(2)), ("c", "x".into())]).unwrap();
    users.put(1, BTreeMap::from([("d".to_owned(), 4.5)])).unwrap();
    users.put(1, bins! { "e" => true, "f" => "text", "g" => &b"bytes"[..] }).unwrap();
    users.put(1, Some(("h", Some(8)))).unwrap();
    users.put(1, [("a", None::<i64>)]).unwrap();
    let record = users.get(1).unwrap().unwrap();
    let names: Vec<&str> = record.bins.iter().map(|bin| bin.name.as_str()).collect();
    assert_eq!(names, ["b", "c", "d", "e", "f", "g", "h"]);
    assert_eq!(record.get("g"), Some(&Value::Bytes(b"bytes".into())));
}

/// Servers take such names, and some clients write them: what is read can be written.
#[test]
fn a_bin_name_may_be_empty() {
    let (_cluster, users) = home(1);
    users.put(1, [("", 1), ("n", 2)]).unwrap();
    users.add(1, [("", 4)]).unwrap();
    users.operate(1, [op::put("n", 3), op::add("", 1)]).unwrap();
    let record = users.get_bins(1, [""]).unwrap().unwrap();
    assert_eq!((record.bins.len(), record.get("")), (1, Some(&Value::Int(6))));
    users.put(1, [("", None::<i64>)]).unwrap();
    let record = users.get(1).unwrap().unwrap();
    assert_eq!((record.bins.len(), record.get("n")), (1, Some(&Value::Int(3))));
}

#[test]
fn datasets_know_their_names_and_keep_the_client() {
    let cluster = cluster(3);
    let users = dataset(&cluster);
    assert_eq!((users.namespace(), users.set()), ("test", "demo"));
    users.put(1, [("a", 1)]).unwrap();
    let outside = support::builder().connect(cluster.seeds()).unwrap().dataset("test", "").unwrap();
    assert_eq!(outside.get(1).unwrap(), None, "the null set is a set of its own");
    outside.put(1, [("a", 2)]).unwrap();
    assert_eq!(users.get(1).unwrap().unwrap().get("a"), Some(&1.into()));
}

#[test]
fn a_client_describes_its_cluster() {
    let cluster = cluster(3);
    let client = support::builder().connect(cluster.seeds()).unwrap();
    let mut nodes = client.nodes();
    assert_eq!(nodes.len(), 3);
    nodes.sort_by_key(|node| node.address);
    let mut seeds = cluster.seeds();
    seeds.sort();
    for (node, seed) in nodes.iter().zip(seeds) {
        assert_eq!(node.address, seed);
        assert_eq!(client.info(node.address, "node").unwrap(), node.name);
        assert_eq!(client.info(node.address, "namespaces").unwrap(), "test");
    }
    let client = block_on(support::builder().connect_async(cluster.seeds())).unwrap();
    assert_eq!(client.nodes().len(), 3);
    assert_eq!(block_on(client.info(nodes[0].address, "namespaces")).unwrap(), "test");
}
