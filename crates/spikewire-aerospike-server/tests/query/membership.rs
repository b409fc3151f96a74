//! Queries through nodes that die, return and misbehave: every record once.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::partition::Replicas;
use spikewire_aerospike_protocol::query::{Collection, Index, Point, Query, Range, Subject};
use spikewire_aerospike_server::{Cluster, Drip, Faults, Options};

use crate::client::{StreamResult, all, scan, share};
use crate::wire::{Request, Wire, cluster, eventually};

const PATIENCE: Duration = Duration::from_secs(30);

/// A query over all nodes that resumes after failures, as clients do. `between` is called after
/// every frame with the number of records so far.
fn collect(
    cluster: &Cluster,
    nodes: usize,
    query: &Query,
    mut between: impl FnMut(usize),
) -> Vec<i64> {
    let mut open: HashSet<u16> = all().into_iter().collect();
    let mut points: HashMap<u16, Point> = HashMap::new();
    let mut values = Vec::new();
    let started = Instant::now();
    while !open.is_empty() {
        assert!(started.elapsed() < PATIENCE, "{} partitions were never read", open.len());
        for node in 0..nodes {
            let Ok(mut wire) = Wire::connect(cluster.seeds()[node]) else { continue };
            let Some(mine) = owned(&mut wire) else { continue };
            let mine: Vec<u16> = mine.into_iter().filter(|pid| open.contains(pid)).collect();
            if mine.is_empty() {
                continue;
            }
            let fresh: Vec<u16> =
                mine.iter().copied().filter(|pid| !points.contains_key(pid)).collect();
            let after: Vec<Point> =
                mine.iter().filter_map(|pid| points.get(pid)).copied().collect();
            let mut out = Vec::new();
            query.write(&share(&fresh, &after), &mut out).unwrap();
            if std::io::Write::write_all(&mut wire.0, &out).is_err() {
                continue;
            }
            let mut stream = StreamResult::default();
            loop {
                let outcome = wire.read_frame(&mut stream);
                points.extend(stream.last());
                values.extend(stream.values());
                stream.rows.clear();
                between(values.len());
                match outcome {
                    Ok(false) => {}
                    Ok(true) if stream.code == 0 => {
                        let missing: HashSet<u16> = stream.unavailable.iter().copied().collect();
                        mine.iter().filter(|pid| !missing.contains(pid)).for_each(|pid| {
                            open.remove(pid);
                        });
                        break;
                    }
                    Ok(true) | Err(_) => break,
                }
            }
        }
    }
    values.sort_unstable();
    values
}

/// The partitions that a node says it is the master of.
fn owned(wire: &mut Wire) -> Option<Vec<u16>> {
    let mut out = Vec::new();
    spikewire_aerospike_protocol::info::request(&mut out, &["replicas"]);
    std::io::Write::write_all(&mut wire.0, &out).ok()?;
    let (_, body) = wire.frame().ok()?;
    let text = String::from_utf8(body).ok()?;
    let maps = Replicas::parse(text.strip_prefix("replicas\t")?.trim_end()).ok()?;
    Some(all().into_iter().filter(|pid| maps[0].columns[0].contains(*pid)).collect())
}

/// Bins large enough for a scan to take many frames.
fn fill(wire: &mut Wire, count: i64) {
    for at in 0..count {
        let put = Request::put(&format!("k{at}"), at).op(2, "pad", 4, &vec![7; 20_000]);
        assert_eq!(wire.code(put), 0);
    }
}

fn by_index() -> Query {
    let subject = Subject::Bin("a".to_owned());
    let (collection, range) = (Collection::Value, Range::Int(0, i64::MAX));
    Query { index: Some(Index { subject, collection, context: None, range }), ..scan() }
}

#[test]
fn a_scan_survives_a_node_that_dies_and_returns() {
    let options =
        Options { nodes: 3, migration_pause: Duration::from_micros(50), ..Options::default() };
    let cluster = Cluster::start(options).unwrap();
    let mut wire = Wire::to(&cluster, 0);
    fill(&mut wire, 1500);
    let index = "sindex-create:namespace=test;set=demo;indexname=i;bin=a;type=numeric";
    assert_eq!(wire.info(index), "ok");
    let expected: Vec<i64> = (0..1500).collect();
    for (node, query) in [(1, scan()), (2, by_index()), (0, scan()), (1, by_index())] {
        let mut done = 0;
        let values = collect(&cluster, 3, &query, |seen| {
            if done == 0 && seen > 300 {
                cluster.kill(node).unwrap();
                done = 1;
            } else if done == 1 && seen > 900 {
                cluster.restart(node).unwrap();
                done = 2;
            }
        });
        assert_eq!(done, 2);
        assert_eq!(values, expected, "{node}");
        assert!(cluster.wait_settled(PATIENCE));
    }
}

/// Partitions move to a node that returned while a scan goes through them.
#[test]
fn a_scan_survives_partitions_that_move() {
    let options =
        Options { nodes: 4, migration_pause: Duration::from_micros(200), ..Options::default() };
    let cluster = Cluster::start(options).unwrap();
    let mut wire = Wire::to(&cluster, 0);
    fill(&mut wire, 1000);
    let expected: Vec<i64> = (0..1000).collect();
    for node in [3, 1] {
        cluster.kill(node).unwrap();
        assert!(cluster.wait_settled(PATIENCE));
        cluster.restart(node).unwrap();
        assert!(!cluster.is_settled());
        assert_eq!(collect(&cluster, 4, &scan(), |_| {}), expected);
        assert!(cluster.wait_settled(PATIENCE));
    }
}

/// Slow, late and broken replies are those of a scan too.
#[test]
fn injected_faults_apply_to_scans() {
    let cluster = cluster(2);
    let mut wire = Wire::to(&cluster, 0);
    fill(&mut wire, 300);
    let expected: Vec<i64> = (0..300).collect();
    let healthy = Faults::default();
    for faults in [
        Faults { delay: Duration::from_millis(5), ..healthy.clone() },
        Faults { cut: 0.5, seed: 3, ..healthy.clone() },
        Faults { error: 0.5, seed: 5, ..healthy.clone() },
        Faults {
            drip: Some(Drip { bytes: 100_000, every: Duration::from_millis(1) }),
            ..healthy.clone()
        },
    ] {
        cluster.inject(1, faults.clone()).unwrap();
        assert_eq!(collect(&cluster, 2, &scan(), |_| {}), expected, "{faults:?}");
        cluster.clear_faults(1).unwrap();
    }
    // A scan whose reply is lost is run and brings nothing.
    cluster.inject(1, Faults { drop_reply: 1.0, ..healthy }).unwrap();
    let mut silent = Wire::to(&cluster, 1);
    let mut out = Vec::new();
    scan().write(&share(&all(), &[]), &mut out).unwrap();
    silent.send(&out);
    let mut other = Wire::to(&cluster, 1);
    eventually("the scan is done", || other.info("query-show").contains("status=done(ok)"));
    silent.0.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
    assert!(silent.frame().is_err());
}
