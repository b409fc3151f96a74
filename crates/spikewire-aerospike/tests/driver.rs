//! The event loop driver, with a loop and a node controlled by the test.

mod support;

use std::cell::{Cell, RefCell};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike::clock::Tick;
use spikewire_aerospike::cluster::{Cluster, Node};
use spikewire_aerospike::command::{Command, Target};
use spikewire_aerospike::transport::{EventLoop, LoopDriver, Next};
use spikewire_aerospike::transport::{Multiplexer, Outcome, ResponseHandler};
use spikewire_aerospike::{Kind, Options, Policy};
use spikewire_aerospike_protocol::frame::{self, Kind as Frame};
use spikewire_aerospike_protocol::host::Host;
use spikewire_aerospike_protocol::message::Header;
use support::fake::FakeNode;
use support::{LONG, eventually};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Number(usize);

impl ResponseHandler for Number {}

/// An event loop that records calls.
#[derive(Default)]
struct FakeLoop {
    flushes: Cell<usize>,
    wakes: RefCell<Vec<Tick>>,
}

impl EventLoop for FakeLoop {
    fn flush_soon(&self) {
        self.flushes.set(self.flushes.get() + 1);
    }

    fn wake_at(&self, at: Tick) {
        self.wakes.borrow_mut().push(at);
    }
}

/// A driver, its loop, and the node's end of the one connection.
struct Bench {
    _fake: FakeNode,
    node: Arc<Node>,
    driver: LoopDriver<Number>,
    on: FakeLoop,
    peer: TcpStream,
    ended: RefCell<Vec<(usize, bool)>>,
}

fn message() -> Vec<u8> {
    let mut bytes = Vec::new();
    let start = frame::begin(&mut bytes, Frame::Message);
    bytes.extend_from_slice(&Header::default().to_bytes());
    frame::finish(&mut bytes, start);
    bytes
}

impl Bench {
    /// One command has been answered, so the connection is there.
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let fake = FakeNode::start("FAKE");
        fake.set_map(1, 0, &[&|_| true]);
        let name = fake.address.ip().to_string();
        let mut options =
            Options::new(vec![Host { name, tls_name: None, port: fake.address.port() }]);
        (options.connect_timeout, options.tend_interval) = (LONG, LONG);
        options.connections_per_node = Some(1);
        let driver = LoopDriver::new(Multiplexer::new(Cluster::connect(options).unwrap()).unwrap());
        let node = Arc::new(Node::new(1000, "SCRIPTED".into(), address, None));
        let on = FakeLoop::default();
        let ended = RefCell::default();
        let first = command(&node, 0, Policy::default());
        driver.submit(&on, first, Tick::now(), &mut note(&ended));
        let (peer, _) = listener.accept().unwrap();
        let bench = Self { _fake: fake, node, driver, on, peer, ended };
        bench.turn_until("the request leaves", || bench.arrived() == 1);
        bench.answer(1);
        bench.turn_until("the answer comes", || bench.ended.borrow().len() == 1);
        bench.ended.borrow_mut().clear();
        bench.on.flushes.set(0);
        bench
    }

    fn submit(&self, number: usize) {
        let command = command(&self.node, number, Policy::default());
        self.driver.submit(&self.on, command, Tick::now(), &mut note(&self.ended));
    }

    fn flush(&self) {
        self.driver.flush(&self.on, &mut note(&self.ended));
    }

    fn turn_until(&self, what: &str, mut holds: impl FnMut() -> bool) {
        self.peer.set_nonblocking(true).unwrap();
        eventually(what, || {
            let wait = Some(Duration::from_millis(1));
            self.driver.turn(&self.on, wait, &mut note(&self.ended)).unwrap();
            holds()
        });
    }

    /// Number of requests in flight that arrive.
    fn arrived(&self) -> usize {
        let mut bytes = [0; 4096];
        match (&self.peer).read(&mut bytes) {
            Ok(size) => size / message().len(),
            Err(error) => {
                assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
                0
            }
        }
    }

    fn answer(&self, count: usize) {
        (&self.peer).write_all(&message().repeat(count)).unwrap();
    }

    fn numbers(&self) -> Vec<usize> {
        self.ended.borrow().iter().map(|(number, _)| *number).collect()
    }
}

