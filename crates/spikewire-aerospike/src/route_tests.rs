use super::*;
use crate::cluster::{Build, NamespaceMaps};

fn cluster() -> (Vec<Arc<Node>>, Snapshot) {
    let nodes: Vec<_> = (0..3)
        .map(|i| {
            let address = format!("127.0.0.1:{}", 3000 + i).parse().unwrap();
            Arc::new(Node::new(i, format!("N{i}"), address, None))
        })
        .collect();
    let with_racks = nodes.iter().map(|node| (node.clone(), Some(node.slot))).collect();
    let mut map = NamespaceMap::new(with_racks, 2);
    map.assign(0, 7, 0);
    map.assign(1, 7, 2);
    let mut namespaces = NamespaceMaps::default();
    namespaces.push("test".to_owned(), Arc::new(map));
    (nodes.clone(), Snapshot { nodes, namespaces, ..Snapshot::default() })
}

fn names(policy: ReplicaPolicy, write: bool, racks: &[u32]) -> Vec<String> {
    let (_, snapshot) = cluster();
    let router = Router::new(racks.to_vec());
    let target = Target::partition("test".into(), 7, write);
    (0..3)
        .map(|step| match router.choose(&snapshot, &target, policy, step) {
            Ok(node) => node.name.clone(),
            Err(error) => format!("{:?}", error.kind()),
        })
        .collect()
}

#[test]
fn each_replica_policy_chooses_its_nodes() {
    assert_eq!(names(ReplicaPolicy::Master, false, &[]), ["N0", "N0", "N0"]);
    assert_eq!(names(ReplicaPolicy::Sequence, false, &[]), ["N0", "N2", "N0"]);
    assert_eq!(names(ReplicaPolicy::Any, true, &[]), ["N0", "N2", "N0"]);
    assert_eq!(names(ReplicaPolicy::PreferRack, false, &[2]), ["N2", "N0", "N2"]);
    assert_eq!(names(ReplicaPolicy::PreferRack, false, &[9, 0]), ["N0", "N2", "N0"]);
    assert_eq!(names(ReplicaPolicy::PreferRack, false, &[1]), ["N0", "N2", "N0"]);
}

#[test]
fn replica_any_spreads_reads_over_the_replicas() {
    let (_, snapshot) = cluster();
    let router = Router::default();
    let target = Target::partition("test".into(), 7, false);
    let next = || router.choose(&snapshot, &target, ReplicaPolicy::Any, 0).unwrap().slot;
    assert_eq!([next(), next(), next()], [0, 2, 0]);
}

fn second(policy: ReplicaPolicy, target: &mut Target) -> Option<(Duration, String, String)> {
    let (_, snapshot) = cluster();
    let router = Router::new(vec![2]);
    let (delay, second) = router.second(&snapshot, target, policy)?;
    let name = |target| router.choose(&snapshot, target, policy, 0).unwrap().name.clone();
    Some((delay, name(target), name(&second)))
}

#[test]
fn a_second_request_goes_to_another_node() {
    let delay = Duration::from_millis(5);
    let hedge = Hedge::after(delay).unwrap();
    let read = || Target::partition("test".into(), 7, false).with_hedge(hedge);
    let pair = |first: &str, other: &str| Some((delay, first.into(), other.into()));
    assert_eq!(second(ReplicaPolicy::Sequence, &mut read()), pair("N0", "N2"));
    assert_eq!(second(ReplicaPolicy::PreferRack, &mut read()), pair("N2", "N0"));
    assert_eq!(second(ReplicaPolicy::Any, &mut read()), pair("N0", "N2"));
    assert_eq!(second(ReplicaPolicy::Master, &mut read()), None);
    let write = Target::partition("test".into(), 7, true).with_hedge(hedge);
    assert_eq!(second(ReplicaPolicy::Sequence, &mut write.clone()), None);
    let (nodes, snapshot) = cluster();
    nodes[2].retire();
    let router = Router::default();
    let seconds = router.second(&snapshot, &mut read(), ReplicaPolicy::Sequence);
    assert!(seconds.is_none(), "one node is left");
}

#[test]
fn a_percentile_is_that_of_the_other_node() {
    let hedge = Hedge::percentile(90.0).unwrap();
    let read = || Target::partition("test".into(), 7, false).with_hedge(hedge);
    let (nodes, snapshot) = cluster();
    let router = Router::default();
    let policy = ReplicaPolicy::Sequence;
    assert!(router.second(&snapshot, &mut read(), policy).is_none(), "nothing is known");
    for _ in 0..100 {
        nodes[0].latencies().record(Duration::from_secs(1));
        nodes[2].latencies().record(Duration::from_millis(3));
    }
    let (delay, _) = router.second(&snapshot, &mut read(), policy).unwrap();
    assert!(delay < Duration::from_millis(4), "{delay:?}");
}

#[test]
fn nodes_that_left_are_passed_over() {
    let (nodes, snapshot) = cluster();
    nodes[0].retire();
    let target = Target::partition("test".into(), 7, true);
    let router = Router::default();
    let choose = |policy| router.choose(&snapshot, &target, policy, 0);
    assert_eq!(choose(ReplicaPolicy::Sequence).unwrap().name, "N2");
    assert_eq!(choose(ReplicaPolicy::Master).unwrap_err().kind(), Kind::NoNode);
    nodes[2].retire();
    assert_eq!(choose(ReplicaPolicy::Sequence).unwrap_err().kind(), Kind::NoNode);
}

#[test]
fn an_unknown_namespace_is_named() {
    let (_, snapshot) = cluster();
    let target = Target::partition("tset".into(), 0, false);
    let error = Router::default().choose(&snapshot, &target, ReplicaPolicy::Master, 0).unwrap_err();
    assert_eq!(error.kind(), Kind::NoNamespace);
    assert!(error.message().contains("\"tset\"") && error.message().contains("test"));
}

