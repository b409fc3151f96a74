//! Metrics of commands, and events of clients.

mod support;

use std::time::Duration;

use futures::executor::block_on;
use futures::future::join_all;
use spikewire::metrics::{Event, Stats};
use spikewire::{AsyncClient, CallOptions, Exists, Kind, ReplicaPolicy, op};
use spikewire_aerospike_server::{Cluster, Faults, Options};

use support::{LONG, async_clients, async_dataset, builder, cluster, eventually, kind};

/// How many commands of this kind had this result, and their number of records.
fn counted(stats: &Stats, operation: &str, result: &str) -> (u64, u64) {
    let these = stats
        .commands
        .iter()
        .filter(|(labels, _)| labels.operation == operation && labels.result == result);
    these.fold((0, 0), |(count, records), (_, totals)| {
        (count + totals.latencies.count(), records + totals.records)
    })
}

#[test]
fn commands_are_counted_by_what_they_are_and_how_they_end() {
    let cluster = cluster(1);
    let client = builder().connect(cluster.seeds()).unwrap();
    let users = client.dataset("test", "users").unwrap();
    users.put(0, [("n", 1)]).unwrap();
    assert!(client.stats().commands.is_empty(), "nothing is counted at first");
    client.metrics().turn(true);
    users.put(1, [("n", 1)]).unwrap();
    users.get(1).unwrap();
    users.get("nobody").unwrap();
    users.exists(1).unwrap();
    users.add(1, [("n", 1)]).unwrap();
    users.append(1, [("s", "a")]).unwrap();
    users.prepend(1, [("s", "a")]).unwrap();
    users.touch(1).unwrap();
    users.operate(1, [op::add("n", 1), op::get("n")]).unwrap();
    let created = users.with(CallOptions::new().exists(Exists::Create)).put(1, [("n", 1)]);
    created.unwrap_err();
    users.delete(1).unwrap();
    users.put_many((0..70).map(|id| (id, [("n", id)]))).unwrap().check().unwrap();
    users.get_many(0..50).unwrap();
    client.info(client.nodes()[0].address, "namespaces").unwrap();
    let stats = client.stats();
    for (operation, result, expected) in [
        ("put", "ok", (1, 1)),
        ("put", "record_exists", (1, 1)),
        ("get", "ok", (1, 1)),
        ("get", "not_found", (1, 1)),
        ("exists", "ok", (1, 1)),
        ("add", "ok", (1, 1)),
        ("append", "ok", (1, 1)),
        ("prepend", "ok", (1, 1)),
        ("touch", "ok", (1, 1)),
        ("operate", "ok", (1, 1)),
        ("delete", "ok", (1, 1)),
        ("batch_write", "ok", (1, 70)),
        ("batch_read", "ok", (1, 50)),
    ] {
        assert_eq!(counted(&stats, operation, result), expected, "{operation} {result}");
    }
    let node = client.nodes()[0].clone();
    for (labels, totals) in &stats.commands {
        if labels.operation != "info" {
            assert_eq!(&*labels.namespace, "test", "{labels:?}");
        }
        assert_eq!(*labels.node, format!("{} {}", node.name, node.address));
        assert!(totals.latencies.sum() > Duration::ZERO && totals.latencies.sum() < LONG);
        assert_eq!(totals.retries, 0);
    }
    let [node] = &stats.nodes[..] else { panic!("{:?}", stats.nodes) };
    assert!(node.connections > 0 && node.opened >= node.connections as u64);
    assert!(!node.breaker_open && stats.tends > 0);
    assert_eq!((stats.in_flight, stats.queued), (0, 0));
    client.metrics().reset();
    client.metrics().turn(false);
    users.get(1).unwrap();
    assert!(client.stats().commands.is_empty());
}

#[test]
fn every_client_counts_all_of_its_threads() {
    let cluster = cluster(2);
    for client in async_clients(&cluster) {
        client.metrics().turn(true);
        let users = async_dataset(&client);
        block_on(join_all((0..500).map(|id| users.put(id, [("n", id)]))));
        assert_eq!(counted(&client.stats(), "put", "ok"), (500, 500));
        eventually("nothing is in flight", || client.stats().in_flight == 0);
    }
    let client = builder().connect(cluster.seeds()).unwrap();
    client.metrics().turn(true);
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let users = client.dataset("test", "users").unwrap();
            scope.spawn(move || {
                for id in 0..100 {
                    users.put(thread * 1000 + id, [("n", id)]).unwrap();
                }
            });
        }
    });
    assert_eq!(counted(&client.stats(), "put", "ok"), (1600, 1600));
    let nodes: Vec<_> = client.stats().commands.iter().map(|(l, _)| l.node.clone()).collect();
    assert_eq!(nodes.len(), 2, "both nodes have their part: {nodes:?}");
}

