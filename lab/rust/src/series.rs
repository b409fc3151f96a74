//! Time series: operations, errors, latencies and memory by interval. The Python counterpart is
//! `spikewire_lab/series`.

use std::fs;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use crate::measure;

/// Minimum number of intervals in the measured time.
const INTERVALS: f64 = 20.0;
/// Minimum number of samples beyond p99 for it to be reported.
const BEYOND: usize = 10;
const SECOND: u64 = 1_000_000_000;
const UNPOISONED: &str = "no thread panicked";

#[derive(Debug, Serialize)]
pub struct Series {
    /// When the window opened, in seconds since the epoch.
    pub start: f64,
    /// Seconds.
    pub interval: f64,
    pub operations: Vec<u64>,
    pub errors: Vec<u64>,
    pub timeouts: Vec<u64>,
    pub p50_ns: Vec<Option<u64>>,
    pub p99_ns: Vec<Option<u64>>,
    pub max_ns: Vec<Option<u64>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rss: Vec<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Vec<String>>,
}

/// Length of an interval in nanoseconds: the largest fraction of a second that makes enough
/// intervals.
pub fn interval(seconds: f64) -> u64 {
    let many = ((INTERVALS / seconds) * 1e6).round() / 1e6;
    SECOND / (many.ceil() as u64).max(1)
}

/// A source of calls with end times, in nanoseconds from the opening of the window.
pub trait Source {
    /// Attempted calls, errors and timeouts until then.
    fn counts(&self, instant: u64) -> [u64; 3];

    /// Latencies of calls that ended after `start` and by `end`, negative for writes; `None` if
    /// some have been overwritten. Calls in progress may be missing.
    fn latencies(&self, start: Option<u64>, end: u64) -> Option<Vec<i64>>;
}

/// How many calls one worker had attempted, and how many latencies it had recorded, at times from
/// which those at the end of every interval follow. It reads the clock for timed calls only.
#[derive(Default)]
pub struct Marks {
    began: Option<Instant>,
    interval: u64,
    edge: u64,
    before: Point,
    noted: Arc<Noted>,
}

/// What a worker has recorded so far, while it may continue.
#[derive(Default)]
pub struct Noted {
    samples: Samples,
    points: Mutex<Vec<Point>>,
    failures: Mutex<Failures>,
}

#[derive(Default)]
struct Failures {
    all: Vec<u64>,
    late: Vec<u64>,
}

/// A worker's latencies, negative for writes, in a ring buffer whose size is a power of two.
#[derive(Clone, Default)]
pub struct Samples(Arc<[AtomicI64]>);

