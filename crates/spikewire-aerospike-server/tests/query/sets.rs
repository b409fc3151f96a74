//! Indexes of all records of a set, and what the statistics say of indexes.

use spikewire_aerospike_protocol::query::{Point, Share};
use spikewire_aerospike_protocol::value::Value;
use spikewire_aerospike_server::NamespaceOptions;

use crate::client::{all, scan, share};
use crate::indexes::{create, entries, everywhere, put_value, values_of};
use crate::jobs::{TASK, add, start};
use crate::wire::{Request, Wire, cluster, eventually, with};

const CONFIG: &str = "set-config:context=namespace;namespace=test;set=demo;enable-index";

fn wait(wire: &mut Wire) {
    while wire.info("sets/test/demo").contains("index_populating=true") {
        std::thread::yield_now();
    }
}

#[test]
fn scans_with_an_index_of_their_set_are_the_same() {
    let cluster = with(NamespaceOptions { nsup_period: 1, ..NamespaceOptions::default() });
    let mut wire = Wire::to(&cluster, 0);
    wire.fill(1000);
    for at in 0..300 {
        let other = Request::new("other", &format!("o{at}")).info2(1).int(2, "a", 5000 + at);
        assert_eq!(wire.code(other), 0);
    }
    let without = wire.query(&scan(), &share(&all(), &[]));
    assert_eq!(wire.info(&format!("{CONFIG}=true")), "ok");
    wait(&mut wire);
    assert!(wire.info("sets/test/demo").contains("index_populating=false"));
    assert!(wire.info("sets/test/demo").contains("sindexes=0:"));
    assert!(wire.info("sets/test/demo").contains("enable-index=true"));
    assert!(wire.info("sets/test/other").contains("enable-index=false"));
    let with = wire.query(&scan(), &share(&all(), &[]));
    assert_eq!((with.code, &with.rows), (0, &without.rows), "the same records in the same order");
    // It follows writes, deletions, expiry and truncation.
    assert_eq!(wire.code(Request::delete("k5")), 0);
    assert_eq!(wire.code(Request::put("k6", -6)), 0);
    assert_eq!(wire.code(Request::put("mortal", 7777).ttl(1)), 0);
    let mut expected: Vec<i64> =
        (-6..-5).chain((0..1000).filter(|at| !(5..=6).contains(at))).collect();
    expected.push(7777);
    assert_eq!(values_of(&mut wire, &scan()), expected);
    expected.pop();
    // Under a name it has statistics.
    assert_eq!(wire.info("sindex-create:ns=test;set=demo;indexname=all;indextype=SET"), "ok");
    eventually("expiry", || entries(&mut wire, "all") == 999);
    assert_eq!(values_of(&mut wire, &scan()), expected);
    // Resuming after a record.
    let points: Vec<Point> = without.last().into_values().collect();
    let stream = wire.query(&scan(), &Share { partitions: &[], ..share(&[], &points) });
    assert!(stream.rows.is_empty(), "these were the last of their partitions");
    // Without it, the same again.
    assert_eq!(wire.info("sindex-delete:ns=test;indexname=all"), "ok");
    assert_eq!(values_of(&mut wire, &scan()), expected);
    assert_eq!(wire.info(&format!("{CONFIG}=true")), "ok");
    assert_eq!(wire.info("truncate:namespace=test;set=demo"), "ok");
    assert_eq!(values_of(&mut wire, &scan()), [0_i64; 0]);
    assert_eq!(wire.code(Request::put("k1", 1)), 0);
    assert_eq!(values_of(&mut wire, &scan()), [1]);
}

#[test]
fn entries_go_where_their_partitions_go() {
    let cluster = cluster(3);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.info(&format!("{CONFIG}=true")), "ok");
    wire.fill(600);
    let expected: Vec<i64> = (0..600).collect();
    let patience = std::time::Duration::from_secs(30);
    assert_eq!(everywhere(&cluster, &[0, 1, 2], &scan()), expected);
    cluster.kill(1).unwrap();
    assert!(cluster.wait_settled(patience));
    assert_eq!(everywhere(&cluster, &[0, 2], &scan()), expected);
    cluster.restart(1).unwrap();
    assert!(cluster.wait_settled(patience));
    assert_eq!(everywhere(&cluster, &[0, 1, 2], &scan()), expected);
}

