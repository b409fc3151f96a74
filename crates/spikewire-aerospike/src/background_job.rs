//! Background jobs on the records of a query: validation and plan.

use std::time::Duration;

use spikewire_aerospike_protocol::error_details::DetailLevel;
use spikewire_aerospike_protocol::message::Header;
use spikewire_aerospike_protocol::query::{Query, Task};

use crate::admin::job::StartJob;
use crate::cluster::Cluster;
use crate::command::{Function, WriteOptions};
use crate::model::{Error, Result};
use crate::model::{Policy, write_header};
use crate::query::{QueryOps, QuerySpec, task_id};

/// A validated background job that has not started.
#[derive(Debug, Clone)]
pub struct JobPlan {
    query: Query,
    work: JobWork,
    timeout: Duration,
    details: DetailLevel,
    id: Option<u64>,
}

/// What a job does to each record.
#[derive(Debug, Clone)]
enum JobWork {
    Operations { info2: u8, info3: u8, ttl: u32 },
    Function(Function),
}

impl QuerySpec {
    /// Plans a job that applies operations to every record; `policy` has the client's defaults. Of
    /// the options, the rules of writes apply.
    pub fn operate(
        &self,
        operations: &QueryOps,
        options: &WriteOptions,
        policy: &Policy,
    ) -> Result<JobPlan> {
        operations.check_some()?;
        let WriteOptions { ttl, generation, exists, durable, .. } = *options;
        let Header { info2, info3, ttl, .. } = write_header(ttl, generation, exists, durable)?;
        let mut plan = self.job(JobWork::Operations { info2, info3, ttl }, policy)?;
        operations.add_to(&mut plan.query);
        plan.query.check()?;
        Ok(plan)
    }

    /// Plans a job that applies a function to every record.
    pub fn apply(&self, function: Function, policy: &Policy) -> Result<JobPlan> {
        self.job(JobWork::Function(function), policy)
    }

    fn job(&self, work: JobWork, policy: &Policy) -> Result<JobPlan> {
        self.check_whole("a background job")?;
        if self.socket_timeout.is_some() {
            return Err(Error::invalid("socket_timeout does not apply to a background job"));
        }
        let timeout = self.timeout.unwrap_or(policy.timeout);
        Ok(JobPlan {
            query: self.scope()?,
            work,
            timeout,
            details: self.details(policy)?,
            id: None,
        })
    }
}

impl JobPlan {
    /// The same with this id on the nodes, which no other job there must have; otherwise a new one.
    #[must_use]
    pub fn with_id(self, id: Option<u64>) -> Self {
        Self { id, ..self }
    }

    /// The procedure that starts it on every node.
    pub fn start(&self, cluster: &Cluster) -> Result<StartJob> {
        let task = match &self.work {
            &JobWork::Operations { info2, info3, ttl } => Task::Operations { info2, info3, ttl },
            JobWork::Function(function) => Task::Function {
                package: function.module(),
                name: function.name(),
                arguments: function.arguments(),
            },
        };
        let (needs, deep_place) = match &self.work {
            JobWork::Operations { .. } => (self.query.needs(), self.query.deep_place()),
            JobWork::Function(it) => (self.query.needs() | it.needs(), it.deep_place()),
        };
        cluster.snapshot().check_request(needs, || deep_place)?;
        let counter_scope = cluster.counter_scope(&self.query.namespace);
        let (nodes, details) = (cluster.members()?, self.details);
        let id = self.id.unwrap_or_else(task_id);
        StartJob::new(nodes, (id, &self.query), &task, self.timeout, details, Some(counter_scope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spikewire_aerospike_protocol::message::op;

    #[test]
    fn a_job_takes_the_timeout_of_other_commands() {
        let policy = Policy { timeout: Duration::from_secs(3), ..Policy::default() };
        let mut operations = QueryOps::writing();
        operations.push(op::TOUCH, "", 0, &[]).unwrap();
        let spec = QuerySpec::new("test", "users");
        let plan = spec.operate(&operations, &WriteOptions::default(), &policy).unwrap();
        assert_eq!((plan.timeout, plan.query.op_count), (Duration::from_secs(3), 1));
        let own = QuerySpec { timeout: Some(Duration::ZERO), ..spec };
        let function = Function::new("m", "f", vec![0x90]).unwrap();
        assert_eq!(own.apply(function, &policy).unwrap().timeout, Duration::ZERO);
    }

    #[test]
    fn query_options_that_jobs_do_not_support_are_rejected() {
        let policy = Policy::default();
        let mut operations = QueryOps::writing();
        let spec = QuerySpec::new("test", "users");
        let operate = |spec: &QuerySpec, operations: &QueryOps| {
            let plan = spec.operate(operations, &WriteOptions::default(), &policy);
            plan.unwrap_err().message().to_owned()
        };
        assert_eq!(operate(&spec, &operations), "operations must not be empty");
        operations.push(op::TOUCH, "", 0, &[]).unwrap();
        let silent = QuerySpec { socket_timeout: Some(Duration::ZERO), ..spec.clone() };
        assert!(operate(&silent, &operations).starts_with("socket_timeout does not apply"));
        let limited = QuerySpec { limit: Some(1), ..spec };
        assert!(operate(&limited, &operations).starts_with("limit does not apply"));
    }
}