#[test]
fn failures_are_counted_by_what_went_wrong() {
    let cluster = cluster(1);
    let client = builder().connect(cluster.seeds()).unwrap();
    client.metrics().turn(true);
    let short = CallOptions::new().timeout(Duration::from_millis(200));
    let users = client.dataset("test", "users").unwrap().with(short);
    users.put(1, [("n", 1)]).unwrap();
    let slow = Faults { delay: Duration::from_secs(3), ..Faults::default() };
    cluster.inject(0, slow).unwrap();
    assert_eq!(kind(users.get(1)), Kind::Timeout);
    cluster.clear_faults(0).unwrap();
    let elsewhere = client.dataset("elsewhere", "users").unwrap();
    assert_eq!(kind(elsewhere.get(1)), Kind::NoNamespace);
    let stats = client.stats();
    assert_eq!(counted(&stats, "get", "timeout"), (1, 1));
    assert_eq!(counted(&stats, "get", "no_namespace"), (1, 1));
    let timed_out = stats.commands.iter().find(|(labels, _)| labels.result == "timeout").unwrap();
    assert!(timed_out.1.latencies.sum() >= Duration::from_millis(200));
    assert!(!timed_out.0.node.is_empty(), "it says which node");
}

#[test]
fn slow_commands_and_changes_of_the_cluster_are_reported() {
    let cluster = Cluster::start(Options { nodes: 2, ..Options::default() }).unwrap();
    let often = Duration::from_millis(50);
    let client = builder().tend_interval(often).connect(cluster.seeds()).unwrap();
    let metrics = client.metrics();
    metrics.events().listen(true);
    metrics.turn(true);
    metrics.report_slower_than(Some(Duration::ZERO));
    let users = client.dataset("test", "users").unwrap();
    users.put(1, [("n", 1)]).unwrap();
    let (events, _) = metrics.events().wait(LONG);
    let slow = |event: &Event| matches!(event, Event::Slow(slow) if slow.operation == "put");
    assert!(events.iter().any(slow), "{events:?}");
    metrics.report_slower_than(None);
    cluster.kill(1).unwrap();
    let mut reported = Vec::new();
    eventually("a node is gone and its partitions are elsewhere", || {
        reported.extend(metrics.events().wait(often).0);
        reported.iter().any(|event| matches!(event, Event::NodeDown(_)))
            && reported.contains(&Event::MapChanged)
    });
    cluster.restart(1).unwrap();
    eventually("it is back", || {
        reported.extend(metrics.events().wait(often).0);
        reported.iter().any(|event| matches!(event, Event::NodeUp(_)))
    });
}

#[test]
fn queries_and_jobs_are_counted_once_each() {
    let cluster = cluster(2);
    let client = builder().connect(cluster.seeds()).unwrap();
    let users = client.dataset("test", "users").unwrap();
    users.put_many((0..300).map(|id| (id, [("n", id)]))).unwrap().check().unwrap();
    client.metrics().turn(true);
    assert_eq!(users.query().records().unwrap().flatten().count(), 300);
    assert_eq!(counted(&client.stats(), "query", "ok"), (1, 300));
    let parts = |operation: &str| {
        let stats = client.stats();
        let these = stats.commands.iter().filter(|(labels, _)| labels.operation == operation);
        these.map(|(_, totals)| totals.parts).sum::<u64>()
    };
    assert!(parts("query") >= 2, "each node is asked");
    let mut read = users.query().records().unwrap();
    read.next().unwrap().unwrap();
    drop(read);
    assert_eq!(counted(&client.stats(), "query", "withdrawn").0, 1);
    let job = users.query().operate_all([op::add("n", 1)]).unwrap();
    assert_eq!((counted(&client.stats(), "job_start", "ok"), parts("job_start")), ((1, 0), 2));
    assert!(job.wait(LONG).unwrap().done);
    assert_eq!(counted(&client.stats(), "job_wait", "ok"), (1, 300));
    for client in async_clients(&cluster) {
        client.metrics().turn(true);
        let users = client.dataset("test", "users").unwrap();
        block_on(async {
            let mut read = users.query().records().unwrap();
            let mut count = 0;
            while let Some(record) = read.next().await {
                record.unwrap();
                count += 1;
            }
            assert_eq!(count, 300);
        });
        assert_eq!(counted(&client.stats(), "query", "ok"), (1, 300));
    }
}

/// How often each stage was timed, in order.
fn timed(stats: &Stats) -> Vec<(&'static str, u64)> {
    stats.stages.iter().map(|(stage, times)| (stage.name(), times.count())).collect()
}

