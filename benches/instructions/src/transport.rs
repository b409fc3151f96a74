//! Commands of a protocol without content through a real socket: the cost of the transport itself,
//! from the submitted command to its outcome.
//!
//! The peer is a thread that replies when it has received a whole round of requests, in one write,
//! so every run sees the same system calls with the same results.

use std::cell::Cell;
use std::fmt;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use spikewire_transport::protocol::{Answers, Frame, Framing, Malformed, RequestKind, Sharing};
use spikewire_transport::topology::{Endpoint, Preference, Settings, Target};
use spikewire_transport::{
    BlockingPool, BlockingTicket, Breaker, CallerLimits, Command, CommandError, EventLoop, Fault,
    Health, LoopDriver, Multiplexer, Outcome, Policy, Protocol, ResponseHandler, Tick, Topology,
};

use crate::{Benchmark, repeat};

/// The benchmarks of this file.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "transport: blocking", run: blocking },
    Benchmark { name: "transport: loop, 1 at once", run: || on_a_loop(1) },
    Benchmark { name: "transport: loop, 32 at once", run: || on_a_loop(32) },
];

const TIMES: u64 = 200;
/// Bytes of every request and reply.
const FRAME: usize = 100;

/// Frames of one length, answered in order.
#[derive(Debug)]
struct Plain;

impl Framing for Plain {
    fn cut(&mut self, bytes: &[u8]) -> Result<Option<Frame>, Malformed> {
        let frame = Frame { header: 0, len: FRAME, answers: Answers::Oldest };
        Ok((!bytes.is_empty()).then_some(frame))
    }
}

impl Protocol for Plain {
    type Topology = Peer;
    type Code = u8;

    fn new(_: &Peer, _: &Node) -> Self {
        Self
    }

    fn code(body: &[u8]) -> u8 {
        body[0]
    }

    fn server_error(_: &[u8]) -> Failed {
        unreachable!("nothing is refused")
    }

    fn sharing(_: usize, _: usize, _: RequestKind) -> Sharing {
        Sharing::Shared
    }
}

/// The only node.
#[derive(Debug)]
struct Node {
    address: SocketAddr,
    breaker: Breaker,
    health: Health,
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.address.fmt(f)
    }
}

impl Endpoint for Node {
    fn key(&self) -> u32 {
        0
    }

    fn address(&self) -> SocketAddr {
        self.address
    }

    fn is_active(&self) -> bool {
        true
    }

    fn breaker(&self) -> &Breaker {
        &self.breaker
    }

    fn health(&self) -> &Health {
        &self.health
    }
}

#[derive(Debug, Clone)]
struct Nothing;

impl Target for Nothing {
    fn writes(&self) -> bool {
        false
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Default)]
struct Stay;

impl Preference for Stay {
    fn moves_on(self) -> bool {
        false
    }
}

#[derive(Debug, Clone)]
struct Failed(#[allow(dead_code, reason = "shown when a benchmark fails")] Fault);

impl From<Fault> for Failed {
    fn from(fault: Fault) -> Self {
        Self(fault)
    }
}

impl CommandError for Failed {
    fn after(self, _: u32, _: bool) -> Self {
        self
    }

    fn tried(&self) -> (u32, bool) {
        (1, false)
    }

    fn on(self, _: String) -> Self {
        self
    }

    fn is_final(&self) -> bool {
        true
    }
}

/// The cluster.
#[derive(Debug)]
struct Peer(Arc<Node>);

impl Topology for Peer {
    type Node = Node;
    type Target = Nothing;
    type Preference = Stay;
    type Error = Failed;
    type Router = ();

    fn router(&self) {}

    fn route(&self, (): &(), _: &Nothing, _: Stay, _: u32) -> Result<Arc<Node>, Failed> {
        Ok(self.0.clone())
    }

    fn settings(&self) -> Settings {
        let minute = Duration::from_secs(60);
        let (connections_per_node, depth, queue) = (1, 512, 512);
        let (in_flight, connect_timeout, idle) = (usize::MAX, minute, minute);
        Settings { connections_per_node, depth, queue, in_flight, connect_timeout, idle }
    }

    fn is_closed(&self) -> bool {
        false
    }

    fn refresh_soon(&self) {}

    fn has_alternative(&self, _: &Nothing, _: Stay, _: &Node) -> bool {
        false
    }

    fn suspects(&self, _: &Arc<Node>) {}
}

/// Starts a peer that answers `round` requests at a time.
fn peer(round: usize) -> Arc<Peer> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("it has an address");
    thread::spawn(move || {
        for stream in listener.incoming() {
            // The thread ends with its connection.
            let _ = stream.and_then(|stream| answer(stream, round));
        }
    });
    Arc::new(Peer(Arc::new(Node {
        address,
        breaker: Breaker::default(),
        health: Health::default(),
    })))
}

fn answer(mut stream: TcpStream, round: usize) -> std::io::Result<()> {
    let mut bytes = vec![0; round * FRAME];
    loop {
        stream.read_exact(&mut bytes)?;
        stream.write_all(&bytes)?;
    }
}

/// Records whether it was completed.
#[derive(Debug)]
struct Ticket(bool);

impl ResponseHandler for Ticket {}

impl BlockingTicket<Plain> for Ticket {
    fn complete(&mut self, outcome: Outcome<'_, Plain>) {
        self.0 = outcome.is_ok();
    }
}

#[expect(clippy::unnecessary_box_returns, reason = "drivers take boxed commands")]
fn command() -> Box<Command<Nothing, Stay, Ticket>> {
    let policy = Policy { timeout: Duration::from_secs(60), ..Policy::default() };
    let mut bytes = spikewire_transport::buffer::take();
    bytes.resize(FRAME, 1);
    Command::new(bytes, Nothing, policy, Tick::now(), Ticket(false))
}

fn blocking() -> u64 {
    let pool = BlockingPool::new(&peer(1));
    repeat(TIMES, || {
        let (command, now) = (command(), Tick::now());
        let deadline = command.deadline;
        let limits =
            CallerLimits { now, deadline, alone: false, punctual: false, interrupted: None };
        let ran = pool.run(std::iter::once(command), limits, |Ticket(done)| assert!(done));
        ran.expect("it is answered");
    })
}

/// An event loop that runs callbacks immediately, because nothing else runs on it.
struct Bare;

impl EventLoop for Bare {
    fn flush_soon(&self) {}

    fn wake_at(&self, _: Tick) {}
}

fn on_a_loop(round: usize) -> u64 {
    let driver = LoopDriver::new(Multiplexer::new(peer(round)).expect("it has a poller"));
    let rounds = repeat(TIMES / 4, || {
        let done = Cell::new(0);
        let mut deliver = |_: Ticket, outcome: Outcome<'_, Plain>, _: &mut _| {
            outcome.expect("it is answered");
            done.set(done.get() + 1);
        };
        for _ in 0..round {
            driver.submit(&Bare, command(), Tick::now(), &mut deliver);
        }
        driver.flush(&Bare, &mut deliver);
        while done.get() < round {
            driver.turn(&Bare, None, &mut deliver).expect("it can be waited for");
        }
    });
    rounds * round as u64
}
