//! Open loops: calls start at the times listed in the job, however long they take. The lab derives
//! everything else from their start and end times.

mod ended;

use std::sync::atomic::{AtomicI64, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tokio::sync::Semaphore;

use crate::call_error::CallError;
use crate::callers::at_once;
use crate::clock::Clock;
pub use ended::Ended;

const NOT_YET: i64 = -1;
const FAILED: u8 = 1;
const LATE: u8 = 2;

/// The parameters in the job.
#[derive(Deserialize)]
pub struct OpenLoad {
    /// Extra time for a client that cannot keep up, as a multiple of the planned time.
    overtime: f64,
    /// A phase of empty calls, to measure the cost of starting calls.
    pub pacing: Planned,
    pub warmup: Planned,
    pub measured: Planned,
}

#[derive(Clone, Deserialize)]
pub struct Planned {
    seconds: f64,
    /// Due times in nanoseconds from the start, ascending.
    due: Vec<i64>,
}

/// The results per call: nanoseconds from the start, -1 for events that did not happen.
#[derive(Serialize)]
pub struct Raw {
    pub begun: Vec<i64>,
    pub ended: Vec<i64>,
    /// 1 for an error, 2 for a timeout.
    pub failures: Vec<u8>,
    /// 1 for a write.
    pub writes: Vec<u8>,
    /// When the window opened, in seconds since the epoch.
    pub start: f64,
    /// When the window closed.
    pub now: i64,
    /// CPU seconds used by empty calls.
    pub pacing_cpu: f64,
}

/// The calls of one phase.
pub struct Calls {
    due: Vec<i64>,
    end: i64,
    limit: i64,
    /// The first call that has not been taken by a thread or task.
    next: AtomicUsize,
    begun: Vec<AtomicI64>,
    ended: Vec<AtomicI64>,
    failures: Vec<AtomicU8>,
    first_error: Mutex<Option<String>>,
    start: f64,
}

impl Calls {
    /// Created just before the first call.
    pub fn new(open_load: &OpenLoad, planned: &Planned) -> Self {
        let nanoseconds = |seconds: f64| (seconds * 1e9) as i64;
        let not_yet = || planned.due.iter().map(|_| AtomicI64::new(NOT_YET)).collect();
        Self {
            due: planned.due.clone(),
            end: nanoseconds(planned.seconds),
            limit: nanoseconds(planned.seconds * (1.0 + open_load.overtime)),
            next: AtomicUsize::new(0),
            begun: not_yet(),
            ended: not_yet(),
            failures: planned.due.iter().map(|_| AtomicU8::new(0)).collect(),
            first_error: Mutex::new(None),
            start: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64(),
        }
    }

    /// The number of failed calls, of those with a timeout, and the first error message.
    pub fn errors(&self) -> (u64, u64, Option<String>) {
        let count = |kind| {
            let those = self.failures.iter().filter(|at| at.load(Ordering::Relaxed) == kind);
            those.count() as u64
        };
        let late = count(LATE);
        let first = self.first_error.lock().expect("no thread panicked").clone();
        (count(FAILED) + late, late, first)
    }

    /// Number of started calls.
    pub fn sent(&self) -> u64 {
        let begun = self.begun.iter().filter(|at| at.load(Ordering::Relaxed) != NOT_YET);
        begun.count() as u64
    }

    pub fn raw(&self, writes: impl Fn(usize) -> bool, now: i64, pacing_cpu: f64) -> Raw {
        let plain = |all: &[AtomicI64]| all.iter().map(|at| at.load(Ordering::Relaxed)).collect();
        Raw {
            begun: plain(&self.begun),
            ended: plain(&self.ended),
            failures: self.failures.iter().map(|at| at.load(Ordering::Relaxed)).collect(),
            writes: (0..self.due.len()).map(|at| u8::from(writes(at))).collect(),
            start: self.start,
            now,
            pacing_cpu,
        }
    }

    async fn one(
        &self,
        at: usize,
        clock: &impl Clock,
        call: impl Future<Output = Result<(), CallError>>,
    ) {
        self.begun[at].store(clock.now(), Ordering::Relaxed);
        if let Err(error) = call.await {
            let kind = if error.timed_out { LATE } else { FAILED };
            self.failures[at].store(kind, Ordering::Relaxed);
            self.first_error.lock().expect("no thread panicked").get_or_insert(error.text);
        }
        // Whoever sees the end time also sees the result.
        self.ended[at].store(clock.now(), Ordering::Release);
    }

    /// The loop of each thread: a free thread takes the next call and waits until it is due.
    fn work<F: Future<Output = Result<(), CallError>>>(
        &self,
        clock: &impl Clock,
        call: impl Fn(usize) -> F,
    ) {
        loop {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(due) = self.due.get(at) else { break };
            clock.sleep_until(*due);
            if clock.now() > self.limit {
                break;
            }
            at_once(self.one(at, clock, call(at)));
        }
        clock.sleep_until(self.end);
    }
}

/// Runs all calls of a phase with this many threads.
pub fn threads<K, C, F>(
    calls: &Arc<Calls>,
    most: usize,
    clock: &Arc<K>,
    call: &Arc<C>,
) -> Result<(), String>
where
    K: Clock,
    C: Fn(usize) -> F + Send + Sync + 'static,
    F: Future<Output = Result<(), CallError>>,
{
    let begin = |_| {
        let (calls, clock, call) = (calls.clone(), clock.clone(), call.clone());
        thread::spawn(move || {
            clock.sleep_exactly();
            calls.work(&*clock, &*call);
        })
    };
    let all: Vec<_> = (0..most).map(begin).collect();
    let ended = all.into_iter().try_for_each(thread::JoinHandle::join);
    ended.map_err(|_| "a thread of the client panicked".to_owned())
}

/// Runs all calls of a phase, each as a tokio task; calls that are due while too many are
/// outstanding wait for a reply.
pub async fn tasks<K, C, F>(
    calls: &Arc<Calls>,
    most: usize,
    clock: &Arc<K>,
    call: &Arc<C>,
) -> Result<(), String>
where
    K: Clock,
    C: Fn(usize) -> F + Send + Sync + 'static,
    F: Future<Output = Result<(), CallError>> + Send,
{
    let (calls, clock, call) = (calls.clone(), clock.clone(), call.clone());
    // A task, too: its spawned tasks then stay on its thread unless another one is idle.
    let paced = tokio::spawn(async move {
        let room = Arc::new(Semaphore::new(most));
        for (at, due) in calls.due.iter().enumerate() {
            clock.wait_until(*due).await;
            let place = room.clone().acquire_owned().await.expect("it is never closed");
            if clock.now() > calls.limit {
                break;
            }
            calls.next.store(at + 1, Ordering::Relaxed);
            let (calls, clock, call) = (calls.clone(), clock.clone(), call.clone());
            tokio::spawn(async move {
                calls.one(at, &*clock, call(at)).await;
                drop(place);
            });
        }
        clock.wait_until(calls.end).await;
        let _all = room.acquire_many(most as u32).await.expect("it is never closed");
        let unfinished = calls.begun.iter().zip(&calls.ended).any(|(begun, ended)| {
            let not_yet = |at: &AtomicI64| at.load(Ordering::Relaxed) == NOT_YET;
            not_yet(ended) && !not_yet(begun)
        });
        if unfinished { Err("a task of the client panicked".to_owned()) } else { Ok(()) }
    });
    paced.await.map_err(|error| error.to_string())?
}

/// A call that takes no time, so that only the pacing is measured.
pub async fn nothing() -> Result<(), CallError> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock::Played;
    use crate::series::Source;

    /// The calls of one second at this rate, and a clock that has not started.
    pub(super) fn a_second(rate: i64) -> (Arc<Calls>, Arc<Played>) {
        let due = (0..rate).map(|at| at * 1_000_000_000 / rate).collect();
        let measured = Planned { seconds: 1.0, due };
        let none = Planned { seconds: 0.0, due: Vec::new() };
        let (pacing, warmup) = (none.clone(), none);
        let open_load = OpenLoad { overtime: 1.0, pacing, warmup, measured };
        (Arc::new(Calls::new(&open_load, &open_load.measured)), Arc::default())
    }

    /// How many calls took longer, measured from their due times and from their start times.
    fn longer_than(calls: &Calls, nanoseconds: i64) -> (usize, usize) {
        let raw = calls.raw(|_| false, 0, 0.0);
        let longer = |from: &[i64]| {
            from.iter().zip(&raw.ended).filter(|(from, ended)| *ended - *from > nanoseconds).count()
        };
        (longer(&calls.due), longer(&raw.begun))
    }

    /// A single call has stalled: this many calls, including itself, were that late relative to
    /// their due times, and only the stalled call itself was slow.
    fn assert_charged(calls: &Calls, all: u64, delayed: usize, nanoseconds: i64) {
        assert_eq!(calls.sent(), all);
        assert_eq!(longer_than(calls, nanoseconds), (delayed, 1));
    }

    #[test]
    fn a_stall_of_a_thread_is_charged_to_all_calls_that_it_delayed() {
        let (calls, clock) = a_second(1000);
        let mine = clock.clone();
        let call = Arc::new(move |at| {
            let clock = mine.clone();
            async move {
                clock.go_on(if at == 300 { 200_500_000 } else { 500_000 });
                Ok(())
            }
        });
        threads(&calls, 1, &clock, &call).unwrap();
        // A call takes 500 us and is due each millisecond, so each call after the stall is less
        // late than the one before by the difference.
        assert_charged(&calls, 1000, 400, 510_000);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stall_of_a_task_is_charged_to_all_calls_that_it_delayed() {
        let (calls, clock) = a_second(500);
        let call = Arc::new(|at| async move {
            tokio::time::sleep(Duration::from_millis(if at == 150 { 201 } else { 1 })).await;
            Ok(())
        });
        tasks(&calls, 1, &clock, &call).await.unwrap();
        // The same with 1 ms for a call that is due each 2 ms.
        assert_charged(&calls, 500, 200, 1_500_000);
    }

    #[tokio::test(start_paused = true)]
    async fn calls_not_begun_in_twice_the_time_are_dropped_and_errors_counted() {
        let (calls, clock) = a_second(10);
        let call = Arc::new(|at| async move {
            tokio::time::sleep(Duration::from_millis(500)).await;
            let timed_out = at == 2;
            if at < 2 { Ok(()) } else { Err(CallError { text: format!("call {at}"), timed_out }) }
        });
        tasks(&calls, 1, &clock, &call).await.unwrap();
        assert_eq!(calls.sent(), 5);
        assert_eq!(calls.errors(), (3, 1, Some("call 2".to_owned())));
        assert_eq!(calls.raw(|_| true, 0, 0.0).begun[5..], [NOT_YET; 5]);
        let ended = Ended::new(calls, Box::new(|at| at == 1));
        let by = [499, 500, 1000, 1500, 2500].map(|ms| ended.counts(ms * 1_000_000));
        assert_eq!(by, [[0, 0, 0], [1, 0, 0], [2, 0, 0], [3, 1, 1], [5, 3, 1]]);
    }
}
