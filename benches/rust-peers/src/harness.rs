//! Closed loops as tasks on a tokio runtime or as threads, each with one call in flight.

use std::io::{self, Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::callers;
use crate::job::{Failure, Job, Latency, Memory, Outcome};
use crate::measure::{self, Usage};
use crate::workload::{self, Operation, Value};

/// The mode of the lab in which each loop has a thread.
const BLOCKING: &str = "rust-sync";
const CHECKED_KEYS: u64 = 256;
const SAMPLES_TOTAL: usize = 1 << 18;

/// The cluster and the place in it.
pub struct Target {
    /// `host:port,host:port`
    pub seeds: String,
    pub namespace: String,
    pub set: String,
}

/// Why a call failed.
pub struct Failed {
    pub text: String,
    /// Whether the client or the server gave it up for the time that it took.
    pub timed_out: bool,
}

impl From<String> for Failed {
    fn from(text: String) -> Self {
        Self { text, timed_out: false }
    }
}

/// A client under test. Keys are made from the integer inside the call, as a user would.
pub trait Client: Send + Sync + Sized + 'static {
    /// The client's own form of the bins to write, made beforehand.
    type Bins: Send + Sync;

    const VERSION_OF: &'static str;

    /// Whether its calls block: each loop then has a thread, without any runtime.
    const BLOCKS: bool = false;

    fn open(target: &Target) -> impl Future<Output = Result<Self, String>> + Send;

    fn bins(values: &[Value]) -> Self::Bins;

    /// Read the whole record.
    fn get(&self, key: i64) -> impl Future<Output = Result<(), Failed>> + Send;

    fn put(&self, key: i64, bins: &Self::Bins) -> impl Future<Output = Result<(), Failed>> + Send;

    /// One bin of a record, for the check that this client sees what the others wrote.
    fn read_bin(&self, key: i64, name: &str) -> impl Future<Output = Result<Value, String>> + Send;
}

/// Run the job on standard input with the client of its mode, and write its result to standard
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
        seeds: job.seeds.iter().map(|(h, p)| format!("{h}:{p}")).collect::<Vec<_>>().join(","),
        namespace: job.namespace.clone(),
        set: job.set.clone(),
    };
    let client = C::open(&target).await?;
    let records = workload::value_pool(&specs, job.seed);
    check(&client, &records, job.keys).await?;
    let ready = measure::peak_rss();
    let pool: Vec<_> = records.iter().map(|values| C::bins(values)).collect();
    let shared = Arc::new(Shared { client, pool, every: job.sample_every });
    let work: Vec<_> = (0..job.concurrency)
        .map(|at| workload::stream(read_percent, job.keys, job.seed, at, job.concurrency))
        .map(|operations| Worker::new(operations, job.concurrency))
        .collect();

    let (work, _, _) = phase(&shared, work, job.warmup, None).await?;
    let (work, began, used) = phase(&shared, work, job.duration, job.server_pid).await?;
    let peak = measure::peak_rss();

    let sum = |of: fn(&Worker) -> u64| work.iter().map(of).sum::<u64>();
    let errors = sum(|worker| worker.errors);
    let samples: Vec<i64> = work.iter().flat_map(Worker::kept).copied().collect();
    let taken = sum(|worker| worker.taken as u64) as usize;
    Ok(Outcome {
        client: job.client.clone(),
        version: crate::locked_version(C::VERSION_OF),
        mode: job.mode.clone(),
        concurrency: job.concurrency,
        event_loop: (!C::BLOCKS).then(|| "tokio".to_owned()),
        python: None,
        elapsed: used.elapsed,
        operations: sum(|worker| worker.tried) - errors,
        errors,
        timeouts: sum(|worker| worker.timeouts),
        rate: work.iter().map(|worker| worker.rate(began)).sum(),
        first_error: work.iter().find_map(|worker| worker.first_error.clone()),
        cpu: used.cpu,
        server_cpu: used.server_cpu,
        machine_cpu: used.machine_cpu,
        switches: used.switches,
        latency: Latency {
            read: measure::encode(samples.iter().filter(|ns| **ns > 0).map(|ns| *ns as u64)),
            write: measure::encode(samples.iter().filter(|ns| **ns < 0).map(|ns| -ns as u64)),
            samples: samples.len(),
            overwritten: taken - samples.len(),
            max_ns: samples.iter().map(|ns| ns.unsigned_abs()).max().unwrap_or(0),
        },
        memory: Memory { bare, ready, peak },
        cpus: job.cpus.clone(),
        load_average,
    })
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

