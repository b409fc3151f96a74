//! Work done by the nodes: functions, and jobs over the records of a query.

mod support;

use std::time::Duration;

use futures::executor::block_on;
use spikewire::{
    AsyncClient, CallOptions, Client, Exists, IndexRange, Kind, ResultCode, Value, op,
};
use spikewire_aerospike_server::Cluster;

use support::{LONG, builder, cluster, eventually, kind, server};

const SOURCE: &str = "
function visit(rec, times)
    rec['visits'] = (rec['visits'] or 0) + times
    if aerospike:exists(rec) then aerospike:update(rec) else aerospike:create(rec) end
    return rec['visits']
end
function nothing(rec) end
function echo(rec, value) return value end
function fails(rec) error('not today') end
";

fn home() -> (Cluster, Client, AsyncClient) {
    let cluster = cluster(2);
    let client = builder().connect(cluster.seeds()).unwrap();
    let users = client.dataset("test", "demo").unwrap();
    users.put_many((0..200).map(|n| (n, [("n", n)]))).unwrap().check().unwrap();
    let futures = block_on(builder().connect_async(cluster.seeds())).unwrap();
    (cluster, client, futures)
}

#[test]
fn modules_are_registered_listed_and_removed() {
    let (_cluster, client, futures) = home();
    let (modules, awaited) = (client.modules(), futures.modules());
    modules.register("counters.lua", SOURCE, LONG).unwrap();
    block_on(awaited.register("more.lua", "function f() return 1 end", LONG)).unwrap();
    let names: Vec<_> = modules.list().unwrap().into_iter().map(|module| module.name).collect();
    assert_eq!(names, ["counters.lua", "more.lua"]);
    assert_eq!(block_on(awaited.list()).unwrap(), modules.list().unwrap());
    assert_eq!(block_on(awaited.source("counters.lua")).unwrap(), SOURCE);
    // Also waits for another source under the same name.
    modules.register("more.lua", "function f() return 2 end", LONG).unwrap();
    let users = client.dataset("test", "demo").unwrap();
    assert_eq!(users.apply(1, "more", "f", &[]).unwrap(), Value::Int(2));
    modules.remove("more.lua").unwrap();
    modules.remove("more.lua").unwrap();
    assert_eq!(modules.list().unwrap().len(), 1);
    assert_eq!(kind(modules.source("more.lua")), server(ResultCode::PARAMETER));
    let error = modules.register("bad.lua", "function f(\n oops oops", LONG).unwrap_err();
    assert_eq!(error.kind(), server(ResultCode::UDF));
    assert!(error.message().contains("bad.lua"), "{error}");
    for name in ["", "counters", ".lua", "a/b.lua", "a;b.lua"] {
        assert_eq!(kind(modules.remove(name)), Kind::Invalid, "{name}");
    }
    assert_eq!(kind(modules.register("empty.lua", "", LONG)), Kind::Invalid);
}

#[test]
fn a_function_runs_on_one_record() {
    let (_cluster, client, futures) = home();
    client.modules().register("counters.lua", SOURCE, LONG).unwrap();
    let users = client.dataset("test", "demo").unwrap();
    let awaited = futures.dataset("test", "demo").unwrap();
    assert_eq!(users.apply("new", "counters", "visit", &[2.into()]).unwrap(), Value::Int(2));
    let again = awaited.apply("new", "counters", "visit", &[3.into()]);
    assert_eq!(block_on(again).unwrap(), Value::Int(5));
    assert_eq!(users.get("new").unwrap().unwrap().get("visits"), Some(&Value::Int(5)));
    assert_eq!(users.apply(1, "counters", "nothing", &[]).unwrap(), Value::Nil);
    let nested = Value::List(vec![1.into(), Value::Map(vec![("k".into(), 2.5.into())])]);
    assert_eq!(users.apply(1, "counters", "echo", std::slice::from_ref(&nested)).unwrap(), nested);
    let error = users.apply(1, "unknown", "f", &[]).unwrap_err();
    let advice = error.advice().unwrap();
    assert!(advice.contains("client.modules.list()"), "{error}");
    assert!(!error.message().contains(advice) && error.to_string().ends_with(advice), "{error}");
    let error = users.apply(1, "counters", "fails", &[]).unwrap_err();
    assert_eq!(error.advice(), None);
    assert_eq!(error.kind(), server(ResultCode::UDF));
    assert!(error.message().contains("not today"), "{error}");
    assert_eq!(kind(users.apply(1, "counters", "missing", &[])), server(ResultCode::UDF));
    assert_eq!(kind(users.apply(1, "counters.lua", "visit", &[])), Kind::Invalid);
    assert_eq!(kind(users.apply(1, "counters", "", &[])), Kind::Invalid);
    let mut deep = Value::List(vec![]);
    (0..1000).for_each(|_| deep = Value::List(vec![std::mem::replace(&mut deep, Value::Nil)]));
    let error = users.apply(1, "counters", "echo", &[deep]).unwrap_err();
    assert!(error.message().starts_with("arguments: nested"), "{error}");
    let picky = users.with(CallOptions::new().exists(Exists::Create));
    assert_eq!(kind(picky.apply(1, "counters", "visit", &[1.into()])), Kind::Invalid);
}

