//! Background jobs: changes to every record of a query, made by the nodes.

use std::sync::Arc;
use std::time::Duration;

use spikewire_engine::admin;
use spikewire_engine::admin::job::{AbortJob, RunningJob, StartJob, WatchJob};
use spikewire_engine::command::{CommandDefaults, CommandSpec, Function};
use spikewire_protocol::query::Task;

use super::plan::{Choice, append, check_count};
use crate::face::{Face, Tools, Wanted, administer};
use crate::operation::Operation;
use crate::{Client, Error, Result};

pub use spikewire_engine::admin::job::JobProgress as Progress;

/// A background job, from [`Query::operate_all`](crate::Query::operate_all) and its like. It goes
/// on without the client.
#[derive(Debug, Clone)]
pub struct Job<C = Client> {
    client: C,
    job: Arc<RunningJob>,
}

impl<C: Face> Job<C> {
    /// Its number on every node.
    pub fn id(&self) -> u64 {
        self.job.id
    }

    /// How far it is. A node that forgot it has ended it long ago, and counts nothing. Fails when
    /// a node that it runs on does not answer.
    pub fn progress(&self) -> C::Answer<Progress> {
        administer(&self.client, Ok(WatchJob::progress(self.job.clone())))
    }

    /// Waits until it has ended on every node; zero: without a limit. Fails with
    /// [`Kind::Timeout`](crate::Kind::Timeout) when that takes longer, and the job goes on then.
    pub fn wait(&self, limit: Duration) -> C::Answer<Progress> {
        administer(&self.client, Ok(WatchJob::wait(self.job.clone(), limit)))
    }

    /// Ends it on every node. Records that were changed stay so. Does nothing if it is over.
    pub fn abort(&self) -> C::Answer<()> {
        administer(&self.client, Ok(AbortJob::new(self.job.clone())))
    }
}

/// Starts a job of operations.
pub(super) fn operate<C: Face>(
    client: &C,
    choice: &Choice,
    operations: &[Operation],
) -> C::Answer<Job<C>> {
    let composed = compose(choice, operations);
    let (choice, face) = (choice.clone(), client.clone());
    client.work(move |tools, wanted| {
        let (query, header) = composed?;
        let (info2, info3, ttl) = (header.info2, header.info3, header.ttl);
        start(face, (tools, wanted), &choice, &query, &Task::Operations { info2, info3, ttl })
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
    client.work(move |tools, wanted| {
        let (query, function) = composed?;
        let (package, name) = (function.module(), function.name());
        let task = Task::Function { package, name, arguments: function.arguments() };
        start(face, (tools, wanted), &choice, &query, &task)
    })
}

fn start<C: Face>(
    client: C,
    (tools, wanted): (&Tools, Wanted<'_>),
    choice: &Choice,
    query: &spikewire_protocol::query::Query,
    task: &Task<'_>,
) -> Result<Job<C>> {
    let timeout = choice.timeout.or(choice.options.timeout);
    let timeout = timeout.unwrap_or(tools.defaults.policy.timeout);
    let mut start = StartJob::new(tools.cluster.members()?, query, task, timeout)?;
    let job = admin::run(&tools.cluster, &mut start, &|| !wanted())?;
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
