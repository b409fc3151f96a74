//! Background jobs: changes that the nodes make to every record of a query.

use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike::Policy;
use spikewire_aerospike::admin::Procedure as _;
use spikewire_aerospike::admin::job::{AbortJob, RunningJob, WatchJob};
use spikewire_aerospike::background_job::JobPlan;
use spikewire_aerospike::command::Function;
use spikewire_aerospike::query::QueryOps;

use crate::aerospike::administration::Administration;
use crate::aerospike::client_kind::ClientKind;
use crate::aerospike::operation::Operation;
use crate::aerospike::query_plan::{QueryRequest, encoded};
use crate::{Client, Result};

pub use spikewire_aerospike::admin::job::JobProgress as Progress;

/// A background job, from [`Query::operate_all`](crate::Query::operate_all) and similar methods. It
/// continues without the client.
#[derive(Debug, Clone)]
pub struct Job<C = Client> {
    client: C,
    job: Arc<RunningJob>,
}

impl<C: ClientKind> Job<C> {
    /// Its id on every node.
    pub fn id(&self) -> u64 {
        self.job.id
    }

    /// Its progress. A node that no longer knows it has finished it long ago, and counts nothing.
    /// Fails if a node on which it runs does not reply.
    pub fn progress(&self) -> C::Answer<Progress> {
        self.client.administer(
            Administration::of("job_progress"),
            Ok(WatchJob::progress(self.job.clone())),
        )
    }

    /// Waits until it has ended on every node; zero: no limit. Fails with
    /// [`Kind::Timeout`](crate::Kind::Timeout) if that takes longer; the job then continues.
    pub fn wait(&self, limit: Duration) -> C::Answer<Progress> {
        self.client.administer(
            Administration::of("wait_for_job"),
            Ok(WatchJob::wait(self.job.clone(), limit)),
        )
    }

    /// Aborts it on every node. Changed records stay changed. Does nothing if it has ended.
    pub fn abort(&self) -> C::Answer<()> {
        self.client.administer(Administration::of("abort_job"), Ok(AbortJob::new(self.job.clone())))
    }
}

/// Starts a job that runs operations.
pub(super) fn operate<C: ClientKind>(
    client: &C,
    request: &QueryRequest,
    operations: &[Operation],
) -> C::Answer<Job<C>> {
    start(client, "operate_all", request, |policy| {
        request.options.check_job()?;
        let rules = request.options.for_write()?;
        request.spec()?.operate(&encoded(QueryOps::writing(), operations)?, &rules, policy)
    })
}

/// Starts a job that calls a function.
pub(super) fn apply<C: ClientKind>(
    client: &C,
    request: &QueryRequest,
    function: Result<Function>,
) -> C::Answer<Job<C>> {
    start(client, "apply_all", request, |policy| {
        let function = function?;
        request.options.check_job()?;
        request.spec()?.apply(function, policy)
    })
}

fn start<C: ClientKind>(
    client: &C,
    operation: &'static str,
    request: &QueryRequest,
    plan: impl FnOnce(&Policy) -> Result<JobPlan>,
) -> C::Answer<Job<C>> {
    let (context, handle) = (client.context(), client.clone());
    let started = plan(&context.defaults.policy)
        .and_then(|plan| plan.start(&context.cluster))
        .map(|start| start.map(move |job| Job { client: handle.clone(), job: Arc::new(job) }));
    let (namespace, set) = request.space.as_ref().map_or(("", ""), |it| (&it.namespace, &it.set));
    let about = Administration { operation, namespace, set };
    client.administer(about, started)
}
