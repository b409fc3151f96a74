//! The rules of the cluster worker against fake nodes, which do what a healthy cluster does only by
//! accident.

mod support;

use std::net::TcpListener;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use spikewire_aerospike::admin::InfoCommand;
use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::cluster::{Cluster, UpkeepTask};
use spikewire_aerospike::{Kind, Options};
use spikewire_aerospike_protocol::features::Features;
use spikewire_aerospike_protocol::host::Host;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_sync::Mutex;
use support::fake::FakeNode;
use support::{LONG, eventually};

fn seed(node: &FakeNode) -> Host {
    Host { name: node.address.ip().to_string(), tls_name: None, port: node.address.port() }
}

fn options(seeds: &[&FakeNode]) -> Options {
    Options {
        tend_interval: Duration::from_millis(40),
        connect_timeout: LONG,
        ..Options::new(seeds.iter().map(|node| seed(node)).collect())
    }
}

/// Two nodes that know each other; A is master of the even partitions, B of the odd ones.
fn pair() -> (FakeNode, FakeNode) {
    let (a, b) = (FakeNode::start("A1"), FakeNode::start("B1"));
    a.set_peers(1, &[&b]);
    b.set_peers(1, &[&a]);
    a.set_map(1, 0, &[&|pid| pid % 2 == 0, &|pid| pid % 2 == 1]);
    b.set_map(1, 0, &[&|pid| pid % 2 == 1, &|pid| pid % 2 == 0]);
    (a, b)
}

fn names(cluster: &Cluster) -> Vec<String> {
    let mut names: Vec<_> = cluster.snapshot().nodes.iter().map(|node| node.name.clone()).collect();
    names.sort();
    names
}

fn master(cluster: &Cluster, pid: u16) -> Option<String> {
    let snapshot = cluster.snapshot();
    Some(snapshot.namespaces.get("test")?.holder(0, pid)?.0.name.clone())
}

/// A text filter must not reach a node that was replaced by an older version under the same name.
#[test]
fn a_node_that_returns_with_another_version_is_identified_again() {
    let (a, b) = pair();
    a.set("build", "8.2.0.0");
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    let reads_texts = |name: &str| {
        let snapshot = cluster.snapshot();
        let node = snapshot.nodes.iter().find(|node| node.name == name)?;
        Some(node.features.has(Features::TEXT_FILTERS))
    };
    assert_eq!((reads_texts("A1"), reads_texts("B1")), (Some(true), Some(false)));
    a.set("build", "8.1.2.0");
    b.set("build", "8.2.0.0");
    eventually("both have their new versions", || {
        (reads_texts("A1"), reads_texts("B1")) == (Some(false), Some(true))
    });
}

#[test]
fn one_seed_leads_to_all_and_to_a_whole_map() {
    let (a, b) = pair();
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    assert_eq!(names(&cluster), ["A1", "B1"]);
    let map = cluster.snapshot().namespaces["test"].clone();
    assert_eq!(map.replicas(), 2);
    for pid in 0..4096 {
        let expected = if pid % 2 == 0 { ["A1", "B1"] } else { ["B1", "A1"] };
        let holders = [0, 1].map(|column| map.holder(column, pid).unwrap().0.name.clone());
        assert_eq!(holders, expected);
    }
    let requests_of = (a.requests_of("replicas"), b.requests_of("replicas"));
    eventually("three more passes", || a.requests_of("peers-generation") > 3);
    assert_eq!(
        (a.requests_of("replicas"), b.requests_of("replicas")),
        requests_of,
        "nothing changed"
    );
    assert!(a.requests_of("user-agent-set") == 1 && b.requests_of("user-agent-set") == 1);
}

#[test]
fn older_servers_do_not_get_the_user_agent() {
    let a = FakeNode::start("A1");
    a.set("build", "8.0.0.5");
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    assert_eq!(cluster.snapshot().nodes[0].build.to_string(), "8.0.0.5");
    eventually("two passes", || a.requests_of("peers-generation") > 2);
    assert_eq!(a.requests_of("user-agent-set"), 0);
}

