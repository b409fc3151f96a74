//! Info commands.

mod wire;

use std::collections::HashSet;
use std::time::Duration;

use spikewire_aerospike_protocol::partition::Replicas;
use spikewire_aerospike_protocol::peers::{Peers, services};
use spikewire_aerospike_server::{Cluster, NamespaceOptions, Options};
use wire::{Request, Wire, cluster, eventually, hex};

#[test]
fn a_single_node_describes_itself() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let address = cluster.seeds()[0].to_string();
    let node = cluster.node_name(0).unwrap();
    for (command, expected) in [
        ("node", node.as_str()),
        ("name", &node),
        ("build", "8.1.2.0"),
        ("status", "ok"),
        ("namespaces", "test"),
        ("cluster-name", "spikewire"),
        ("partition-generation", "0"),
        ("peers-generation", "0"),
        ("rebalance-generation", "1"),
        ("peers-clear-std", "0,3000,[]"),
        ("peers-clear-alt", "0,3000,[]"),
        ("alumni-clear-std", "0,3000,[]"),
        ("service-clear-std", &address),
        ("service-clear-alt", ""),
        ("services", ""),
        ("sindex-list", ""),
        ("sindex-list:namespace=test;b64=true", ""),
        ("sindex-exists:namespace=test;indexname=i", "false"),
        ("udf-list", ""),
        ("query-show", ""),
        ("namespace/nowhere", "type=unknown"),
        ("sets/nowhere", "ns_type=unknown"),
        ("sets", ""),
        ("rack-ids", "ERROR:25:enterprise only"),
        ("racks:namespace=test", "ERROR:25:enterprise only"),
        ("service-tls-std", "ERROR:25:enterprise only"),
        ("replicas:max=x", "ERROR:4:bad max"),
        ("throughput", "ERROR:4:unrecognized command"),
        ("Node", "ERROR:4:unrecognized command"),
        ("", "ERROR:4:unrecognized command"),
        ("cluster-stable:size=2", "ERROR:7:cluster not specified size"),
        ("cluster-stable:namespace=x", "ERROR:20:namespace not found on node"),
        ("get-config:context=zz", "ERROR:4:invalid context"),
        ("get-config:context=security", ""),
        ("latencies:hist=zz", "ERROR:4:bad hist name"),
        ("sindex-stat:namespace=test;indexname=i", "ERROR:201:no index"),
    ] {
        assert_eq!(wire.info(command), expected, "{command}");
    }
    let full = format!("{}//8=", "/".repeat(680));
    assert_eq!(wire.info("replicas"), format!("test:0,1,{full}"));
    assert_eq!(wire.info("replicas-all"), format!("test:1,{full}"));
    assert_eq!(wire.info("replicas-master"), format!("test:{full}"));
    for (command, part) in [
        ("features", "pscans"),
        ("features", "batch-any"),
        ("features", "query-show"),
        ("edition", "Community"),
        ("release", "version=8.1.2.0"),
        ("statistics", "cluster_size=1"),
        ("namespace/test", "effective_replication_factor=1"),
        ("namespace/test", "default-ttl=0"),
        ("get-config", "replication-factor=2"),
        ("get-config:context=namespace;id=test", "max-record-size=1048576"),
        ("latencies:", "{test}-read:"),
    ] {
        assert!(wire.info(command).contains(part), "{command}: {}", wire.info(command));
    }
    let stable = wire.info("cluster-stable:");
    assert!(u64::from_str_radix(&stable, 16).is_ok(), "{stable}");
}

#[test]
fn info_requests_may_be_empty_or_lack_the_last_newline() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    wire.exchange("0201000000000000 0201000000000004 6e6f6465", "");
    let (_, body) = wire.frame().unwrap();
    assert!(String::from_utf8(body).unwrap().starts_with("features\t"));
    assert_eq!(wire.frame().unwrap().1, b"", "an unterminated command has no answer");
    wire.send(&hex("0201000000000009 7374617475730a6e6f"));
    assert_eq!(wire.frame().unwrap().1, b"status\tok\n");
}

#[test]
fn three_nodes_know_each_other_and_share_the_partitions() {
    let cluster = cluster(3);
    let mut owned = [vec![0; 4096], vec![0; 4096]];
    let names: HashSet<String> = (0..3).map(|node| cluster.node_name(node).unwrap()).collect();
    assert_eq!(names.len(), 3);
    for node in 0..3 {
        let mut wire = Wire::to(&cluster, node);
        assert_eq!(wire.info("peers-generation"), "4");
        let peers = Peers::parse(&wire.info("peers-clear-std")).unwrap();
        let mut seen: HashSet<String> = peers.peers.iter().map(|peer| peer.name.clone()).collect();
        assert!(seen.len() == 2 && seen.insert(wire.info("node")) && seen == names);
        for peer in &peers.peers {
            let at = services(&format!("{}", peer.addresses[0])).unwrap();
            assert!(cluster.seeds().iter().any(|seed| seed.port() == at[0].port));
        }
        let maps = Replicas::parse(&wire.info("replicas")).unwrap();
        assert_eq!((maps[0].factor, maps[0].columns.len()), (2, 2));
        for (column, owned) in maps[0].columns.iter().zip(&mut owned) {
            column.iter().for_each(|pid| owned[usize::from(pid)] += 1);
        }
        let one = Replicas::parse(&wire.info("replicas:max=1")).unwrap();
        assert_eq!((one[0].factor, &one[0].columns[0]), (1, &maps[0].columns[0]));
    }
    assert!(owned.iter().flatten().all(|count| *count == 1));
}

