//! One cell in this process: checks, warm-up, and the measured window.

use std::hint::black_box;
use std::io::{self, Read as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde::Serialize;

use super::contract::{Description, Job, Memory, Operation, Outcome};
use super::rows::{Item, item};
use super::{CqlClient, Target};
use crate::call_error::CallError;
use crate::callers;
use crate::job::{Build, Failure};
use crate::measure::{self, Usage};
use crate::workload;

/// Items that are read and compared before the clock starts.
const CHECKED: u64 = 64;
/// Different parameters of all tasks together, after which they repeat.
const DRAWN: usize = 16_384;
/// How long opening a session and preparing a statement may take.
const OPENING: Duration = Duration::from_secs(20);

/// Runs the job from standard input, and writes its result to standard output.
pub fn main<C: CqlClient>() {
    let mut text = String::new();
    let answer = io::stdin()
        .read_to_string(&mut text)
        .map_err(|error| error.to_string())
        .and_then(|_| serde_json::from_str(&text).map_err(|error| error.to_string()))
        .and_then(|job: Job| answer::<C>(&job))
        .unwrap_or_else(|failed| json(&Failure { failed }));
    let mut stdout = io::stdout();
    let _ = writeln!(stdout, "{answer}");
    let _ = stdout.flush();
    std::process::exit(0);
}

fn json(answer: &impl Serialize) -> String {
    serde_json::to_string(answer).expect("plain data is JSON")
}

fn answer<C: CqlClient>(job: &Job) -> Result<String, String> {
    match job.step.as_str() {
        "describe" => Ok(json(&Description {
            client: job.client.clone(),
            unavailable: None,
            version: crate::locked_version(C::VERSION_OF),
            python: None,
        })),
        "measure" => {
            measure::pin(&job.cpus);
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()
                .map_err(|error| error.to_string())?;
            runtime.block_on(run::<C>(job)).map(|outcome| json(&outcome))
        }
        other => Err(format!("no client in Rust has the step {other:?}")),
    }
}

async fn run<C: CqlClient>(job: &Job) -> Result<Outcome, String> {
    let load_average = measure::load_average();
    check(&open::<C>(job, Operation::Select).await?, job).await?;
    let client = Arc::new(open::<C>(job, job.operation).await?);
    let protocol = client.protocol();
    let tasks: Vec<_> = (0..job.depth).map(|at| Task::new(job, at)).collect();
    let ready = measure::peak_rss();
    let warmed = phase(&client, job, tasks, job.warmup).await?;
    let before = Usage::opening(job.server_pid);
    let tasks = phase(&client, job, warmed, job.duration).await?;
    let used = before.until(&Usage::now(job.server_pid));
    let sum = |of: fn(&Task) -> u64| tasks.iter().map(of).sum::<u64>();
    let (tried, errors) = (sum(|task| task.tried), sum(|task| task.errors));
    let paged = job.operation == Operation::Page;
    Ok(Outcome {
        client: job.client.clone(),
        version: crate::locked_version(C::VERSION_OF),
        build: Build::THIS,
        protocol,
        row_type: if job.operation == Operation::Insert { "nothing" } else { "tuple" },
        event_loop: "tokio",
        python: None,
        elapsed: used.elapsed,
        operations: (tried - errors) * if paged { job.page.rows as u64 } else { 1 },
        errors,
        timeouts: sum(|task| task.timeouts),
        first_error: tasks.iter().find_map(|task| task.first_error.clone()),
        cpu: used.cpu,
        server_cpu: used.server_cpu,
        machine_cpu: used.machine_cpu,
        switches: used.switches,
        memory: Memory { ready, peak: measure::peak_rss() },
        cpus: job.cpus.clone(),
        load_average,
    })
}

async fn open<C: CqlClient>(job: &Job, operation: Operation) -> Result<C, String> {
    let statement = job.statements.get(&operation).ok_or("an operation has no statement")?;
    let target = Target {
        host: &job.host,
        port: job.port,
        statement,
        page_size: job.page.size,
        access: &job.access,
    };
    // Some clients try again for ever.
    let opening = tokio::time::timeout(OPENING, C::open(&target)).await;
    opening.unwrap_or_else(|_| Err(format!("no session within {OPENING:?}")))
}

/// Items spread over the whole table must read back as they were written.
async fn check<C: CqlClient>(reader: &C, job: &Job) -> Result<(), String> {
    for number in (0..job.keys).step_by((job.keys / CHECKED).max(1) as usize) {
        let written = item(number, job.payload);
        let read = reader.select(&written.0).await.map_err(|error| error.text)?;
        let fits = if job.canned {
            read.0 == written.0 && read.2.len() == job.payload
        } else {
            read == written
        };
        if !fits {
            return Err(format!("{} reads back as {read:?}", written.0));
        }
    }
    Ok(())
}

/// One closed loop: its parameters, which repeat, and what became of its calls.
struct Task {
    items: Vec<Item>,
    next: usize,
    tried: u64,
    errors: u64,
    timeouts: u64,
    first_error: Option<String>,
}

impl Task {
    fn new(job: &Job, at: usize) -> Self {
        let numbers = workload::stream(100.0, job.keys, job.seed, at, job.depth);
        let many = (DRAWN / job.depth).max(1);
        let numbers = numbers.into_iter().take(many).map(|(key, _)| key as u64);
        let items = numbers.map(|number| item(number, job.payload)).collect();
        Self { items, next: 0, tried: 0, errors: 0, timeouts: 0, first_error: None }
    }

    /// The same parameters, with nothing counted yet.
    fn restarted(self) -> Self {
        Self { tried: 0, errors: 0, timeouts: 0, first_error: None, ..self }
    }

    fn failed(&mut self, error: CallError) {
        self.errors += 1;
        self.timeouts += u64::from(error.timed_out);
        self.first_error.get_or_insert(error.text);
    }

    async fn repeat<C: CqlClient>(mut self, client: Arc<C>, plan: Plan) -> Self {
        while !plan.stop.load(Ordering::Relaxed) {
            let item = &self.items[self.next];
            let called = match plan.operation {
                Operation::Insert => client.insert(item).await,
                Operation::Select => client.select(&item.0).await.map(|row| drop(black_box(row))),
                Operation::Page => whole(client.page(plan.partition).await, plan.rows),
            };
            self.next = (self.next + 1) % self.items.len();
            self.tried += 1;
            if let Err(error) = called {
                self.failed(error);
            }
        }
        self
    }
}

/// What every task of a phase has to know.
#[derive(Clone)]
struct Plan {
    operation: Operation,
    partition: i32,
    rows: usize,
    stop: Arc<AtomicBool>,
}

fn whole(page: Result<Vec<super::Wide>, CallError>, rows: usize) -> Result<(), CallError> {
    let page = black_box(page?);
    if page.len() == rows {
        return Ok(());
    }
    Err(format!("a page has {} rows instead of {rows}", page.len()).into())
}

async fn phase<C: CqlClient>(
    client: &Arc<C>,
    job: &Job,
    tasks: Vec<Task>,
    seconds: f64,
) -> Result<Vec<Task>, String> {
    let stop = Arc::new(AtomicBool::new(false));
    let (operation, partition, rows) = (job.operation, job.page.partition, job.page.rows);
    let plan = Plan { operation, partition, rows, stop: stop.clone() };
    let loops = tasks.into_iter().map(|task| task.restarted().repeat(client.clone(), plan.clone()));
    callers::tasks(loops, Duration::from_secs_f64(seconds), &stop).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cql::Wide;

    /// Answers what the tables contain, except that every tenth insert fails.
    struct Remembering(std::sync::atomic::AtomicU64);

    impl CqlClient for Remembering {
        const VERSION_OF: &'static str = "serde";

        async fn open(_: &Target<'_>) -> Result<Self, String> {
            Ok(Self(std::sync::atomic::AtomicU64::new(0)))
        }

        async fn insert(&self, _: &Item) -> Result<(), CallError> {
            tokio::task::yield_now().await;
            match self.0.fetch_add(1, Ordering::Relaxed) % 10 {
                9 => Err(CallError { text: "late".to_owned(), timed_out: true }),
                _ => Ok(()),
            }
        }

        async fn select(&self, id: &str) -> Result<Item, CallError> {
            Ok(item(id.trim_start_matches("user:").parse().unwrap(), 5))
        }

        async fn page(&self, _: i32) -> Result<Vec<Wide>, CallError> {
            tokio::task::yield_now().await;
            Ok(vec![(1, 2, 3, 4, 5.0, 6.0, 7, String::new(), String::new(), true); 3])
        }
    }

    fn job(operation: &str, payload: usize) -> Job {
        serde_json::from_value(serde_json::json!({
            "client": "c", "step": "measure", "operation": operation, "depth": 3, "host": "h",
            "port": 1, "canned": false, "keys": 200, "seed": 1, "warmup": 0.0, "duration": 0.02,
            "server_pid": null, "cpus": [], "payload": payload,
            "statements": {"insert": "i", "select": "s", "page": "p"},
            "page": {"partition": 1, "rows": 3, "size": 4},
        }))
        .unwrap()
    }

    #[tokio::test]
    async fn failed_calls_are_counted_apart_from_those_that_worked() {
        let outcome = run::<Remembering>(&job("insert", 5)).await.unwrap();
        let tried = outcome.operations + outcome.errors;
        assert!(outcome.errors.abs_diff(tried / 10) <= 1 && outcome.errors == outcome.timeouts);
        assert_eq!((outcome.first_error.as_deref(), outcome.row_type), (Some("late"), "nothing"));
    }

    #[tokio::test]
    async fn each_row_of_a_page_is_an_operation() {
        let outcome = run::<Remembering>(&job("page", 5)).await.unwrap();
        assert!(outcome.operations > 0 && outcome.operations.is_multiple_of(3));
        assert_eq!(outcome.errors, 0);
    }

    #[tokio::test]
    async fn nothing_is_measured_with_a_client_that_reads_other_values() {
        let error = run::<Remembering>(&job("select", 6)).await.map(|_| ()).unwrap_err();
        assert!(error.starts_with("user:00000000 reads back as"), "{error}");
    }
}