#[test]
fn a_moved_partition_makes_its_loser_be_read_again() {
    let (a, b) = pair();
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    // Partition 0 moved from A to B and 3 from B to A; only B's generation shows it.
    a.set_map(1, 0, &[&|pid| pid == 3 || (pid % 2 == 0 && pid != 0), &|pid| pid % 2 == 1]);
    b.set_map(2, 0, &[&|pid| pid == 0 || (pid % 2 == 1 && pid != 3), &|pid| pid % 2 == 0]);
    eventually("B is master of 0", || master(&cluster, 0).as_deref() == Some("B1"));
    eventually("A is read again", || master(&cluster, 3).as_deref() == Some("A1"));
}

#[test]
fn reports_of_an_older_regime_are_ignored() {
    let (a, b) = pair();
    a.set_map(1, 5, &[&|_| true, &|_| false]);
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    assert_eq!(master(&cluster, 1).as_deref(), Some("A1"), "B claims it under regime 0");
    assert!(cluster.snapshot().namespaces["test"].strong);
    b.set_map(2, 6, &[&|pid| pid == 1, &|_| false]);
    eventually("regime 6 wins", || master(&cluster, 1).as_deref() == Some("B1"));
    assert_eq!(master(&cluster, 3).as_deref(), Some("A1"));
}

#[test]
fn a_node_that_lost_its_cluster_does_not_rule_the_map() {
    let (a, b) = pair();
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    b.set_peers(2, &[]);
    b.set_map(2, 0, &[&|_| true]);
    let passes = b.requests_of("peers-generation");
    eventually("B was seen", || b.requests_of("peers-generation") > passes + 3);
    assert_eq!(master(&cluster, 0).as_deref(), Some("A1"));
    assert_eq!(names(&cluster), ["A1", "B1"], "A still lists it");
}

#[test]
fn news_of_the_others_does_not_wait_until_a_node_is_removed() {
    let (a, b) = pair();
    let timeout = Duration::from_secs(30);
    let options = Options { connect_timeout: timeout, ..options(&[&a]) };
    let cluster = Cluster::connect(options).unwrap();
    let start = Instant::now();
    b.hang(true);
    let passes = a.requests_of("peers-generation");
    eventually("B is being waited for", || a.requests_of("peers-generation") > passes + 1);
    a.set_map(2, 0, &[&|_| true, &|_| false]);
    eventually("A took over", || master(&cluster, 1).as_deref() == Some("A1"));
    assert!(start.elapsed() < timeout / 4 * 3, "{:?}", start.elapsed());
    b.hang(false);
    let requests_of = b.requests_of("node");
    eventually("B answers again", || b.requests_of("node") > requests_of + 2);
    assert_eq!(names(&cluster), ["A1", "B1"]);
}

#[test]
fn a_node_that_hangs_holds_up_no_other() {
    let (a, b) = pair();
    let options = Options { connect_timeout: Duration::from_secs(2), ..options(&[&a]) };
    let cluster = Cluster::connect(options).unwrap();
    b.hang(true);
    let silent = b.requests_of("node");
    // After the first wait, A is polled often although B never replies.
    let passes = a.requests_of("peers-generation");
    eventually("the first wait is over", || a.requests_of("peers-generation") > passes + 2);
    let (start, passes) = (Instant::now(), a.requests_of("peers-generation"));
    eventually("many passes", || a.requests_of("peers-generation") > passes + 5);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    assert_eq!(b.requests_of("node"), silent);
    a.set_map(2, 0, &[&|_| true, &|_| false]);
    eventually("A took over", || master(&cluster, 1).as_deref() == Some("A1"));
    assert_eq!(names(&cluster), ["A1", "B1"], "A still lists it");
    a.set_peers(2, &[]);
    eventually("B is gone", || names(&cluster) == ["A1"]);
}

#[test]
fn a_peer_that_hangs_from_the_start_is_waited_for_once() {
    let (a, b) = pair();
    b.hang(true);
    let options = Options { connect_timeout: Duration::from_secs(1), ..options(&[&a]) };
    let cluster = Cluster::connect(options).unwrap();
    assert_eq!(names(&cluster), ["A1"]);
    assert_eq!(master(&cluster, 0).as_deref(), Some("A1"), "its map is there meanwhile");
    let (start, passes) = (Instant::now(), a.requests_of("peers-generation"));
    eventually("many passes", || a.requests_of("peers-generation") > passes + 10);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    b.hang(false);
    eventually("B is found", || names(&cluster) == ["A1", "B1"]);
}

