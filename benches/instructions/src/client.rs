//! Whole commands against an embedded cluster: from the call, through sockets, to the result.
//!
//! The cluster's own threads are not counted. What a turn of an event loop finds depends on when
//! replies arrive, so the counts in this file vary by about a percent; those of the codecs do not.

use std::hint::black_box;
use std::time::Duration;

use futures::future::try_join_all;
use spikewire::{AsyncClient, Client, Row, Value};
use spikewire_aerospike_server::{Cluster, Options};
use tokio::runtime;

use crate::{Benchmark, measured, repeat};

/// The benchmarks of this file.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "blocking get", run: blocking_get },
    Benchmark { name: "blocking put", run: blocking_put },
    Benchmark { name: "blocking get, counted", run: blocking_get_counted },
    Benchmark { name: "blocking batch row", run: blocking_batch_row },
    Benchmark { name: "blocking mixed batch row", run: blocking_mixed_batch_row },
    Benchmark { name: "blocking scan row", run: blocking_scan_row },
    Benchmark { name: "tokio get, 32 at once", run: tokio_gets },
    Benchmark { name: "tokio put, 32 at once", run: tokio_puts },
    Benchmark { name: "tokio get, 32 at once, counted", run: tokio_gets_counted },
];

const TIMES: u64 = 200;
const RECORDS: i64 = 100;
const AT_ONCE: i64 = 32;
/// How long opening may take: under valgrind, on a busy machine, everything is slow.
const PATIENCE: Duration = Duration::from_secs(30);

/// One node, and its address. A single connection makes the order of events the same in each run.
fn cluster() -> (Cluster, String) {
    let cluster = Cluster::start(Options::default()).expect("the embedded cluster starts");
    let seeds = cluster.seeds().iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    (cluster, seeds)
}

fn row(id: i64) -> [(&'static str, Value); 2] {
    [("age", Value::Int(id)), ("name", Value::Str("Alice of the looking glass".into()))]
}

/// Passes `work` a blocking client's dataset with [`RECORDS`] records.
fn with_blocking(work: impl FnOnce(&spikewire::Dataset) -> u64) -> u64 {
    with_blocking_client(|_, users| work(users))
}

/// The same with the client.
fn with_blocking_client(work: impl FnOnce(&Client, &spikewire::Dataset) -> u64) -> u64 {
    let (_cluster, seeds) = cluster();
    let builder =
        Client::builder().connections_per_node(1).connect_timeout(PATIENCE).timeout(PATIENCE);
    let client = builder.connect(seeds).expect("the node is there");
    let users = client.dataset("test", "users").expect("the names are sound");
    for id in 0..RECORDS {
        users.put(id, row(id)).expect("it is written");
    }
    let done = work(&client, &users);
    client.close();
    done
}

fn blocking_get() -> u64 {
    with_blocking(|users| {
        repeat(TIMES, || {
            black_box(users.get(black_box(7)).expect("it is read"));
        })
    })
}

fn blocking_get_counted() -> u64 {
    with_blocking_client(|client, users| {
        client.metrics().turn(true);
        repeat(TIMES, || {
            black_box(users.get(black_box(7)).expect("it is read"));
        })
    })
}

fn blocking_put() -> u64 {
    with_blocking(|users| repeat(TIMES, || users.put(black_box(7), row(7)).expect("it is written")))
}

fn blocking_batch_row() -> u64 {
    with_blocking(|users| {
        let batches = repeat(TIMES / 10, || {
            black_box(users.get_many(0..RECORDS).expect("all are read"));
        });
        batches * RECORDS as u64
    })
}

/// Rows that each have their own kind, as many as in a large part of a batch.
fn blocking_mixed_batch_row() -> u64 {
    const ROWS: i64 = 128;
    with_blocking(|users| {
        let batches = repeat(TIMES / 10, || {
            let rows = (0..ROWS).map(|id| Row::get(id % RECORDS));
            black_box(users.batch(rows).expect("the call is sound"));
        });
        batches * ROWS as u64
    })
}

fn blocking_scan_row() -> u64 {
    with_blocking(|users| {
        // Enough that the fixed cost of a query is negligible.
        let all = 50 * RECORDS;
        let rows = users.put_many((0..all).map(|id| (id, row(id)))).expect("the call is sound");
        rows.check().expect("all are written");
        let scans = repeat(TIMES / 50, || {
            let records = users.query().records().expect("the query is sound");
            let read = records.fold(0, |read, record| {
                black_box(record.expect("it is read"));
                read + 1
            });
            assert_eq!(read, all);
        });
        scans * all as u64
    })
}

/// Runs `round` a number of times on one thread with its event loop; a round is [`AT_ONCE`]
/// commands in flight together.
fn with_tokio<T>(counted: bool, round: impl AsyncFn(&spikewire::AsyncDataset) -> T) -> u64 {
    let (_cluster, seeds) = cluster();
    let runtime =
        runtime::Builder::new_current_thread().enable_all().build().expect("a runtime starts");
    let builder =
        AsyncClient::builder().connections_per_node(1).connect_timeout(PATIENCE).timeout(PATIENCE);
    let connect = builder.connect_tokio(seeds);
    let client = runtime.block_on(connect).expect("the node is there");
    let users = client.dataset("test", "users").expect("the names are sound");
    client.metrics().turn(counted);
    let rounds = TIMES / 4;
    let repeat = |rounds| {
        runtime.block_on(async {
            for _ in 0..rounds {
                black_box(round(&users).await);
            }
        });
    };
    repeat(10);
    measured(&mut || repeat(rounds));
    client.close();
    rounds * AT_ONCE as u64
}

fn tokio_gets() -> u64 {
    with_tokio(false, get_all)
}

fn tokio_gets_counted() -> u64 {
    with_tokio(true, get_all)
}

async fn get_all(users: &spikewire::AsyncDataset) -> Vec<Option<spikewire::Record>> {
    try_join_all((0..AT_ONCE).map(|id| users.get(id))).await.expect("all are read")
}

fn tokio_puts() -> u64 {
    with_tokio(false, async |users| {
        let puts = (0..AT_ONCE).map(|id| users.put(id, row(id)));
        try_join_all(puts).await.expect("all are written")
    })
}
