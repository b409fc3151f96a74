//! The stages of calls that drivers know nothing of: composing a request, until the caller goes on,
//! reading its reply.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::{Began, COUNTS, Metrics, STAGES, Stage};
use crate::clock::Tick;

impl Metrics {
    /// A call begins.
    #[inline]
    pub fn begin(&self) -> Began {
        self.keeps().begin()
    }

    /// The request of a call that began then is composed, now.
    pub fn encoded(&self, began: Tick) -> Tick {
        self.until_now(Stage::Encode, began)
    }

    /// What waited for a reply goes on, now; `answered` is when that was handed over, if stages were
    /// timed then.
    #[inline]
    pub fn goes_on(&self, answered: Option<Tick>) -> Option<Tick> {
        answered.map(|at| self.until_now(Stage::HandOver, at))
    }

    /// A reply is read that was there then, while stages are timed.
    #[inline]
    pub fn decoded(&self, since: Option<Tick>) {
        if let Some(since) = since {
            self.until_now(Stage::Decode, since);
        }
    }

    /// Times a stage, if stages are timed; from any thread.
    pub fn stage(&self, stage: Stage, took: Duration) {
        if self.keeps.load(Relaxed) == COUNTS | STAGES {
            let stages = self.hosts.get_or_init(Box::default);
            stages[stage as usize].record_any(took.as_nanos() as u64);
        }
    }

    #[cold]
    fn until_now(&self, stage: Stage, since: Tick) -> Tick {
        let now = Tick::now();
        self.stage(stage, now.since(since));
        now
    }
}
