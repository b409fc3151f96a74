//! What servers from 8.2 on say about errors, on both APIs.

mod support;

use std::collections::HashMap;

use futures::executor::block_on;
use spikewire::error_trace::{Outcome, Phase};
use spikewire::{Builder, CallOptions, Dataset, DetailLevel, Error, IndexRange, Operation, op};
use spikewire_aerospike_server::{Cluster, Options};

use support::{LONG, builder, eventually};

fn cluster(build: &str, nodes: usize) -> Cluster {
    let build = build.to_owned();
    Cluster::start(Options { build, nodes, ..Options::default() }).unwrap()
}

fn asking(level: DetailLevel) -> Builder {
    builder().error_details(level)
}

fn dataset(cluster: &Cluster, level: DetailLevel) -> Dataset {
    let users = asking(level).connect(cluster.seeds()).unwrap().dataset("test", "demo").unwrap();
    users.put("k", [("s", "text")]).unwrap();
    users
}

fn to_int() -> [Operation; 1] {
    [op::string::to_int("s")]
}

/// Requests that asked for details, by node.
fn detailed_requests(cluster: &Cluster) -> Vec<u64> {
    let nodes = 0..cluster.seeds().len();
    nodes.map(|node| cluster.stats(node).unwrap().counters.detailed_requests).collect()
}

fn assert_conversion(error: &Error) {
    let subcode = (error.subcode(), error.subcode_name());
    assert_eq!(subcode, (Some(10), Some("string_conversion")), "{error}");
}

#[test]
fn errors_have_subcode_name_and_message() {
    let cluster = cluster("8.2", 1);
    let users = dataset(&cluster, DetailLevel::Message);
    let error = users.operate("k", to_int()).unwrap_err();
    assert_conversion(&error);
    let message = error.details().unwrap().message.as_deref().unwrap();
    assert!(error.to_string().ends_with(&format!(" [string_conversion 10: {message}]")), "{error}");
    let client = block_on(asking(DetailLevel::Subcode).connect_async(cluster.seeds())).unwrap();
    let awaited = client.dataset("test", "demo").unwrap();
    let error = block_on(awaited.operate("k", to_int())).unwrap_err();
    assert_conversion(&error);
    assert_eq!(error.details().unwrap().message, None);
}

#[test]
fn calls_decide_for_themselves_and_off_asks_nothing() {
    let cluster = cluster("8.2", 1);
    let users = dataset(&cluster, DetailLevel::Off);
    assert!(users.operate("k", to_int()).unwrap_err().details().is_none());
    let rows = users.operate_many(["k", "k"], to_int()).unwrap();
    assert!(rows.errors().all(|(_, error)| error.details().is_none()));
    assert_eq!(detailed_requests(&cluster), [0]);
    let one = users.with(CallOptions::new().error_details(DetailLevel::Subcode));
    assert_conversion(&one.operate("k", to_int()).unwrap_err());
    eventually("the request is counted", || detailed_requests(&cluster) == [1]);
}

#[test]
fn rows_and_queries_have_details() {
    let cluster = cluster("8.2", 1);
    let users = dataset(&cluster, DetailLevel::Trace);
    for keys in [&["k"][..], &["k", "none", "k"]] {
        let rows = users.operate_many(keys.iter().copied(), to_int()).unwrap();
        let failures: Vec<_> = rows.errors().collect();
        assert_eq!(failures.len(), keys.iter().filter(|key| **key == "k").count());
        failures.iter().for_each(|(_, error)| assert_conversion(error));
    }
    let query = users.query().index(IndexRange::between("nothing", 1, 2));
    let error = query.records().unwrap().next().unwrap().unwrap_err();
    let message = error.details().unwrap().message.as_deref();
    assert_eq!(message, Some("no index fits the query"), "{error}");
}

#[test]
fn plans_and_jobs_have_details() {
    let newer = cluster("8.2", 1);
    let users = dataset(&newer, DetailLevel::Message);
    let client = asking(DetailLevel::Off).connect(newer.seeds()).unwrap();
    client.modules().register("m.lua", "function all(stream) return stream end", LONG).unwrap();
    let quiet = client.dataset("test", "demo").unwrap();
    let errors = |users: &Dataset| {
        let query = || users.query().index(IndexRange::between("nothing", 1, 2));
        let plan = users.query().filter("$.nothing == 1").require_index();
        [
            plan.explain().unwrap_err(),
            query().operate_all([op::put("a", 1)]).unwrap_err(),
            query().apply_all("m", "all", &[]).unwrap_err(),
        ]
    };
    for (at, error) in errors(&users).into_iter().enumerate() {
        let message = error.details().and_then(|details| details.message.as_deref());
        assert_eq!(message, Some("no index fits the query"), "{at}: {error}");
        assert_eq!(error.message().matches("no index fits").count(), 1, "{at}: {error}");
    }
    for (at, error) in errors(&quiet).into_iter().enumerate() {
        assert_eq!(error.details(), None, "{at}: {error}");
    }
    // Nodes that do not know the question are not asked.
    let older = cluster("8.1.2", 1);
    let users = dataset(&older, DetailLevel::Message);
    asking(DetailLevel::Off)
        .connect(older.seeds())
        .unwrap()
        .modules()
        .register("m.lua", "function all(stream) return stream end", LONG)
        .unwrap();
    errors(&users)[1..].iter().for_each(|error| assert_eq!(error.details(), None, "{error}"));
    assert_eq!(detailed_requests(&older), [0]);
}

#[test]
fn traces_lead_to_the_operation() {
    let cluster = cluster("8.2", 1);
    let users = dataset(&cluster, DetailLevel::Trace);
    let read = op::read("e", "$.none:INT + 1");
    let error = users.operate("k", [read]).unwrap_err();
    let trace = error.details().unwrap().trace.as_deref().unwrap();
    assert_eq!((trace.phase, trace.outcome), (Some(Phase::Evaluation), Some(Outcome::Absent)));
    assert_eq!((trace.offset, trace.op.as_deref()), (Some(2), Some("bin")));
    assert_eq!(trace.path, ["+", "bin"]);
}

#[test]
fn only_nodes_that_know_it_are_asked() {
    let cluster = cluster("8.2,8.1.2", 2);
    let users = dataset(&cluster, DetailLevel::Trace);
    let list = |n: i64| (n, [("l", vec![spikewire::Value::from(1)])]);
    users.put_many((0..40).map(list)).unwrap().check().unwrap();
    let get = || [op::list::get("l", 9)];
    let mut seen: HashMap<String, Vec<Option<u32>>> = HashMap::new();
    let mut note = |error: Error| {
        seen.entry(error.node().unwrap().to_owned()).or_default().push(error.subcode());
    };
    (0..40).for_each(|key| note(users.operate(key, get()).unwrap_err()));
    let rows = users.operate_many(0..40, get()).unwrap();
    rows.errors().for_each(|(_, error)| note(error));
    assert!(users.query().records().unwrap().all(|record| record.is_ok()));
    let mut subcodes: Vec<_> = seen.into_values().collect();
    subcodes.iter_mut().for_each(Vec::dedup);
    subcodes.sort();
    assert_eq!(subcodes, [[None], [Some(1)]]);
    eventually("requests are counted", || detailed_requests(&cluster)[0] > 20);
    assert_eq!(detailed_requests(&cluster)[1], 0, "of an older node nothing is asked");
}
