//! Replicas as computed by the server's own classes.

use std::collections::BTreeMap;

use proptest::prelude::*;
use spikewire_cql::ring::{Factor, InvalidStrategy, Member, Ring, Strategy};

/// Six nodes: 1, 2 in dc1 r1; 3 in dc1 r2; 4 in dc1 r3; 5, 6 in dc2 ra.
fn six() -> Ring<u32> {
    let owners = [1, 2, 5, 3, 1, 4, 6, 2, 3, 5, 4, 6];
    let places =
        [("dc1", "r1"), ("dc1", "r1"), ("dc1", "r2"), ("dc1", "r3"), ("dc2", "ra"), ("dc2", "ra")];
    Ring::new(places.iter().zip(1..).map(|((dc, rack), node)| Member {
        node,
        dc: (*dc).to_owned(),
        rack: (*rack).to_owned(),
        tokens:
            (1..).zip(owners).filter(|(_, owner)| *owner == node).map(|(at, _)| at * 100).collect(),
    }))
}

fn network<'a>(factors: impl IntoIterator<Item = (&'a str, u32)>) -> Strategy {
    let factors = factors.into_iter().map(|(dc, factor)| (dc.to_owned(), factor.into()));
    Strategy::NetworkTopology(factors.collect())
}

fn spelled(ring: &Ring<u32>, strategy: &Strategy, token: i64) -> String {
    let replicas = ring.replicas(strategy).expect("a strategy with replicas");
    replicas.of(token).iter().map(|node| ring.nodes()[*node as usize].to_string()).collect()
}

#[test]
fn replicas_of_tokens_match_the_server() {
    let ring = six();
    let simple = |factor: u32| Strategy::Simple(factor.into());
    let dc1_4 = "1234 2314 3142 3142 1423 4231 2341 2341 3412 4123 4123 1234";
    let vectors = [
        (simple(2), "12 25 53 31 14 46 62 23 35 54 46 61"),
        (simple(3), "125 253 531 314 146 462 623 235 354 546 461 612"),
        (
            simple(7),
            "125346 253146 531462 314625 146235 462351 623541 235461 354612 546123 461253 612534",
        ),
        (network([("dc1", 1)]), "1 2 3 3 1 4 2 2 3 4 4 1"),
        (network([("dc1", 2)]), "13 23 31 31 14 42 23 23 34 41 41 13"),
        (network([("dc1", 3)]), "134 234 314 314 143 423 234 234 341 413 413 134"),
        (network([("dc1", 4)]), dc1_4),
        (
            network([("dc1", 2), ("dc2", 2)]),
            "1536 2536 5316 3165 1465 4625 6235 2356 3546 5461 4615 6153",
        ),
        (
            network([("dc1", 3), ("dc2", 1)]),
            "1534 2534 5314 3146 1463 4623 6234 2354 3541 5413 4613 6134",
        ),
        (network([("dc1", 9), ("dc3", 2)]), dc1_4),
        (network([("dc1", 0)]), "           "),
    ];
    for (strategy, expected) in vectors {
        let replicas: Vec<_> = (1..=12).map(|at| spelled(&ring, &strategy, at * 100)).collect();
        assert_eq!(replicas.join(" "), expected, "{strategy:?}");
    }
}

#[test]
fn tokens_beyond_the_last_belong_to_the_first_node() {
    let (ring, strategy) = (six(), Strategy::Simple(2.into()));
    let of = |token| spelled(&ring, &strategy, token);
    assert_eq!([i64::MIN, -5, 99, 100].map(of), ["12"; 4]);
    assert_eq!([101, 1200, 1201, i64::MAX].map(of), ["25", "61", "12", "12"]);
    assert_eq!(ring.owner(101), Some(1));
    assert_eq!(ring.dc(4), Some("dc2"));
}

#[test]
fn an_empty_ring_has_no_replicas() {
    let ring = Ring::<u32>::new([]);
    assert_eq!(ring.owner(0), None);
    for strategy in [Strategy::Simple(3.into()), network([("dc1", 3)])] {
        assert!(ring.replicas(&strategy).expect("replicas").of(0).is_empty());
    }
    assert!(six().replicas(&Strategy::Anywhere).is_none());
}

#[test]
fn a_joining_node_without_tokens_is_ignored() {
    let member = |node, rack: &str, tokens: &[i64]| Member {
        node,
        dc: "dc1".to_owned(),
        rack: rack.to_owned(),
        tokens: tokens.to_vec(),
    };
    // The rack of the joining node would leave no room for a second replica in r1.
    let ring = Ring::new([member(1, "r1", &[10]), member(2, "r1", &[20]), member(3, "r2", &[])]);
    assert_eq!(spelled(&ring, &network([("dc1", 2)]), 10), "12");
}

