//! Scans, queries and background jobs of a node: what they are, how far they are, how they ended.
//!
//! | module | what it holds |
//! |---|---|
//! | [`list`] | the jobs of a node, running and done |
//! | [`describe`] | a job as info commands show it |

pub mod describe;
pub mod list;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use spikewire_sync::Mutex;

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It sends records.
    Basic,
    /// It sends what a function makes of them.
    Aggregation,
    /// It applies operations to them.
    Operations,
    /// It applies a user-defined function to them.
    Function,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// With its last record.
    Ok,
    /// A client wanted it to.
    Aborted,
    /// The reply could not be sent.
    NotSent,
    /// The client took nothing for too long.
    NotTaken,
}

/// What a job is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Its number; 0 when the client leaves it to the node.
    pub id: u64,
    /// What it does.
    pub kind: Kind,
    /// The namespace.
    pub namespace: String,
    /// The set; empty for the whole namespace.
    pub set: String,
    /// The index it goes by.
    pub index: Option<String>,
    /// Partitions to read from their start, and others to go on with.
    pub asked: (usize, usize),
    /// Records per second, 0 = as fast as it goes.
    pub rate: u32,
    /// How long the client may take nothing; `None` = for ever.
    pub send_timeout: Option<Duration>,
    /// The client.
    pub from: Option<SocketAddr>,
}

/// Counters of a job.
#[derive(Debug, Default)]
pub struct Counters {
    /// Records held back to keep the rate.
    pub throttled: AtomicU64,
    /// Records that the filter left out.
    pub filtered: AtomicU64,
    /// Records sent or changed.
    pub succeeded: AtomicU64,
    /// Records that could not be.
    pub failed: AtomicU64,
    /// Bytes sent.
    pub bytes: AtomicU64,
}

/// A job of a node.
#[derive(Debug)]
pub struct Job {
    /// What it was started with; the id is never 0.
    pub plan: Plan,
    /// What it has done.
    pub counters: Counters,
    /// Partitions it is done with, of how many.
    progress: (AtomicUsize, usize),
    started: Instant,
    aborted: AtomicBool,
    ended: Mutex<Option<(End, Instant)>>,
}

impl Job {
    /// A job that starts now and goes through so many partitions.
    pub fn new(plan: Plan, partitions: usize) -> Self {
        Self {
            plan,
            counters: Counters::default(),
            progress: (AtomicUsize::new(0), partitions),
            started: Instant::now(),
            aborted: AtomicBool::new(false),
            ended: Mutex::new(None),
        }
    }

    /// Whether a client wants it to end.
    pub fn is_aborted(&self) -> bool {
        self.aborted.load(Ordering::Acquire)
    }

    /// Makes it end soon; says whether it was running.
    pub fn abort(&self) -> bool {
        self.is_active() && !self.aborted.swap(true, Ordering::AcqRel)
    }

    /// Whether it is running.
    pub fn is_active(&self) -> bool {
        self.ended.lock().is_none()
    }

    /// Notes how it ended. The first end counts.
    pub fn end(&self, end: End) {
        self.ended.lock().get_or_insert_with(|| (end, Instant::now()));
    }

    /// Notes that it is done with one more partition.
    pub fn pass_partition(&self) {
        self.progress.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Records it may have handled by now under its rate, and when the next ones are due.
    pub fn allowance(&self, handled: u64) -> Result<u64, Instant> {
        let rate = u64::from(self.plan.rate);
        if rate == 0 {
            return Ok(u64::MAX);
        }
        let micros = self.started.elapsed().as_micros() as u64;
        let allowed = (micros.saturating_mul(rate) / 1_000_000).saturating_sub(handled);
        if allowed > 0 {
            return Ok(allowed);
        }
        // Some at a time, for a fast job is not to be woken for each record.
        let next = handled.saturating_add((rate / 200).max(1));
        let due = Duration::from_micros(next.saturating_mul(1_000_000).div_ceil(rate));
        Err(self.started + due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(rate: u32) -> Plan {
        Plan {
            id: 7,
            kind: Kind::Basic,
            namespace: "test".to_owned(),
            set: String::new(),
            index: None,
            asked: (1, 0),
            rate,
            send_timeout: None,
            from: None,
        }
    }

    #[test]
    fn a_rate_lets_through_what_is_due() {
        let free = Job::new(plan(0), 1);
        assert_eq!(free.allowance(1 << 40), Ok(u64::MAX));
        let slow = Job::new(plan(1), 1);
        let due = slow.allowance(99).unwrap_err();
        let wait = due - slow.started;
        assert_eq!(wait, Duration::from_secs(100));
        let fast = Job::new(plan(1_000_000), 1);
        let due = fast.allowance(1_000_000_000).unwrap_err() - fast.started;
        assert_eq!(due, Duration::from_millis(1_000_005));
    }

    #[test]
    fn the_first_end_counts() {
        let job = Job::new(plan(0), 1);
        assert!(job.is_active() && job.abort() && !job.abort() && job.is_aborted());
        job.end(End::Aborted);
        job.end(End::Ok);
        assert!(!job.is_active());
        assert_eq!(job.ended.lock().unwrap().0, End::Aborted);
        assert!(!job.abort());
    }
}
