//! The retries that a client may send: a share of its recent calls, so that retries never multiply
//! the load of a cluster that is in trouble.
//!
//! Drivers count their calls themselves and hand the number over now and then; only a retry takes
//! the lock.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use spikewire_options::{InvalidArgument, OptionValue};
use spikewire_sync::Mutex;

use crate::clock::Tick;

/// Retries that are available in any case, so that those of single calls do not depend on others.
const RESERVE: f64 = 100.0;
/// How many of them come back per second.
const RESERVE_RATE: f64 = 10.0;
/// The calls of this many seconds earn retries that can be used at once.
const SECONDS: f64 = 1.0;

/// For about how many seconds it matters how many calls there were: while a node hangs, none ends.
const MEMORY: f64 = 10.0;

/// A client's retry budget.
#[derive(Debug)]
pub struct RetryBudget {
    /// Retries per call; `None` for any number.
    share: Option<f64>,
    calls: AtomicU64,
    spent: AtomicU64,
    denied: AtomicU64,
    stock: Mutex<Stock>,
}

#[derive(Debug)]
struct Stock {
    /// Retries that may be sent.
    retries: f64,
    /// The most that may be kept.
    most: f64,
    /// When calls were last counted, and how many there were.
    counted: (Tick, u64),
}

impl RetryBudget {
    /// The default share.
    pub const SHARE: f64 = 0.1;

    /// A budget of this many retries per call; zero for no retries, `None` for any number.
    pub fn new(share: Option<f64>) -> Self {
        let reserve = if share == Some(0.0) { 0.0 } else { RESERVE };
        let stock = Stock { retries: reserve, most: reserve, counted: (Tick(0), 0) };
        let [calls, spent, denied] = [0; 3].map(AtomicU64::new);
        Self { share, calls, spent, denied, stock: Mutex::new(stock) }
    }

    /// The share as a host has it.
    pub fn share_of<V: OptionValue>(name: &str, value: &V) -> Result<Option<f64>, V::Error> {
        value.optional(|value| value.number_within(name, "a share of the calls", (0.0, 1000.0)))
    }

    /// Rejects a share out of bounds, for hosts that set fields directly.
    pub fn check(name: &str, share: Option<f64>) -> Result<(), InvalidArgument> {
        match share {
            Some(share) if !(0.0..=1000.0).contains(&share) => {
                let message =
                    format!("{name} must be a share of the calls from 0 to 1000, got {share}");
                Err(InvalidArgument::of_value(message))
            }
            _ => Ok(()),
        }
    }

    /// Retries per call; `None` for any number.
    pub fn share(&self) -> Option<f64> {
        self.share
    }

    /// This many more calls ended.
    pub fn earn(&self, calls: u32) {
        self.calls.fetch_add(calls.into(), Relaxed);
    }

    /// Whether a retry may be sent now; counts it.
    #[cold]
    pub fn spend(&self, now: Tick) -> bool {
        let may = match self.share {
            None => true,
            Some(share) => self.stock.lock().take(share, self.calls.load(Relaxed), now),
        };
        let count = if may { &self.spent } else { &self.denied };
        count.fetch_add(1, Relaxed);
        may
    }

    /// How many retries were sent, and how many were not because of the budget.
    pub fn counts(&self) -> (u64, u64) {
        (self.spent.load(Relaxed), self.denied.load(Relaxed))
    }
}

impl Stock {
    fn take(&mut self, share: f64, calls: u64, now: Tick) -> bool {
        if share > 0.0 {
            self.refill(share, calls, now);
        }
        let may = self.retries >= 1.0;
        if may {
            self.retries -= 1.0;
        }
        may
    }

    fn refill(&mut self, share: f64, calls: u64, now: Tick) {
        let (since, before) = self.counted;
        let seconds = now.since(since).as_secs_f64();
        let more = calls.saturating_sub(before) as f64 * share;
        let mut most = self.most.max(RESERVE + more);
        if seconds >= SECONDS {
            // What was earned long ago is no share of recent calls.
            let latest = more / seconds * SECONDS;
            most = RESERVE + latest.max((self.most - RESERVE) * (-seconds / MEMORY).exp());
            self.most = most;
        }
        if now.since(since) >= Duration::from_millis(10) || more > 0.0 {
            let seconds = if since == Tick(0) { 0.0 } else { seconds };
            let retries = self.retries + more + RESERVE_RATE * seconds;
            self.retries = retries.min(most);
            self.counted = (now.max(since), calls);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Tick {
        Tick(1).after(Duration::from_millis(ms))
    }

    fn spend(budget: &RetryBudget, most: usize, now: Tick) -> usize {
        (0..most).take_while(|_| budget.spend(now)).count()
    }

    #[test]
    fn retries_are_a_share_of_calls_beyond_a_reserve() {
        let budget = RetryBudget::new(Some(0.1));
        assert_eq!(spend(&budget, 1000, at(0)), 100, "without any call");
        assert_eq!(spend(&budget, 1000, at(1)), 0);
        let mut retries = 0;
        for ms in 0..5000 {
            budget.earn(3);
            retries += spend(&budget, 3, at(2 + ms));
        }
        assert!((1490..=1560).contains(&retries), "of 15,000 calls, and 10 per second: {retries}");
        let (spent, denied) = budget.counts();
        assert_eq!(spent as usize, 100 + retries);
        assert!(denied > 0);
    }

    #[test]
    fn what_was_earned_long_ago_does_not_remain() {
        let budget = RetryBudget::new(Some(0.1));
        for second in 0..100 {
            budget.earn(10_000);
            assert!(budget.spend(at(second * 1000)));
        }
        let retries = spend(&budget, 100_000, at(101_000));
        assert!((900..=1200).contains(&retries), "those of a second: {retries}");
        assert!(spend(&budget, 100_000, at(200_000)) <= 110);
    }

    #[test]
    fn a_budget_may_be_empty_or_without_bounds() {
        let nothing = RetryBudget::new(Some(0.0));
        nothing.earn(1000);
        assert_eq!(spend(&nothing, 10, at(5000)), 0);
        assert_eq!(spend(&RetryBudget::new(None), 1_000_000, at(0)), 1_000_000);
    }
}