#[test]
fn a_client_names_itself_once_per_connection() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    for (command, expected) in [
        ("user-agent-set", "ERROR:4:missing 'value'"),
        ("user-agent-set:value=***", "ERROR:4:'value' invalid base64"),
        ("user-agent-set:value=MSxweXRob24tMSxh", "ok"),
        ("user-agent-set:value=MSxweXRob24tMSxh", "ERROR:4:already set"),
    ] {
        assert_eq!(wire.info(command), expected);
    }
    let long = format!("user-agent-set:value={}", "QUFB".repeat(22));
    assert_eq!(Wire::to(&cluster, 0).info(&long), "ERROR:4:'value' value too long");
    assert_eq!(Wire::to(&cluster, 0).info("user-agent-set:value=MSxweXRob24tMSxh"), "ok");
}

#[test]
fn sets_and_objects_are_counted() {
    let cluster = Cluster::start(Options { nodes: 2, ..Options::default() }).unwrap();
    let mut wire = Wire::to(&cluster, 0);
    for at in 0..100 {
        assert_eq!(wire.code(Request::put(&format!("k{at}"), at)), 0);
    }
    assert_eq!(wire.code(Request::delete("k7")), 0);
    assert!(wire.info("sets").starts_with("ns=test:set=demo:objects=99:tombstones=0:"));
    assert_eq!(wire.info("sets/test"), wire.info("sets:test"));
    assert!(wire.info("sets/test/demo").starts_with("objects=99:"));
    assert_eq!(wire.info("sets/test/none"), "");
    assert!(wire.info("namespace/test").contains("objects=99;"));
    let (a, b) = (cluster.stats(0).unwrap(), cluster.stats(1).unwrap());
    assert_eq!((a.objects, b.objects, a.master_objects + b.master_objects), (99, 99, 99));
    assert_eq!(a.master_partitions + b.master_partitions, 4096);
    assert_eq!((a.counters.requests, b.counters.requests), (101, 0));
}

#[test]
fn truncate_removes_the_records_of_one_set() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let other = || Request::new("other", "o").info2(1).int(2, "a", 1);
    for round in 1..=50 {
        assert_eq!(wire.code(Request::put("k", 1)), 0);
        assert_eq!(wire.code(other()), 0);
        assert_eq!(wire.info("truncate:namespace=test;set=demo"), "ok");
        assert_eq!(wire.code(Request::get("k")), 2, "round {round}");
        assert_eq!(wire.ask(Request::put("k", 1)).head(), (0, 1, 0));
        assert_eq!(wire.code(Request::get("k")), 0);
        assert_eq!(wire.ask(other()).header.generation, 2 * round);
    }
    assert_eq!(wire.info("truncate-namespace:namespace=test"), "ok");
    assert_eq!(wire.code(other()), 0);
    assert_eq!(wire.code(Request::get("k")), 2);
    for (command, expected) in [
        ("truncate:set=demo", "ERROR:20:missing 'namespace'"),
        ("truncate:ns=test;set=demo", "ERROR:20:missing 'namespace'"),
        ("truncate:namespace=test", "ERROR:4:missing 'set'"),
        ("truncate-namespace:namespace=test;set=x", "ERROR:4:unexpected set name"),
        ("truncate:namespace=test;set=demo;lut=0", "ERROR:4:would truncate to 0"),
        ("truncate:namespace=test;set=demo;lut=x", "ERROR:4:would truncate to 0"),
        ("truncate:namespace=test;set=demo;lut=1", "ERROR:4:would truncate to 0"),
        (
            "truncate:namespace=test;set=demo;lut=9000000000000000000",
            "ERROR:4:would truncate in the future",
        ),
        ("truncate:namespace=nowhere;set=demo", "ok"),
        ("truncate:namespace=test;set=nothing", "ok"),
        ("truncate-undo:namespace=test;set=demo", "ok"),
        ("truncate-namespace-undo:namespace=test", "ok"),
    ] {
        assert_eq!(wire.info(command), expected, "{command}");
    }
}

