//! Validates a query and converts it to a request.

use std::ops::{Bound, RangeBounds};
use std::sync::Arc;

use spikewire_aerospike::command::{CommandDefaults, SetRef, check_bin_name};
use spikewire_aerospike::query::{FilterSource, QueryOps, QueryPlan, QuerySpec};
use spikewire_aerospike_protocol::limits::PARTITIONS;

use super::query_record::RecordShape;
use super::range::IndexRange;
use crate::Result;
use crate::aerospike::expression::Expression;
use crate::aerospike::key::Key;
use crate::aerospike::operation::Operation;
use crate::aerospike::options::CallOptions;

/// The parameters of a query: those to be encoded, and those passed on as they are.
#[derive(Debug, Clone)]
pub(crate) struct QueryRequest {
    pub space: Result<Arc<SetRef>>,
    pub options: CallOptions,
    pub filter: Option<Expression>,
    pub index: Option<IndexRange>,
    pub bins: Option<Vec<String>>,
    pub operations: Option<Vec<Operation>>,
    pub after: Option<Key<'static>>,
    /// The other parameters, for any set.
    pub parameters: QuerySpec,
}

/// A composed query that has not started.
#[derive(Debug)]
pub struct PreparedQuery {
    pub(crate) plan: QueryPlan,
    pub(crate) shape: RecordShape,
}

impl QueryRequest {
    pub fn new(space: Result<Arc<SetRef>>, options: CallOptions) -> Self {
        Self {
            space,
            options,
            filter: None,
            index: None,
            bins: None,
            operations: None,
            after: None,
            parameters: QuerySpec::new("", ""),
        }
    }

    /// Plans reading record by record, or in pages of this size.
    pub fn plan(&self, defaults: &CommandDefaults, page: Option<usize>) -> Result<PreparedQuery> {
        self.options.check_read()?;
        let spec = QuerySpec { page_size: page.map(|size| size as u64), ..self.spec()? };
        let plan = spec.plan(&defaults.policy)?;
        let shape = RecordShape::new(&plan.query.set, plan.operations.is_some());
        Ok(PreparedQuery { plan, shape })
    }

    /// The options in the engine's form.
    pub fn spec(&self) -> Result<QuerySpec> {
        let space = self.space.as_ref().map_err(Clone::clone)?;
        let (filter, source) = match self.filter()? {
            Some((filter, source)) => (Some(filter), source),
            None => (None, FilterSource::Compiled),
        };
        Ok(QuerySpec {
            namespace: (*space.namespace).into(),
            set: space.set.clone(),
            filter,
            source,
            index: self.index.as_ref().map(IndexRange::index).transpose()?,
            bins: self.bins.as_deref().map(bins).transpose()?,
            operations: match &self.operations {
                Some(operations) => Some(encoded(QueryOps::reading(), operations)?),
                None => None,
            },
            after: self.after.as_ref().map(|key| match key.user() {
                Ok(user) => space.digest(&user),
                Err(digest) => digest,
            }),
            timeout: self.parameters.timeout.or(self.options.timeout),
            retry: self.options.checked_retry()?,
            ..self.parameters.clone()
        })
    }

    /// The query's own filter, or that of its dataset.
    fn filter(&self) -> Result<Option<(Vec<u8>, FilterSource)>> {
        if let Some(filter) = &self.filter {
            return filter.query_filter().map(Some);
        }
        let filter = self.options.query_filter()?;
        Ok(filter.map(|(bytes, source)| (bytes.to_vec(), source)))
    }
}

fn bins(names: &[String]) -> Result<QueryOps> {
    names.iter().try_for_each(|name| check_bin_name(name))?;
    Ok(QueryOps::bins(names))
}

/// Adds operations to `ops`.
pub(crate) fn encoded(mut ops: QueryOps, operations: &[Operation]) -> Result<QueryOps> {
    for step in operations {
        let step = step.as_sent()?;
        ops.push(step.code, step.bin, step.particle, step.value)?;
    }
    Ok(ops)
}

/// The first partition and their number.
pub(crate) fn partitions(range: &impl RangeBounds<u16>) -> (u64, u64) {
    let first = match range.start_bound() {
        Bound::Included(first) => u64::from(*first),
        Bound::Excluded(before) => u64::from(*before) + 1,
        Bound::Unbounded => 0,
    };
    let end = match range.end_bound() {
        Bound::Included(last) => u64::from(*last) + 1,
        Bound::Excluded(end) => u64::from(*end),
        Bound::Unbounded => PARTITIONS as u64,
    };
    (first, end.saturating_sub(first))
}
