//! Scans, queries and background jobs of a node: parameters, progress, outcome.
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

/// A job that is ahead of its rate by less than this continues without a pause.
const LEAST_PAUSE: Duration = Duration::from_millis(1);
/// The longest pause after one record.
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobKind {
    /// Sends records.
    Basic,
    /// Sends the results of a function.
    Aggregation,
    /// Applies operations.
    Operations,
    /// Applies a user-defined function.
    Function,
}

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// After its last record.
    Ok,
    /// Aborted by a client.
    Aborted,
    /// The reply could not be sent.
    NotSent,
    /// The client did not read for too long.
    SendTimeout,
}

/// The parameters of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobOptions {
    /// Its id; 0: the node assigns one.
    pub id: u64,
    /// Its kind.
    pub kind: JobKind,
    /// The namespace.
    pub namespace: String,
    /// The set; empty for the whole namespace.
    pub set: String,
    /// The index it uses.
    pub index: Option<String>,
    /// Number of partitions to read from the start, and to resume.
    pub requested: (usize, usize),
    /// Records per second, 0 = unlimited.
    pub rate: u32,
    /// How long the client may not read; `None` = no limit.
    pub send_timeout: Option<Duration>,
    /// The client.
    pub from: Option<SocketAddr>,
}

/// Counters of a job.
#[derive(Debug, Default)]
pub struct Counters {
    /// Records delayed by the rate limit.
    pub throttled: AtomicU64,
    /// Records excluded by the filter.
    pub filtered: AtomicU64,
    /// Records sent or changed.
    pub succeeded: AtomicU64,
    /// Records that could not be sent or changed.
    pub failed: AtomicU64,
    /// Bytes sent.
    pub bytes: AtomicU64,
}

/// A job of a node.
#[derive(Debug)]
pub struct Job {
    /// Its parameters; the id is never 0.
    pub options: JobOptions,
    /// Its counters.
    pub counters: Counters,
    /// Finished partitions, and their total number.
    progress: (AtomicUsize, usize),
    started: Instant,
    aborted: AtomicBool,
    ended: Mutex<Option<(End, Instant)>>,
}

impl Job {
    /// A job over this many partitions that starts now.
    pub fn new(options: JobOptions, partitions: usize) -> Self {
        Self {
            options,
            counters: Counters::default(),
            progress: (AtomicUsize::new(0), partitions),
            started: Instant::now(),
            aborted: AtomicBool::new(false),
            ended: Mutex::new(None),
        }
    }

    /// Whether a client has aborted it.
    pub fn is_aborted(&self) -> bool {
        self.aborted.load(Ordering::Acquire)
    }

    /// Makes it end soon; returns whether it was running.
    pub fn abort(&self) -> bool {
        self.is_active() && !self.aborted.swap(true, Ordering::AcqRel)
    }

    /// Whether it is running.
    pub fn is_active(&self) -> bool {
        self.ended.lock().is_none()
    }

    /// Sets the outcome. The first one counts.
    pub fn end(&self, end: End) {
        self.ended.lock().get_or_insert_with(|| (end, Instant::now()));
    }

    /// Counts a finished partition.
    pub fn pass_partition(&self) {
        self.progress.0.fetch_add(1, Ordering::Relaxed);
    }

    /// How many records it may process before its next pause, after `handled` records; at least
    /// one.
    pub fn burst(&self, handled: u64) -> u64 {
        let rate = u64::from(self.options.rate);
        if rate == 0 {
            return u64::MAX;
        }
        let until = (self.started.elapsed() + LEAST_PAUSE).as_micros() as u64;
        (until.saturating_mul(rate) / 1_000_000).saturating_sub(handled).max(1)
    }

    /// Until when it pauses after `handled` records to keep its rate, if needed. It pauses once per
    /// record and, as on servers, only briefly: a rate below 100 is not kept.
    pub fn pause(&self, handled: u64) -> Option<Instant> {
        let rate = u64::from(self.options.rate);
        let due = Duration::from_micros(handled.saturating_mul(1_000_000).checked_div(rate)?);
        let ahead = due.saturating_sub(self.started.elapsed());
        (ahead > LEAST_PAUSE).then(|| Instant::now() + ahead.min(LONGEST_PAUSE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(rate: u32) -> JobOptions {
        JobOptions {
            id: 7,
            kind: JobKind::Basic,
            namespace: "test".to_owned(),
            set: String::new(),
            index: None,
            requested: (1, 0),
            rate,
            send_timeout: None,
            from: None,
        }
    }

    #[test]
    fn short_pauses_limit_the_rate() {
        let free = Job::new(options(0), 1);
        assert_eq!((free.burst(1 << 40), free.pause(1 << 40)), (u64::MAX, None));
        // A hundred seconds ahead, but the longest pause applies.
        let slow = Job::new(options(1), 1);
        let before = Instant::now();
        let pause = slow.pause(100).unwrap();
        assert!(pause >= before + LONGEST_PAUSE && pause <= Instant::now() + LONGEST_PAUSE);
        assert_eq!(slow.burst(100), 1);
        // No pause for records due within a millisecond.
        let fast = Job::new(options(1_000_000), 1);
        assert!(fast.burst(0) >= 1000);
        assert_eq!(fast.pause(1000), None);
        assert!(fast.pause(1_000_000_000).is_some());
    }

    #[test]
    fn a_job_keeps_its_first_end_state() {
        let job = Job::new(options(0), 1);
        assert!(job.is_active() && job.abort() && !job.abort() && job.is_aborted());
        job.end(End::Aborted);
        job.end(End::Ok);
        assert!(!job.is_active());
        assert_eq!(job.ended.lock().unwrap().0, End::Aborted);
        assert!(!job.abort());
    }
}
