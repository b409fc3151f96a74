use std::sync::Arc;
use std::time::Duration;

use loom::thread;

use super::shared::SharedMultiplexer;
use super::{BlockingTicket, CallerLimits};
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::loom_tests::{NoNodes, Unspoken, command, explore};
use crate::reply::Outcome;

/// A ticket, and how often it was completed.
#[derive(Debug, Default)]
struct Counted(usize);

impl ResponseHandler for Counted {}

impl BlockingTicket<Unspoken> for Counted {
    fn complete(&mut self, _: Outcome<'_, Unspoken>) {
        self.0 += 1;
    }
}

type Shared = SharedMultiplexer<Unspoken, Counted>;

/// A call of commands that end after these milliseconds, by the clock of the thread that leads.
fn call(shared: &Shared, ends: &[u64]) {
    let now = Tick::now();
    let limits = CallerLimits {
        now,
        deadline: Tick::NEVER,
        alone: false,
        punctual: false,
        interrupted: None,
    };
    let commands = ends.iter().map(|end| {
        let mut command = command(Counted::default());
        command.start = now.after(Duration::from_millis(*end));
        command
    });
    let mut completed = 0;
    shared.run(commands, limits, |ticket| completed += ticket.0).unwrap();
    assert_eq!(completed, ends.len(), "each command once");
}

/// Whoever comes first leads, the others follow, and leadership is passed on: nobody is left.
#[test]
fn calls_of_several_threads_are_completed() {
    explore(3, || {
        let shared = Arc::new(Shared::new(Arc::new(NoNodes)));
        let other = thread::spawn({
            let shared = shared.clone();
            move || call(&shared, &[0, 2])
        });
        call(&shared, &[1]);
        other.join().unwrap();
        assert!(shared.is_idle());
    });
}

#[test]
fn short_calls_of_three_threads_are_completed() {
    explore(1, || {
        let shared = Arc::new(Shared::new(Arc::new(NoNodes)));
        let threads = [0, 1].map(|end| {
            let shared = shared.clone();
            thread::spawn(move || call(&shared, &[end]))
        });
        call(&shared, &[0]);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        assert!(shared.is_idle());
    });
}

#[test]
fn calls_are_completed_while_the_connections_are_closed() {
    explore(3, || {
        let shared = Arc::new(Shared::new(Arc::new(NoNodes)));
        let closer = thread::spawn({
            let shared = shared.clone();
            move || shared.close()
        });
        call(&shared, &[0, 1]);
        closer.join().unwrap();
    });
}