#[test]
fn a_connection_cut_in_passing_is_no_failure() {
    let (a, mut b) = pair();
    // No node lists B: it would be removed at its first failure.
    let options = Options { tend_interval: Duration::from_secs(3600), ..options(&[&b]) };
    let c = FakeNode::start("C1");
    a.set_peers(2, &[&c]);
    c.set_peers(2, &[&a]);
    let cluster = Cluster::connect(options).unwrap();
    assert_eq!(names(&cluster), ["A1", "B1", "C1"]);
    b.kill();
    let b = b.revive();
    let requests_of = b.requests_of("node");
    cluster.tend_soon();
    eventually("B was asked", || b.requests_of("node") > requests_of);
    a.set_map(9, 0, &[&|pid| pid != 1]);
    cluster.tend_soon();
    eventually("a later pass", || master(&cluster, 3).as_deref() == Some("A1"));
    assert_eq!(names(&cluster), ["A1", "B1", "C1"]);
    assert!(cluster.snapshot().nodes.iter().all(|node| node.slot < 3));
}

#[test]
fn nodes_are_reached_over_ipv6() {
    if TcpListener::bind("[::1]:0").is_err() {
        return; // This machine has no IPv6.
    }
    let at = || "[::1]:0".parse().unwrap();
    let (a, b) = (FakeNode::start_at("A1", at()), FakeNode::start_at("B1", at()));
    a.set_peers(1, &[&b]);
    b.set_peers(1, &[&a]);
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    assert_eq!(names(&cluster), ["A1", "B1"]);
    assert!(cluster.snapshot().nodes.iter().all(|node| node.address.is_ipv6()));
}

#[test]
fn an_unusable_seed_has_its_reason() {
    let a = FakeNode::start("A1");
    let why = || Cluster::connect(options(&[&a])).unwrap_err().message().to_owned();
    a.set("partition-generation", "-1");
    assert!(why().contains("has not joined a cluster yet"), "{}", why());
    a.set("partition-generation", "1");
    a.set("build", "4.8.0.1");
    assert!(why().contains("server build 4.8.0.1 is too old: 4.9.0.3 is the oldest"), "{}", why());
}

#[test]
fn a_dead_node_that_no_node_lists_goes_with_the_first_nudge() {
    let (a, mut b) = pair();
    let options = Options { tend_interval: Duration::from_secs(3600), ..options(&[&a]) };
    let cluster = Cluster::connect(options).unwrap();
    let gone = cluster.snapshot().nodes.iter().find(|n| n.name == "B1").unwrap().clone();
    b.kill();
    a.set_peers(2, &[]);
    a.set_map(2, 0, &[&|_| true, &|_| false]);
    cluster.tend_soon();
    eventually("B is gone", || names(&cluster) == ["A1"]);
    eventually("B is retired", || !gone.is_active());
    assert_eq!(master(&cluster, 1).as_deref(), Some("A1"));

    let b = b.revive();
    a.set_peers(3, &[&b]);
    cluster.tend_soon();
    eventually("B is back", || names(&cluster) == ["A1", "B1"]);
    let back = cluster.snapshot().nodes.iter().find(|n| n.name == "B1").unwrap().clone();
    assert!(back.slot > gone.slot && back.is_active());
}

#[test]
fn a_peer_that_cannot_be_reached_is_tried_until_it_can() {
    let (a, mut b) = pair();
    b.kill();
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    assert_eq!(names(&cluster), ["A1"]);
    let requests_of = a.requests_of("peers-clear-std");
    eventually("A is asked again", || a.requests_of("peers-clear-std") > requests_of + 2);
    let _b = b.revive();
    eventually("B is found though A's generation stands still", || names(&cluster).len() == 2);
    eventually("the new generation is stored", || {
        let requests_of = a.requests_of("peers-clear-std");
        let passes = a.requests_of("peers-generation");
        eventually("three passes", || a.requests_of("peers-generation") > passes + 3);
        a.requests_of("peers-clear-std") == requests_of
    });
}

#[test]
fn a_peer_with_another_name_at_its_address_does_not_join() {
    let (a, b) = pair();
    b.set("node", "C1");
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    assert_eq!(names(&cluster), ["A1"]);
}

#[test]
fn another_server_at_a_known_address_is_another_node() {
    let (a, mut b) = pair();
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    b.kill();
    let c = FakeNode::start_at("C1", b.address);
    c.set_peers(1, &[&a]);
    a.set_peers(2, &[&c]);
    eventually("C took B's place", || names(&cluster) == ["A1", "C1"]);
}

