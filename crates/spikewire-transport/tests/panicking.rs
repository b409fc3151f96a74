//! A ticket whose completion panics on a native thread: the others are told, and nothing waits for
//! a thread that has ended.

mod support;

use std::sync::mpsc;
use std::time::Duration;

use spikewire_transport::driver::Next;
use spikewire_transport::native::{self, Native};
use spikewire_transport::{Command, OrderKey, Outcome, ResponseHandler, Tick};
use support::{DONE, LONG, Manners, Server, Toy, Writes, frame, nodes, policy, settings};

type Proto = Toy<false>;

/// Panics with its outcome, or passes on whether it was a reply.
#[derive(Debug)]
struct Fragile(bool, mpsc::Sender<bool>);

impl ResponseHandler for Fragile {}

impl native::Ticket<Proto> for Fragile {
    fn complete(self, outcome: Outcome<'_, Proto>, _: &mut Next<Proto, Self>) {
        assert!(!self.0, "a completion that fails");
        self.1.send(outcome.is_ok()).unwrap();
    }
}

#[test]
fn the_others_are_completed_and_the_thread_ends() {
    let answers = |request: support::Request| match &request.body[..] {
        b"hold" => Vec::new(),
        _ => request.answer(DONE, b"done"),
    };
    let server = Server::start(false, Manners::Polite, Box::new(answers));
    let native: Native<Proto, Fragile> = Native::start(nodes(server.address, settings())).unwrap();
    let (sender, ended) = mpsc::channel();
    let submit = |what: &[u8], panics| {
        let ticket = Fragile(panics, sender.clone());
        let bytes = frame(0, DONE, what);
        native.submit(Command::new(
            bytes,
            Writes(true, OrderKey::NONE),
            policy(LONG),
            Tick::now(),
            ticket,
        ))
    };
    for _ in 0..3 {
        assert!(submit(b"hold", false).is_none());
    }
    assert!(submit(b"now", true).is_none());
    for _ in 0..3 {
        assert_eq!(ended.recv_timeout(LONG), Ok(false));
    }
    assert!(submit(b"late", false).is_some());
    native.close();
    drop(sender);
    assert!(ended.recv_timeout(Duration::ZERO).is_err());
}