#[test]
fn a_cluster_without_namespaces_is_not_known_yet() {
    let snapshot = Snapshot::default();
    let target = Target::partition("test".into(), 0, false);
    let error = Router::default().choose(&snapshot, &target, ReplicaPolicy::Any, 0).unwrap_err();
    assert_eq!(error.kind(), Kind::NoNode);
}

#[test]
fn a_node_that_is_back_gets_reads_little_by_little_and_all_writes() {
    let (mut nodes, mut snapshot) = cluster();
    let long = Duration::from_secs(100_000);
    let back = Node::new(0, "N0".to_owned(), nodes[0].address, None).with_slow_start(long);
    nodes[0] = Arc::new(back);
    let with_racks = nodes.iter().map(|node| (node.clone(), None)).collect();
    let mut map = NamespaceMap::new(with_racks, 2);
    map.assign(0, 7, 0);
    map.assign(1, 7, 2);
    snapshot.namespaces = NamespaceMaps::default();
    snapshot.namespaces.push("test".to_owned(), Arc::new(map));
    let router = Router::default();
    let chosen = |write, policy, step| {
        let target = Target::partition("test".into(), 7, write);
        (0..20).map(|_| router.choose(&snapshot, &target, policy, step).unwrap().slot).sum::<u32>()
    };
    let choose = |write, policy| chosen(write, policy, 0);
    assert_eq!(choose(false, ReplicaPolicy::Sequence), 0, "it has all reads");
    nodes[0].health.returns(Tick::now(), Duration::MAX);
    assert_eq!(choose(false, ReplicaPolicy::Sequence), 40, "the other replica has them");
    assert_eq!(choose(false, ReplicaPolicy::Any), 40);
    assert_eq!(choose(false, ReplicaPolicy::Master), 0, "no other has the say");
    assert_eq!(choose(true, ReplicaPolicy::Sequence), 0, "writes need it");
    assert_eq!(chosen(false, ReplicaPolicy::Sequence, 2), 0, "a retry never goes back for that");
    // It is better than one that does not answer.
    nodes[2].health.suspect(Tick::now());
    assert_eq!(choose(false, ReplicaPolicy::Sequence), 0);
}

/// A cluster whose nodes 0 and 1 are older than node 2.
fn mixed() -> Snapshot {
    let build = |text| Build::parse(text).unwrap();
    let nodes: Vec<_> = (0..3)
        .map(|at| {
            let address = format!("127.0.0.1:{}", 3000 + at).parse().unwrap();
            let of = build(if at == 2 { "8.2.0.0" } else { "8.1.2.0" });
            Arc::new(Node::new(at, format!("N{at}"), address, None).with_build(of, false))
        })
        .collect();
    let mut map = NamespaceMap::new(nodes.iter().map(|node| (node.clone(), None)).collect(), 2);
    map.assign(0, 7, 0);
    map.assign(1, 7, 2);
    map.assign(0, 8, 2);
    let mut namespaces = NamespaceMaps::default();
    namespaces.push("test".to_owned(), Arc::new(map));
    Snapshot { nodes, namespaces, ..Snapshot::default() }
}

#[test]
fn a_command_goes_only_to_a_node_that_has_what_it_needs() {
    let snapshot = mixed();
    let router = Router::default();
    let choose = |partition, needs| {
        let target = Target::partition("test".into(), partition, true).with_needs(needs);
        let node = router.choose(&snapshot, &target, ReplicaPolicy::Sequence, 0);
        node.map(|node| node.name.clone())
    };
    let error = choose(7, Features::STRINGS).unwrap_err();
    assert_eq!(error.kind(), Kind::Unsupported);
    let expected = "string operations: needs server 8.2; node N0 has 8.1.2.0";
    assert_eq!((error.message(), error.node()), (expected, Some("N0 127.0.0.1:3000")));
    assert_eq!(choose(7, Features::NONE).unwrap(), "N0");
    assert_eq!(choose(7, Features::PATHS).unwrap(), "N0");
    assert_eq!(choose(8, Features::STRINGS).unwrap(), "N2");
    let error = choose(8, Features::DEEP_NESTING).unwrap_err();
    assert!(error.message().contains("needs a server before 8.2; node N2 has"), "{error}");
    let error = choose(8, Features::TRANSACTIONS).unwrap_err();
    let expected = "needs server 8.0 Enterprise Edition; node N2 has 8.2.0.0 Community Edition";
    assert!(error.message().ends_with(expected), "{error}");
}

#[test]
fn a_second_request_goes_only_to_a_node_that_has_what_it_needs() {
    let snapshot = mixed();
    let hedge = Hedge::after(Duration::from_millis(5)).unwrap();
    let router = Router::default();
    let second = |needs| {
        let mut target = Target::partition("test".into(), 7, false).with_hedge(hedge);
        target = target.with_needs(needs);
        let (_, second) = router.second(&snapshot, &mut target, ReplicaPolicy::Sequence)?;
        Some(router.choose(&snapshot, &second, ReplicaPolicy::Sequence, 0).unwrap().name.clone())
    };
    assert_eq!(second(Features::STRINGS), Some("N2".to_owned()));
    assert_eq!(second(Features::DEEP_NESTING), None);
}

#[test]
fn a_batch_or_query_needs_it_of_every_node() {
    let snapshot = mixed();
    snapshot.check_features(Features::PATHS | Features::PATH_KEYS).unwrap();
    let error = snapshot.check_features(Features::STRINGS).unwrap_err();
    assert!(error.message().ends_with("needs server 8.2; node N0 has 8.1.2.0"), "{error}");
}