#[test]
fn truncate_removes_only_records_before_its_time() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    // What was written before goes, what came after stays.
    assert_eq!(wire.code(Request::put("old", 1)), 0);
    // Times of records have milliseconds.
    let next_moment = || {
        let now = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        let before = now();
        eventually("time goes on", || now() > before + Duration::from_millis(2));
        now()
    };
    let unix = next_moment();
    next_moment();
    assert_eq!(wire.code(Request::put("new", 1)), 0);
    let command = format!("truncate:namespace=test;set=demo;lut={}", unix.as_nanos());
    assert_eq!(wire.info(&command), "ok");
    assert_eq!((wire.code(Request::get("old")), wire.code(Request::get("new"))), (2, 0));
    cluster.truncate("test", None).unwrap();
    assert_eq!(wire.code(Request::get("new")), 2);
    assert!(cluster.truncate("nowhere", None).is_err());
    // In the end the memory is freed.
    eventually("no objects", || cluster.stats(0).unwrap().objects == 0);
}

#[test]
fn nodes_report_their_racks_per_namespace() {
    let namespaces = vec![NamespaceOptions::named("a"), NamespaceOptions::named("b")];
    let racks = vec![1, 1, 2];
    let options = Options { nodes: 3, racks, namespaces, ..Options::default() };
    let cluster = Cluster::start(options).unwrap();
    let mut wire = Wire::to(&cluster, 2);
    let name = |node| cluster.node_name(node).unwrap();
    assert_eq!(wire.info("rack-ids"), "a:2;b:2");
    let groups = format!("rack_1={},{}:rack_2={}", name(0), name(1), name(2));
    assert_eq!(wire.info("racks:"), format!("ns=a:{groups};ns=b:{groups}"));
    assert_eq!(wire.info("namespaces"), "a;b");
    // With two copies over two racks, the node that is alone in its rack has a copy of everything.
    let maps = Replicas::parse(&wire.info("replicas")).unwrap();
    assert_eq!(maps.len(), 2);
    assert_eq!(maps[1].columns[0].count() + maps[1].columns[1].count(), 4096);
    let mut put = Request::bare().info2(1).int(2, "x", 1);
    put = put.field(0, b"b").field(4, &[9; 20]);
    assert_eq!(wire.code(put), 0);
}

#[test]
fn commands_of_operators_are_answered() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    for (command, expected) in [
        ("logs", "0:stderr"),
        ("log/0", ""),
        ("log/0/misc", "ERROR::bad-context"),
        ("log/1", "ERROR::bad-id"),
        ("log", "ERROR:4:bad sink-id"),
        ("log-set:id=0;service=detail", "ok"),
        ("log-set:service=detail", "ERROR:4:missing id"),
        ("log-set:id=x;service=detail", "ERROR:4:bad id"),
        ("log-set:id=0", "ERROR:4:missing context"),
        ("log-set:id=0;service", "ERROR:4:bad level"),
        ("log-set:id=7;service=detail", "ERROR:4:bad parameter"),
        ("health-outliers", ""),
        ("best-practices", "failed_best_practices=none"),
        ("mcast", "ERROR:4:heartbeat is in mesh mode"),
        ("tip:port=3002", "ERROR:4:missing 'host'"),
        ("tip:host=127.0.0.1;port=x", "ERROR:4:'port' must be an integer"),
        ("tip:host=127.0.0.1;port=3002", "ok"),
        ("tip:host=a;port=1;tls=1", "ERROR:4:'tls' must be either 'true' or 'false'"),
        ("recluster:", "ok"),
        ("physical-devices", "ERROR:4:missing 'path'"),
        ("physical-devices:path=/dev/sda", "ERROR:2:no device info"),
        ("objects", "0"),
        ("config-get:context=zz", "ERROR:4:invalid context"),
        ("build_os", std::env::consts::OS),
        ("feature-key", "ERROR:25:enterprise only"),
        ("masking", "ERROR:25:enterprise only"),
    ] {
        assert_eq!(wire.info(command), expected, "{command}");
    }
    assert_eq!(wire.info("mesh"), cluster.seeds()[0].to_string());
    assert_eq!(wire.info("config-get"), wire.info("get-config"));
}

/// Connections are counted by what their clients call themselves, while they live.
#[test]
fn clients_are_listed() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.info("user-agents"), "");
    let named: Vec<_> = (0..2)
        .map(|_| {
            let mut wire = Wire::to(&cluster, 0);
            assert_eq!(wire.info("user-agent-set:value=MSxweXRob24tMSxh"), "ok");
            wire
        })
        .collect();
    assert_eq!(wire.info("user-agents"), "user-agent=MSxweXRob24tMSxh:count=2;");
    // One that asks for features and does not name itself, so far.
    wire.info("features");
    let both = "user-agent=MSxweXRob24tMSxh:count=2;user-agent=dW5rbm93bg==:count=1;";
    assert_eq!(wire.info("user-agents"), both);
    assert_eq!(wire.info("user-agent-set:value=QUFB"), "ok");
    assert_eq!(wire.info("user-agent-set:value=QUFB"), "ERROR:4:already set");
    drop(named);
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while wire.info("user-agents") != "user-agent=QUFB:count=1;" {
        assert!(std::time::Instant::now() < deadline, "{}", wire.info("user-agents"));
    }
}
