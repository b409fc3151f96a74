//! The cluster module against the embedded cluster, and against seeds that lead nowhere.

mod support;

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use spikewire_aerospike::cluster::{Cluster, Snapshot};
use spikewire_aerospike::{Error, Kind, Options};
use spikewire_aerospike_protocol::host::{Host, parse_hosts};
use spikewire_aerospike_protocol::limits::PARTITIONS;
use spikewire_aerospike_server::{Cluster as Server, Options as ServerOptions};
use support::{LONG, eventually};

fn server(nodes: usize) -> Server {
    Server::start(ServerOptions { nodes, ..ServerOptions::default() }).unwrap()
}

fn host(address: SocketAddr) -> Host {
    Host { name: address.ip().to_string(), tls_name: None, port: address.port() }
}

fn options(seeds: &[SocketAddr]) -> Options {
    Options {
        tend_interval: Duration::from_millis(100),
        connect_timeout: LONG,
        ..Options::new(seeds.iter().copied().map(host).collect())
    }
}

fn connect_error(options: Options) -> Error {
    Cluster::connect(options).unwrap_err()
}

/// A port that refuses connections (no other socket gets it until the guard is dropped).
fn refusing() -> (socket2::Socket, SocketAddr) {
    let socket = socket2::Socket::new(socket2::Domain::IPV4, socket2::Type::STREAM, None).unwrap();
    socket.bind(&"127.0.0.1:0".parse::<SocketAddr>().unwrap().into()).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    (socket, address)
}

/// Whether every partition of `test` has this many replicas on different nodes of the snapshot.
fn is_complete(snapshot: &Snapshot, replicas: usize) -> bool {
    let Some(map) = snapshot.namespaces.get("test") else { return false };
    map.replicas() == replicas
        && (0..PARTITIONS as u16).all(|pid| {
            let holders: Vec<_> =
                (0..replicas).filter_map(|column| map.holder(column, pid)).collect();
            let mut slots: Vec<u32> = holders.iter().map(|(node, _)| node.slot).collect();
            slots.dedup();
            slots.len() == replicas
                && holders.iter().all(|(holder, _)| {
                    holder.is_active() && snapshot.nodes.iter().any(|n| Arc::ptr_eq(n, holder))
                })
        })
}

#[test]
fn three_nodes_from_one_seed_with_a_whole_map() {
    let server = server(3);
    let cluster = Cluster::connect(options(&server.seeds()[1..2])).unwrap();
    let snapshot = cluster.snapshot();
    let mut addresses: Vec<_> = snapshot.nodes.iter().map(|node| node.address).collect();
    addresses.sort();
    let mut expected = server.seeds();
    expected.sort();
    assert_eq!(addresses, expected);
    assert!(is_complete(&snapshot, 2));
}

#[test]
fn one_node_is_a_cluster() {
    let server = server(1);
    let cluster = Cluster::connect(options(&server.seeds())).unwrap();
    assert!(is_complete(&cluster.snapshot(), 1));
    let port = server.seeds()[0].port();
    let by_name = Options::new(parse_hosts("localhost", port).unwrap());
    let cluster = Cluster::connect(by_name).unwrap();
    assert_eq!(cluster.snapshot().nodes.len(), 1, "although localhost may be ::1 first");
}

#[test]
fn a_killed_node_leaves_and_comes_back_as_another() {
    let server = server(3);
    let cluster = Cluster::connect(options(&server.seeds()[..1])).unwrap();
    let name = server.node_name(2).unwrap();
    let before = cluster.snapshot().nodes.iter().find(|node| node.name == name).unwrap().clone();

    server.kill(2).unwrap();
    cluster.tend_soon();
    eventually("the node left", || !before.is_active() && cluster.snapshot().nodes.len() == 2);
    assert!(server.wait_settled(LONG));
    eventually("the map is whole again", || is_complete(&cluster.snapshot(), 2));

    server.restart(2).unwrap();
    eventually("the node came back", || cluster.snapshot().nodes.len() == 3);
    let after = cluster.snapshot().nodes.iter().find(|node| node.name == name).unwrap().clone();
    assert!(after.slot > before.slot && after.is_active() && !before.is_active());
    assert!(server.wait_settled(LONG));
    eventually("it holds partitions again", || {
        let snapshot = cluster.snapshot();
        let map = &snapshot.namespaces["test"];
        let holds = |pid| map.holder(0, pid).is_some_and(|(node, _)| Arc::ptr_eq(node, &after));
        is_complete(&snapshot, 2) && (0..PARTITIONS as u16).any(holds)
    });
}