impl Samples {
    pub fn new(size: usize) -> Self {
        Self((0..size).map(|_| AtomicI64::new(0)).collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The latency with this number, unless it has been overwritten.
    pub fn at(&self, sampled: usize) -> i64 {
        self.0[sampled & (self.0.len() - 1)].load(Ordering::Relaxed)
    }

    pub fn take(&self, sampled: usize, nanoseconds: i64) {
        self.0[sampled & (self.0.len() - 1)].store(nanoseconds, Ordering::Relaxed);
    }
}

#[derive(Clone, Copy, Default)]
struct Point {
    at: u64,
    tried: u64,
    sampled: usize,
}

impl Marks {
    /// Records nothing.
    pub fn none() -> Self {
        Self { edge: u64::MAX, ..Self::default() }
    }

    pub fn new(began: Instant, interval: u64, samples: Samples) -> Self {
        let noted = Arc::new(Noted { samples, ..Noted::default() });
        Self { began: Some(began), interval, edge: interval, before: Point::default(), noted }
    }

    pub fn noted(&self) -> Arc<Noted> {
        self.noted.clone()
    }

    /// A timed call starts.
    pub fn timed(&mut self, now: Instant, tried: u64, sampled: usize) {
        let Some(began) = self.began else { return };
        let at = (now - began).as_nanos() as u64;
        if at >= self.edge {
            self.note(Point { at, tried, sampled });
            self.edge = (at / self.interval + 1) * self.interval;
        }
        self.before = Point { at, tried, sampled };
    }

    /// The last call has ended.
    pub fn ended(&mut self, now: Instant, tried: u64, sampled: usize) {
        let Some(began) = self.began else { return };
        self.note(Point { at: (now - began).as_nanos() as u64, tried, sampled });
    }

    pub fn failed(&mut self, timed_out: bool) {
        let Some(began) = self.began else { return };
        let at = began.elapsed().as_nanos() as u64;
        let mut failures = self.noted.failures.lock().expect(UNPOISONED);
        failures.all.push(at);
        if timed_out {
            failures.late.push(at);
        }
    }

    /// The previous timed call may have lasted for several intervals: its end time is known.
    fn note(&mut self, now: Point) {
        let before = self.before;
        let mut points = self.noted.points.lock().expect(UNPOISONED);
        points.push(before);
        if now.sampled > before.sampled {
            let last = self.noted.samples.at(now.sampled - 1).unsigned_abs();
            let at = before.at + last;
            points.push(Point { at, tried: before.tried + 1, sampled: now.sampled });
        }
        points.push(now);
    }
}

/// How many of these had ended at that time.
fn passed(points: &[Point], instant: u64) -> usize {
    points.partition_point(|point| point.at <= instant)
}

impl Noted {
    fn tried(&self, instant: u64) -> u64 {
        let points = self.points.lock().expect(UNPOISONED);
        let next = passed(&points, instant);
        let before = next.checked_sub(1).map_or_else(Point::default, |at| points[at]);
        let Some(after) = points.get(next) else { return before.tried };
        let (part, whole) = (instant - before.at, after.at - before.at);
        let share = u128::from(after.tried - before.tried) * u128::from(part) / u128::from(whole);
        before.tried + share as u64
    }

    fn sampled(&self, instant: u64) -> usize {
        let points = self.points.lock().expect(UNPOISONED);
        passed(&points, instant).checked_sub(1).map_or(0, |at| points[at].sampled)
    }
}

impl Source for Arc<Noted> {
    fn counts(&self, instant: u64) -> [u64; 3] {
        let until = |all: &[u64]| all.partition_point(|at| *at <= instant) as u64;
        let failures = self.failures.lock().expect(UNPOISONED);
        [self.tried(instant), until(&failures.all), until(&failures.late)]
    }

    fn latencies(&self, start: Option<u64>, end: u64) -> Option<Vec<i64>> {
        let first = start.map_or(0, |start| self.sampled(start));
        let last = self.sampled(end);
        let all = self.points.lock().expect(UNPOISONED).last().map_or(0, |point| point.sampled);
        if first < last && first + self.samples.len() < all {
            return None;
        }
        Some((first..last).map(|at| self.samples.at(at)).collect())
    }
}

/// Everything until the end of the window, `ended` nanoseconds after its opening.
pub fn series(
    sources: &[impl Source],
    interval: u64,
    ended: u64,
    rss: Vec<u64>,
    histograms: bool,
) -> Series {
    let edges: Vec<u64> = (1..=ended.div_ceil(interval).max(1)).map(|at| at * interval).collect();
    let window = Duration::from_nanos(ended);
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut intervals = Series {
        start: now.saturating_sub(window).as_secs_f64(),
        interval: interval as f64 / SECOND as f64,
        operations: Vec::new(),
        errors: Vec::new(),
        timeouts: Vec::new(),
        p50_ns: Vec::new(),
        p99_ns: Vec::new(),
        max_ns: Vec::new(),
        rss,
        read: histograms.then(Vec::new),
        write: histograms.then(Vec::new),
    };
    intervals.rss.truncate(edges.len());
    let sums: Vec<[u64; 3]> = edges.iter().map(|edge| summed(sources, *edge)).collect();
    let good = |sum: &[u64; 3]| sum[0].saturating_sub(sum[1]);
    // Between two timed calls only the number of others that ended is known, and errors have their
    // own times: an interval must not have a negative number of successes.
    let most = sums.last().map_or(0, good);
    let (mut before, mut rising) = ([0; 3], 0);
    for (at, (sum, edge)) in sums.iter().zip(&edges).enumerate() {
        let risen = good(sum).min(most).max(rising);
        intervals.operations.push(risen - rising);
        intervals.errors.push(sum[1] - before[1]);
        intervals.timeouts.push(sum[2] - before[2]);
        (before, rising) = (*sum, risen);
        let start = (at > 0).then(|| edge - interval);
        intervals.add(sources.iter().map(|one| one.latencies(start, *edge)).collect());
    }
    intervals
}

/// Attempted calls, errors and timeouts of all of them until then.
pub fn summed(sources: &[impl Source], instant: u64) -> [u64; 3] {
    sources
        .iter()
        .map(|one| one.counts(instant))
        .fold([0; 3], |sum, one| [sum[0] + one[0], sum[1] + one[1], sum[2] + one[2]])
}

impl Series {
    fn add(&mut self, sampled: Option<Vec<Vec<i64>>>) {
        let mut all: Vec<i64> = sampled.iter().flatten().flatten().copied().collect();
        let part = |writes: bool| {
            let those = all.iter().filter(|ns| (**ns < 0) == writes);
            measure::encode(those.map(|ns| ns.unsigned_abs()))
        };
        if let (Some(read), Some(write)) = (&mut self.read, &mut self.write) {
            read.push(part(false));
            write.push(part(true));
        }
        all.sort_unstable_by_key(|ns| ns.unsigned_abs());
        let many = all.len();
        let at = |at: usize| all.get(at).map(|ns| ns.unsigned_abs());
        self.max_ns.push(many.checked_sub(1).and_then(at));
        self.p50_ns.push(many.checked_sub(1).and_then(|last| at(last / 2)));
        let enough = many >= 100 * BEYOND;
        self.p99_ns.push(if enough { at((99 * many).div_ceil(100) - 1) } else { None });
    }
}

/// The resident memory of this process at the end of each interval, sampled by a thread.
pub struct Resident {
    over: Sender<()>,
    thread: JoinHandle<Vec<u64>>,
}

impl Resident {
    pub fn new(began: Instant, interval: u64) -> Self {
        let (over, stopped) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            let mut held = Vec::new();
            while let Some(now) = resident() {
                let due = began + Duration::from_nanos(interval * (held.len() as u64 + 1));
                let wait = due.saturating_duration_since(Instant::now());
                if stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
                held.push(resident().unwrap_or(now));
            }
            held
        });
        Self { over, thread }
    }

