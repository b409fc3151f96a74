//! Commands about the same record keep their order, whatever happens to those about others; and a
//! connection that the server closed while the driver was held up is not written to.

mod support;

use std::collections::HashMap;
use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use spikewire_transport::topology::Settings;
use spikewire_transport::{OrderKey, Tick};
use support::{
    Bench, DONE, HEAVY, LONG, Manners, Request, Script, Server, Writes, nodes, policy, settings,
};

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % sides
    }
}

/// What a request is about, and its number.
fn read(body: &[u8]) -> (u64, usize) {
    let text = std::str::from_utf8(body).unwrap();
    let (about, number) = text.split_once(' ').unwrap();
    (about.parse().unwrap(), number.parse().unwrap())
}

/// What a server saw.
#[derive(Default)]
struct Seen {
    /// The latest request about each record.
    latest: HashMap<u64, usize>,
    /// Requests without a reply: what they are about, their connection, and the reply.
    open: Vec<(u64, usize, Vec<u8>)>,
}

impl Seen {
    fn note(&mut self, request: &Request) {
        let (about, number) = read(&request.body);
        let latest = self.latest.insert(about, number);
        assert!(latest.is_none_or(|latest| latest < number), "{number} overtook {latest:?}");
        let mut open = self.open.iter().filter(|(other, ..)| *other == about);
        let elsewhere = open.find(|(_, connection, _)| *connection != request.connection);
        assert!(elsewhere.is_none(), "{number} came by another connection than one before it");
        self.open.push((about, request.connection, request.answer(DONE, &request.body)));
    }
}

/// Sends some of the replies that a server owes.
fn reply(server: &Server, seen: &Mutex<Seen>, mut chosen: impl FnMut() -> bool) {
    let owed: Vec<_> = seen.lock().unwrap().open.extract_if(.., |_| chosen()).collect();
    owed.iter().for_each(|(_, connection, reply)| server.send(*connection, reply));
}

/// Stands for every way in which later commands could be sent by another connection: some have many
/// commands, some are full, heavy commands have their own, and commands wait for places.
#[test]
fn commands_about_one_record_keep_their_order_on_several_connections() {
    const COMMANDS: usize = 400;
    for seed in 0..8 {
        let seen = Arc::new(Mutex::new(Seen::default()));
        let own = seen.clone();
        let script: Script = Box::new(move |request: Request| {
            own.lock().unwrap().note(&request);
            Vec::new()
        });
        let server = Server::start(false, Manners::Polite, script);
        let settings = Settings { connections_per_node: 3, depth: 4, ..settings() };
        let mut bench = Bench::<false>::ordered(nodes(server.address, settings));
        let mut dice = Dice(seed);
        for number in 0..COMMANDS {
            let about = dice.roll(12);
            let body = format!("{about} {number}");
            let mut command = Bench::<false>::command(number, body.as_bytes(), policy(LONG));
            command.target = Writes(dice.roll(2) == 0, OrderKey::of(about as u16));
            command.rows = if dice.roll(4) == 0 { HEAVY } else { 1 };
            bench.multiplexer.submit(command, Tick::now());
            if dice.roll(3) == 0 {
                bench.turn();
                reply(&server, &seen, || dice.roll(4) == 0);
            }
        }
        bench.turn_until("all commands have ended", |bench| {
            reply(&server, &seen, || dice.roll(2) == 0);
            bench.endings.len() == COMMANDS
        });
        assert!(server.accepted.load(SeqCst) > 1, "several connections were used");
        assert!(bench.endings.iter().all(|(_, ending)| ending.is_ok()), "seed {seed}");
    }
}

/// Stands for every driver that was held up: the poller has an event that nobody has taken.
#[test]
fn a_connection_closed_while_the_driver_slept_is_not_written_to() {
    let script: Script = Box::new(|request| request.answer(DONE, &request.body));
    let server = Server::start(false, Manners::Polite, script);
    let mut bench = Bench::<false>::ordered(nodes(server.address, settings()));
    bench.submit(1, b"first", policy(LONG));
    bench.ending(1).unwrap();
    server.close(0);
    let (mut poll, mut events) = (Poll::new().unwrap(), Events::with_capacity(1));
    let descriptor = bench.multiplexer.as_raw_fd();
    let registry = poll.registry();
    registry.register(&mut SourceFd(&descriptor), Token(0), Interest::READABLE).unwrap();
    poll.poll(&mut events, Some(LONG)).unwrap();
    assert!(!events.is_empty(), "the end has arrived");
    // After a pause, the first thing that happens is a write; nothing was retried.
    let later = Tick::now().after(Duration::from_secs(1));
    bench.multiplexer.submit(Bench::<false>::command(2, b"second", policy(LONG)), later);
    assert_eq!(bench.ending(2).unwrap(), (b"second".to_vec(), 1));
    assert_eq!(server.accepted.load(SeqCst), 2);
}

#[test]
fn a_connection_idle_for_too_long_is_not_written_to_even_if_no_timer_could_run() {
    let script: Script = Box::new(|request| request.answer(DONE, &request.body));
    let server = Server::start(false, Manners::Polite, script);
    let settings = Settings { idle: Duration::from_secs(30), ..settings() };
    let mut bench = Bench::<false>::ordered(nodes(server.address, settings));
    bench.submit(1, b"first", policy(LONG));
    bench.ending(1).unwrap();
    for (number, pause, connections) in [(2, 29, 1), (3, 31, 2)] {
        let later = Tick::now().after(Duration::from_secs(pause));
        bench.multiplexer.submit(Bench::<false>::command(number, b"x", policy(LONG)), later);
        assert_eq!(bench.ending(number).unwrap(), (b"x".to_vec(), 1));
        assert_eq!(server.accepted.load(SeqCst), connections);
    }
}

/// Stands for every read about what a lost reply was about: reads have no order among themselves, so
/// that they do not wait until the time of the first one is over.
#[test]
fn reads_do_not_wait_for_one_whose_reply_was_lost() {
    let script: Script = Box::new(|request: Request| match request.connection {
        0 => Vec::new(),
        _ => request.answer(DONE, &request.body),
    });
    let server = Server::start(false, Manners::Polite, script);
    let settings = Settings { connections_per_node: 1, ..settings() };
    let mut bench = Bench::<false>::ordered(nodes(server.address, settings));
    bench.is_trusted = false;
    let health = &bench.nodes.clone().node.health;
    let submit = |bench: &mut Bench<false>, number: usize| {
        let mut command = Bench::<false>::command(number, b"x", policy(LONG));
        command.target = Writes(false, OrderKey::UNKNOWN);
        bench.multiplexer.submit(command, Tick::now());
    };
    submit(&mut bench, 1);
    bench.turn_until("the node is silent", |_| health.is_suspected());
    health.answered_probe(Tick::now());
    bench.turn_until("its connection is retired, and reads take another one", |bench| {
        submit(bench, 2);
        bench.endings.iter().any(|(number, _)| *number == 2)
    });
    assert_eq!(server.accepted.load(SeqCst), 2);
    assert!(bench.endings.iter().all(|(number, ending)| *number == 2 && ending.is_ok()));
}
