//! Options of connecting, and when writes are answered: nodes see what they ask for.

mod support;

use std::net::TcpListener;
use std::time::Duration;

use spikewire::{CallOptions, Client, CommitLevel, Kind, Row};
use spikewire_aerospike_server::{Cluster, Options};

use support::{LONG, builder, cluster, dataset};

/// Waits until `holds`.
#[track_caller]
fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = std::time::Instant::now();
    while !holds() {
        assert!(start.elapsed() < LONG, "still waiting: {what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_client_of_one_seed_uses_no_other_node() {
    let cluster = cluster(3);
    assert!(cluster.wait_settled(LONG));
    let seed = cluster.seeds()[1];
    let client = builder().seed_only(true).connect(seed).unwrap();
    let users = client.dataset("test", "users").unwrap();
    users.put_many((0..60).map(|id| (id, [("n", id)]))).unwrap().check().unwrap();
    for id in 0..60 {
        assert_eq!(users.get(id).unwrap().unwrap().get("n"), Some(&id.into()));
    }
    let opened = |node| cluster.stats(node).unwrap().connections_opened;
    assert_eq!((opened(0), opened(2)), (0, 0));
    assert!(opened(1) > 0);
}

#[test]
fn a_client_may_wait_for_its_cluster() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let seed = format!("127.0.0.1:{port}");
    let options = || builder().tend_interval(Duration::from_millis(50)).max_retries(0);
    assert_eq!(options().connect(&*seed).unwrap_err().kind(), Kind::Connection);
    let client = options().fail_if_not_connected(false).connect(&*seed).unwrap();
    let users = client.dataset("test", "users").unwrap();
    let error = users.put(1, [("n", 1)]).unwrap_err();
    assert!(error.message().contains("no node has reported yet"), "{error}");
    let _cluster = Cluster::start(Options { port, ..Options::default() }).unwrap();
    eventually("the cluster", || users.put(1, [("n", 1)]).is_ok());
}

#[test]
fn names_of_programs_are_checked() {
    let error = Client::builder().application_id("a b").connect("127.0.0.1:1").unwrap_err();
    assert!(error.to_string().contains("application_id must be 1 to 40 visible"), "{error}");
    let cluster = cluster(1);
    builder().application_id("billing").connect(cluster.seeds()).unwrap();
}

#[test]
fn writes_say_when_they_are_answered() {
    let cluster = cluster(1);
    let users = dataset(&cluster);
    users.put(1, [("n", 1)]).unwrap();
    let quick = users.with(CallOptions::new().commit_level(CommitLevel::Master));
    quick.put(1, [("n", 1)]).unwrap();
    quick.put_many([(2, [("n", 2)]), (3, [("n", 3)])]).unwrap().check().unwrap();
    quick.get(1).unwrap();
    let commits = || cluster.stats(0).unwrap().counters.master_commits;
    eventually("three writes", || commits() == 3);
    let master = CallOptions::new().commit_level(CommitLevel::Master);
    let rows = [Row::put(1, [("n", 1)]).with(master), Row::put(2, [("n", 1)])];
    users.batch(rows).unwrap().check().unwrap();
    let client = builder().commit_level(CommitLevel::Master).connect(cluster.seeds()).unwrap();
    client.dataset("test", "users").unwrap().put(1, [("n", 1)]).unwrap();
    eventually("five writes", || commits() == 5);
}