#[test]
fn a_seed_without_peers_is_used_only_when_none_has_any() {
    let (a, _b) = pair();
    let orphan = FakeNode::start("C1");
    // Even if the others reply slowly.
    a.hang(true);
    let cluster = std::thread::scope(|scope| {
        let connecting = scope.spawn(|| Cluster::connect(options(&[&orphan, &a])).unwrap());
        eventually("the orphan has answered", || orphan.requests_of("node") > 0);
        // The pace of the others: they reply later than the orphan.
        std::thread::sleep(Duration::from_millis(20));
        a.hang(false);
        connecting.join().unwrap()
    });
    assert_eq!(names(&cluster), ["A1", "B1"]);
    let cluster = Cluster::connect(options(&[&orphan])).unwrap();
    assert_eq!(names(&cluster), ["C1"]);
}

#[test]
fn seeds_are_tried_again_when_no_node_is_left() {
    let mut a = FakeNode::start("A1");
    a.set_map(1, 0, &[&|_| true]);
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    a.kill();
    eventually("no node is left", || cluster.snapshot().nodes.is_empty());
    assert!(cluster.snapshot().namespaces.get("test").is_some(), "the namespace is known still");
    assert_eq!(master(&cluster, 0), None);
    let _a = a.revive();
    eventually("A is back", || master(&cluster, 0).as_deref() == Some("A1"));
    // The slot of the node that is gone is used again once nothing holds that node.
    assert!(cluster.snapshot().nodes[0].slot <= 1);
}

#[test]
fn a_restart_between_two_passes_is_noticed() {
    let a = FakeNode::start("A1");
    a.set_peers(7, &[]);
    a.set_map(1, 0, &[&|_| true]);
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    let read = a.requests_of("replicas");
    a.set_peers(2, &[]);
    eventually("the map is read again", || a.requests_of("replicas") > read);
    drop(cluster);
}

#[test]
fn ip_map_and_alternate_addresses_lead_to_nodes() {
    let (a, b) = pair();
    let port = b.address.port();
    a.set("peers-clear-std", format!("1,3000,[[B1,,[10.99.99.99:{port}]]]"));
    let mut mapped = options(&[&a]);
    mapped.ip_map.insert("10.99.99.99".into(), "127.0.0.1".into());
    let cluster = Cluster::connect(mapped).unwrap();
    assert_eq!(names(&cluster), ["A1", "B1"]);

    a.set("peers-clear-alt", format!("1,3000,[[B1,,[127.0.0.1:{port}]]]"));
    b.set("peers-clear-alt", format!("1,3000,[[A1,,[127.0.0.1:{}]]]", a.address.port()));
    let alternate = Options { use_services_alternate: true, ..options(&[&a]) };
    let cluster = Cluster::connect(alternate).unwrap();
    assert_eq!(names(&cluster), ["A1", "B1"]);
}

#[test]
fn racks_are_requested_only_from_nodes_that_have_some() {
    let (a, b) = pair();
    a.set("rack-ids", "test:7");
    let rack =
        |cluster: &Cluster, pid| cluster.snapshot().namespaces["test"].holder(0, pid).unwrap().1;
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    assert_eq!((rack(&cluster, 0), rack(&cluster, 1)), (None, None));
    assert_eq!(a.requests_of("rack-ids"), 0);

    let cluster = Cluster::connect(Options { racks: vec![7], ..options(&[&a]) }).unwrap();
    assert_eq!((rack(&cluster, 0), rack(&cluster, 1)), (Some(7), None), "B answers code 25");
    b.set("rack-ids", "test:9");
    b.set("rebalance-generation", "2");
    eventually("B's rack is known", || rack(&cluster, 1) == Some(9));
}

#[test]
fn error_windows_roll_with_the_passes() {
    let a = FakeNode::start("A1");
    let options = Options { max_error_rate: 2, error_rate_window: 2, ..options(&[&a]) };
    let cluster = Cluster::connect(options).unwrap();
    let node = cluster.snapshot().nodes[0].clone();
    (0..3).for_each(|_| node.breaker.record());
    eventually("the window ends", || !node.breaker.is_open());
}

