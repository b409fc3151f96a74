use std::sync::Arc;
use std::time::Duration;

use loom::thread;

use super::explore;
use crate::metrics::{Event, Events};

/// Longer than any test.
const LONG: Duration = Duration::from_secs(3600);

#[test]
fn a_listener_gets_every_event_and_the_end() {
    explore(3, || {
        let events = Arc::new(Events::default());
        events.listen(true);
        let threads = [(); 2].map(|()| {
            let events = events.clone();
            thread::spawn(move || events.push(Event::MapChanged))
        });
        let mut count = 0;
        while count < 2 {
            let (some, lost) = events.wait(LONG);
            assert!(!some.is_empty() && lost == 0);
            count += some.len();
        }
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        let stops = thread::spawn({
            let events = events.clone();
            move || events.listen(false)
        });
        assert!(events.wait(LONG).0.is_empty());
        stops.join().unwrap();
    });
}
