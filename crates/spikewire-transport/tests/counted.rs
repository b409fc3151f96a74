//! When it is decided what metrics keep of a command, and who reads the shared switch for that.

mod support;

use std::sync::atomic::Ordering::SeqCst;

use spikewire_transport::metrics::MetricsFlags;
use spikewire_transport::{Policy, Tick};
use support::{Bench, DONE, LONG, Manners, RETRY, Request, Script, Server, Stay, policy, settings};

const MANY: usize = 32;

fn server(mut failures: u32) -> Server {
    let script: Script = Box::new(move |request: Request| {
        let fails = failures > 0;
        failures = failures.saturating_sub(1);
        request.answer(if fails { RETRY } else { DONE }, &request.body)
    });
    Server::start(false, Manners::Polite, script)
}

/// Opens its connection first, because opening one reads the switch too.
fn bench(server: &Server) -> Bench<false> {
    let mut bench = Bench::new(server.address, settings());
    run(&mut bench, policy(LONG));
    bench
}

/// Runs [`MANY`] commands; returns how often the switch was read meanwhile.
fn run(bench: &mut Bench<false>, policy: Policy<Stay>) -> usize {
    bench.nodes.metrics_reads.store(0, SeqCst);
    (0..MANY).for_each(|number| bench.submit(number, b"x", policy));
    for number in 0..MANY {
        bench.ending(number).unwrap();
    }
    bench.nodes.metrics_reads.load(SeqCst) as usize
}

fn counted(bench: &Bench<false>) -> u64 {
    let commands = bench.nodes.metrics.snapshot().commands;
    commands.iter().map(|(_, totals)| totals.latencies.count()).sum()
}

#[test]
fn with_metrics_off_a_command_reads_the_flags_once() {
    let server = server(0);
    let mut bench = bench(&server);
    assert_eq!(run(&mut bench, policy(LONG)), MANY, "by the driver");
    let metrics_flags = bench.nodes.metrics.metrics_flags();
    assert_eq!(run(&mut bench, Policy { metrics_flags, ..policy(LONG) }), 0, "its host has looked");
    assert_eq!(counted(&bench), 0);
}

#[test]
fn further_attempts_do_not_look_again() {
    let server = server(2 * MANY as u32);
    let mut bench = Bench::<false>::new(server.address, settings());
    bench.submit(
        0,
        b"x",
        Policy { metrics_flags: MetricsFlags::NOTHING, max_retries: 9, ..policy(LONG) },
    );
    bench.turn_until("a server error", |bench| !bench.nodes.failed.lock().unwrap().is_empty());
    bench.nodes.metrics_reads.store(0, SeqCst);
    let failed = bench.failure(0);
    assert_eq!((failed.attempts, bench.nodes.metrics_reads.load(SeqCst)), (10, 0));
}

#[test]
fn a_command_is_counted_if_that_was_on_when_it_began() {
    let server = server(0);
    let mut bench = bench(&server);
    let nodes = bench.nodes.clone();
    // Decided before submission, and kept as decided.
    let earlier = Policy { metrics_flags: nodes.metrics.metrics_flags(), ..policy(LONG) };
    bench.submit(0, b"x", policy(LONG));
    nodes.metrics.turn(true);
    bench.submit(1, b"x", earlier);
    (0..2).for_each(|number| drop(bench.ending(number).unwrap()));
    assert_eq!(counted(&bench), 0);
    bench.submit(2, b"x", policy(LONG));
    bench.ending(2).unwrap();
    assert_eq!(counted(&bench), 1);
}

#[test]
fn commands_that_end_after_metrics_are_off_are_not_counted() {
    let server = server(0);
    let mut bench = bench(&server);
    let nodes = bench.nodes.clone();
    nodes.metrics.turn(true);
    let on = nodes.metrics.metrics_flags();
    assert!(on.counts() && on.begin().at.is_none());
    bench.submit(0, b"x", policy(LONG));
    nodes.metrics.turn(false);
    bench.ending(0).unwrap();
    bench.submit(1, b"x", Policy { metrics_flags: on, timeout: LONG / 1000, ..policy(LONG) });
    bench.multiplexer.expire(Tick::now().after(LONG), &mut |_, _| {});
    assert_eq!(counted(&bench), 0);
    // Once replies were processed, nothing reads the switch any more.
    run(&mut bench, policy(LONG));
    assert_eq!(
        run(&mut bench, Policy { metrics_flags: nodes.metrics.metrics_flags(), ..policy(LONG) }),
        0
    );
}
