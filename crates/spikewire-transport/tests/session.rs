//! A connection for one thread: requests, replies, events.

mod support;

use std::net::TcpListener;
use std::time::{Duration, Instant};

use spikewire_transport::dial::DialError;
use spikewire_transport::protocol::Answers;
use spikewire_transport::{Session, SessionError, Tick};
use support::{DONE, LONG, Manners, SOON, Server, Toy, VERDICT, event, frame};

fn soon() -> Tick {
    Tick::now().after(SOON)
}

fn long() -> Tick {
    Tick::now().after(LONG)
}

/// A server that does what a request says.
fn server(sealed: bool, manners: Manners) -> Server {
    let mut silent = Vec::new();
    let script = move |request: support::Request| match &request.body[..] {
        b"silence" => {
            silent.push(request);
            Vec::new()
        }
        b"events" => {
            [event(b"one"), event(b"two"), request.answer(DONE, b"done"), event(b"three")].concat()
        }
        b"verdict" => frame(VERDICT, DONE, b"enough"),
        b"nonsense" => vec![0xff; 20],
        b"another" => frame(request.id + 1, DONE, b"not yours"),
        b"endless" => event(b"again").repeat(20_000),
        body => request.answer(DONE, body),
    };
    Server::start(sealed, manners, Box::new(script))
}

fn ask<const SEALED: bool>(
    session: &mut Session<Toy<SEALED>>,
    id: u16,
    body: &[u8],
    until: Tick,
) -> Result<Vec<u8>, SessionError> {
    let answer = session.ask(&frame(id, DONE, body), Answers::Id(id), until)?;
    Ok(answer[1..].to_vec())
}

fn requests_and_events<const SEALED: bool>() {
    let server = server(SEALED, Manners::Chatty);
    let mut session = Session::open(server.address, None, <Toy<SEALED>>::default(), LONG).unwrap();
    assert_eq!(session.addresses().unwrap().0, server.address);
    let large: Vec<u8> = (0..3_000_000_u32).map(|at| (at % 251) as u8).collect();
    assert_eq!(ask(&mut session, 1, b"hello", long()).unwrap(), b"hello");
    assert!(ask(&mut session, 2, &large, long()).unwrap() == large);
    assert_eq!(ask(&mut session, 3, b"events", long()).unwrap(), b"done");
    for expected in [&b"welcome"[..], b"one", b"two", b"three"] {
        assert_eq!(session.wait(long()).unwrap().unwrap()[1..], *expected);
    }
    // Nothing more arrives, and the session is still usable.
    assert!(session.wait(soon()).unwrap().is_none());
    assert_eq!(ask(&mut session, 1, b"again", long()).unwrap(), b"again");
}

#[test]
fn requests_are_answered_and_events_are_queued() {
    requests_and_events::<false>();
    requests_and_events::<true>();
}

#[test]
fn a_session_that_failed_is_over() {
    type Expected = fn(&SessionError) -> bool;
    let cases: [(&[u8], Expected); 5] = [
        (b"silence", |error| matches!(error, SessionError::TimedOut)),
        (b"verdict", |error| matches!(error, SessionError::Ended(why) if why == "enough")),
        (b"nonsense", |error| matches!(error, SessionError::Malformed(_))),
        (b"another", |error| error.to_string().contains("nobody asked for")),
        (b"endless", |error| error.to_string().contains("too many events")),
    ];
    for (body, expected) in cases {
        let server = server(false, Manners::Polite);
        let mut session =
            Session::open(server.address, None, <Toy<false>>::default(), LONG).unwrap();
        let until = if body == b"silence" { soon() } else { long() };
        let error = ask(&mut session, 1, body, until).unwrap_err();
        assert!(expected(&error), "{error}");
        assert!(matches!(ask(&mut session, 2, b"x", long()), Err(SessionError::Over)));
    }
}

#[test]
fn a_failed_handshake_reports_why() {
    let open = |address, within| Session::open(address, None, <Toy<true>>::default(), within);
    let rude = server(true, Manners::Rude);
    let error = open(rude.address, LONG).unwrap_err();
    assert!(matches!(&error, DialError::Rejected(why) if why.contains("like us")), "{error}");
    let silent = server(true, Manners::Silent);
    let error = open(silent.address, SOON).unwrap_err();
    assert!(matches!(&error, DialError::Io(error) if error.kind() == std::io::ErrorKind::TimedOut));
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert!(matches!(open(nobody, LONG), Err(DialError::Io(_))));
}

#[test]
fn another_thread_ends_a_wait() {
    let server = server(false, Manners::Polite);
    let mut session = Session::open(server.address, None, <Toy<false>>::default(), LONG).unwrap();
    let waker = session.waker().unwrap();
    // Before the wait, even with a request in between.
    waker.wake().unwrap();
    assert_eq!(ask(&mut session, 1, b"x", long()).unwrap(), b"x");
    let start = Instant::now();
    assert!(session.wait(long()).unwrap().is_none());
    // And during one.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // The pace of the test: the wait has probably begun, and nothing tells when.
            std::thread::sleep(Duration::from_millis(20));
            waker.wake().unwrap();
        });
        assert!(session.wait(long()).unwrap().is_none());
    });
    assert!(start.elapsed() < LONG);
    assert_eq!(ask(&mut session, 1, b"y", long()).unwrap(), b"y");
}

#[test]
fn a_server_that_hangs_up_ends_the_session() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    // Without a handshake, so the protocol considers it done.
    let accepted = std::thread::spawn(move || listener.accept().unwrap());
    let mut session = Session::open(address, None, support::Bare, LONG).unwrap();
    drop(accepted.join().unwrap());
    assert!(matches!(session.wait(long()), Err(SessionError::HungUp)));
}