#[test]
fn jobs_change_every_record_of_a_query() {
    let (_cluster, client, futures) = home();
    client.modules().register("counters.lua", SOURCE, LONG).unwrap();
    let users = client.dataset("test", "demo").unwrap();
    let count =
        |filter: &str| users.query().filter(filter).records().unwrap().map(Result::unwrap).count();

    let low = users.query().filter("$.n < 50");
    let job = low.operate_all([op::put("low", true), op::write("twice", "$.n * 2")]).unwrap();
    let progress = job.wait(LONG).unwrap();
    assert!(progress.done && !progress.aborted);
    assert_eq!((progress.succeeded, progress.failed, progress.filtered), (50, 0, 150));
    assert!((progress.percent - 100.0).abs() < 1e-9);
    assert_eq!(count("$.low == true and $.twice == $.n * 2"), 50);

    let job = block_on(futures.query("test", "demo").apply_all("counters", "visit", &[3.into()]));
    let progress = block_on(job.unwrap().wait(LONG)).unwrap();
    assert_eq!((progress.done, progress.succeeded), (true, 200));
    assert_eq!(count("$.visits == 3"), 200);

    let long = CallOptions::new().ttl(Duration::from_secs(1000));
    users.with(long).query().filter("$.n < 10").touch_all().unwrap().wait(LONG).unwrap();
    assert!(users.get(9).unwrap().unwrap().ttl.is_some());
    assert_eq!(users.get(10).unwrap().unwrap().ttl, None);

    block_on(async {
        let job = futures.query("test", "demo").filter("$.n >= 100").delete_all().await?;
        job.wait(LONG).await
    })
    .unwrap();
    assert_eq!(count("$.n >= 0"), 100);
}

/// Nodes answer "not found" for sets of which they never had a record: nothing to do.
#[test]
fn a_job_on_a_set_that_no_node_knows_is_done_at_once() {
    let (_cluster, client, futures) = home();
    let job = client.query("test", "unknown").operate_all([op::add("n", 1)]).unwrap();
    for progress in [job.progress().unwrap(), job.wait(LONG).unwrap()] {
        assert!(progress.done && !progress.aborted && progress.succeeded == 0, "{progress:?}");
    }
    job.abort().unwrap();
    let job = block_on(futures.query("test", "unknown").delete_all()).unwrap();
    assert!(block_on(job.progress()).unwrap().done);
    assert!(block_on(job.wait(LONG)).unwrap().done);
    block_on(job.abort()).unwrap();
}

#[test]
fn a_job_is_waited_for_and_aborted() {
    let (_cluster, client, futures) = home();
    // At 10 ms per record, the slowest that nodes can do, this takes most of a minute.
    let users = client.dataset("test", "demo").unwrap();
    users.put_many((200..10_000).map(|n| (n, [("n", n)]))).unwrap().check().unwrap();
    let slowly = client.query("test", "demo").records_per_second(10);
    let job = slowly.operate_all([op::add("n", 1)]).unwrap();
    assert_eq!(kind(job.wait(Duration::from_millis(100))), Kind::Timeout);
    let progress = job.progress().unwrap();
    assert!(!progress.done && progress.percent < 100.0);
    job.abort().unwrap();
    let progress = job.wait(LONG).unwrap();
    assert!(progress.done && progress.aborted && progress.succeeded < 10_000);
    job.abort().unwrap();

    let slowly = futures.query("test", "demo").records_per_second(10);
    let job = block_on(slowly.operate_all([op::add("n", 1)])).unwrap();
    assert_eq!(kind(block_on(job.wait(Duration::from_millis(100)))), Kind::Timeout);
    // An abandoned wait ends.
    let threads = || std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count);
    let before = threads();
    let mut waiting = Box::pin(job.wait(Duration::ZERO));
    let polled = futures::FutureExt::now_or_never(waiting.as_mut());
    assert!(polled.is_none());
    drop(waiting);
    eventually("ending a wait", || threads() <= before);
    block_on(job.abort()).unwrap();
    assert!(block_on(job.wait(LONG)).unwrap().aborted);
}

#[test]
fn query_options_that_jobs_do_not_support_are_rejected() {
    let (_cluster, client, _) = home();
    let query = || client.query("test", "demo");
    let put = || [op::put("a", 1)];
    for (what, outcome) in [
        ("bins", query().bins(["n"]).operate_all(put())),
        ("limit", query().limit(5).operate_all(put())),
        ("partitions", query().partitions(..5).touch_all()),
        ("after", query().after(5).delete_all()),
        ("window", query().window(1 << 20).delete_all()),
        ("socket_timeout", query().socket_timeout(LONG).delete_all()),
        ("operations[0] reads", query().operate_all([op::get("n")])),
        ("empty", query().operate_all([])),
        ("module", query().apply_all("counters.lua", "visit", &[])),
        ("limit", query().limit(5).apply_all("counters", "visit", &[])),
        ("filter", query().filter("$.").operate_all(put())),
    ] {
        let error = outcome.expect_err(what);
        assert_eq!(error.kind(), Kind::Invalid, "{what}: {error}");
        assert!(error.message().contains(what), "{what}: {error}");
    }
    let users = client.dataset("test", "demo").unwrap().with(CallOptions::new().generation(3));
    assert_eq!(kind(users.query().operate_all(put())), Kind::Invalid);
    let by = IndexRange::between("n", 1, 2);
    assert_eq!(kind(query().index(by).operate_all(put())), server(ResultCode::INDEX_NOT_FOUND));
    client.close();
    assert_eq!(kind(query().operate_all(put())), Kind::Closed);
    assert_eq!(kind(client.modules().list()), Kind::Closed);
    assert_eq!(kind(client.indexes().list("test")), Kind::Closed);
}