#[test]
fn an_option_indexes_sets_from_the_start() {
    let options =
        NamespaceOptions { indexed_sets: vec!["demo".into()], ..NamespaceOptions::default() };
    let cluster = with(options);
    let mut wire = Wire::to(&cluster, 0);
    assert!(wire.info("sets/test/demo").contains("enable-index=true"));
    wire.fill(100);
    assert_eq!(values_of(&mut wire, &scan()).len(), 100);
    let bad = NamespaceOptions { indexed_sets: vec!["a:b".into()], ..NamespaceOptions::default() };
    let options =
        spikewire_aerospike_server::Options { namespaces: vec![bad], ..Default::default() };
    let error = spikewire_aerospike_server::Cluster::start(options).unwrap_err();
    assert!(error.to_string().contains("indexed set \"a:b\""), "{error}");
}

#[test]
fn invalid_set_index_commands_are_rejected() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let bad = "ERROR:4:invalid set-config parameter";
    for (command, answer) in [
        ("set-config:context=namespace;namespace=test;set=demo;enable-index=maybe", bad),
        ("set-config:context=namespace;namespace=test;set=demo;enable-indexes=true", bad),
        ("set-config:context=namespace;namespace=test;enable-index=true", bad),
        ("set-config:context=namespace;namespace=none;set=demo;enable-index=true", bad),
        ("set-config:context=service;set=demo;enable-index=true", bad),
        ("sindex-create:ns=test;indexname=i;indextype=set", "ERROR:4:missing 'set'"),
        (
            "sindex-create:ns=test;set=s;indexname=i;indextype=set;bin=a",
            "ERROR:4:bin parameter is not supported for set index",
        ),
        (
            "sindex-create:ns=test;set=s;indexname=i;indextype=set;type=numeric",
            "ERROR:4:type parameter is not supported for set index",
        ),
        ("sindex-create:ns=nowhere;set=s;indexname=i;indextype=set", "ERROR:4:namespace not found"),
        // Taking away what is not there is no error.
        ("set-config:context=namespace;namespace=test;set=demo;enable-index=false", "ok"),
        ("set-config:context=namespace;id=test;set=demo;enable-index=true", "ok"),
        ("set-config:context=namespace;id=test;set=demo;enable-index=true", "ok"),
        ("sindex-list:namespace=test", ""),
        ("sindex-create:ns=test;set=demo;indexname=all;indextype=set", "ok"),
        ("sindex-create:ns=test;set=demo;indexname=all;indextype=set", "ok"),
        // What has a name is not the configuration's any more.
        ("set-config:context=namespace;namespace=test;set=demo;enable-index=false", bad),
        ("set-config:context=namespace;namespace=test;set=demo;enable-index=true", bad),
        ("sindex-list:namespace=test", ";ns=test:indexname=all:set=demo:indextype=set"),
        ("sindex/test", ""),
        ("sindex-exists:namespace=test;indexname=all", "true"),
        (
            "sindex-create:ns=test;set=other;indexname=all;indextype=set",
            "ERROR:200:'indexname' already exists with different definition",
        ),
    ] {
        assert_eq!(wire.info(command), answer, "{command}");
    }
    create(&mut wire, "a", "bin=a;type=numeric");
    let listed = wire.info("sindex-list:namespace=test");
    assert!(listed.ends_with(":state=RW;ns=test:indexname=all:set=demo:indextype=set"), "{listed}");
    assert_eq!(wire.info("sindex-delete:ns=test;indexname=all"), "ok");
    assert!(wire.info("sets/test/demo").contains("enable-index=false"));
}

