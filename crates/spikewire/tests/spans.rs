//! A span of the facade `tracing` for each verb.

mod support;

use std::time::Duration;

use futures::executor::block_on;
use futures::future::join_all;
use spikewire::{AsyncClient, CallOptions, Exists, op};
use spikewire_aerospike_server::{Cluster, Faults};

use support::spans::Spans;
use support::{builder, cluster};

fn seen(cluster: &Cluster, work: impl FnOnce(&Spans, &spikewire::Dataset)) {
    let spans = Spans::new();
    let client = builder().connect(cluster.seeds()).unwrap();
    let users = client.dataset("test", "users").unwrap();
    tracing::subscriber::with_default(spans.clone(), || work(&spans, &users));
}

#[test]
fn every_verb_of_calling_threads_is_a_span() {
    let cluster = cluster(2);
    seen(&cluster, |spans, users| {
        users.put(1, [("n", 1)]).unwrap();
        let put = spans.one();
        assert_eq!((put.kind, put.entered, put.parent), ("command", true, None));
        for (name, value) in [
            ("otel.name", "put users"),
            ("otel.kind", "client"),
            ("db.system.name", "aerospike"),
            ("db.namespace", "test"),
            ("db.collection.name", "users"),
            ("db.operation.name", "put"),
            ("result", "ok"),
        ] {
            assert_eq!(put.field(name), value, "{name}");
        }
        let address = format!("{}:{}", put.field("server.address"), put.field("server.port"));
        assert!(cluster.seeds().iter().any(|seed| seed.to_string() == address), "{address}");
        assert!(!put.field("spikewire.node").is_empty());
        assert!(put.field("error.type").is_empty());

        assert!(users.get("nobody").unwrap().is_none());
        let get = spans.one();
        assert_eq!((get.field("db.operation.name"), get.field("result")), ("get", "not_found"));
        assert!(get.field("error.type").is_empty(), "that is an answer");
        users.with(CallOptions::new().exists(Exists::Create)).put(1, [("n", 1)]).unwrap_err();
        let span = spans.one();
        assert_eq!(span.field("error.type"), "record_exists");
        assert_eq!(span.field("otel.status_code"), "ERROR");
        users.operate(1, [op::add("n", 1)]).unwrap();
        assert_eq!(spans.one().field("db.operation.name"), "operate");

        users.put_many((0..50).map(|id| (id, [("n", id)]))).unwrap().check().unwrap();
        let many = spans.one();
        assert_eq!((many.kind, many.field("otel.name")), ("batch", "BATCH put users"));
        assert_eq!((many.field("db.operation.batch.size"), many.field("result")), ("50", "ok"));
        assert_eq!(users.query().records().unwrap().count(), 50);
        let query = spans.one();
        assert_eq!((query.field("otel.name"), query.field("result")), ("query users", "ok"));
        users.query().records().unwrap().next().unwrap().unwrap();
        assert_eq!(spans.one().field("result"), "withdrawn");

        let outer = tracing::info_span!("request");
        outer.in_scope(|| users.get(1).unwrap());
        assert_eq!(spans.one().parent, outer.id().map(|id| id.into_u64()));
    });
}

#[test]
fn administration_and_background_jobs_are_spans() {
    let cluster = cluster(2);
    let limit = Duration::from_secs(60);
    seen(&cluster, |spans, users| {
        users.put(1, [("n", 1)]).unwrap();
        spans.one();
        let client = builder().connect(cluster.seeds()).unwrap();
        assert!(client.indexes().list("test").unwrap().is_empty());
        let listed = spans.one();
        assert_eq!((listed.kind, listed.entered), ("administration", true));
        assert_eq!(listed.field("otel.name"), "list_indexes test");
        assert_eq!((listed.field("db.namespace"), listed.field("result")), ("test", "ok"));
        client.modules().list().unwrap();
        let modules = spans.one();
        assert_eq!(modules.field("otel.name"), "list_modules");
        assert!(!modules.fields.contains_key("db.namespace"), "it is about the cluster");
        client.modules().source("none.lua").unwrap_err();
        let failed = spans.one();
        assert_eq!(failed.field("otel.status_code"), "ERROR");
        assert!(!failed.field("error.type").is_empty());

        let job = users.query().operate_all([op::add("n", 1)]).unwrap();
        let started = spans.one();
        assert_eq!(started.field("otel.name"), "operate_all users");
        assert_eq!(started.field("db.operation.name"), "operate_all");
        assert_eq!(started.field("db.collection.name"), "users");
        job.wait(limit).unwrap();
        assert_eq!(spans.one().field("otel.name"), "wait_for_job");

        let client = block_on(AsyncClient::connect(cluster.seeds())).unwrap();
        block_on(client.indexes().list("test")).unwrap();
        let listed = spans.one();
        assert_eq!(
            (listed.field("otel.name"), listed.field("result")),
            ("list_indexes test", "ok")
        );
    });
}

