//! Nodes that die and return: nothing acknowledged is lost, and every map change shows.

mod wire;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use spikewire_aerospike_protocol::partition::Replicas;
use spikewire_aerospike_protocol::peers::Peers;
use spikewire_aerospike_server::{Cluster, NamespaceOptions, Options};
use wire::{Request, Wire, cluster, eventually};

const PATIENCE: Duration = Duration::from_secs(30);

fn numbers(wire: &mut Wire) -> [i64; 3] {
    ["partition-generation", "peers-generation", "rebalance-generation"]
        .map(|command| wire.info(command).parse().unwrap())
}

/// How many partitions have an owner, per column, over the live nodes.
fn owned(cluster: &Cluster, nodes: &[usize]) -> Vec<u32> {
    let mut counts = Vec::new();
    for node in nodes {
        let value = Wire::to(cluster, *node).info("replicas");
        for (at, column) in Replicas::parse(&value).unwrap()[0].columns.iter().enumerate() {
            counts.resize(counts.len().max(at + 1), 0);
            counts[at] += column.count();
        }
    }
    counts
}

#[test]
fn generations_rise_and_maps_stay_whole() {
    let cluster = cluster(3);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(numbers(&mut wire), [0, 4, 1]);
    let mut last = numbers(&mut wire);
    for _ in 0..3 {
        cluster.kill(1).unwrap();
        assert!(!cluster.is_alive(1).unwrap());
        let peers = Peers::parse(&wire.info("peers-clear-std")).unwrap();
        assert_eq!(peers.peers.len(), 1);
        let alumni = Peers::parse(&wire.info("alumni-clear-std")).unwrap();
        assert_eq!(alumni.peers.len(), 2);
        assert!(cluster.wait_settled(PATIENCE));
        assert_eq!(owned(&cluster, &[0, 2]), [4096, 4096]);
        let dead = numbers(&mut wire);
        assert!(dead.iter().zip(&last).all(|(now, before)| now > before), "{last:?} {dead:?}");
        cluster.restart(1).unwrap();
        assert!(cluster.wait_settled(PATIENCE));
        assert_eq!(owned(&cluster, &[0, 1, 2]), [4096, 4096]);
        last = numbers(&mut wire);
        assert!(last.iter().zip(&dead).all(|(now, before)| now > before), "{dead:?} {last:?}");
        // The node that returned shows no map generation that it has shown before.
        let returned = numbers(&mut Wire::to(&cluster, 1));
        assert!(returned[0] > dead[0] && returned[1] < last[1], "{returned:?} {last:?}");
    }
    assert!(wire.info("cluster-stable:size=3").parse::<f64>().is_err());
}

#[test]
fn a_dead_node_resets_and_rejects_and_comes_back_empty() {
    let options =
        Options { nodes: 1, namespaces: vec![NamespaceOptions::default()], ..Options::default() };
    let cluster = Cluster::start(options).unwrap();
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    cluster.kill(0).unwrap();
    cluster.kill(0).unwrap();
    assert!(wire.is_closed());
    assert!(Wire::connect(cluster.seeds()[0]).is_err());
    cluster.restart(0).unwrap();
    cluster.restart(0).unwrap();
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::get("k")), 2);
    assert_eq!(wire.code(Request::put("k", 2)), 0);
    assert!(cluster.kill(1).is_err() && cluster.restart(9).is_err());
}

#[test]
fn reads_and_writes_reach_the_owner_from_any_node() {
    let cluster = cluster(4);
    let mut wires: Vec<Wire> = (0..4).map(|node| Wire::to(&cluster, node)).collect();
    for at in 0..200_i64 {
        let key = format!("k{at}");
        assert_eq!(wires[at as usize % 4].code(Request::put(&key, at)), 0);
        for wire in &mut wires {
            assert_eq!(wire.ask(Request::get(&key)).bins[0].value, at.to_be_bytes());
        }
    }
}

#[test]
fn two_deaths_one_after_the_other_lose_nothing_once_settled() {
    let cluster = cluster(4);
    let mut wire = Wire::to(&cluster, 3);
    for at in 0..2000 {
        assert_eq!(wire.code(Request::put(&format!("k{at}"), at)), 0);
    }
    for node in 0..3 {
        cluster.kill(node).unwrap();
        assert!(cluster.wait_settled(PATIENCE));
    }
    for at in 0..2000_i64 {
        assert_eq!(wire.ask(Request::get(&format!("k{at}"))).bins[0].value, at.to_be_bytes());
    }
    let stats = cluster.stats(3).unwrap();
    assert_eq!((stats.objects, stats.master_partitions, stats.replica_partitions), (2000, 4096, 0));
}

