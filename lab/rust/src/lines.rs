//! Reports the results of each second to the lab when it is over. The Python counterpart is
//! `spikewire_lab/series/lines.py`.

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::series::{Source, resident, summed};

/// Prefix of lines for the lab, on standard error.
const MARK: &str = "spikewire-bench ";
/// Number of leading bits of reported latencies.
const BITS: u32 = 7;
/// Delay after the end of a second, so that calls that have just ended are counted.
const GRACE: Duration = Duration::from_millis(50);
const SECOND: u64 = 1_000_000_000;

/// The results of this process in a second of its window.
#[derive(Debug, PartialEq, Serialize)]
struct Second {
    /// Its number, counted from 1.
    second: u64,
    /// The number of the process; there is only one.
    part: u64,
    operations: u64,
    errors: u64,
    timeouts: u64,
    rss: u64,
    /// Nanoseconds, rounded down to their leading bits, and their number.
    samples: Vec<(u64, u64)>,
}

/// A thread that reports the results of every full second.
pub struct Lines {
    over: Sender<()>,
    thread: JoinHandle<()>,
}

impl Lines {
    /// For a window that opened at `began`.
    pub fn new(began: Instant, sources: Vec<impl Source + Send + 'static>) -> Self {
        let (over, stopped) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            let mut reports = SecondReports::new(&sources);
            for second in 1.. {
                let due = began + Duration::from_secs(second);
                let wait = due.saturating_duration_since(Instant::now()) + GRACE;
                let goes_on = stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout);
                // The last second ends with the window.
                if goes_on || Instant::now() >= due {
                    let report = serde_json::to_string(&reports.of(second));
                    let line = format!("{MARK}{}\n", report.expect("plain data is JSON"));
                    // In one write, so that lines do not mix. The reader may be gone.
                    let _ = io::stderr().write_all(line.as_bytes());
                }
                if !goes_on {
                    break;
                }
            }
        });
        Self { over, thread }
    }

    /// The window is closed.
    pub fn end(self) {
        drop(self.over);
        // A panic has been reported already.
        let _ = self.thread.join();
    }
}

/// Sources, and what has been reported of them.
struct SecondReports<'a, S> {
    sources: &'a [S],
    reported: [u64; 3],
}

impl<'a, S: Source> SecondReports<'a, S> {
    fn new(sources: &'a [S]) -> Self {
        Self { sources, reported: [0; 3] }
    }

    /// Calls that could not be counted in their second, because their worker was behind, are
    /// counted in the next one.
    fn of(&mut self, second: u64) -> Second {
        let end = second * SECOND;
        let known = summed(self.sources, end);
        let [tried, errors, timeouts] = [0, 1, 2].map(|at| known[at] - self.reported[at]);
        self.reported = known;
        let mut samples = BTreeMap::new();
        for one in self.sources {
            for nanoseconds in one.latencies(Some(end - SECOND), end).unwrap_or_default() {
                *samples.entry(rounded(nanoseconds.unsigned_abs())).or_default() += 1;
            }
        }
        Second {
            second,
            part: 0,
            operations: tried.saturating_sub(errors),
            errors,
            timeouts,
            rss: resident().unwrap_or(0),
            samples: samples.into_iter().collect(),
        }
    }
}

/// Rounds down to the leading bits.
fn rounded(nanoseconds: u64) -> u64 {
    let more = (u64::BITS - nanoseconds.leading_zeros()).saturating_sub(BITS);
    nanoseconds >> more << more
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls by end time, in nanoseconds, with their latencies; all odd ones fail.
    struct Known(Vec<(u64, i64)>);

    impl Known {
        fn by(&self, instant: u64) -> impl Iterator<Item = &(u64, i64)> {
            self.0.iter().filter(move |(ended, _)| *ended <= instant)
        }
    }

    impl Source for Known {
        fn counts(&self, instant: u64) -> [u64; 3] {
            let failed = self.by(instant).filter(|(ended, _)| ended % 2 == 1).count() as u64;
            [self.by(instant).count() as u64, failed, 0]
        }

        fn latencies(&self, start: Option<u64>, end: u64) -> Option<Vec<i64>> {
            let after = self.by(end).filter(|(ended, _)| Some(*ended) > start);
            Some(after.filter(|(ended, _)| ended % 2 == 0).map(|(_, duration)| *duration).collect())
        }
    }

    #[test]
    fn a_second_has_what_ended_in_it_and_was_not_reported_before() {
        let sources =
            [Known(vec![(10, 1000), (SECOND, -1003), (SECOND + 1, 5), (2 * SECOND, 300)])];
        let mut reports = SecondReports::new(&sources);
        let first = reports.of(1);
        assert!(first.rss > 0);
        assert_eq!(
            first,
            Second {
                second: 1,
                part: 0,
                operations: 2,
                errors: 0,
                timeouts: 0,
                rss: first.rss,
                samples: vec![(1000, 2)],
            }
        );
        let second = reports.of(2);
        assert_eq!((second.operations, second.errors), (1, 1));
        assert_eq!(second.samples, [(300, 1)]);
        assert_eq!(reports.of(3).operations, 0);
    }

    #[test]
    fn latencies_are_reported_by_their_leading_bits() {
        let leading = [0, 127, 128, 129, 255, 256, 1_000_003].map(rounded);
        assert_eq!(leading, [0, 127, 128, 128, 254, 256, 999_424]);
    }
}