#[cfg(feature = "aggregate")]
#[test]
fn aggregations_are_spans() {
    const SOURCE: &str = "function count(stream)
            return stream : map(function () return 1 end) : reduce(function (a, b) return a + b end)
        end";
    let cluster = cluster(2);
    let limit = Duration::from_secs(60);
    seen(&cluster, |spans, users| {
        users.put_many((0..50).map(|id| (id, [("n", id)]))).unwrap().check().unwrap();
        let client = builder().connect(cluster.seeds()).unwrap();
        client.modules().register("counts.lua", SOURCE, limit).unwrap();
        spans.take(2);
        assert_eq!(users.query().aggregate("counts", "count", &[]).unwrap(), [50.into()]);
        let counted = spans.one();
        assert_eq!((counted.kind, counted.entered), ("aggregation", true));
        assert_eq!(counted.field("otel.name"), "aggregate users");
        assert_eq!((counted.field("db.namespace"), counted.field("result")), ("test", "ok"));
        users.query().aggregate("counts", "none", &[]).unwrap_err();
        assert_eq!(spans.one().field("otel.status_code"), "ERROR");
        let client = block_on(AsyncClient::connect(cluster.seeds())).unwrap();
        let users = client.dataset("test", "users").unwrap();
        assert_eq!(block_on(users.query().aggregate("counts", "count", &[])).unwrap(), [50.into()]);
        assert_eq!(spans.one().field("result"), "ok");
    });
}

#[test]
fn failures_say_where_and_why() {
    let cluster = cluster(1);
    seen(&cluster, |spans, users| {
        users.put(1, [("n", 1)]).unwrap();
        spans.one();
        let slow = Faults { delay: Duration::from_secs(3), ..Faults::default() };
        cluster.inject(0, slow).unwrap();
        let short = users.with(CallOptions::new().timeout(Duration::from_millis(100)));
        short.get(1).unwrap_err();
        let failed = spans.one();
        assert_eq!((failed.field("result"), failed.field("error.type")), ("timeout", "timeout"));
        assert!(!failed.field("server.address").is_empty());
        assert!(!failed.field("error.message").is_empty());
    });
}

#[test]
fn futures_have_spans_also_those_that_are_dropped() {
    let spans = Spans::new();
    let cluster = cluster(2);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let clients = [
        block_on(AsyncClient::connect(cluster.seeds())).unwrap(),
        runtime.block_on(AsyncClient::connect_tokio(cluster.seeds())).unwrap(),
    ];
    for client in clients {
        let users = client.dataset("test", "users").unwrap();
        let outer = tracing::subscriber::with_default(spans.clone(), || {
            let outer = tracing::info_span!("request");
            let puts =
                outer.in_scope(|| (0..20).map(|n| users.put(n, [("n", n)])).collect::<Vec<_>>());
            for put in runtime.block_on(join_all(puts)) {
                put.unwrap();
            }
            outer.id().map(|id| id.into_u64())
        });
        for put in spans.take(20) {
            assert_eq!((put.field("otel.name"), put.field("result")), ("put users", "ok"));
            assert_eq!(put.parent, outer);
            assert!(!put.field("server.port").is_empty());
        }
        tracing::subscriber::with_default(spans.clone(), || {
            runtime.block_on(users.get_many(0..20)).unwrap();
            assert_eq!(spans.one().field("otel.name"), "BATCH get users");
            drop(users.get(1));
            assert_eq!(spans.one().field("result"), "", "it was not sent");
            runtime.block_on(async {
                let mut records = users.query().records().unwrap();
                while let Some(record) = records.next().await {
                    record.unwrap();
                }
            });
            assert_eq!(spans.one().field("result"), "ok");
        });
    }
}
