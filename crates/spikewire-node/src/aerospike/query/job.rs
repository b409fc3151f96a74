//! Background jobs: the nodes change every record of a scan or an index query.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike::admin::job::{AbortJob, RunningJob, WatchJob};
use spikewire_aerospike::background_job::JobPlan;
use spikewire_aerospike::command::WriteOptions;
use spikewire_aerospike::query::QueryOps;
use spikewire_aerospike_protocol::message::op;

use super::plan::{scope, steps};
use crate::aerospike::admin::{BackgroundJob, begin};
use crate::aerospike::arguments::{self, Options, count, span, text};
use crate::aerospike::client::Client;
use crate::aerospike::operation;
use crate::binding::Call;
use crate::js::create::MAX_SAFE;
use crate::js::{Failure, Result, Value};

/// Bounds of the ids of jobs that hosts choose.
const ID: (u64, u64) = (0, MAX_SAFE as u64);

/// `jobStart(client, slot, space, kind, what, options, index)`: starts a job. `what` has the
/// operations, or module, function and arguments. Settles with its number and its id.
pub fn start<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let options = Options::new(call.argument(5));
    let id = options.get(c"id")?.map(|id| count("id", id, ID)).transpose()?;
    let plan = plan(call)?.with_id(id);
    let client = Client::of(call)?;
    begin(call, plan.start(&client.cluster)?)
}

fn plan(call: &Call<'_>) -> Result<JobPlan> {
    let client = Client::of(call)?;
    let environment = &call.host.environment;
    let space = environment.space(call.argument(2))?;
    let hooks = environment.hooks()?;
    let options = Options::new(call.argument(5));
    let spec = scope(hooks, &space, &options, call.argument(6))?;
    let policy = &client.defaults.policy;
    let what = call.argument(4);
    let operations = match &*text("kind", call.argument(3))? {
        "operate" => steps(QueryOps::writing(), what)?,
        "delete" => QueryOps::whole(op::DELETE),
        "touch" => QueryOps::whole(op::TOUCH),
        "apply" => {
            let part = |at| what.element(at);
            let function = operation::function(hooks, part(0)?, part(1)?, part(2)?)?;
            return Ok(spec.apply(function, policy)?);
        }
        kind => return Err(Failure::of_range(format!("unknown job {kind:?}"))),
    };
    let durable = options.flag(c"durable")?.unwrap_or_default();
    let ttl = options.get(c"ttl")?.map(arguments::ttl).transpose()?.unwrap_or_default();
    let rules = WriteOptions { durable, ttl, ..WriteOptions::default() };
    Ok(spec.operate(&operations, &rules, policy)?)
}

fn job(call: &Call<'_>) -> Result<Arc<RunningJob>> {
    Ok(call.host.environment.resources.get::<BackgroundJob>(call.index(2)?)?.0.clone())
}

/// `jobOfId(client, id)`: the number of the job with this id, whoever has started it.
pub fn of_id<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let client = Client::of(call)?;
    let id = count("id", call.argument(1), ID)?;
    let job = RunningJob::of_id(id, client.cluster.members()?);
    let job = BackgroundJob(Arc::new(job));
    call.env.uint32(call.host.environment.resources.add(Rc::new(job))).map(Some)
}

/// `jobProgress(client, slot, job)`: the progress of a job.
pub fn progress<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    begin(call, WatchJob::progress(job(call)?))
}

/// `jobWait(client, slot, job, timeout)`: waits until a job has ended.
pub fn wait<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let limit = call.argument(3).present().map(|limit| span("timeout", limit)).transpose()?;
    begin(call, WatchJob::wait(job(call)?, limit.unwrap_or(Duration::ZERO)))
}

/// `jobAbort(client, slot, job)`: aborts a job on every node.
pub fn abort<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    begin(call, AbortJob::new(job(call)?))
}

/// `release(number)`: releases a resource that JavaScript no longer references.
pub fn release<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    call.host.environment.resources.remove(call.index(0)?);
    Ok(None)
}