#[test]
fn tend_soon_refreshes_the_map_before_the_interval_ends() {
    let server = server(3);
    let hourly =
        Options { tend_interval: Duration::from_secs(3600), ..options(&server.seeds()[..1]) };
    let cluster = Cluster::connect(hourly).unwrap();
    server.kill(1).unwrap();
    eventually("every partition has a living master", || {
        cluster.tend_soon();
        let snapshot = cluster.snapshot();
        snapshot.nodes.len() == 2 && {
            let map = &snapshot.namespaces["test"];
            (0..PARTITIONS as u16).all(|pid| map.holder(0, pid).is_some())
        }
    });
}

#[test]
fn a_wrong_cluster_name_is_reported() {
    let server = server(1);
    let mut options = options(&server.seeds());
    options.cluster_name = Some("green".to_owned());
    let error = connect_error(options.clone());
    assert_eq!(error.kind(), Kind::Connection);
    assert!(
        error.message().contains("wrong cluster name 'spikewire', expected 'green'"),
        "{error}"
    );
    options.cluster_name = Some("spikewire".to_owned());
    assert!(Cluster::connect(options).is_ok());
}

#[test]
fn a_seed_that_speaks_http_is_recognised() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let web = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 512]);
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n").unwrap();
    });
    let error = connect_error(options(&[address]));
    web.join().unwrap();
    assert_eq!(error.kind(), Kind::Connection);
    assert_eq!(
        error.message(),
        format!(
            "cannot connect to the cluster: seed {address}: answered with something that is not \
             this protocol (an HTTP server?)"
        )
    );
}

#[test]
fn every_failed_seed_has_its_reason() {
    let (_guard, refusing) = refusing();
    let mut options = options(&[refusing]);
    options.seeds.push(parse_hosts("no-such-host.invalid", 3000).unwrap().remove(0));
    let error = connect_error(options);
    assert_eq!(error.kind(), Kind::Connection);
    assert!(error.message().contains(&format!("seed {refusing}: connection refused; ")), "{error}");
    assert!(error.message().contains("seed no-such-host.invalid:3000: "), "{error}");
}

#[test]
fn an_unresponsive_seed_costs_one_connect_timeout() {
    let hole = TcpListener::bind("127.0.0.1:0").unwrap();
    let timeout = Duration::from_secs(3);
    let address = hole.local_addr().unwrap();
    let options = Options { connect_timeout: timeout, ..options(&[address, address]) };
    let start = Instant::now();
    let error = connect_error(options);
    let took = start.elapsed();
    assert!(took >= timeout && took < timeout * 2, "{took:?}");
    assert!(error.message().contains("connected, but no answer within 3s"), "{error}");
}

#[test]
fn one_good_seed_is_enough() {
    let server = server(2);
    let hole = TcpListener::bind("127.0.0.1:0").unwrap();
    let (_guard, refusing) = refusing();
    let seeds = [refusing, hole.local_addr().unwrap(), server.seeds()[1]];
    let start = Instant::now();
    let cluster = Cluster::connect(Options { connect_timeout: LONG, ..options(&seeds) }).unwrap();
    assert!(start.elapsed() < LONG / 2, "the hole is not waited for");
    assert_eq!(cluster.snapshot().nodes.len(), 2);
}

#[test]
fn a_seed_with_a_tls_name_is_never_tried_in_plain_text() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let mut options = options(&[listener.local_addr().unwrap()]);
    options.seeds[0].tls_name = Some("node.example".to_owned());
    let error = connect_error(options);
    assert_eq!(error.kind(), Kind::Invalid);
    assert!(error.message().contains("nothing was sent in plain text"), "{error}");
    assert!(listener.accept().is_err(), "no connection was made");
}

#[test]
fn invalid_options_are_rejected() {
    assert_eq!(connect_error(Options::new(Vec::new())).kind(), Kind::Invalid);
    let mut options = options(&["127.0.0.1:3000".parse().unwrap()]);
    options.ip_map.insert("10.0.0.1".to_owned(), "not/a/host".to_owned());
    let error = connect_error(options);
    assert_eq!(error.kind(), Kind::Invalid);
    assert!(error.message().contains("10.0.0.1") && error.message().contains("not/a/host"));
}

#[test]
fn racks_of_nodes_are_known_for_rack_aware_reads() {
    let server =
        Server::start(ServerOptions { nodes: 2, racks: vec![7, 9], ..ServerOptions::default() })
            .unwrap();
    let options = Options { racks: vec![9], ..options(&server.seeds()) };
    let cluster = Cluster::connect(options).unwrap();
    let snapshot = cluster.snapshot();
    for pid in 0..PARTITIONS as u16 {
        let (node, rack) = snapshot.namespaces["test"].holder(0, pid).unwrap();
        let second = node.name == server.node_name(1).unwrap();
        assert_eq!(rack, Some(if second { 9 } else { 7 }));
    }
}