/// One closed loop: what it does and what came of it. A write's latency is kept negative.
struct Worker {
    operations: Vec<Operation>,
    samples: Vec<i64>,
    tried: u64,
    taken: usize,
    errors: u64,
    /// Of the errors.
    timeouts: u64,
    first_error: Option<String>,
    /// When its last call had ended.
    ended: Instant,
}

impl Worker {
    fn new(operations: Vec<Operation>, workers: usize) -> Self {
        let size = (SAMPLES_TOTAL / workers.next_power_of_two()).max(1 << 8);
        let samples = vec![0; size];
        let ended = Instant::now();
        Self {
            operations,
            samples,
            tried: 0,
            taken: 0,
            errors: 0,
            timeouts: 0,
            first_error: None,
            ended,
        }
    }

    /// Successful calls each second until the end of its own last one: a worker that has nothing
    /// more to do does not count as idle.
    fn rate(&self, began: Instant) -> f64 {
        (self.tried - self.errors) as f64 / (self.ended - began).as_secs_f64()
    }

    fn kept(&self) -> &[i64] {
        &self.samples[..self.taken.min(self.samples.len())]
    }

    async fn run<C: Client>(mut self, shared: Arc<Shared<C>>, stop: Arc<AtomicBool>) -> Self {
        (self.tried, self.taken, self.errors) = (0, 0, 0);
        (self.timeouts, self.first_error) = (0, None);
        let last = self.samples.len() - 1;
        let mut left = 1;
        for at in (0..self.operations.len()).cycle() {
            let (key, write) = self.operations[at];
            left -= 1;
            let begun = (left == 0).then(Instant::now);
            let done = if write {
                shared.client.put(key, &shared.pool[key as usize % shared.pool.len()]).await
            } else {
                shared.client.get(key).await
            };
            self.tried += 1;
            if let Err(error) = done {
                self.errors += 1;
                self.timeouts += u64::from(error.timed_out);
                self.first_error.get_or_insert(error.text);
            } else if let Some(begun) = begun {
                let nanoseconds = begun.elapsed().as_nanos() as i64;
                let signed = if write { -nanoseconds } else { nanoseconds };
                self.samples[self.taken & last] = signed;
                self.taken += 1;
            }
            if left == 0 {
                left = shared.every;
            }
            if stop.load(Ordering::Relaxed) {
                break;
            }
        }
        self.ended = Instant::now();
        self
    }
}

/// Run all workers for a while; the window closes when the last has finished its last call. When it
/// opened, and what was used within it.
async fn phase<C: Client>(
    shared: &Arc<Shared<C>>,
    work: Vec<Worker>,
    seconds: f64,
    server_pid: Option<u32>,
) -> Result<(Vec<Worker>, Instant, measure::Used), String> {
    let stop = Arc::new(AtomicBool::new(false));
    let before = Usage::opening(server_pid);
    let lasts = Duration::from_secs_f64(seconds);
    let loops = work.into_iter().map(|worker| worker.run(shared.clone(), stop.clone()));
    let finished = if C::BLOCKS {
        callers::threads(loops, lasts, &stop)?
    } else {
        callers::tasks(loops, lasts, &stop).await?
    };
    Ok((finished, before.clock, before.until(&Usage::now(server_pid))))
}
