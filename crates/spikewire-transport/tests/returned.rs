//! A request that a node cannot execute yet is returned to its ticket, which asks the node
//! something else and sends it again, on every driver.

mod support;

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use spikewire_transport::blocking::Single;
use spikewire_transport::driver::Next;
use spikewire_transport::native::{self, Native};
use spikewire_transport::{
    Attempts, BlockingPool, Command, EventLoop, LoopDriver, Multiplexer, OrderKey, Outcome,
    ResponseHandler, Tick, TicketHandle,
};
use support::{
    DONE, Failed, LONG, Manners, RETURNED, Server, Stay, Toy, Writes, frame, nodes, policy,
    settings,
};

type Proto = Toy<true>;
type BoxedCommand = Box<Command<Writes, Stay, Ticket>>;

/// A server that executes what it was prepared for: "run X" needs one "prepare X". Also returns
/// what it was asked.
fn server() -> (Server, Arc<Mutex<Vec<String>>>) {
    let requests = Arc::new(Mutex::new(Vec::new()));
    let (own, mut ready) = (requests.clone(), HashSet::new());
    let script = move |request: support::Request| {
        let text = String::from_utf8(request.body.clone()).unwrap();
        own.lock().unwrap().push(text.clone());
        match text.split_once(' ').unwrap() {
            ("prepare", what) => {
                ready.insert(what.to_owned());
                request.answer(DONE, b"prepared")
            }
            (_, what) if ready.contains(what) => request.answer(DONE, what.as_bytes()),
            _ => request.answer(RETURNED, b"what?"),
        }
    };
    (Server::start(true, Manners::Polite, Box::new(script)), requests)
}

/// A call: its subject and its progress.
#[derive(Debug)]
struct Ticket {
    what: String,
    deadline: Tick,
    /// The request, if it was returned, and its attempts.
    request: Option<Vec<u8>>,
    attempts: Attempts,
    ended: Option<Result<(Vec<u8>, u32), Failed>>,
}

impl ResponseHandler for Ticket {
    fn returned(&mut self, request: Vec<u8>) {
        assert!(self.request.replace(request).is_none());
    }
}

impl Ticket {
    fn command(what: &str) -> BoxedCommand {
        let ticket = Self {
            what: what.to_owned(),
            deadline: Tick::NEVER,
            request: None,
            attempts: Attempts::default(),
            ended: None,
        };
        let bytes = frame(0, DONE, format!("run {what}").as_bytes());
        let mut command =
            Command::new(bytes, Writes(true, OrderKey::NONE), policy(LONG), Tick::now(), ticket);
        if let TicketHandle::Own(ticket) = &mut command.ticket {
            ticket.deadline = command.deadline;
        }
        command
    }

    /// Decides what follows from an outcome.
    #[expect(clippy::result_large_err, reason = "it is what there is, and moved once")]
    fn settle(mut self, outcome: Outcome<'_, Proto>) -> Result<BoxedCommand, Self> {
        let now = Tick::now();
        match outcome {
            Ok(reply) if reply.code() == RETURNED => {
                assert!(self.request.is_some(), "the request came before its outcome");
                self.attempts = reply.attempts.without_latest();
                let bytes = frame(0, DONE, format!("prepare {}", self.what).as_bytes());
                let deadline = self.deadline;
                let mut command =
                    Command::new(bytes, Writes(false, OrderKey::NONE), policy(LONG), now, self);
                command.deadline = deadline;
                Ok(command)
            }
            Ok(reply) if &reply.body[1..] == b"prepared" => {
                let request = self.request.take().unwrap();
                let (deadline, attempts) = (self.deadline, self.attempts);
                let mut command =
                    Command::new(request, Writes(true, OrderKey::NONE), policy(LONG), now, self);
                (command.deadline, command.attempts) = (deadline, attempts);
                Ok(command)
            }
            outcome => {
                let ended = outcome.map(|reply| (reply.body[1..].to_vec(), reply.attempts.count));
                self.ended = Some(ended);
                Err(self)
            }
        }
    }

    fn check(self) {
        let (body, attempts) = self.ended.unwrap().unwrap();
        assert_eq!((body, attempts), (self.what.into_bytes(), 1));
    }
}

fn check_requests(requests: &Mutex<Vec<String>>, calls: usize) {
    let requests = requests.lock().unwrap();
    for call in 0..calls {
        let mine = requests.iter().filter(|text| text.ends_with(&format!(" {call}")));
        let first: Vec<_> = mine.map(|text| text.split_once(' ').unwrap().0).collect();
        assert_eq!(first, ["run", "prepare", "run"], "{call}");
    }
}

#[derive(Debug, Default)]
struct Loop {
    flush: Cell<bool>,
}