#[test]
fn replication_strategies_parse() {
    let parse = |options: &[(&str, &str)]| Strategy::parse(options.iter().copied());
    let class = |name| ("class", name);
    assert_eq!(
        parse(&[class("org.apache.cassandra.locator.SimpleStrategy"), ("replication_factor", "3")]),
        Ok(Strategy::Simple(3.into()))
    );
    let transient = Factor { all: 3, transient: 1 };
    assert_eq!(transient.full(), 2);
    assert_eq!(
        parse(&[class("NetworkTopologyStrategy"), ("dc1", "3/1"), ("dc2", "2")]),
        Ok(Strategy::NetworkTopology(BTreeMap::from([
            ("dc1".to_owned(), transient),
            ("dc2".to_owned(), 2.into())
        ])))
    );
    for local in ["LocalStrategy", "org.apache.cassandra.locator.EverywhereStrategy"] {
        assert_eq!(parse(&[class(local)]), Ok(Strategy::Anywhere));
    }
    assert_eq!(parse(&[]), Err(InvalidStrategy::NoClass));
    assert_eq!(parse(&[class("Odd")]), Err(InvalidStrategy::Class("Odd".to_owned())));
    for text in ["", "-1", "x", "1/1", "2/3", "99999999999"] {
        let result = parse(&[class("SimpleStrategy"), ("replication_factor", text)]);
        assert!(matches!(result, Err(InvalidStrategy::Factor { .. })), "{text}: {result:?}");
    }
}

/// The walk over the entries of the ring, implemented literally.
fn walked(
    entries: &[(i64, usize)],
    places: &[(usize, usize)],
    factors: &[u32],
    start: usize,
) -> Vec<u32> {
    let mut dcs: Vec<(usize, i64, Vec<usize>)> = (0..factors.len())
        .map(|dc| {
            let owning = |node: &usize| entries.iter().any(|(_, owner)| owner == node);
            let nodes: Vec<_> =
                (0..places.len()).filter(|node| places[*node].0 == dc && owning(node)).collect();
            let mut racks: Vec<_> = nodes.iter().map(|node| places[*node].1).collect();
            racks.sort_unstable();
            racks.dedup();
            let factor = factors[dc] as usize;
            (factor.min(nodes.len()), factor as i64 - racks.len() as i64, Vec::new())
        })
        .collect();
    let mut chosen = Vec::new();
    for at in 0..entries.len() {
        let node = entries[(start + at) % entries.len()].1;
        let (dc, rack) = places[node];
        let (left, repeats, racks) = &mut dcs[dc];
        if *left == 0 || chosen.contains(&(node as u32)) {
            continue;
        }
        if racks.contains(&rack) {
            if *repeats <= 0 {
                continue;
            }
            *repeats -= 1;
        } else {
            racks.push(rack);
        }
        *left -= 1;
        chosen.push(node as u32);
    }
    chosen
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn the_replica_table_equals_a_walk_of_the_ring(
        places in prop::collection::vec((0..3_usize, 0..4_usize), 1..12),
        owners in prop::collection::vec(0..12_usize, 1..60),
        factors in prop::collection::vec(0..6_u32, 3),
    ) {
        let entries: Vec<_> =
            (0..).step_by(10).zip(owners.iter().map(|owner| owner % places.len())).collect();
        let ring = Ring::new(places.iter().enumerate().map(|(node, (dc, rack))| Member {
            node,
            dc: dc.to_string(),
            rack: rack.to_string(),
            tokens: entries.iter().filter(|entry| entry.1 == node).map(|entry| entry.0).collect(),
        }));
        let names = ["0", "1", "2"];
        let strategy = network(names.into_iter().zip(factors.iter().copied()));
        let replicas = ring.replicas(&strategy).expect("replicas");
        for (start, (token, _)) in entries.iter().enumerate() {
            let expected = walked(&entries, &places, &factors, start);
            prop_assert_eq!(replicas.of(*token), expected.as_slice());
        }
    }
}

#[test]
fn a_large_cluster_shares_its_lists() {
    let nodes = 50_u32;
    let members = (0..nodes).map(|node| Member {
        node,
        dc: format!("dc{}", node % 2),
        rack: format!("r{}", node % 6),
        tokens: (0..256_u64)
            .map(|at| {
                (u64::from(node) * 256 + at).wrapping_mul(0x9e37_79b9_7f4a_7c15).cast_signed()
            })
            .collect(),
    });
    let ring = Ring::new(members);
    let replicas = ring.replicas(&network([("dc0", 3), ("dc1", 3)])).expect("replicas");
    for token in (0..10_000_u64).map(|at| at.wrapping_mul(0xd134_2543_de82_ef95).cast_signed()) {
        let nodes = replicas.of(token);
        let in_dc0 = nodes.iter().filter(|node| ring.dc(**node) == Some("dc0")).count();
        assert_eq!((nodes.len(), in_dc0), (6, 3));
        assert_eq!(nodes.first().copied(), ring.owner(token));
    }
}