    pub fn end(self) -> Vec<u64> {
        drop(self.over);
        self.thread.join().unwrap_or_default()
    }
}

/// The resident memory of this process in bytes, if the system reports it.
pub fn resident() -> Option<u64> {
    let pages: u64 =
        fs::read_to_string("/proc/self/statm").ok()?.split(' ').nth(1)?.parse().ok()?;
    Some(pages * measure::page_size())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(size: usize, nanoseconds: i64) -> Samples {
        let samples = Samples::new(size);
        (0..size).for_each(|at| samples.take(at, nanoseconds));
        samples
    }

    #[test]
    fn intervals_divide_a_second() {
        let many = [(0.1, 200), (1.0, 20), (3.0, 7), (7.0, 3), (10.0, 2), (20.0, 1), (600.0, 1)];
        for (seconds, of) in many {
            assert_eq!(interval(seconds), SECOND / of, "{seconds}");
        }
    }

    #[test]
    fn a_stall_is_not_spread_over_what_was_before() {
        let began = Instant::now();
        let at = |ns| began + Duration::from_nanos(ns);
        let mut marks = Marks::new(began, 100, filled(8, 7));
        marks.timed(at(0), 0, 0);
        marks.timed(at(90), 64, 0);
        marks.timed(at(410), 80, 1);
        marks.ended(at(480), 85, 1);
        let worked = marks.noted();
        let tried = [45, 90, 97, 100, 200, 300, 400, 410, 480, 9999];
        let tried = tried.map(|instant| worked.counts(instant)[0]);
        assert_eq!(tried, [32, 64, 65, 65, 69, 74, 79, 80, 85, 85]);
        assert_eq!(worked.latencies(None, 100), Some(vec![7]));
        assert_eq!(worked.latencies(Some(100), 500), Some(vec![]));
        let intervals = series(&[worked], 100, 480, vec![], true);
        assert_eq!(intervals.operations, [65, 4, 5, 5, 6]);
        assert_eq!(intervals.max_ns, [Some(7), None, None, None, None]);
        assert_eq!(intervals.read.map(|read| read.len()), Some(5));
    }

    #[test]
    fn latencies_that_were_overwritten_are_not_invented() {
        let began = Instant::now();
        let at = |ns| began + Duration::from_nanos(ns);
        let mut marks = Marks::new(began, 100, filled(4, 1));
        marks.timed(at(90), 3, 3);
        marks.timed(at(190), 8, 8);
        marks.ended(at(210), 9, 9);
        let worked = marks.noted();
        assert_eq!(worked.latencies(None, 100), None);
        let intervals = series(&[worked], 100, 210, vec![], false);
        assert_eq!(intervals.max_ns[0], None);
        assert_eq!(intervals.operations.iter().sum::<u64>(), 9);
    }
}
