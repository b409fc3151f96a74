//! The data for each second's lines and intervals while an open loop is running.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Calls, LATE, NOT_YET};
use crate::series::Source;

/// Calls by end time. Checks only those that had not ended at the last check.
pub struct Ended {
    calls: Arc<Calls>,
    writes: Box<dyn Fn(usize) -> bool + Send>,
    looked: RefCell<Looked>,
}

#[derive(Default)]
struct Looked {
    /// Started calls that have not ended.
    going: Vec<usize>,
    next: usize,
    /// End times of calls, and response times of those that did not fail.
    good: Vec<(u64, i64)>,
    errors: Vec<u64>,
    late: Vec<u64>,
}

impl Ended {
    /// `writes`: whether the call with a given number is a write.
    pub fn new(calls: Arc<Calls>, writes: Box<dyn Fn(usize) -> bool + Send>) -> Self {
        Self { calls, writes, looked: RefCell::default() }
    }

    fn look(&self) {
        let (calls, mut looked) = (&self.calls, self.looked.borrow_mut());
        let handed_out = calls.next.load(Ordering::Relaxed).min(calls.due.len());
        let known = looked.next..handed_out;
        looked.next = handed_out;
        let mut over = Vec::new();
        let mut going = std::mem::take(&mut looked.going);
        going.extend(known);
        going.retain(|at| {
            let ended = calls.ended[*at].load(Ordering::Acquire);
            if ended != NOT_YET {
                over.push((ended, *at));
            }
            ended == NOT_YET
        });
        looked.going = going;
        over.sort_unstable();
        for (ended, at) in over {
            let (instant, response) = (ended.unsigned_abs(), ended - calls.due[at]);
            match calls.failures[at].load(Ordering::Relaxed) {
                0 if (self.writes)(at) => looked.good.push((instant, -response)),
                0 => looked.good.push((instant, response)),
                kind => {
                    looked.errors.push(instant);
                    if kind == LATE {
                        looked.late.push(instant);
                    }
                }
            }
        }
    }
}

impl Source for Ended {
    fn counts(&self, instant: u64) -> [u64; 3] {
        self.look();
        let looked = self.looked.borrow();
        let until = |all: &[u64]| all.partition_point(|at| *at <= instant) as u64;
        let errors = until(&looked.errors);
        let good = looked.good.partition_point(|(at, _)| *at <= instant) as u64;
        [good + errors, errors, until(&looked.late)]
    }

    fn latencies(&self, start: Option<u64>, end: u64) -> Option<Vec<i64>> {
        self.look();
        let looked = self.looked.borrow();
        let until = |instant| looked.good.partition_point(|(at, _)| *at <= instant);
        let those = &looked.good[start.map_or(0, until)..until(end)];
        Some(those.iter().map(|(_, response)| *response).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::FAILED;
    use super::super::tests::a_second;
    use super::*;

    #[test]
    fn calls_are_known_by_when_they_ended_while_others_go_on() {
        let (calls, _) = a_second(10);
        let over = |at: usize, took: i64, failure: u8| {
            calls.failures[at].store(failure, Ordering::Relaxed);
            calls.ended[at].store(calls.due[at] + took, Ordering::Release);
        };
        let ended = Ended::new(calls.clone(), Box::new(|at| at == 2));
        // Calls that wait until they are due have been taken, too.
        calls.next.store(4, Ordering::Relaxed);
        over(0, 250_000_000, 0);
        over(2, 7, 0);
        assert_eq!(ended.counts(225_000_000), [1, 0, 0]);
        assert_eq!(ended.latencies(None, 250_000_000), Some(vec![-7, 250_000_000]));
        calls.next.store(12, Ordering::Relaxed);
        over(3, 1, LATE);
        over(9, 5, FAILED);
        assert_eq!(ended.counts(u64::MAX), [4, 2, 1]);
        assert_eq!(ended.latencies(Some(200_000_007), u64::MAX), Some(vec![250_000_000]));
    }
}
