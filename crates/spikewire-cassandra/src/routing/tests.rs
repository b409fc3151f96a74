use std::collections::BTreeSet;

use spikewire_cql::consistency::Consistency;
use spikewire_cql::response::error::{Code, Details, Replicas, ServerError};

use super::*;
use crate::cluster::sample;
use crate::options::Options;

const SIX: [(&str, &str); 6] =
    [("dc1", "r1"), ("dc1", "r2"), ("dc1", "r1"), ("dc1", "r2"), ("dc2", "r1"), ("dc2", "r2")];
const TWO_EACH: [(&str, &str); 3] =
    [("class", "org.apache.cassandra.locator.NetworkTopologyStrategy"), ("dc1", "2"), ("dc2", "1")];

fn options() -> Options {
    Options { local_datacenter: Some("dc1".to_owned()), ..Options::new(Vec::new()) }
}

fn target(conditional: bool, turn: u32) -> Target {
    Target::new(
        Aim::Token { keyspace: "k".into(), token: 50, tablet: None, conditional },
        true,
        turn,
    )
}

/// The nodes of all attempts, each of which loses its connection, by their last number.
fn walk(snapshot: &Snapshot, mut target: Target, attempts: u32) -> Vec<u8> {
    (0..attempts)
        .map(|step| {
            let node = choose(snapshot, &target, step).unwrap();
            let lost = Error::new(Kind::Connection, "lost").on(node.to_string());
            target.note(&lost);
            node.host_id[0]
        })
        .collect()
}

#[test]
fn attempts_go_to_each_replica_and_then_to_each_other_local_node() {
    let snapshot = sample::snapshot(&SIX, &TWO_EACH, &options());
    for turn in 0..8 {
        let walked = walk(&snapshot, target(false, turn), 4);
        let replicas: BTreeSet<u8> = walked[..2].iter().copied().collect();
        assert_eq!(replicas, [1, 2].into(), "turn {turn}: {walked:?}");
        let others: BTreeSet<u8> = walked[2..].iter().copied().collect();
        assert_eq!(others, [3, 4].into(), "turn {turn}: {walked:?}");
    }
}

#[test]
fn requests_begin_at_the_replicas_in_turn_and_conditions_at_the_first() {
    let snapshot = sample::snapshot(&SIX, &TWO_EACH, &options());
    let first =
        |conditional, turn| choose(&snapshot, &target(conditional, turn), 0).unwrap().host_id[0];
    assert_eq!([0, 1, 2, 3].map(|turn| first(false, turn)), [1, 2, 1, 2]);
    assert_eq!([0, 1, 2, 3].map(|turn| first(true, turn)), [1; 4]);
    assert_eq!(walk(&snapshot, target(true, 7), 2), [1, 2]);
}

#[test]
fn the_plan_begins_anew_behind_its_end() {
    let snapshot = sample::snapshot(&SIX, &TWO_EACH, &options());
    let walked = walk(&snapshot, target(false, 0), 8);
    assert!(walked.iter().all(|node| *node <= 4), "no node of dc2: {walked:?}");
    assert_eq!(walked[..4].iter().collect::<BTreeSet<_>>().len(), 4);
}

#[test]
fn nodes_that_are_down_come_last() {
    let at_once = Options { slow_start: Duration::ZERO, ..options() };
    let snapshot = sample::snapshot(&SIX, &TWO_EACH, &at_once);
    sample::set_up(&snapshot.nodes[0], false);
    for turn in 0..4 {
        let walked = walk(&snapshot, target(false, turn), 4);
        assert_eq!((walked[0], walked[3]), (2, 1), "turn {turn}: {walked:?}");
    }
    sample::set_up(&snapshot.nodes[0], true);
    assert_eq!(walk(&snapshot, target(false, 0), 1), [1]);
}

