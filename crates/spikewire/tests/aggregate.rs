//! Aggregations: stream functions over the records of a query.

mod support;

use std::time::Duration;

use futures::executor::block_on;
use spikewire::{IndexRange, IndexType, Kind, NewIndex, ResultCode, Value};

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
