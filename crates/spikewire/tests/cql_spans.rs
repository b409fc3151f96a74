//! A span of the facade `tracing` for each call of a Cassandra session, and the stages of calls,
//! with the server of canned replies.

mod support;

use futures::executor::block_on;
use spikewire::cql::{AsyncSession, Batch, CallOptions, Session};
use spikewire::metrics::{Metrics, Stats};
use spikewire_cql_server::{Options, Server};

use support::eventually;
use support::spans::{Spans, install_subscriber};

const KEYSPACE: &str = "CREATE KEYSPACE IF NOT EXISTS shop WITH replication = \
    {'class': 'SimpleStrategy', 'replication_factor': 1}";
const TABLE: &str = "CREATE TABLE IF NOT EXISTS shop.items (id int PRIMARY KEY, name text)";
const INSERT: &str = "INSERT INTO shop.items (id, name) VALUES (?, ?)";
const SELECT: &str = "SELECT name FROM shop.items";

fn server() -> (Server, Session) {
    let server = Server::start(&Options { rows: 10, ..Options::default() }).unwrap();
    let session = Session::connect(server.address()).unwrap();
    session.execute(KEYSPACE, ()).unwrap();
    session.execute(TABLE, ()).unwrap();
    (server, session)
}

#[test]
fn calls_of_threads_are_spans() {
    let spans = Spans::new();
    let (server, session) = server();
    tracing::subscriber::with_default(spans.clone(), || {
        let insert = session.prepare(INSERT).unwrap();
        let prepared = spans.one();
        assert_eq!((prepared.kind, prepared.entered, prepared.parent), ("prepare", true, None));
        assert_eq!(prepared.field("otel.name"), "PREPARE shop.items");
        assert_eq!((prepared.field("db.query.text"), prepared.field("result")), (INSERT, "ok"));

        session.execute(&insert, (1, "pear")).unwrap();
        let executed = spans.one();
        assert_eq!((executed.kind, executed.entered), ("statement", true));
        let address = server.address();
        for (name, value) in [
            ("otel.name", "INSERT shop.items"),
            ("otel.kind", "client"),
            ("db.system.name", "cassandra"),
            ("db.namespace", "shop"),
            ("db.collection.name", "items"),
            ("db.operation.name", "INSERT"),
            ("db.query.summary", "INSERT shop.items"),
            ("db.query.text", INSERT),
            ("server.address", &address.ip().to_string()),
            ("server.port", &address.port().to_string()),
            ("result", "ok"),
            ("error.type", ""),
        ] {
            assert_eq!(executed.field(name), value, "{name}");
        }

        session.execute("SELECT name FROM items WHERE id = 12345", ()).unwrap_err();
        let span = spans.one();
        assert_eq!(span.field("result"), "invalid_request");
        assert_eq!(span.field("error.type"), "invalid_request");
        assert_eq!(span.field("otel.status_code"), "ERROR");
        assert_eq!(span.field("db.response.status_code"), "0x2200");
        assert!(!span.fields.contains_key("db.query.text"), "values stand in the text");
        assert!(!span.fields.contains_key("db.namespace"), "none was said");
        session
            .with(CallOptions::new().keyspace("shop"))
            .execute("SELECT name FROM items WHERE id = 1", ())
            .unwrap();
        assert_eq!(spans.one().field("db.namespace"), "shop");
        session.execute(&insert, (1, 2)).unwrap_err();
        assert_eq!(spans.one().field("result"), "invalid");

        let mut batch = Batch::unlogged();
        batch.add(&insert, (1, "pear")).unwrap().add(&insert, (2, "fig")).unwrap();
        session.batch(&batch).unwrap();
        let many = spans.one();
        assert_eq!((many.kind, many.field("otel.name")), ("batch", "BATCH"));
        assert_eq!((many.field("db.operation.batch.size"), many.field("result")), ("2", "ok"));

        let paged = session.with(CallOptions::new().page_size(3));
        assert_eq!(paged.query(SELECT, ()).unwrap().count(), 10);
        let read = spans.one();
        assert_eq!((read.kind, read.field("result")), ("query", "ok"));
        drop(paged.query(SELECT, ()).unwrap());
        assert_eq!(spans.one().field("result"), "withdrawn");
        paged.query("SELECT nothing FROM shop.items", ()).unwrap_err();
        assert_eq!(spans.one().field("result"), "invalid_request");

        let outer = tracing::info_span!("request");
        outer.in_scope(|| session.execute(SELECT, ()).unwrap());
        assert_eq!(spans.one().parent, outer.id().map(|id| id.into_u64()));
    });
}