impl EventLoop for Loop {
    fn flush_soon(&self) {
        self.flush.set(true);
    }

    fn wake_at(&self, _: Tick) {}
}

#[test]
fn a_returned_request_is_sent_again_by_an_event_loop() {
    let (server, requests) = server();
    let driver: LoopDriver<Proto, Ticket> =
        LoopDriver::new(Multiplexer::new(nodes(server.address, settings())).unwrap());
    let (on, ended) = (Loop::default(), RefCell::new(Vec::new()));
    let mut deliver =
        |ticket: Ticket, outcome: Outcome<'_, Proto>, next: &mut Next<_, _>| match ticket
            .settle(outcome)
        {
            Ok(command) => next.commands.push(command),
            Err(ticket) => ended.borrow_mut().push(ticket),
        };
    for call in 0..50 {
        driver.submit(&on, Ticket::command(&call.to_string()), Tick::now(), &mut deliver);
    }
    let start = Instant::now();
    while ended.borrow().len() < 50 {
        assert!(start.elapsed() < LONG);
        if on.flush.take() {
            driver.flush(&on, &mut deliver);
        }
        driver.turn(&on, Some(Duration::from_millis(1)), &mut deliver).unwrap();
        if driver.wakes_at() <= Tick::now() {
            driver.expire(&on, &mut deliver);
        }
    }
    ended.into_inner().into_iter().for_each(Ticket::check);
    check_requests(&requests, 50);
}

/// Passes its ticket to whoever waits for it.
#[derive(Debug)]
struct ChannelTicket(Option<Ticket>, mpsc::Sender<Ticket>);

impl ResponseHandler for ChannelTicket {
    fn returned(&mut self, request: Vec<u8>) {
        self.0.as_mut().unwrap().returned(request);
    }
}

impl native::Ticket<Proto> for ChannelTicket {
    fn complete(mut self, outcome: Outcome<'_, Proto>, next: &mut Next<Proto, Self>) {
        let ticket = self.0.take().unwrap();
        match ticket.settle(outcome) {
            Ok(command) => next.commands.extend(command.map(|ticket| Self(Some(ticket), self.1))),
            Err(ticket) => self.1.send(ticket).unwrap(),
        }
    }
}

#[test]
fn a_returned_request_is_sent_again_by_a_native_thread() {
    let (server, requests) = server();
    let native: Native<Proto, ChannelTicket> =
        Native::start(nodes(server.address, settings())).unwrap();
    let (sender, ended) = mpsc::channel();
    for call in 0..50 {
        let command = Ticket::command(&call.to_string());
        let wrap = |ticket| ChannelTicket(Some(ticket), sender.clone());
        assert!(native.submit(command.map(wrap).unwrap()).is_none());
    }
    for _ in 0..50 {
        ended.recv_timeout(LONG).unwrap().check();
    }
    check_requests(&requests, 50);
    native.close();
    let late = Ticket::command("late").map(|ticket| ChannelTicket(Some(ticket), sender));
    assert!(native.submit(late.unwrap()).is_some());
}

fn call(pool: &BlockingPool<Proto, Single<Proto>>, what: &str) {
    let (start, mut body) = (Tick::now(), Vec::new());
    let ask = |bytes, attempts, body: &mut Vec<u8>| {
        let ticket = Single::new(std::mem::take(body));
        let mut command =
            Command::new(bytes, Writes(true, OrderKey::NONE), policy(LONG), start, ticket);
        command.attempts = attempts;
        let mut details = None;
        let now = Tick::now();
        let answered = pool.call(command, now, body, &mut details, None, Some).unwrap();
        (answered, details.and_then(|details| details.returned))
    };
    let run = frame(0, DONE, format!("run {what}").as_bytes());
    let (answered, returned) = ask(run.clone(), Attempts::default(), &mut body);
    assert_eq!(body[0], RETURNED);
    assert_eq!((answered.attempts.count, returned.as_ref()), (1, Some(&run)));
    let first = answered.attempts.without_latest();
    let prepare = frame(0, DONE, format!("prepare {what}").as_bytes());
    assert!(ask(prepare, Attempts::default(), &mut body).1.is_none());
    let (answered, returned) = ask(returned.unwrap(), first, &mut body);
    assert_eq!((&body[1..], answered.attempts.count), (what.as_bytes(), 1));
    assert!(returned.is_none());
}

#[test]
fn a_returned_request_is_sent_again_by_calling_threads() {
    // More than there are connections, so that some share one.
    let (server, requests) = server();
    let pool = BlockingPool::new(&nodes(server.address, settings()));
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let pool = &pool;
            scope.spawn(move || {
                (0..10).for_each(|round| call(pool, &(8 * round + thread).to_string()));
            });
        }
    });
    check_requests(&requests, 80);
    pool.close();
}