#[test]
fn a_node_that_is_back_gets_its_turns_little_by_little() {
    let long = Options { slow_start: Duration::from_secs(100_000), ..options() };
    let snapshot = sample::snapshot(&SIX, &TWO_EACH, &long);
    let first = |conditional| {
        let turns = (0..40).map(|turn| target(conditional, turn));
        turns.map(|target| choose(&snapshot, &target, 0).unwrap().host_id[0]).collect::<Vec<_>>()
    };
    let begun = |node: u8, turns: &[u8]| {
        let mut turns = turns.to_vec();
        turns.retain(|it| *it == node);
        turns.len()
    };
    assert_eq!(begun(1, &first(false)), 20);
    sample::set_up(&snapshot.nodes[0], false);
    sample::set_up(&snapshot.nodes[0], true);
    let turns = first(false);
    assert_eq!(begun(2, &turns), 40, "the other replica has them meanwhile: {turns:?}");
    assert_eq!(begun(1, &first(true)), 40, "conditions on the same row meet on one node");
    // It is the only replica that is up, and no other node has the row.
    sample::set_up(&snapshot.nodes[1], false);
    assert_eq!(begun(1, &first(false)), 40);
}

#[test]
fn other_datacenters_are_used_where_that_is_allowed_and_last() {
    let open = Options { remote_datacenters: true, ..options() };
    let snapshot = sample::snapshot(&SIX, &TWO_EACH, &open);
    let walked = walk(&snapshot, target(false, 0), 6);
    assert_eq!(walked[4..].iter().copied().collect::<BTreeSet<_>>(), [5, 6].into(), "{walked:?}");
    assert_eq!(walked[4], 5, "the replica there first");

    let elsewhere = Options { local_datacenter: Some("dc3".to_owned()), ..options() };
    let snapshot = sample::snapshot(&SIX, &TWO_EACH, &elsewhere);
    let error = choose(&snapshot, &target(false, 0), 0).unwrap_err();
    assert_eq!(error.kind(), Kind::NoNode);
    assert!(error.message().contains("\"dc3\""), "{error}");
}

#[test]
fn the_own_rack_comes_first() {
    let racks = Options { local_rack: Some("r2".to_owned()), ..options() };
    let snapshot = sample::snapshot(&SIX, &TWO_EACH, &racks);
    for turn in 0..4 {
        assert_eq!(walk(&snapshot, target(false, turn), 4), [2, 1, 4, 3], "turn {turn}");
    }
}

#[test]
fn without_a_token_all_local_nodes_have_their_turn() {
    let snapshot = sample::snapshot(&SIX, &TWO_EACH, &options());
    let any = |turn| Target::new(Aim::Any, false, turn);
    let begun: BTreeSet<u8> = (0..6).map(|turn| walk(&snapshot, any(turn), 1)[0]).collect();
    assert_eq!(begun, [1, 2, 3, 4].into());
}

#[test]
fn the_error_decides_where_the_next_attempt_goes() {
    let snapshot = sample::snapshot(&SIX, &TWO_EACH, &options());
    let first = choose(&snapshot, &target(false, 0), 0).unwrap();
    let replicas = Replicas { consistency: Consistency::Quorum, received: 2, required: 2 };
    let details = Details::ReadTimeout { replicas, data_present: false };
    let error_of = |code, details| {
        let error = ServerError { code, message: String::new(), details };
        Error::from_server(error).on(first.to_string())
    };
    let after = |error: &Error| {
        let mut target = target(false, 0);
        target.note(error);
        choose(&snapshot, &target, 1).unwrap().host_id[0]
    };
    assert_eq!(after(&error_of(Code::ReadTimeout, details)), 1, "the same node knows more by now");
    assert_eq!(after(&error_of(Code::Overloaded, Details::None)), 2);
    assert_eq!(after(&error_of(Code::Bootstrapping, Details::None)), 2);
}

#[test]
fn the_preferred_first_node_is_not_tried_for_ever() {
    let snapshot = sample::snapshot(&SIX, &TWO_EACH, &options());
    let first = Some(snapshot.nodes[3].clone());
    let walked = walk(&snapshot, Target { first, ..target(false, 0) }, 3);
    assert_eq!(walked, [4, 1, 2]);
}