#[test]
fn calls_of_futures_are_spans() {
    let spans = Spans::new();
    let (server, _session) = server();
    let session = block_on(AsyncSession::connect(server.address())).unwrap();
    tracing::subscriber::with_default(spans.clone(), || {
        let insert = block_on(session.prepare(INSERT)).unwrap();
        assert_eq!(spans.one().field("otel.name"), "PREPARE shop.items");
        drop(session.execute(&insert, (1, "pear")));
        block_on(session.execute(&insert, (1, "pear"))).unwrap();
        let executed = spans.one();
        assert_eq!(
            (executed.kind, executed.field("otel.name")),
            ("statement", "INSERT shop.items")
        );
        assert_eq!(executed.field("server.port"), server.address().port().to_string());
        block_on(session.execute("SELECT nothing FROM shop.items", ())).unwrap_err();
        assert_eq!(spans.one().field("error.type"), "invalid_request");
        let mut batch = Batch::logged();
        batch.add(&insert, (1, "pear")).unwrap();
        block_on(session.batch(&batch)).unwrap();
        assert_eq!(spans.one().field("db.operation.name"), "BATCH");
        block_on(async {
            let paged = session.with(CallOptions::new().page_size(3));
            let mut rows = paged.query(SELECT, ()).await.unwrap();
            let mut count = 0;
            while let Some(row) = rows.next().await {
                row.unwrap();
                count += 1;
            }
            assert_eq!(count, 10);
            drop(rows);
            assert_eq!(spans.one().field("result"), "ok");
            drop(paged.pages(SELECT, ()).await.unwrap());
        });
        assert_eq!(spans.one().field("result"), "withdrawn");
    });
}

/// How often each stage was timed, in order.
fn timed(stats: &Stats) -> Vec<(&'static str, u64)> {
    stats.stages.iter().map(|(stage, times)| (stage.name(), times.count())).collect()
}

/// Rows are decoded on access.
const STAGES: [&str; 6] = ["encode", "queue", "wire", "turn", "deliver", "hand_over"];

fn time_stages(metrics: &Metrics) {
    metrics.turn(true);
    metrics.time_stages(true);
}

#[test]
fn stages_are_the_parts_of_calls() {
    install_subscriber();
    let (server, session) = server();
    let insert = session.prepare(INSERT).unwrap();
    time_stages(session.metrics());
    // On an existing connection, stages are timed after its first reply.
    session.execute(&insert, (1, "pear")).unwrap();
    session.metrics().reset();
    for id in 0..20 {
        session.execute(&insert, (id, "pear")).unwrap();
    }
    assert_eq!(timed(&session.stats()), STAGES.map(|name| (name, 20)));
    session.metrics().reset();
    session.execute(&insert, (1, 2)).unwrap_err();
    // The value does not fit, so the node was asked once whether the column's type has changed.
    assert_eq!(timed(&session.stats()), STAGES.map(|name| (name, 1)));

    let session = block_on(AsyncSession::connect(server.address())).unwrap();
    time_stages(session.metrics());
    let insert = block_on(session.prepare(INSERT)).unwrap();
    // A future continues before the thread that delivered its reply has recorded how long that
    // took.
    let all = |times| STAGES.map(|name| (name, times));
    eventually("all stages are timed", || timed(&session.stats()) == all(1));
    session.metrics().reset();
    for id in 0..20 {
        block_on(session.execute(&insert, (id, "pear"))).unwrap();
    }
    eventually("all stages are timed", || timed(&session.stats()) == all(20));
}