fn command(node: &Arc<Node>, number: usize, policy: Policy) -> Box<Command<Number>> {
    let target = Target::node(node.clone(), false);
    Command::new(message(), target, policy, Tick::now(), Number(number))
}

/// Records which command ended, and whether it succeeded.
fn note(
    ended: &RefCell<Vec<(usize, bool)>>,
) -> impl FnMut(Number, Outcome<'_>, &mut Next<Number>) + '_ {
    |ticket, outcome, _| ended.borrow_mut().push((ticket.0, outcome.is_ok()))
}

#[test]
fn a_lone_command_is_written_at_once_and_others_share_a_write() {
    let bench = Bench::new();
    bench.submit(1);
    assert_eq!(bench.on.flushes.get(), 0);
    eventually("it arrives without the loop", || bench.arrived() == 1);
    bench.submit(2);
    bench.submit(3);
    assert_eq!(bench.on.flushes.get(), 1, "asked for once");
    assert_eq!(bench.arrived(), 0);
    bench.flush();
    eventually("both arrive", || bench.arrived() == 2);
    bench.answer(3);
    bench.turn_until("all are answered", || bench.numbers() == [1, 2, 3]);
    // Their tasks run first: a flush is due, and what they submit waits for it.
    assert_eq!(bench.on.flushes.get(), 2);
    bench.submit(4);
    assert_eq!(bench.arrived(), 0);
    bench.flush();
    eventually("it arrives", || bench.arrived() == 1);
}

#[test]
fn commands_submitted_by_outcomes_leave_with_the_next_flush() {
    let bench = Bench::new();
    bench.submit(1);
    bench.submit(2);
    bench.flush();
    eventually("both arrive", || bench.arrived() == 2);
    bench.on.flushes.set(0);
    bench.answer(2);
    let seen = RefCell::new(Vec::new());
    eventually("both are answered", || {
        let mut deliver = |ticket: Number, _: Outcome<'_>, next: &mut Next<Number>| {
            seen.borrow_mut().push(ticket.0);
            match ticket.0 {
                1 => next.commands.push(command(&bench.node, 11, Policy::default())),
                // As from a finalizer that runs in the middle of it.
                _ => bench.submit(12),
            }
        };
        let wait = Some(Duration::from_millis(1));
        bench.driver.turn(&bench.on, wait, &mut deliver).unwrap();
        seen.borrow().len() == 2
    });
    assert_eq!(bench.on.flushes.get(), 1);
    assert_eq!(bench.arrived(), 0);
    bench.flush();
    eventually("what they led to arrives", || bench.arrived() == 2);
}

#[test]
fn the_timer_is_only_set_to_earlier_times() {
    let bench = Bench::new();
    let limits = [100, 50, 70, 20].map(|millis| {
        let timeout = Duration::from_millis(millis);
        Policy { timeout, ..Policy::default() }
    });
    bench.driver.expire(&bench.on, &mut note(&bench.ended));
    bench.on.wakes.borrow_mut().clear();
    for (number, policy) in limits.into_iter().enumerate() {
        let command = command(&bench.node, number, policy);
        bench.driver.submit(&bench.on, command, Tick::now(), &mut note(&bench.ended));
    }
    let wakes = bench.on.wakes.borrow().clone();
    assert!(wakes.is_sorted_by(|earlier, later| later < earlier), "{wakes:?}");
    assert!(wakes.len() <= 3 && wakes.last() == Some(&bench.driver.wakes_at()));
    eventually("all are overdue", || {
        if bench.driver.wakes_at() <= Tick::now() {
            bench.driver.expire(&bench.on, &mut note(&bench.ended));
        }
        bench.ended.borrow().len() == 4
    });
    assert!(bench.ended.borrow().iter().all(|(_, good)| !good));
}

