//! Background jobs: changes to every record of a query, made by the nodes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use spikewire_engine::command::{CommandDefaults, CommandSpec, Function};
use spikewire_engine::transport::stream::Job as Started;
use spikewire_protocol::query::Task;
use spikewire_protocol::result_code::ResultCode;

use super::plan::{Choice, append, check_count};
use crate::face::{Face, Tools, field};
use crate::operation::Operation;
use crate::{Client, Error, Kind, Result};

/// The first pause between two looks at a job; it grows to the second one.
const PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How often whoever pauses looks whether it is still wanted.
const GLANCE: Duration = Duration::from_millis(50);

/// A background job, from [`Query::operate_all`](crate::Query::operate_all) and its like. It goes
/// on without the client.
#[derive(Debug, Clone)]
pub struct Job<C = Client> {
    client: C,
    job: Arc<Started>,
}

/// How far a job is, on all nodes together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Whether it has ended on every node.
    pub done: bool,
    /// Whether somebody ended it before its time.
    pub aborted: bool,
    /// How much of the work is done, from 0 to 100.
    pub percent: f64,
    /// Records that were changed.
    pub succeeded: u64,
    /// Records that could not be changed.
    pub failed: u64,
    /// Records that did not pass the filter.
    pub filtered: u64,
}

impl<C: Face> Job<C> {
    /// Its number on every node.
    pub fn id(&self) -> u64 {
        self.job.id
    }

    /// How far it is. A node that forgot it has ended it long ago, and counts nothing. Fails when
    /// a node that it runs on does not answer.
    pub fn progress(&self) -> C::Answer<Progress> {
        let job = self.job.clone();
        self.client.work(move |tools, _| progress(tools, &job))
    }

    /// Waits until it has ended on every node; zero: without a limit. Fails with
    /// [`Kind::Timeout`] when that takes longer, and the job goes on then.
    pub fn wait(&self, limit: Duration) -> C::Answer<Progress> {
        let job = self.job.clone();
        self.client.work(move |tools, wanted| {
            let start = Instant::now();
            let mut pause = PAUSE;
            loop {
                let progress = progress(tools, &job)?;
                if progress.done || !wanted() {
                    return Ok(progress);
                }
                if !limit.is_zero() && start.elapsed() >= limit {
                    let message = format!(
                        "job {} was {:.0} % done after {limit:?}",
                        job.id, progress.percent
                    );
                    return Err(Error::new(Kind::Timeout, message));
                }
                sleep(pause, wanted);
                pause = pause.mul_f64(1.5).min(LONGEST_PAUSE);
            }
        })
    }

    /// Ends it on every node. Records that were changed stay so. Does nothing if it is over.
    pub fn abort(&self) -> C::Answer<()> {
        let job = self.job.clone();
        self.client.work(move |tools, _| {
            let command = format!("query-abort:id={}", job.id);
            job.nodes.iter().try_for_each(|node| shown(tools.ask(node, &command)).map(drop))
        })
    }
}

/// Sleeps as long as somebody waits for what comes after.
pub(crate) fn sleep(pause: Duration, wanted: &dyn Fn() -> bool) {
    let until = Instant::now() + pause;
    while wanted() {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(GLANCE));
    }
}

/// What a node shows of a job; `None` when it has none of that number (any more).
fn shown(answer: Result<String>) -> Result<Option<String>> {
    match answer {
        Err(error) if error.kind() == Kind::Server(ResultCode::NOT_FOUND) => Ok(None),
        other => other.map(Some),
    }
}

fn progress(tools: &Tools, job: &Started) -> Result<Progress> {
    let command = format!("query-show:id={}", job.id);
    let mut sum =
        Progress { done: true, aborted: false, percent: 0.0, succeeded: 0, failed: 0, filtered: 0 };
    for node in &job.nodes {
        let Some(shown) = shown(tools.ask(node, &command))? else {
            sum.percent += 100.0;
            continue;
        };
        let part = |name| field(&shown, ':', name);
        let count = |name| part(name).and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
        let status = part("status").unwrap_or("done");
        sum.done &= !status.starts_with("active");
        sum.aborted |= status.contains("abort");
        sum.percent += part("job-progress").and_then(|part| part.parse().ok()).unwrap_or(0.0);
        sum.succeeded += count("recs-succeeded");
        sum.failed += count("recs-failed");
        sum.filtered += count("recs-filtered-meta") + count("recs-filtered-bins");
    }
    sum.percent = if sum.done { 100.0 } else { sum.percent / job.nodes.len().max(1) as f64 };
    Ok(sum)
}

/// Starts a job of operations.
pub(super) fn operate<C: Face>(
    client: &C,
    choice: &Choice,
    operations: &[Operation],
) -> C::Answer<Job<C>> {
    let composed = compose(choice, operations);
    let (choice, face) = (choice.clone(), client.clone());
    client.work(move |tools, _| {
        let (query, header) = composed?;
        let (info2, info3, ttl) = (header.info2, header.info3, header.ttl);
        start(face, tools, &choice, &query, &Task::Operations { info2, info3, ttl })
    })
}

/// Starts a job of a function.
pub(super) fn apply<C: Face>(
    client: &C,
    choice: &Choice,
    function: Result<Function>,
) -> C::Answer<Job<C>> {
    let composed = function.and_then(|function| {
        check(choice)?;
        Ok((choice.scope()?, function))
    });
    let (choice, face) = (choice.clone(), client.clone());
    client.work(move |tools, _| {
        let (query, function) = composed?;
        let (package, name) = (function.module(), function.name());
        let task = Task::Function { package, name, arguments: function.arguments() };
        start(face, tools, &choice, &query, &task)
    })
}

fn start<C: Face>(
    client: C,
    tools: &Tools,
    choice: &Choice,
    query: &spikewire_protocol::query::Query,
    task: &Task<'_>,
) -> Result<Job<C>> {
    let timeout = choice.timeout.or(choice.options.timeout);
    let timeout = timeout.unwrap_or(tools.defaults.policy.timeout);
    let job = tools.streams.start(query, task, timeout)?;
    Ok(Job { client, job: Arc::new(job) })
}

fn check(choice: &Choice) -> Result<()> {
    choice.check_whole("a background job")?;
    if choice.socket_timeout.is_some() {
        return Err(Error::invalid("socket_timeout does not apply to a background job"));
    }
    choice.options.check_job()
}

fn compose(
    choice: &Choice,
    operations: &[Operation],
) -> Result<(spikewire_protocol::query::Query, spikewire_protocol::message::Header)> {
    check(choice)?;
    let header =
        CommandSpec::write(&CommandDefaults::default(), &choice.options.for_write()?)?.header;
    let mut query = choice.scope()?;
    if operations.is_empty() {
        return Err(Error::invalid("operations must not be empty"));
    }
    check_count(operations.len(), "operations")?;
    for (at, step) in operations.iter().enumerate() {
        if step.as_sent()?.reads() {
            return Err(Error::invalid(format!(
                "operation {at} reads; a job only writes, as nobody takes what it reads"
            )));
        }
        append(&mut query, step)?;
    }
    Ok((query, header))
}
