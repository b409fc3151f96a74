//! Closed loops as tasks on a tokio runtime or as threads, each with one call in flight; and open
//! ones, in which calls begin at a rate.

use std::io::{self, Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::access::Access;
use crate::call_error::CallError;
use crate::callers;
use crate::clock::Real;
use crate::job::{Build, Failure, Job, Latency, Memory, Outcome};
use crate::lines::Lines;
use crate::measure::{self, Usage};
use crate::open::{self, Calls, Ended};
use crate::series::{self, Marks, Noted, Resident, Samples};
use crate::workload::{self, Operation, Value};

/// The lab mode with one thread per loop.
const BLOCKING: &str = "rust-sync";
const CHECKED_KEYS: u64 = 256;
const SAMPLES_TOTAL: usize = 1 << 18;

/// The cluster, namespace and set.
pub struct Target {
    /// `host:port,host:port`; with TLS `host:name:port`.
    pub seeds: String,
    pub namespace: String,
    pub set: String,
    pub access: Access,
    /// Calls in flight: as many connections to one node may be needed.
    pub in_flight: usize,
}

/// A client under test. Keys are made from the integer inside the call, as a user would.
pub trait Client: Send + Sync + Sized + 'static {
    /// The client's own representation of the bins to write, prepared beforehand.
    type Bins: Send + Sync;

    const VERSION_OF: &'static str;

    /// Whether its calls block: each loop then has a thread, without any runtime.
    const BLOCKS: bool = false;

    fn open(target: &Target) -> impl Future<Output = Result<Self, String>> + Send;

    fn bins(values: &[Value]) -> Self::Bins;

    /// Reads the whole record.
    fn get(&self, key: i64) -> impl Future<Output = Result<(), CallError>> + Send;

    fn put(
        &self,
        key: i64,
        bins: &Self::Bins,
    ) -> impl Future<Output = Result<(), CallError>> + Send;

    /// Reads one bin, for the check that this client sees what the others wrote.
    fn read_bin(&self, key: i64, name: &str) -> impl Future<Output = Result<Value, String>> + Send;
}

/// Runs the job from standard input with the client of its mode, and writes its result to standard
/// output.
pub fn main<Awaited: Client, Blocking: Client>() {
    let mut text = String::new();
    let outcome = io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| error.to_string())
        .and_then(|_| serde_json::from_str(&text).map_err(|error| error.to_string()))
        .and_then(|job: Job| match job.mode.as_str() {
            BLOCKING => run::<Blocking>(&job),
            _ => run::<Awaited>(&job),
        });
    let answer = match outcome {
        Ok(outcome) => serde_json::to_string(&outcome),
        Err(failed) => serde_json::to_string(&Failure { failed }),
    };
    let mut stdout = io::stdout();
    let _ = writeln!(stdout, "{}", answer.expect("plain data is JSON"));
    let _ = stdout.flush();
    std::process::exit(0);
}