/// Waits until no stage is about to be recorded, and resets the metrics: a future continues before
/// the thread that delivered its reply has recorded how long that took.
fn forget(client: &AsyncClient) {
    let count = |name| timed(&client.stats()).into_iter().find(|(stage, _)| *stage == name);
    eventually("all replies are handed over", || {
        count("deliver").map(|(_, all)| all) == count("turn").map(|(_, all)| all)
    });
    client.metrics().reset();
}

#[test]
fn stages_are_the_parts_of_calls_of_threads() {
    let cluster = cluster(1);
    let client = builder().connect(cluster.seeds()).unwrap();
    let users = client.dataset("test", "users").unwrap();
    client.metrics().turn(true);
    users.put(1, [("n", 1)]).unwrap();
    assert_eq!(timed(&client.stats()), []);
    client.metrics().time_stages(true);
    // On an existing connection, stages are timed after its first reply.
    users.put(1, [("n", 1)]).unwrap();
    client.metrics().reset();
    for _ in 0..50 {
        users.get(1).unwrap();
    }
    let all = ["encode", "queue", "wire", "turn", "deliver", "hand_over", "decode"];
    assert_eq!(timed(&client.stats()), all.map(|name| (name, 50)));
    client.metrics().reset();
    users.get(&*"x".repeat(2000)).unwrap();
    users.append(1, [("n", "no text")]).unwrap_err();
    users.put(1, [("a name that is too long", 1)]).unwrap_err();
    // Calls rejected by the client have no stages.
    assert_eq!(timed(&client.stats()), all.map(|name| (name, 2)));
    client.metrics().reset();
    client.metrics().turn(false);
    users.get(1).unwrap();
    assert_eq!(timed(&client.stats()), [], "stages are timed only while commands are counted");
}

#[test]
fn stages_are_the_parts_of_futures() {
    let cluster = cluster(1);
    for client in async_clients(&cluster) {
        client.metrics().turn(true);
        client.metrics().time_stages(true);
        let users = async_dataset(&client);
        block_on(join_all((0..50).map(|id| users.put(id, [("n", id)]))));
        forget(&client);
        drop(users.get(1));
        // One that is never polled is only composed.
        assert_eq!(timed(&client.stats()), [("encode", 1)]);
        client.metrics().reset();
        block_on(join_all((0..50).map(|id| users.get(id))));
        let all = ["encode", "queue", "wire", "turn", "deliver", "hand_over", "decode"];
        let expected = all.map(|name| (name, 50));
        eventually("all stages are timed", || timed(&client.stats()) == expected);
        let stats = client.stats();
        let sum =
            |name| stats.stages.iter().find(|(stage, _)| stage.name() == name).unwrap().1.sum();
        let commands = stats.commands.iter().map(|(_, totals)| totals.latencies.sum());
        assert_eq!(sum("queue") + sum("wire"), commands.sum::<Duration>(), "they are the latency");
    }
}

#[test]
fn a_batch_is_composed_and_handed_over_once() {
    const ALL: [&str; 6] = ["encode", "queue", "wire", "turn", "deliver", "hand_over"];
    // Two requests, one to each node; rows are decoded on access.
    let once = ALL.map(|name| (name, if matches!(name, "encode" | "hand_over") { 1 } else { 2 }));
    let cluster = cluster(2);
    let client = builder().connect(cluster.seeds()).unwrap();
    let users = client.dataset("test", "demo").unwrap();
    client.metrics().turn(true);
    client.metrics().time_stages(true);
    users.put_many((0..50).map(|id| (id, [("n", id)]))).unwrap().check().unwrap();
    client.metrics().reset();
    users.get_many(0..50).unwrap().check().unwrap();
    assert_eq!(timed(&client.stats()), once);
    client.metrics().reset();
    let slow = Faults { delay: Duration::from_secs(3), ..Faults::default() };
    cluster.inject(0, slow).unwrap();
    // Rows for the master only wait for it.
    let short =
        CallOptions::new().timeout(Duration::from_millis(200)).replica(ReplicaPolicy::Master);
    users.with(short).get_many(0..50).unwrap().check().unwrap_err();
    cluster.clear_faults(0).unwrap();
    let counts = timed(&client.stats());
    assert!(counts.contains(&("encode", 1)), "{counts:?}");
    assert!(
        !counts.iter().any(|(name, _)| *name == "hand_over"),
        "no reply was waited for: {counts:?}"
    );
    let client = async_clients(&cluster).remove(0);
    let users = async_dataset(&client);
    client.metrics().turn(true);
    client.metrics().time_stages(true);
    block_on(users.get_many(0..50)).unwrap().check().unwrap();
    forget(&client);
    block_on(users.get_many(0..50)).unwrap().check().unwrap();
    eventually("all stages are timed", || timed(&client.stats()) == once);
}
