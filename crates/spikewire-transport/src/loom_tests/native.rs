use std::sync::Arc;

use loom::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use spikewire_sync::thread::{Thread, current, park};

use super::{NoNodes, Unspoken, command, explore};
use crate::command::ResponseHandler;
use crate::driver::Next;
use crate::native::{Native, Ticket};
use crate::reply::Outcome;

/// Counts outcomes, and wakes the thread that waits for them.
#[derive(Debug)]
struct Outcomes {
    count: AtomicUsize,
    thread: Thread,
}

/// A ticket, completed once, or dropped if the native thread has ended.
#[derive(Debug)]
struct Counted(Arc<Outcomes>);

impl Outcomes {
    fn new() -> Arc<Self> {
        Arc::new(Self { count: AtomicUsize::new(0), thread: current() })
    }

    fn wait_for(&self, count: usize) {
        while self.count.load(SeqCst) < count {
            park();
        }
    }
}

impl ResponseHandler for Counted {}

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.count.fetch_add(1, SeqCst);
        self.0.thread.unpark();
    }
}

impl Ticket<Unspoken> for Counted {
    fn complete(self, _: Outcome<'_, Unspoken>, _: &mut Next<Unspoken, Self>) {}
}

fn start() -> Arc<Native<Unspoken, Counted>> {
    Arc::new(Native::start(Arc::new(NoNodes)).unwrap())
}

#[test]
fn a_thread_that_sleeps_is_woken_by_each_command() {
    explore(2, || {
        let (native, outcomes) = (start(), Outcomes::new());
        for sent in 1..=2 {
            assert!(native.submit(command(Counted(outcomes.clone()))).is_none());
            outcomes.wait_for(sent);
        }
        native.close();
    });
}

#[test]
fn commands_of_two_threads_are_completed() {
    explore(2, || {
        let (native, outcomes) = (start(), Outcomes::new());
        let other = loom::thread::spawn({
            let (native, ticket) = (native.clone(), Counted(outcomes.clone()));
            move || assert!(native.submit(command(ticket)).is_none())
        });
        assert!(native.submit(command(Counted(outcomes.clone()))).is_none());
        outcomes.wait_for(2);
        other.join().unwrap();
        native.close();
    });
}

#[test]
fn a_command_that_meets_the_end_is_completed_or_returned() {
    explore(2, || {
        let (native, outcomes) = (start(), Outcomes::new());
        let other = loom::thread::spawn({
            let (native, ticket) = (native.clone(), Counted(outcomes.clone()));
            move || drop(native.submit(command(ticket)))
        });
        native.close();
        other.join().unwrap();
        assert_eq!(outcomes.count.load(SeqCst), 1, "nobody waits for ever");
    });
}
