//! Connections that are opened ahead of the first command.

mod support;

use std::slice;
use std::sync::atomic::Ordering::SeqCst;
use std::time::{Duration, Instant};

use spikewire_transport::Tick;
use spikewire_transport::metrics::Gauges;
use spikewire_transport::open_ahead::open_ahead;
use support::{Bench, DONE, LONG, Manners, Server, Toy, eventually, nodes, policy, settings};

fn server(manners: Manners) -> Server {
    Server::start(true, manners, Box::new(|request| request.answer(DONE, b"ok")))
}

#[test]
fn the_first_commands_find_open_connections() {
    let server = server(Manners::Chatty);
    let nodes = nodes(server.address, settings());
    open_ahead::<Toy<true>>(&nodes, slice::from_ref(&nodes.node), 2);
    assert_eq!(server.accepted.load(SeqCst), 2, "they are open when this returns");
    for driver in 0..3 {
        let mut bench: Bench<true> = Bench::of(nodes.clone());
        bench.submit(1, b"x", policy(LONG));
        assert_eq!(bench.ending(1).unwrap().1, 1);
        let expected = if driver < 2 { 2 } else { 3 };
        assert_eq!(server.accepted.load(SeqCst), expected, "driver {driver}");
    }
    assert_eq!(nodes.events.lock().unwrap().len(), 3, "what came with the handshake is kept");
}

#[test]
fn connections_that_ended_meanwhile_are_not_used() {
    let server = server(Manners::Polite);
    let nodes = nodes(server.address, settings());
    open_ahead::<Toy<true>>(&nodes, slice::from_ref(&nodes.node), 2);
    (0..2).for_each(|connection| server.close(connection));
    eventually("they are closed", || server.ended.load(SeqCst) == 2);
    let mut bench: Bench<true> = Bench::of(nodes.clone());
    bench.submit(1, b"x", policy(LONG));
    assert_eq!(bench.ending(1).unwrap().1, 1, "at the first attempt");
    assert_eq!(server.accepted.load(SeqCst), 3);
}

#[test]
fn connections_that_nobody_needs_are_closed() {
    let server = server(Manners::Polite);
    let nodes = nodes(server.address, settings());
    open_ahead::<Toy<true>>(&nodes, slice::from_ref(&nodes.node), 3);
    let ready = &nodes.node.ready;
    ready.sweep(&Gauges::default(), LONG, Tick::now());
    assert_eq!(server.ended.load(SeqCst), 0);
    ready.sweep(&Gauges::default(), LONG, Tick::now().after(LONG));
    eventually("they are closed", || server.ended.load(SeqCst) == 3);
}

#[test]
fn a_node_that_does_not_answer_is_not_waited_for_longer_than_the_connect_timeout() {
    let silent = server(Manners::Silent);
    let limits = || spikewire_transport::topology::Settings {
        connect_timeout: Duration::from_millis(200),
        ..settings()
    };
    let nodes = nodes(silent.address, limits());
    let start = Instant::now();
    open_ahead::<Toy<true>>(&nodes, slice::from_ref(&nodes.node), 4);
    assert!(start.elapsed() >= Duration::from_millis(200) && start.elapsed() < LONG / 2);
    eventually("all are given up", || silent.ended.load(SeqCst) == silent.accepted.load(SeqCst));
}