fn run<C: Client>(job: &Job) -> Result<Outcome, String> {
    measure::pin(&job.cpus);
    if C::BLOCKS {
        return callers::at_once(run_on::<C>(job));
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(run_on::<C>(job))
}

async fn run_on<C: Client>(job: &Job) -> Result<Outcome, String> {
    let bare = measure::peak_rss();
    let specs = workload::parse_bins(&job.bins)?;
    let read_percent = workload::parse_workload(&job.workload)?;
    let load_average = measure::load_average();
    let target = Target {
        seeds: job.access.seeds(&job.seeds),
        namespace: job.namespace.clone(),
        set: job.set.clone(),
        access: job.access.clone(),
        in_flight: job.concurrency,
    };
    let client = C::open(&target).await?;
    let records = workload::value_pool(&specs, job.seed);
    check(&client, &records, job.keys).await?;
    let ready = measure::peak_rss();
    let pool: Vec<_> = records.iter().map(|values| C::bins(values)).collect();
    let shared = Arc::new(Shared { client, pool, every: job.sample_every });
    let streams = (0..job.concurrency)
        .map(|at| workload::stream(read_percent, job.keys, job.seed, at, job.concurrency));
    let before = Before { bare, ready, load_average };
    if let Some(open_load) = &job.open {
        return at_a_rate(job, open_load, shared, streams.flatten().collect(), before).await;
    }
    let work: Vec<_> = streams.map(|operations| Worker::new(operations, job.concurrency)).collect();

    let (work, _) = phase(&shared, work, job.warmup, None, None).await?;
    let interval = series::interval(job.duration);
    let noting = Some(Noting { interval, lines: job.lines });
    let (work, window) = phase(&shared, work, job.duration, job.server_pid, noting).await?;
    let Window { began, used, rss } = window;

    let sum = |of: fn(&Worker) -> u64| work.iter().map(of).sum::<u64>();
    let samples: Vec<i64> = work.iter().flat_map(Worker::latencies).collect();
    let sampled = sum(|worker| worker.sampled as u64) as usize;
    let noted: Vec<_> = work.iter().map(Worker::noted).collect();
    let ended = (used.elapsed * 1e9).round() as u64;
    let done = Done {
        tried: sum(|worker| worker.tried),
        errors: sum(|worker| worker.errors),
        timeouts: sum(|worker| worker.timeouts),
        rate: work.iter().map(|worker| worker.rate(began)).sum(),
        first_error: work.iter().find_map(|worker| worker.first_error.clone()),
    };
    let series = Some(series::series(&noted, interval, ended, rss, job.histograms));
    Ok(Outcome { series, ..outcome::<C>(job, before, used, done, &samples, sampled) })
}

/// Readings from before the measurement.
struct Before {
    bare: u64,
    ready: u64,
    load_average: Vec<f64>,
}

/// The totals of all calls.
struct Done {
    tried: u64,
    errors: u64,
    timeouts: u64,
    rate: f64,
    first_error: Option<String>,
}

/// The result of a job. `samples` are latencies, negative for writes, and `sampled` is their number
/// before some were overwritten.
fn outcome<C: Client>(
    job: &Job,
    before: Before,
    used: measure::Used,
    done: Done,
    samples: &[i64],
    sampled: usize,
) -> Outcome {
    Outcome {
        client: job.client.clone(),
        version: crate::locked_version(C::VERSION_OF),
        build: Build::THIS,
        mode: job.mode.clone(),
        concurrency: job.concurrency,
        event_loop: (!C::BLOCKS).then(|| "tokio".to_owned()),
        python: None,
        elapsed: used.elapsed,
        operations: done.tried - done.errors,
        errors: done.errors,
        timeouts: done.timeouts,
        rate: done.rate,
        first_error: done.first_error,
        cpu: used.cpu,
        server_cpu: used.server_cpu,
        machine_cpu: used.machine_cpu,
        switches: used.switches,
        latency: Latency {
            read: measure::encode(samples.iter().filter(|ns| **ns > 0).map(|ns| *ns as u64)),
            write: measure::encode(samples.iter().filter(|ns| **ns < 0).map(|ns| -ns as u64)),
            samples: samples.len(),
            overwritten: sampled - samples.len(),
            max_ns: samples.iter().map(|ns| ns.unsigned_abs()).max().unwrap_or(0),
        },
        memory: Memory { bare: before.bare, ready: before.ready, peak: measure::peak_rss() },
        cpus: job.cpus.clone(),
        load_average: before.load_average,
        series: None,
        open: None,
    }
}

/// An open loop that repeats these operations. The lab computes its latencies.
async fn at_a_rate<C: Client>(
    job: &Job,
    open_load: &open::OpenLoad,
    shared: Arc<Shared<C>>,
    operations: Vec<Operation>,
    before: Before,
) -> Result<Outcome, String> {
    let most = job.concurrency;
    let idle = Calls::new(open_load, &open_load.pacing);
    let (_, idling) =
        open_phase::<C, _, _>(idle, most, |_| open::nothing(), None, |_| None).await?;
    let operations: Arc<[Operation]> = operations.into();
    let called = operations.clone();
    let call = move |at| {
        let (shared, (key, write)) = (shared.clone(), called[at % called.len()]);
        async move { shared.call(key, write).await }
    };
    let writes = move |at: usize| operations[at % operations.len()].1;
    let warming = Calls::new(open_load, &open_load.warmup);
    open_phase::<C, _, _>(warming, most, call.clone(), None, |_| None).await?;
    let measured = Calls::new(open_load, &open_load.measured);
    let (calls, used) = open_phase::<C, _, _>(measured, most, call, job.server_pid, |calls| {
        job.lines.then(|| Ended::new(calls.clone(), Box::new(writes.clone())))
    })
    .await?;
    let (errors, timeouts, first_error) = calls.errors();
    let tried = calls.sent();
    let rate = (tried - errors) as f64 / used.elapsed;
    let now = (used.elapsed * 1e9) as i64;
    let cpu = idling.cpu.user + idling.cpu.system;
    let raw = calls.raw(writes, now, cpu);
    let done = Done { tried, errors, timeouts, rate, first_error };
    Ok(Outcome { open: Some(raw), ..outcome::<C>(job, before, used, done, &[], 0) })
}

/// Runs all calls of a phase. If the lab follows the run, each second is reported when it is over.
async fn open_phase<C, K, F>(
    calls: Calls,
    most: usize,
    call: K,
    server_pid: Option<u32>,
    follow: impl FnOnce(&Arc<Calls>) -> Option<Ended>,
) -> Result<(Arc<Calls>, measure::Used), String>
where
    C: Client,
    K: Fn(usize) -> F + Send + Sync + 'static,
    F: Future<Output = Result<(), CallError>> + Send,
{
    let (calls, call) = (Arc::new(calls), Arc::new(call));
    let followed = follow(&calls);
    let before = Usage::opening(server_pid);
    let lines = followed.map(|ended| Lines::new(before.clock, vec![ended]));
    let clock = Arc::new(Real::start(!C::BLOCKS)?);
    if C::BLOCKS {
        open::threads(&calls, most, &clock, &call)?;
    } else {
        open::tasks(&calls, most, &clock, &call).await?;
    }
    let used = before.until(&Usage::now(server_pid));
    lines.into_iter().for_each(Lines::end);
    Ok((calls, used))
}

/// Keys spread over the whole range must read back as what this workload writes.
async fn check<C: Client>(client: &C, records: &[Vec<Value>], keys: u64) -> Result<(), String> {
    for key in (0..keys).step_by((keys / CHECKED_KEYS).max(1) as usize) {
        for (at, written) in records[key as usize % records.len()].iter().enumerate() {
            let value = client.read_bin(key as i64, &format!("b{at}")).await?;
            if value != *written {
                return Err(format!("key {key} does not read back as it was written"));
            }
        }
    }
    Ok(())
}

struct Shared<C: Client> {
    client: C,
    pool: Vec<C::Bins>,
    every: usize,
}

impl<C: Client> Shared<C> {
    async fn call(&self, key: i64, write: bool) -> Result<(), CallError> {
        if write {
            self.client.put(key, &self.pool[key as usize % self.pool.len()]).await
        } else {
            self.client.get(key).await
        }
    }
}

/// One closed loop: its operations and results. Latencies of writes are stored as negative numbers.
struct Worker {
    operations: Vec<Operation>,
    samples: Samples,
    tried: u64,
    sampled: usize,
    errors: u64,
    /// How many of the errors were timeouts.
    timeouts: u64,
    first_error: Option<String>,
    /// When its last call had ended.
    ended: Instant,
    marks: Marks,
}

impl Worker {
    fn new(operations: Vec<Operation>, workers: usize) -> Self {
        let size = (SAMPLES_TOTAL / workers.next_power_of_two()).max(1 << 8);
        let samples = Samples::new(size);
        let ended = Instant::now();
        Self {
            operations,
            samples,
            tried: 0,
            sampled: 0,
            errors: 0,
            timeouts: 0,
            first_error: None,
            ended,
            marks: Marks::none(),
        }
    }

    fn noted(&self) -> Arc<Noted> {
        self.marks.noted()
    }

    /// Successful calls per second until the end of its own last one: a worker that has finished
    /// does not count as idle.
    fn rate(&self, began: Instant) -> f64 {
        (self.tried - self.errors) as f64 / (self.ended - began).as_secs_f64()
    }

    fn latencies(&self) -> impl Iterator<Item = i64> {
        (0..self.sampled.min(self.samples.len())).map(|at| self.samples.at(at))
    }

    async fn run<C: Client>(mut self, shared: Arc<Shared<C>>, stop: Arc<AtomicBool>) -> Self {
        (self.tried, self.sampled, self.errors) = (0, 0, 0);
        (self.timeouts, self.first_error) = (0, None);
        let mut left = 1;
        for at in (0..self.operations.len()).cycle() {
            let (key, write) = self.operations[at];
            left -= 1;
            let begun = (left == 0).then(Instant::now);
            if let Some(begun) = begun {
                self.marks.timed(begun, self.tried, self.sampled);
            }
            let done = shared.call(key, write).await;
            self.tried += 1;
            if let Err(error) = done {
                self.errors += 1;
                self.timeouts += u64::from(error.timed_out);
                self.marks.failed(error.timed_out);
                self.first_error.get_or_insert(error.text);
            } else if let Some(begun) = begun {
                let nanoseconds = begun.elapsed().as_nanos() as i64;
                let signed = if write { -nanoseconds } else { nanoseconds };
                self.samples.take(self.sampled, signed);
                self.sampled += 1;
            }
            if left == 0 {
                left = shared.every;
            }
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        self.ended = Instant::now();
        self.marks.ended(self.ended, self.tried, self.sampled);
        self
    }
}

/// What workers record during a window.
#[derive(Clone, Copy)]
struct Noting {
    /// Nanoseconds.
    interval: u64,
    /// Whether each second is reported when it is over.
    lines: bool,
}

/// The measured part of a run.
struct Window {
    began: Instant,
    used: measure::Used,
    /// Resident bytes at the end of each interval.
    rss: Vec<u64>,
}

/// Runs all workers for a while; the window closes when the last has finished its last call.
async fn phase<C: Client>(
    shared: &Arc<Shared<C>>,
    mut work: Vec<Worker>,
    seconds: f64,
    server_pid: Option<u32>,
    noting: Option<Noting>,
) -> Result<(Vec<Worker>, Window), String> {
    let stop = Arc::new(AtomicBool::new(false));
    let before = Usage::opening(server_pid);
    let memory = noting.map(|noting| Resident::new(before.clock, noting.interval));
    for worker in &mut work {
        worker.marks = noting.map_or_else(Marks::none, |noting| {
            Marks::new(before.clock, noting.interval, worker.samples.clone())
        });
    }
    let lines = noting.filter(|noting| noting.lines);
    let lines =
        lines.map(|_| Lines::new(before.clock, work.iter().map(Worker::noted).collect::<Vec<_>>()));
    let lasts = Duration::from_secs_f64(seconds);
    let loops = work.into_iter().map(|worker| worker.run(shared.clone(), stop.clone()));
    let finished = if C::BLOCKS {
        callers::threads(loops, lasts, &stop)?
    } else {
        callers::tasks(loops, lasts, &stop).await?
    };
    let used = before.until(&Usage::now(server_pid));
    let rss = memory.map(Resident::end).unwrap_or_default();
    lines.into_iter().for_each(Lines::end);
    Ok((finished, Window { began: before.clock, used, rss }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every third call fails, every sixth by a timeout; others take a while.
    struct Known;

    impl Client for Known {
        type Bins = ();

        const VERSION_OF: &'static str = "serde";

        const BLOCKS: bool = true;

        async fn open(_target: &Target) -> Result<Self, String> {
            Ok(Self)
        }

        fn bins(_values: &[Value]) -> Self::Bins {}

        async fn get(&self, key: i64) -> Result<(), CallError> {
            match key % 6 {
                0 => Err(CallError { text: "late".to_owned(), timed_out: true }),
                3 => Err("no".to_owned().into()),
                // The worker with this number has less to do than the others.
                1 => {
                    std::thread::sleep(Duration::from_millis(400));
                    Ok(())
                }
                _ => {
                    std::thread::sleep(Duration::from_millis(1));
                    Ok(())
                }
            }
        }

        async fn put(&self, key: i64, _bins: &Self::Bins) -> Result<(), CallError> {
            self.get(key).await
        }

        async fn read_bin(&self, _key: i64, _name: &str) -> Result<Value, String> {
            Ok(Value::Integer(0))
        }
    }

    fn run(streams: &[&[i64]]) -> (Vec<Worker>, Window) {
        let shared = Arc::new(Shared { client: Known, pool: vec![()], every: 1 });
        let work = streams
            .iter()
            .map(|keys| Worker::new(keys.iter().map(|key| (*key, false)).collect(), streams.len()));
        let noting = Some(Noting { interval: 20_000_000, lines: false });
        callers::at_once(phase(&shared, work.collect(), 0.1, None, noting)).unwrap()
    }

    #[test]
    fn timeouts_are_counted_apart_from_other_errors() {
        let (work, window) = run(&[&[0, 3, 2]]);
        let worker = &work[0];
        assert!(worker.errors > 0 && worker.errors < worker.tried);
        assert!(worker.timeouts * 2 >= worker.errors && worker.timeouts * 2 <= worker.errors + 1);
        let ended = (window.used.elapsed * 1e9).round() as u64;
        let intervals = series::series(&[worker.noted()], 20_000_000, ended, window.rss, false);
        assert_eq!(intervals.errors.iter().sum::<u64>(), worker.errors);
        assert_eq!(intervals.timeouts.iter().sum::<u64>(), worker.timeouts);
        assert_eq!(intervals.operations.iter().sum::<u64>(), worker.tried - worker.errors);
    }

    #[test]
    fn the_last_calls_of_slow_workers_do_not_count_against_the_others() {
        let (work, window) = run(&[&[2], &[1]]);
        let rate: f64 = work.iter().map(|worker| worker.rate(window.began)).sum();
        let tried: u64 = work.iter().map(|worker| worker.tried).sum();
        assert!(rate > 1.5 * tried as f64 / window.used.elapsed);
    }
}
