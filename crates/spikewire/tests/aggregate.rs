//! Aggregations: stream functions over the records of a query.

mod support;

use std::time::Duration;

use futures::executor::block_on;
use spikewire::{Client, DetailLevel, IndexRange, IndexType, Kind, NewIndex, ResultCode, Value};
use spikewire_aerospike_server::{Cluster, Options};

use support::{LONG, async_clients, builder, cluster, kind, server};

const SOURCE: &str = "
function total(stream, bin)
    return stream : map(function (rec) return rec[bin] end) : reduce(function (a, b) return a + b end)
end
function fails(stream)
    return stream : map(function (rec) error('not today') end)
end
function endless(stream)
    return stream : map(function (rec) while true do end end)
end
";

#[test]
fn nodes_work_and_the_client_reduces() {
    let cluster = cluster(3);
    let client = builder().connect(cluster.seeds()).unwrap();
    client.modules().register("sums.lua", SOURCE, LONG).unwrap();
    let users = client.dataset("test", "demo").unwrap();
    users.put_many((0..500).map(|n| (n, [("n", n)]))).unwrap().check().unwrap();
    let arguments = [Value::from("n")];
    let whole = [Value::Int((0..500).sum())];
    assert_eq!(users.query().aggregate("sums", "total", &arguments).unwrap(), whole);
    for futures in async_clients(&cluster) {
        let query = futures.query("test", "demo");
        assert_eq!(block_on(query.aggregate("sums", "total", &arguments)).unwrap(), whole);
    }
    let none = client.query("test", "empty").aggregate("sums", "total", &arguments);
    assert_eq!(none.unwrap(), []);

    let by_n = NewIndex::new("test", "demo", "n", IndexType::Numeric);
    let name = client.indexes().create(&by_n).unwrap();
    client.indexes().wait("test", &name, LONG).unwrap();
    let some = users.query().index(IndexRange::between("n", 1, 4));
    assert_eq!(some.aggregate("sums", "total", &arguments).unwrap(), [Value::Int(10)]);
}

#[test]
fn failing_and_missing_functions_are_errors() {
    let cluster = cluster(2);
    let client = builder().connect(cluster.seeds()).unwrap();
    client.modules().register("sums.lua", SOURCE, LONG).unwrap();
    let users = client.dataset("test", "demo").unwrap();
    users.put(1, [("n", 1)]).unwrap();
    let query = || users.query();
    let error = query().aggregate("sums", "fails", &[]).unwrap_err();
    assert_eq!(error.kind(), server(ResultCode::UDF));
    assert!(error.message().contains("not today"), "{error}");
    for (module, function) in [("sums", "missing"), ("missing", "total")] {
        assert_eq!(kind(query().aggregate(module, function, &[])), server(ResultCode::UDF));
    }
    let hasty = query().timeout(Duration::from_millis(100)).aggregate("sums", "endless", &[]);
    assert!(matches!(kind(hasty), Kind::Timeout | Kind::Server(ResultCode::UDF)));
    for (what, outcome) in [
        ("filter", query().filter("$.n > 1").aggregate("sums", "total", &[])),
        ("limit", query().limit(1).aggregate("sums", "total", &[])),
        ("bins", query().bins(["n"]).aggregate("sums", "total", &[])),
        ("module", query().aggregate("", "total", &[])),
        ("module", query().aggregate("x;\ntruncate-namespace:namespace=test;\n", "total", &[])),
    ] {
        let error = outcome.expect_err(what);
        assert_eq!(error.kind(), Kind::Invalid, "{what}: {error}");
        assert!(error.message().contains(what), "{what}: {error}");
    }
    assert!(users.exists(1).unwrap());
}

/// A client of a cluster of this version, with a record, that asks for the messages of errors.
fn client_of(build: &str) -> (Cluster, Client) {
    let options = Options { build: build.to_owned(), nodes: 1, ..Options::default() };
    let cluster = Cluster::start(options).unwrap();
    let asking = builder().error_details(DetailLevel::Message);
    let client = asking.connect(cluster.seeds()).unwrap();
    client.modules().register("sums.lua", SOURCE, LONG).unwrap();
    client.dataset("test", "demo").unwrap().put(1, [("n", 1)]).unwrap();
    (cluster, client)
}

#[test]
fn arguments_nested_too_deep_are_not_sent_to_new_servers() {
    let nested = |levels: usize| {
        (1..levels).fold(Value::List(Vec::new()), |value, _| Value::List(vec![value]))
    };
    for (build, is_new) in [("8.2", true), ("8.1.2", false)] {
        let (_cluster, client) = client_of(build);
        let total = |levels| {
            let arguments = [Value::from("n"), nested(levels)];
            client.query("test", "demo").aggregate("sums", "total", &arguments)
        };
        assert_eq!(total(63).unwrap(), [Value::Int(1)]);
        if is_new {
            let error = total(65).unwrap_err();
            assert_eq!(error.kind(), Kind::Unsupported, "{error}");
            let expected = "arguments of the function: lists and maps nested more than 64 levels";
            assert!(error.message().contains(expected), "{error}");
        } else {
            assert_eq!(total(65).unwrap(), [Value::Int(1)]);
        }
    }
}

#[test]
fn nodes_that_know_it_say_more_about_errors() {
    for (build, expected) in [("8.2", Some("no index fits the query")), ("8.1.2", None)] {
        let (cluster, client) = client_of(build);
        let query = client.query("test", "demo").index(IndexRange::between("nothing", 1, 2));
        let error = query.aggregate("sums", "total", &[Value::from("n")]).unwrap_err();
        assert_eq!(error.kind(), server(ResultCode::INDEX_NOT_FOUND), "{error}");
        let message = error.details().and_then(|details| details.message.as_deref());
        assert_eq!(message, expected, "{error}");
        let requests = cluster.stats(0).unwrap().counters.detailed_requests;
        assert_eq!(requests > 0, expected.is_some(), "{build}");
    }
}
