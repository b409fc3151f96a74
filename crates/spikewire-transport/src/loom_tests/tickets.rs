use std::sync::Arc;

use loom::thread;

use super::{Exclusive, explore};
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::ticket_handle::{Settlement, TicketHandle};

/// A ticket that the two requests of a command must not use at the same time.
#[derive(Debug)]
struct Once(Arc<Exclusive>);

impl ResponseHandler for Once {
    fn is_needed(&self) -> bool {
        self.0.enter();
        true
    }
}

/// Ends a request; returns how often its outcome was the command's.
fn settle(mut ticket: TicketHandle<Once>, answered: bool) -> usize {
    let counts = ticket.settle(answered, &mut Tick(0)) != Settlement::Dropped;
    // A failure that does not count leaves the ticket to the other request.
    assert!(ticket.is_needed() || !counts && ticket.is_withdrawn());
    let own = ticket.into_own();
    assert_eq!(counts, own.is_some());
    own.map_or(0, |ticket| {
        ticket.0.enter();
        1
    })
}

/// A command and its copy, which end as they may, on two threads.
fn race(first_answered: bool, copy_answered: bool) {
    explore(4, move || {
        let mut first = TicketHandle::Own(Once(Arc::default()));
        let copy = first.share(Tick(1)).unwrap();
        let other =
            thread::spawn(move || if copy.copy_begins() { settle(copy, copy_answered) } else { 0 });
        let settled = settle(first, first_answered);
        assert_eq!(settled + other.join().unwrap(), 1, "outcomes of one command");
    });
}

#[test]
fn one_of_two_answers_counts() {
    race(true, true);
}

#[test]
fn one_of_two_failures_counts() {
    race(false, false);
}

#[test]
fn an_answer_counts_or_a_failure_before_the_copy_began() {
    race(false, true);
    race(true, false);
}