struct Broom {
    cluster: Weak<Cluster>,
    swept: Mutex<Vec<Tick>>,
    closes: bool,
}

impl UpkeepTask for Broom {
    fn run_upkeep(&self, now: Tick) {
        self.swept.lock().push(now);
        if let Some(cluster) = self.cluster.upgrade().filter(|_| self.closes) {
            cluster.close();
        }
    }
}

fn broom(cluster: &Arc<Cluster>, closes: bool) -> Arc<Broom> {
    let broom =
        Arc::new(Broom { cluster: Arc::downgrade(cluster), swept: Mutex::default(), closes });
    let weak: Weak<Broom> = Arc::downgrade(&broom);
    cluster.add_upkeep_task(weak);
    broom
}

#[test]
fn upkeep_tasks_run_after_each_pass_and_may_close() {
    let (a, _b) = pair();
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    let broom_one = broom(&cluster, false);
    eventually("two sweeps", || broom_one.swept.lock().len() > 1);
    let _broom_two = broom(&cluster, true);
    eventually("closed from the cluster worker's own thread", || cluster.is_closed());
    eventually("nodes are retired", || cluster.snapshot().nodes.is_empty());
    cluster.close();
}

#[test]
fn closing_is_quick_even_while_a_node_hangs() {
    let (a, b) = pair();
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    let node = cluster.snapshot().nodes[0].clone();
    b.hang(true);
    let passes = a.requests_of("node");
    eventually("a pass has begun", || a.requests_of("node") > passes);
    let start = Instant::now();
    cluster.close();
    cluster.close();
    assert!(start.elapsed() < LONG / 2, "{:?}", start.elapsed());
    assert!(cluster.is_closed() && !node.is_active());
    cluster.tend_soon();
    assert_eq!(cluster.info(&node, &command("build")).unwrap_err().kind(), Kind::Closed);
}

#[test]
fn dropping_the_last_handle_stops_the_thread() {
    let a = FakeNode::start("A1");
    let cluster = Cluster::connect(options(&[&a])).unwrap();
    let node = cluster.snapshot().nodes[0].clone();
    drop(cluster);
    assert!(!node.is_active());
    // Requests in flight may still be counted.
    eventually("no more requests arrive", || {
        let requests_of = a.requests_of("node");
        // The pace of the test: some intervals at which nodes are asked.
        std::thread::sleep(Duration::from_millis(200));
        a.requests_of("node") == requests_of
    });
}

#[test]
fn info_goes_to_one_node() {
    let (a, b) = pair();
    let options = Options { connect_timeout: Duration::from_secs(2), ..options(&[&a]) };
    let cluster = Cluster::connect(options).unwrap();
    let find = |name: &str| {
        cluster.snapshot().nodes.iter().find(|node| node.name == name).unwrap().clone()
    };
    let find_one = find("B1");
    assert_eq!(cluster.info(&find_one, &command("build")).unwrap(), "8.1.2.0");
    let error = cluster.info(&find_one, &command("odd")).unwrap_err();
    assert_eq!(error.kind(), Kind::Server(ResultCode::PARAMETER));
    let both = [find("A1"), find_one];
    let answers = cluster.ask(&both, &command("node"), &|| false).unwrap();
    let names: Vec<_> = answers.into_iter().map(|answer| answer.answer.unwrap()).collect();
    assert_eq!(names, ["A1", "B1"]);
    let node = find("B1");
    b.hang(true);
    let error = cluster.info(&node, &command("build")).unwrap_err();
    assert_eq!(error.kind(), Kind::Timeout);
    assert!(error.node().unwrap().contains("B1"), "{error}");
}

#[test]
fn a_list_of_seeds_is_tried_at_once() {
    let (a, _b) = pair();
    // Accepts connections into its backlog and never replies.
    let hole = TcpListener::bind("127.0.0.1:0").unwrap();
    let hole =
        Host { name: "127.0.0.1".into(), tls_name: None, port: hole.local_addr().unwrap().port() };
    let mut options = options(&[&a]);
    options.seeds.insert(0, hole);
    let start = Instant::now();
    let cluster = Cluster::connect(options).unwrap();
    assert!(start.elapsed() < LONG / 2, "did not wait for the hole");
    assert_eq!(names(&cluster), ["A1", "B1"]);
}

fn command(text: &str) -> InfoCommand {
    InfoCommand::new(text).unwrap()
}
