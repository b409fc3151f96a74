//! Peers that nodes list, against fake nodes: those that cannot be reached, and those that come and
//! go.

mod support;

use std::net::TcpListener;
use std::time::Duration;

use spikewire_aerospike::cluster::Cluster;
use spikewire_aerospike::command::{Router, Target};
use spikewire_aerospike::{Kind, Options, ReplicaPolicy};
use spikewire_aerospike_protocol::host::Host;
use support::fake::FakeNode;
use support::{LONG, eventually};

fn options(node: &FakeNode) -> Options {
    let (name, port) = (node.address.ip().to_string(), node.address.port());
    Options {
        tend_interval: Duration::from_millis(40),
        connect_timeout: LONG,
        ..Options::new(vec![Host { name, tls_name: None, port }])
    }
}

/// A cluster that knows nodes which it cannot reach opens, and says so where it matters.
#[test]
fn nodes_that_cannot_be_reached_are_named() {
    let a = FakeNode::start("A1");
    let closed = TcpListener::bind("127.0.0.1:0").unwrap();
    let nowhere = closed.local_addr().unwrap();
    drop(closed);
    a.set("peers-clear-std", format!("1,3000,[[C1,,[{nowhere}]],[D1,,[]]]"));
    a.set_map(1, 0, &[&|pid| pid % 2 == 0]);
    let cluster = Cluster::connect(options(&a)).unwrap();
    let closed = format!("{nowhere}: connection refused");
    let expected = [("C1", closed.as_str()), ("D1", "it announces no address")];
    let unreachable = |of: &Cluster| of.stats().unreachable;
    assert_eq!(
        unreachable(&cluster),
        expected.map(|(name, why)| (name.to_owned(), why.to_owned()))
    );

    let target = Target::partition("test".into(), 1, false);
    let router = Router::new(Vec::new());
    let chosen = router.choose(&cluster.snapshot(), &target, ReplicaPolicy::Any, 0);
    let error = chosen.unwrap_err();
    assert_eq!(error.kind(), Kind::NoNode);
    let named = format!("cannot be reached from here: C1 ({closed}), D1 (it announces no address)");
    assert!(error.message().contains(&named), "{error}");
    assert!(error.message().contains("ip_map or use_services_alternate"), "{error}");

    let _c = FakeNode::start_at("C1", nowhere);
    eventually("only D1 is left", || {
        unreachable(&cluster).len() == 1 && unreachable(&cluster)[0].0 == "D1"
    });
    a.set_peers(2, &[]);
    eventually("nobody is left", || unreachable(&cluster).is_empty());
    let chosen = router.choose(&cluster.snapshot(), &target, ReplicaPolicy::Any, 0);
    let plain = "no reachable node holds partition 1 of namespace \"test\" now";
    assert_eq!(chosen.unwrap_err().message(), plain);
}

/// Servers list only those peers that have an address of the kind that is asked for.
#[test]
fn nodes_without_an_alternate_address_are_not_known() {
    let a = FakeNode::start("A1");
    a.set("peers-clear-alt", "1,3000,[]".to_owned());
    a.set_map(1, 0, &[&|pid| pid % 2 == 0]);
    let options = Options { use_services_alternate: true, ..options(&a) };
    let cluster = Cluster::connect(options).unwrap();
    let router = Router::new(Vec::new());
    let choose = |pid| {
        let target = Target::partition("test".into(), pid, false);
        router.choose(&cluster.snapshot(), &target, ReplicaPolicy::Any, 0).map(|_| ())
    };
    choose(0).unwrap();
    let error = choose(1).unwrap_err();
    assert_eq!(error.kind(), Kind::NoNode);
    let why = "with use_services_alternate, nodes without an alternate address are not known";
    assert!(error.message().ends_with(why), "{error}");
}

/// In some clusters nodes are replaced all the time: what is kept by slot must not grow.
#[test]
fn nodes_that_come_and_go_leave_their_slots() {
    let (a, b) = (FakeNode::start("A1"), FakeNode::start("B1"));
    a.set_map(1, 0, &[&|_| true]);
    let cluster = Cluster::connect(options(&a)).unwrap();
    let count = || cluster.snapshot().nodes.len();
    let mut largest = 0;
    for turn in 0..10 {
        a.set_peers(2 + 2 * turn, &[&b]);
        eventually("B is there", || count() == 2);
        largest = largest.max(cluster.snapshot().nodes.iter().map(|node| node.slot).max().unwrap());
        a.set_peers(3 + 2 * turn, &[]);
        eventually("B is gone", || count() == 1);
    }
    assert!(largest < 5, "{largest}");
}
