//! A long burst of commands from an event loop's tasks is not held back until the flush.

mod support;

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use spikewire_transport::driver::Next;
use spikewire_transport::{
    Command, EventLoop, LoopDriver, Multiplexer, OrderKey, Outcome, ResponseHandler, Tick,
};
use support::{
    DONE, LONG, Manners, Server, Toy, Writes, eventually, frame, nodes, policy, settings,
};

type Proto = Toy<true, 200>;

#[derive(Debug)]
struct Ticket;

impl ResponseHandler for Ticket {}

/// A loop that never calls back.
struct Idle;

impl EventLoop for Idle {
    fn flush_soon(&self) {}

    fn wake_at(&self, _: Tick) {}
}

#[test]
fn a_burst_is_written_before_the_flush() {
    let requests = Arc::new(AtomicUsize::new(0));
    let own = requests.clone();
    let script = move |request: support::Request| {
        own.fetch_add(1, SeqCst);
        request.answer(DONE, b"")
    };
    let server = Server::start(true, Manners::Polite, Box::new(script));
    let driver: LoopDriver<Proto, Ticket> =
        LoopDriver::new(Multiplexer::new(nodes(server.address, settings())).unwrap());
    let ended = Cell::new(0);
    let deliver = || {
        |_: Ticket, outcome: Outcome<'_, Proto>, _: &mut Next<Proto, Ticket>| {
            outcome.unwrap();
            ended.set(ended.get() + 1);
        }
    };
    let submit = |count: usize| {
        for _ in 0..count {
            let bytes = frame(0, DONE, b"x");
            let command = Command::new(
                bytes,
                Writes(false, OrderKey::NONE),
                policy(LONG),
                Tick::now(),
                Ticket,
            );
            driver.submit(&Idle, command, Tick::now(), &mut deliver());
        }
    };
    let turn_until = |count: usize| {
        let start = Instant::now();
        while ended.get() < count {
            assert!(start.elapsed() < LONG);
            driver.turn(&Idle, Some(Duration::from_millis(1)), &mut deliver()).unwrap();
        }
    };
    submit(1);
    // The connection is open.
    turn_until(1);
    // One alone, then as many as pay if few are in flight, then twice as many each time.
    let (early, rest) = (1 + 16 + 32, 10);
    submit(early + rest);
    eventually("the bursts", || requests.load(SeqCst) == 1 + early);
    driver.flush(&Idle, &mut deliver());
    turn_until(1 + early + rest);
    // With many in flight, half of them.
    let many = 104;
    submit(many);
    driver.flush(&Idle, &mut deliver());
    let known = 1 + early + rest + many;
    eventually("all that was flushed", || requests.load(SeqCst) == known);
    driver.turn(&Idle, Some(LONG), &mut deliver()).unwrap();
    submit(many / 2 + rest);
    eventually("half", || requests.load(SeqCst) >= known + many / 2);
    assert!(requests.load(SeqCst) < known + many / 2 + rest, "the rest waits");
    driver.flush(&Idle, &mut deliver());
    turn_until(known + many / 2 + rest);
}
