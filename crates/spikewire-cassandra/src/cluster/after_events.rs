//! When something is due after events: once they have calmed down, but not much later than the first.

use std::time::Duration;

use spikewire_transport::Tick;
use spikewire_transport::jitter::drawn;

/// Events come in bursts: what they make due is done when there was none for so long, or up to twice
/// as long, because all clients of a cluster are told at the same moment.
pub const CALM: Duration = Duration::from_millis(200);

/// They may never calm down, as when a node keeps failing and returning.
const LONGEST: Duration = Duration::from_secs(1);

/// A time that events postpone. The default is never.
#[derive(Debug, Clone, Copy)]
pub struct AfterEvents {
    at: Tick,
    latest: Tick,
    /// How much later than for others.
    later: Duration,
}

impl Default for AfterEvents {
    fn default() -> Self {
        Self { at: Tick::NEVER, latest: Tick::NEVER, later: Duration::ZERO }
    }
}

impl AfterEvents {
    /// Takes note of an event.
    pub fn note(&mut self, now: Tick) {
        if self.latest == Tick::NEVER {
            self.later = drawn(CALM);
            self.latest = now.after(LONGEST).after(self.later);
        }
        self.at = now.after(CALM).after(self.later).min(self.latest);
    }

    /// When it is due.
    pub fn at(&self) -> Tick {
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due_after(events: impl Iterator<Item = u64>) -> Duration {
        let (start, mut due) = (Tick(1), AfterEvents::default());
        assert_eq!(due.at(), Tick::NEVER);
        events.for_each(|at| due.note(start.after(Duration::from_millis(at))));
        due.at().since(start)
    }

    #[test]
    fn a_refresh_waits_until_a_burst_of_events_ends() {
        assert!((CALM..=CALM * 2).contains(&due_after([0].into_iter())));
        let burst = Duration::from_millis(120);
        let due = due_after([0, 50, 120].into_iter());
        assert!((burst + CALM..=burst + CALM * 2).contains(&due));
    }

    #[test]
    fn endless_events_do_not_postpone_a_refresh_for_ever() {
        let due = due_after((0..10_000).step_by(100));
        assert!((LONGEST..=LONGEST + CALM).contains(&due));
    }
}