#[test]
fn a_request_to_one_node_goes_nowhere_else() {
    let snapshot = sample::snapshot(&SIX, &TWO_EACH, &options());
    let node = snapshot.nodes[5].clone();
    let only = Target::new(Aim::Node(node.clone()), false, 0);
    assert_eq!(walk(&snapshot, only.clone(), 3), [6, 6, 6]);
    node.retire();
    assert_eq!(choose(&snapshot, &only, 0).unwrap_err().kind(), Kind::NoNode);
}

/// A target whose tablet has these nodes, each on the shard of its number.
fn in_tablet(nodes: &[u8], conditional: bool, turn: u32) -> Target {
    let replicas = nodes.iter().map(|node| ([*node; 16], u16::from(*node))).collect();
    let tablet = Some(Arc::new(Tablet { first: 0, last: 99, replicas, version: None }));
    Target::new(Aim::Token { keyspace: "k".into(), token: 50, tablet, conditional }, true, turn)
}

#[test]
fn the_replicas_of_a_tablet_take_the_place_of_those_of_the_ring() {
    let snapshot = sample::snapshot(&SIX, &TWO_EACH, &options());
    assert_eq!(walk(&snapshot, in_tablet(&[4, 2], false, 0), 2), [4, 2]);
    assert_eq!(walk(&snapshot, in_tablet(&[4, 2], false, 1), 2), [2, 4]);
    // Conditions on the same row begin at the same replica.
    assert_eq!(walk(&snapshot, in_tablet(&[4, 2], true, 1), 2), [4, 2]);
    // A node that is not known is left out; without any other, the ring has the answer.
    assert_eq!(walk(&snapshot, in_tablet(&[77, 3], false, 1), 1), [3]);
    assert_eq!(walk(&snapshot, in_tablet(&[77], true, 0), 2), [1, 2]);
}

#[test]
fn a_tablet_says_which_shard_of_a_node_has_its_rows() {
    let snapshot = sample::snapshot(&SIX, &TWO_EACH, &options());
    let node = &snapshot.nodes[1];
    let sharding = spikewire_cql::sharding::Sharding {
        shard: 0,
        shards: 3,
        ignored_bits: 12,
        port: None,
        tls_port: None,
    };
    node.shards.learn(Some(sharding), &spikewire_cql::dialect::Extensions::default());
    let shard = |nodes: &[u8]| match in_tablet(nodes, false, 0).aim {
        Aim::Token { tablet: Some(tablet), token, .. } => node.shard_in(&tablet, token),
        _ => None,
    };
    assert_eq!(shard(&[1, 2]), Some(2));
    assert_eq!(shard(&[1]), node.shards.of(50), "no replica: as for other rows");
    let beyond = Tablet { first: 0, last: 99, replicas: vec![([2; 16], 3)], version: None };
    assert_eq!(node.shard_in(&beyond, 50), node.shards.of(50), "there is no such shard");
}

#[test]
fn the_leader_of_a_tablet_is_known_in_keyspaces_with_leaders() {
    let snapshot = sample::snapshot(&SIX, &TWO_EACH, &options()).with_leaders("k");
    let tablet = |nodes: &[u8]| Tablet {
        first: 0,
        last: 99,
        replicas: nodes.iter().map(|node| ([*node; 16], 0)).collect(),
        version: Some(1),
    };
    let leader = |keyspace, nodes: &[u8]| {
        snapshot.leader(keyspace, &tablet(nodes)).map(|node| node.host_id[0])
    };
    assert_eq!(leader("k", &[4, 2]), Some(4));
    assert_eq!(leader("other", &[4, 2]), None);
    assert_eq!(leader("k", &[77, 2]), None, "a node that is not known");
    assert_eq!(leader("k", &[5, 2]), None, "another datacenter");
    sample::set_up(&snapshot.nodes[3], false);
    assert_eq!(leader("k", &[4, 2]), None, "it is down");
}