#[test]
fn statistics_count_values_and_records() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    for at in 0..60 {
        let list = Value::List((0..3).map(|more| Value::Int(at % 6 + 10 * more)).collect());
        put_value(&mut wire, &format!("k{at}"), at % 20, "l", &list);
    }
    create(&mut wire, "a", "set=demo;bin=a;type=numeric");
    create(&mut wire, "l", "set=demo;bin=l;type=numeric;indextype=list");
    create(&mut wire, "none", "set=demo;bin=none;type=string");
    assert_eq!(wire.info("sindex-create:ns=test;set=demo;indexname=all;indextype=set"), "ok");
    wait(&mut wire);
    for (name, reported) in [
        ("a", "entries=60;used_bytes=1920;entries_per_bval=3;entries_per_rec=1;load_pct=100;"),
        ("l", "entries=180;used_bytes=5760;entries_per_bval=10;entries_per_rec=3;load_pct=100;"),
        ("none", "entries=0;used_bytes=0;entries_per_bval=0;entries_per_rec=0;load_pct=100;"),
    ] {
        let stat = wire.info(&format!("sindex-stat:namespace=test;indexname={name}"));
        assert!(stat.starts_with(reported), "{name}: {stat}");
        assert!(stat.ends_with(";stat_gc_recs=0") && stat.contains(";load_time="), "{stat}");
        assert_eq!(wire.info(&format!("sindex/test/{name}")), stat);
    }
    let all = wire.info("sindex-stat:namespace=test;indexname=all");
    assert_eq!(all, "entries=60;used_bytes=1920;load_pct=100");
}

/// A node knows a set once it held a record of it: until then it refuses jobs on the set, which a
/// client must not take for the answer of the cluster.
#[test]
fn each_node_knows_the_sets_of_its_own_records() {
    let cluster = cluster(3);
    let mut wires = [0, 1, 2].map(|node| Wire::to(&cluster, node));
    assert_eq!(wires[0].code(Request::put("only", 1)), 0);
    let jobs = |wires: &mut [Wire], id: u64| -> Vec<u8> {
        wires.iter_mut().map(|wire| start(wire, &add(1), id, &TASK)).collect()
    };
    let codes = jobs(&mut wires, 100);
    let unknown = codes.iter().position(|code| *code == 2).expect("one of three has no copy");
    assert!(
        codes.iter().enumerate().all(|(node, code)| node == unknown || *code == 0),
        "{codes:?}"
    );
    for (node, wire) in wires.iter_mut().enumerate() {
        assert_eq!(wire.info("sets/test/demo").is_empty(), node == unknown);
        assert_eq!(wire.info("sets/test").is_empty(), node == unknown);
        assert_eq!(wire.query(&scan(), &share(&all(), &[])).code, 0, "queries find nothing");
    }
    // A node that gets a copy learns the set, and one that restarts forgets it.
    let holder = codes.iter().position(|code| *code == 0).unwrap();
    cluster.kill(holder).unwrap();
    assert!(cluster.wait_settled(std::time::Duration::from_secs(30)));
    assert_eq!(start(&mut wires[unknown], &add(1), 101, &TASK), 0);
    cluster.restart(holder).unwrap();
    assert!(cluster.wait_settled(std::time::Duration::from_secs(30)));
    let mut restarted = Wire::to(&cluster, holder);
    assert_eq!(start(&mut restarted, &add(1), 102, &TASK), 0, "it has its copy back");
    // A deleted record leaves its set behind; an index makes a set known everywhere.
    assert_eq!(wires[unknown].code(Request::delete("only")), 0);
    assert_eq!(start(&mut wires[unknown], &add(1), 103, &TASK), 0);
    create(&mut wires[unknown], "i", "set=another;bin=a;type=numeric");
    let another = spikewire_aerospike_protocol::query::Query { set: "another".into(), ..add(1) };
    for node in 0..3 {
        let mut wire = Wire::to(&cluster, node);
        assert_eq!(start(&mut wire, &another, 104, &TASK), 0);
    }
}