#[test]
fn a_pause_ends_at_its_time() {
    let bench = Bench::new();
    let at = Tick::now().after(Duration::from_millis(50));
    let next = Next { commands: Vec::new(), pauses: vec![(at, Number(7))] };
    bench.driver.submit_all(&bench.on, next);
    bench.flush();
    assert!(bench.driver.wakes_at() <= at);
    eventually("it is over", || {
        if bench.driver.wakes_at() <= Tick::now() {
            bench.driver.expire(&bench.on, &mut note(&bench.ended));
        }
        let over = !bench.ended.borrow().is_empty();
        assert_eq!(over, over && Tick::now() >= at);
        over
    });
    assert_eq!(bench.numbers(), [7]);
}

#[test]
fn closing_leaves_nothing_pending() {
    let bench = Bench::new();
    bench.submit(1);
    bench.submit(2);
    let pauses = vec![(Tick::NEVER, Number(3))];
    bench.driver.submit_all(&bench.on, Next { commands: Vec::new(), pauses });
    bench.flush();
    let seen = RefCell::new(Vec::new());
    bench.driver.close(&bench.on, &mut |ticket: Number, outcome: Outcome<'_>, next| {
        assert_eq!(outcome.unwrap_err().kind(), Kind::Closed);
        seen.borrow_mut().push(ticket.0);
        // A batch with further rounds: one at once, one later, and one from elsewhere.
        match ticket.0 {
            1 => next.commands.push(command(&bench.node, 4, Policy::default())),
            2 => next.pauses.push((Tick::NEVER, Number(5))),
            5 => bench.driver.submit_all(
                &bench.on,
                Next {
                    commands: vec![command(&bench.node, 6, Policy::default())],
                    pauses: Vec::new(),
                },
            ),
            _ => {}
        }
    });
    let mut seen = seen.into_inner();
    seen.sort_unstable();
    assert_eq!(seen, [1, 2, 3, 4, 5, 6]);
    bench.submit(7);
    assert_eq!(*bench.ended.borrow(), [(7, false)], "what comes too late fails at once");
    let late = bench.driver.post(&bench.on, command(&bench.node, 8, Policy::default()));
    assert!(late.is_some());
}

/// Something that another driver does, and that a ticket waits for pause by pause, must not keep
/// this one from closing: it may hold the event loop that the other needs.
#[test]
fn closing_does_not_wait_for_a_ticket_that_would_pause_again() {
    let bench = Bench::new();
    bench.submit(1);
    bench.driver.submit_all(
        &bench.on,
        Next { commands: Vec::new(), pauses: vec![(Tick::NEVER, Number(2))] },
    );
    bench.flush();
    let completed = RefCell::new(Vec::new());
    bench.driver.close(&bench.on, &mut |ticket: Number, outcome: Outcome<'_>, next| {
        assert_eq!(outcome.unwrap_err().kind(), Kind::Closed);
        assert!(completed.borrow().len() < 8, "it is told for ever: {completed:?}");
        completed.borrow_mut().push(ticket.0);
        next.pauses.push((Tick::NEVER, ticket));
    });
    // The command's ticket pauses once, and is told that this is over as well.
    assert_eq!(completed.into_inner(), [1, 2, 1]);
}

#[test]
fn closing_in_the_midst_of_outcomes_happens_behind_them() {
    let bench = Bench::new();
    for number in 1..=3 {
        bench.submit(number);
    }
    bench.flush();
    eventually("all arrive", || bench.arrived() == 3);
    bench.answer(1);
    let seen = RefCell::new(Vec::new());
    eventually("the others fail", || {
        let mut deliver = |ticket: Number, outcome: Outcome<'_>, _: &mut Next<Number>| {
            seen.borrow_mut().push((ticket.0, outcome.is_ok()));
            if ticket.0 == 1 {
                bench.driver.close(&bench.on, &mut note(&bench.ended));
            }
        };
        let wait = Some(Duration::from_millis(1));
        bench.driver.turn(&bench.on, wait, &mut deliver).unwrap();
        seen.borrow().len() == 3
    });
    assert_eq!(*seen.borrow(), [(1, true), (2, false), (3, false)]);
    assert!(bench.ended.borrow().is_empty());
}