/// Writers put rising numbers under their own keys and note what was acknowledged, while a node
/// dies, and returns. Afterwards every key holds at least the last number acknowledged, and no
/// number beyond the last one sent.
fn storm(nodes: usize, rounds: usize, pause: Duration, threads: usize) {
    let cluster =
        Cluster::start(Options { nodes, threads, migration_pause: pause, ..Options::default() })
            .unwrap();
    let over = AtomicBool::new(false);
    let write = |writer: usize| {
        let mut acknowledged: HashMap<String, (i64, i64)> = HashMap::new();
        let (mut wire, mut node, mut at) = (None::<Wire>, writer % nodes, 0_i64);
        while !over.load(Ordering::Relaxed) {
            let Some(open) = &mut wire else {
                node = (node + 1) % nodes;
                wire = Wire::connect(cluster.seeds()[node]).ok();
                continue;
            };
            at += 1;
            let key = format!("w{writer}k{}", at % 97);
            let entry = acknowledged.entry(key.clone()).or_default();
            entry.1 = at;
            match open.try_ask(&Request::put(&key, at)) {
                Ok(reply) => {
                    assert_eq!(reply.code(), 0);
                    entry.0 = at;
                }
                Err(_) => wire = None,
            }
        }
        acknowledged
    };
    let mut all = HashMap::new();
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3).map(|writer| scope.spawn(move || write(writer))).collect();
        for round in 0..rounds {
            let node = round % nodes;
            // The pace of the deaths: writers get some way between them.
            std::thread::sleep(Duration::from_millis(20));
            cluster.kill(node).unwrap();
            if round % 2 == 0 {
                std::thread::sleep(Duration::from_millis(10));
            }
            // Two copies survive one death at a time, so the rest must have copied first.
            assert!(cluster.wait_settled(PATIENCE));
            cluster.restart(node).unwrap();
            if round % 3 == 0 {
                assert!(cluster.wait_settled(PATIENCE));
            }
            // Not settled, another death would be the second one: only the node that just came
            // back, and holds nothing alone, may die again.
            else {
                cluster.kill(node).unwrap();
                assert!(cluster.wait_settled(PATIENCE));
                cluster.restart(node).unwrap();
                assert!(cluster.wait_settled(PATIENCE));
            }
        }
        over.store(true, Ordering::Relaxed);
        for writer in writers {
            all.extend(writer.join().unwrap());
        }
    });
    assert!(all.len() > 100, "{} keys", all.len());
    let mut wire = Wire::to(&cluster, 0);
    for (key, (acknowledged, sent)) in all {
        let reply = wire.ask(Request::get(&key));
        if reply.code() == 2 {
            assert_eq!(acknowledged, 0, "{key} is lost");
            continue;
        }
        let value = i64::from_be_bytes(reply.bins[0].value.clone().try_into().unwrap());
        assert!((acknowledged..=sent).contains(&value), "{key}: {acknowledged} {value} {sent}");
    }
}

#[test]
fn no_acknowledged_write_is_lost() {
    storm(3, 12, Duration::ZERO, 1);
}

#[test]
fn no_acknowledged_write_is_lost_with_several_threads_and_two_nodes() {
    storm(2, 8, Duration::ZERO, 2);
}

#[test]
fn no_acknowledged_write_is_lost_during_slow_migrations() {
    storm(3, 3, Duration::from_micros(20), 2);
}

#[test]
fn a_slow_migration_can_be_watched() {
    let cluster = Cluster::start(Options {
        nodes: 3,
        migration_pause: Duration::from_millis(50),
        ..Options::default()
    })
    .unwrap();
    let mut wire = Wire::to(&cluster, 0);
    cluster.kill(2).unwrap();
    assert!(!cluster.is_settled());
    assert_eq!(wire.info("cluster-stable:"), "ERROR:7:unstable cluster");
    assert!(!wire.info("cluster-stable:ignore-migrations=true").starts_with("ERROR"));
    // Every partition has a master at once; the second column is still filling.
    let counts = owned(&cluster, &[0, 1]);
    assert!(counts[0] == 4096 && counts[1] < 4096, "{counts:?}");
    let before = numbers(&mut wire)[0];
    eventually("it goes on", || numbers(&mut wire)[0] != before);
    cluster.restart(2).unwrap();
    assert_eq!(owned(&cluster, &[0, 1, 2])[0], 4096);
    // Stopping does not wait for the migration.
}
