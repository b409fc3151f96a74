//! Queries while nodes die, while the reader pauses, and when they are abandoned.

mod support;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use futures::executor::block_on;
use spikewire::{AsyncClient, Client, Kind, QueryRecord};
use spikewire_aerospike_server::{Cluster, Faults, NamespaceOptions, Options};

use support::{LONG, builder, cluster, eventually};

const COUNT: i64 = 4000;
const LARGE: i64 = 16_000;

/// Large enough that the rest does not fit into the sockets when something happens.
fn fill(cluster: &Cluster, count: i64) -> (Client, AsyncClient) {
    let connecting = builder().timeout(LONG * 2).tend_interval(Duration::from_millis(100));
    let client = connecting.clone().connect(cluster.seeds()).unwrap();
    let users = client.dataset("test", "demo").unwrap();
    let row = |n: i64| (n, [("n", n.into()), ("filler", spikewire::Value::Bytes(vec![7; 5000]))]);
    for start in (0..count).step_by(500) {
        users.put_many((start..start + 500).map(row)).unwrap().check().unwrap();
    }
    (client, block_on(connecting.connect_async(cluster.seeds())).unwrap())
}

/// One record after another, on either API.
fn next_functions(
    client: &Client,
    futures: &AsyncClient,
) -> [Box<dyn FnMut() -> Option<spikewire::Result<QueryRecord>>>; 2] {
    let mut records = client.query("test", "demo").records().unwrap();
    let mut awaited = futures.query("test", "demo").records().unwrap();
    [Box::new(move || records.next()), Box::new(move || block_on(awaited.next()))]
}

fn every_one_once(digests: &[[u8; 20]], count: i64) {
    assert_eq!(digests.len() as i64, count);
    assert_eq!(digests.iter().collect::<HashSet<_>>().len() as i64, count);
}

#[test]
fn a_node_dies_in_the_middle() {
    let cluster = cluster(3);
    let (client, futures) = fill(&cluster, COUNT);
    assert!(cluster.wait_settled(LONG));
    for (mut next, node) in next_functions(&client, &futures).into_iter().zip([1, 2]) {
        let mut seen = Vec::new();
        while let Some(record) = next() {
            seen.push(record.unwrap().digest);
            if seen.len() == 500 {
                cluster.kill(node).unwrap();
            }
        }
        every_one_once(&seen, COUNT);
        cluster.restart(node).unwrap();
        assert!(cluster.wait_settled(LONG));
    }
}

#[test]
fn a_node_fails_now_and_then() {
    let cluster = cluster(3);
    let (client, futures) = fill(&cluster, COUNT);
    assert!(cluster.wait_settled(LONG));
    for faults in
        [Faults { cut: 0.5, ..Faults::default() }, Faults { error: 0.5, ..Faults::default() }]
    {
        cluster.inject(1, faults).unwrap();
        for mut next in next_functions(&client, &futures) {
            let seen: Vec<_> =
                std::iter::from_fn(&mut next).map(|record| record.unwrap().digest).collect();
            every_one_once(&seen, COUNT);
        }
    }
}

/// The nodes' descriptions of running and finished queries.
fn job_values(cluster: &Cluster, client: &Client, part: &str) -> Vec<String> {
    let mut values = Vec::new();
    for node in cluster.seeds() {
        for job in client.info(node, "query-show").unwrap().split(';') {
            let fields = job.split(':').filter_map(|field| field.split_once('='));
            values.extend(
                fields.filter(|(name, _)| *name == part).map(|(_, value)| value.to_owned()),
            );
        }
    }
    values
}

fn sent(cluster: &Cluster, client: &Client) -> u64 {
    job_values(cluster, client, "net-io-bytes")
        .iter()
        .map(|bytes| bytes.parse::<u64>().unwrap())
        .sum()
}

fn running(cluster: &Cluster, client: &Client) -> bool {
    job_values(cluster, client, "status").iter().any(|status| status.starts_with("active"))
}

/// Waits until the nodes send no more.
fn stands_still(cluster: &Cluster, client: &Client) -> u64 {
    let (mut before, mut since) = (sent(cluster, client), Instant::now());
    while since.elapsed() < Duration::from_millis(300) {
        let now = sent(cluster, client);
        if now != before {
            (before, since) = (now, Instant::now());
        }
        // The pace of the test: how often it looks.
        std::thread::sleep(Duration::from_millis(10));
    }
    before
}

/// For a set of 80 MB, some megabytes of which fit into sockets.
fn large_home() -> Cluster {
    let namespace = NamespaceOptions { replication_factor: 1, ..NamespaceOptions::named("test") };
    let options = Options { nodes: 2, namespaces: vec![namespace], ..Options::default() };
    Cluster::start(options).unwrap()
}

#[test]
fn nodes_wait_for_a_slow_reader_and_stop_for_one_that_left() {
    let cluster = large_home();
    let (client, futures) = fill(&cluster, LARGE);
    let mut before = 0;
    for mut next in next_functions(&client, &futures) {
        assert!(next().unwrap().is_ok());
        let stood = stands_still(&cluster, &client);
        assert!(running(&cluster, &client));
        assert!(stood - before < 40_000_000, "{} bytes for one record", stood - before);
        // It continues from its position.
        for _ in 0..100 {
            assert!(next().unwrap().is_ok());
        }
        assert!(running(&cluster, &client));
        drop(next);
        eventually("stopping", || !running(&cluster, &client));
        before = sent(&cluster, &client);
        assert!(before < 60_000_000, "the nodes sent on");
    }
}

#[test]
fn a_reader_that_pauses_too_long_can_resume() {
    let cluster = large_home();
    let (client, _) = fill(&cluster, LARGE);
    let mut records =
        client.query("test", "demo").socket_timeout(Duration::from_millis(200)).records().unwrap();
    let mut seen = vec![records.next().unwrap().unwrap().digest];
    eventually("giving up", || !running(&cluster, &client));
    let error = loop {
        match records.next().expect("it is told before the end") {
            Ok(record) => seen.push(record.digest),
            Err(error) => break error,
        }
    };
    assert_eq!(error.kind(), Kind::Paused, "{error}");
    assert!(records.next().is_none(), "after an error there are no more");
    let rest = client.query("test", "demo").resume(records.cursor()).records().unwrap();
    seen.extend(rest.map(|record| record.unwrap().digest));
    every_one_once(&seen, LARGE);
}

#[test]
fn timeouts_and_closed_clients_end_queries() {
    let cluster = cluster(2);
    let (client, futures) = fill(&cluster, COUNT);
    let limit = Duration::from_millis(300);
    let start = Instant::now();
    let slow = client.query("test", "demo").timeout(limit).records_per_second(100);
    let error = slow.records().unwrap().find_map(Result::err).expect("it is too slow");
    assert_eq!(error.kind(), Kind::Timeout);
    assert!(start.elapsed() >= limit && start.elapsed() < LONG);

    let mut records = client.query("test", "demo").records().unwrap();
    let mut awaited = futures.query("test", "demo").records().unwrap();
    assert!(records.next().unwrap().is_ok() && block_on(awaited.next()).unwrap().is_ok());
    client.close();
    futures.close();
    let error = records.find_map(Result::err).expect("the client is closed");
    assert_eq!(error.kind(), Kind::Closed);
    let error = block_on(async {
        loop {
            if let Err(error) = awaited.next().await.expect("the client is closed") {
                break error;
            }
        }
    });
    assert_eq!(error.kind(), Kind::Closed);
    assert!(block_on(awaited.next()).is_none());
}
