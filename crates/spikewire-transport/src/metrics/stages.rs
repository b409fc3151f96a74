//! The stages of calls that drivers cannot see: composing a request, waking the caller, reading its
//! reply.

use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::{CallStart, Metrics, Stage, times_stages};
use crate::clock::Tick;

impl Metrics {
    /// Starts a call.
    #[inline]
    pub fn begin(&self) -> CallStart {
        self.metrics_flags().begin()
    }

    /// The request of a call that started at `began` is now composed.
    pub fn encoded(&self, began: Tick) -> Tick {
        self.until_now(Stage::Encode, began)
    }

    /// Whoever waited for a reply continues now; `answered` is when the reply was delivered, if
    /// stages were timed then.
    #[inline]
    pub fn goes_on(&self, answered: Option<Tick>) -> Option<Tick> {
        answered.map(|at| self.until_now(Stage::HandOver, at))
    }

    /// A reply delivered at `since` is now decoded, if stages are timed.
    #[inline]
    pub fn decoded(&self, since: Option<Tick>) {
        if let Some(since) = since {
            self.until_now(Stage::Decode, since);
        }
    }

    /// Records a stage, if stages are timed; from any thread.
    pub fn stage(&self, stage: Stage, took: Duration) {
        if times_stages(self.flags.load(Relaxed)) {
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
