//! Compressed requests and replies, against nodes that know them and nodes that do not.

mod support;

use std::time::{Duration, Instant};

use futures::executor::block_on;
use spikewire::{AsyncClient, CallOptions, Client, Dataset};
use spikewire_aerospike_server::{Cluster, Edition, Options};

use support::builder;

fn cluster(edition: Edition) -> Cluster {
    Cluster::start(Options { nodes: 2, edition, ..Options::default() }).unwrap()
}

fn dataset(cluster: &Cluster, compress: bool) -> Dataset {
    let builder = builder().compress(compress);
    builder.connect(cluster.seeds()).unwrap().dataset("test", "users").unwrap()
}

/// Requests that came compressed, and frames of replies that went so.
fn counts(cluster: &Cluster) -> (u64, u64) {
    let all = (0..2).map(|node| cluster.stats(node).unwrap().counters);
    all.fold((0, 0), |sum, it| (sum.0 + it.compressed_requests, sum.1 + it.compressed_replies))
}

/// Waits for these counts: nodes add theirs up after they have answered.
#[track_caller]
fn expect(cluster: &Cluster, expected: (u64, u64)) {
    let start = Instant::now();
    while counts(cluster) != expected && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(counts(cluster), expected);
}

fn long() -> String {
    "long and longer, ".repeat(200)
}

#[test]
fn requests_and_replies_are_compressed() {
    let cluster = cluster(Edition::Enterprise);
    let users = dataset(&cluster, true);
    users.put(1, [("text", long())]).unwrap();
    expect(&cluster, (1, 0));
    assert_eq!(users.get(1).unwrap().unwrap().get("text"), Some(&long().into()));
    // A short request is plain, and asks nevertheless.
    expect(&cluster, (1, 1));
    // A node's request with some hundred rows; the reply comes in several frames.
    users.put_many((0..400).map(|id| (id, [("text", long())]))).unwrap().check().unwrap();
    let (requests, _) = counts(&cluster);
    assert!(requests > 1, "{requests}");
    let rows = users.get_many(0..400).unwrap().check().unwrap();
    assert!(rows.iter().all(|row| {
        row.as_ref().unwrap().as_ref().unwrap().get("text") == Some(&long().into())
    }));
    let (_, replies) = counts(&cluster);
    assert!(replies > 3, "{replies}");
    let records = users.query().records().unwrap();
    assert_eq!(records.flatten().count(), 400, "queries are plain");
    assert_eq!(counts(&cluster).1, replies);
}

#[test]
fn nodes_of_the_community_edition_get_nothing_compressed() {
    let cluster = cluster(Edition::Community);
    let users = dataset(&cluster, true);
    users.put(1, [("text", long())]).unwrap();
    assert!(users.get(1).unwrap().is_some());
    assert_eq!(users.get_many([1, 2]).unwrap().iter().count(), 2);
    expect(&cluster, (0, 0));
}

#[test]
fn a_call_says_whether_it_is_compressed() {
    let cluster = cluster(Edition::Enterprise);
    let users = dataset(&cluster, false);
    users.put(1, [("text", long())]).unwrap();
    users.get(1).unwrap();
    expect(&cluster, (0, 0));
    let compressed = users.with(CallOptions::new().compress(true));
    compressed.put(1, [("text", long())]).unwrap();
    compressed.get(1).unwrap();
    expect(&cluster, (1, 1));
    let plain = dataset(&cluster, true).with(CallOptions::new().compress(false));
    plain.put(1, [("text", long())]).unwrap();
    plain.get(1).unwrap();
    expect(&cluster, (1, 1));
}

#[test]
fn the_threshold_is_that_of_requests() {
    let cluster = cluster(Edition::Enterprise);
    let builder = builder().compress(true).compression_threshold(10_000);
    let users = builder.connect(cluster.seeds()).unwrap().dataset("test", "users").unwrap();
    users.put(1, [("text", "x".repeat(9_000))]).unwrap();
    expect(&cluster, (0, 0));
    users.put(1, [("text", "x".repeat(11_000))]).unwrap();
    expect(&cluster, (1, 0));
    let error = Client::builder().compression_threshold(1 << 30).connect("127.0.0.1:1");
    let error = error.err().unwrap().to_string();
    assert!(error.contains("compression_threshold must be from 0 to 134217728"), "{error}");
}

#[test]
fn futures_are_compressed_as_well() {
    let cluster = cluster(Edition::Enterprise);
    block_on(async {
        let builder = builder().compress(true);
        let client: AsyncClient = builder.connect_async(cluster.seeds()).await.unwrap();
        let users = client.dataset("test", "users").unwrap();
        users.put(1, [("text", long())]).await.unwrap();
        assert_eq!(users.get(1).await.unwrap().unwrap().get("text"), Some(&long().into()));
    });
    expect(&cluster, (1, 1));
}
