//! A command that a node's version cannot run is not sent to it.

mod support;

use spikewire::{Batch, CallOptions, Dataset, Error, Kind, Row, Value, exp, op};
use spikewire_aerospike_server::{Cluster, Options};

use support::{LONG, builder};

fn cluster(build: &str, nodes: usize) -> Cluster {
    let build = build.to_owned();
    Cluster::start(Options { build, nodes, ..Options::default() }).unwrap()
}

fn dataset(cluster: &Cluster) -> Dataset {
    builder().connect(cluster.seeds()).unwrap().dataset("test", "demo").unwrap()
}

/// A filter that needs 8.1.2.
fn newer() -> CallOptions {
    CallOptions::new().filter(exp::value(1).is_in(exp::bin("l")))
}

/// How many reads and writes of records the nodes have received.
fn received(cluster: &Cluster) -> u64 {
    let nodes = 0..cluster.seeds().len();
    nodes.map(|node| cluster.stats(node).unwrap().counters.requests).sum()
}

fn assert_unsupported(error: &Error, build: &str) {
    assert_eq!(error.kind(), Kind::Unsupported, "{error}");
    assert!(error.message().contains("needs server 8.1.2; node BB9"), "{error}");
    assert!(error.message().ends_with(&format!("has {build}")), "{error}");
    assert!(!error.in_doubt());
}

#[test]
fn nodes_say_what_they_can_do() {
    let cluster = cluster("8.2,8.1.1", 2);
    let client = builder().connect(cluster.seeds()).unwrap();
    let mut nodes = client.nodes();
    nodes.sort_by_key(|node| std::cmp::Reverse(node.build.clone()));
    let builds: Vec<_> = nodes.iter().map(|node| &*node.build).collect();
    assert_eq!(builds, ["8.2.0.0", "8.1.1.0"]);
    assert!(nodes[0].features.contains(&"strings"));
    assert_eq!(nodes[1].features, ["paths"]);
}

#[test]
fn what_a_node_cannot_do_is_not_sent_to_it() {
    let cluster = cluster("8.1.1", 1);
    let users = dataset(&cluster);
    users.put("k", [("l", 1)]).unwrap();
    let before = received(&cluster);
    assert_unsupported(&users.with(newer()).get("k").unwrap_err(), "8.1.1.0");
    assert_unsupported(&users.with(newer()).put("k", [("l", 2)]).unwrap_err(), "8.1.1.0");
    assert_eq!(received(&cluster), before);
}

#[test]
fn in_a_mixed_cluster_the_node_of_the_record_decides_and_the_least_for_batches_and_queries() {
    let cluster = cluster("8.1.1,8.2", 2);
    let users = dataset(&cluster);
    let list = || Value::List(vec![1.into()]);
    (0..20).for_each(|key| users.put(key, [("l", list())]).unwrap());
    let all = users.with(newer());
    let outcomes: Vec<_> = (0..20).map(|key| all.get(key)).collect();
    let (can, cannot): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
    assert!(!can.is_empty() && !cannot.is_empty());
    cannot.iter().for_each(|error| assert_unsupported(error.as_ref().unwrap_err(), "8.1.1.0"));
    let before = received(&cluster);
    let rows = all.get_many(0..20).unwrap();
    assert_eq!(rows.len(), 20);
    for row in 0..rows.len() {
        assert_unsupported(&rows.row(row).unwrap_err(), "8.1.1.0");
    }
    let query = users.query().filter(exp::value(1).is_in(exp::bin("l")));
    let error = query.records().and_then(|mut records| records.next().unwrap()).unwrap_err();
    assert_unsupported(&error, "8.1.1.0");
    assert_eq!(received(&cluster), before);
    // The rows of a batch that need nothing are sent.
    let rows = users.batch([Row::get(1), Row::get(2).with(newer())]).unwrap();
    assert!(rows.row(0).is_ok());
    assert_unsupported(&rows.row(1).unwrap_err(), "8.1.1.0");
}

fn nested(levels: usize) -> Value {
    (1..levels).fold(Value::List(Vec::new()), |value, _| Value::List(vec![value]))
}

#[test]
fn a_value_nested_too_deep_is_not_sent_to_new_servers() {
    let new = cluster("8.2", 1);
    let data = dataset(&new);
    data.put("k", [("a", nested(64))]).unwrap();
    let before = received(&new);
    for error in [
        data.put("k", [("n", Value::Int(1)), ("a", nested(65))]).unwrap_err(),
        data.operate("k", [op::list::append("a", nested(66))]).unwrap_err(),
    ] {
        assert_eq!(error.kind(), Kind::Unsupported, "{error}");
        let expected = "bin \"a\": lists and maps nested more than 64 levels deep";
        assert!(error.message().starts_with(expected), "{error}");
    }
    assert_eq!(received(&new), before);
    let old = cluster("8.1.2", 1);
    dataset(&old).put("k", [("a", nested(65))]).unwrap();
}

#[test]
fn arguments_of_functions_nested_too_deep_are_not_sent_to_new_servers() {
    const SOURCE: &str = "function one(rec) return 1 end";
    for build in ["8.2", "8.1.2"] {
        let cluster = cluster(build, 1);
        let client = builder().connect(cluster.seeds()).unwrap();
        client.modules().register("deep.lua", SOURCE, LONG).unwrap();
        let data = client.dataset("test", "demo").unwrap();
        data.put("k", [("n", 1)]).unwrap();
        let calls = |levels| {
            let deep = [nested(levels)];
            let row = Row::apply("k", "deep", "one", &deep);
            [
                data.apply("k", "deep", "one", &deep).map(drop),
                data.apply_many(["k"], "deep", "one", &deep).and_then(Batch::check).map(drop),
                data.batch([row]).and_then(Batch::check).map(drop),
                data.query().apply_all("deep", "one", &deep).map(drop),
            ]
        };
        calls(63).into_iter().for_each(Result::unwrap);
        let before = received(&cluster);
        for (at, outcome) in calls(65).into_iter().enumerate() {
            if build == "8.1.2" {
                outcome.unwrap();
                continue;
            }
            let error = outcome.unwrap_err();
            assert_eq!(error.kind(), Kind::Unsupported, "{at}: {error}");
            let expected = "arguments of the function: lists and maps nested more than 64 levels";
            assert!(error.message().contains(expected), "{at}: {error}");
        }
        if build == "8.2" {
            assert_eq!(received(&cluster), before);
        }
    }
}

#[test]
fn what_a_server_does_not_withstand_is_not_sent_to_it() {
    let old = cluster("8.1.2", 1);
    let data = dataset(&old);
    data.put("k", [("l", Value::List(vec![nested(1)]))]).unwrap();
    let before = received(&old);
    let filtered = data.with(CallOptions::new().filter("$.i / -1 == 5"));
    let error = filtered.get("k").unwrap_err();
    assert_eq!(error.kind(), Kind::Unsupported, "{error}");
    assert!(error.message().contains("end if it is the smallest one"), "{error}");
    assert_eq!(received(&old), before);
    let bold = builder().protect_servers(false).connect(old.seeds()).unwrap();
    let data = bold.dataset("test", "demo").unwrap();
    data.put("k", [("i", -5)]).unwrap();
    assert!(data.with(CallOptions::new().filter("$.i / -1 == 5")).get("k").unwrap().is_some());
}
