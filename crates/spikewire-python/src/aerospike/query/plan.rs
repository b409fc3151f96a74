//! The keywords of `query`, checked, and the request built from them.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyRange, PyRangeMethods, PyString};

use spikewire_aerospike::Policy;
use spikewire_aerospike::query::{QueryOps, QueryPlan, QuerySpec};
use spikewire_aerospike_protocol::limits::PARTITIONS;

use super::index::IndexRange;
use crate::aerospike::arguments::count;
use crate::aerospike::expression;
use crate::aerospike::key::Address;
use crate::aerospike::record_type::{RecordType, selection};
use crate::aerospike::space::Space;
use crate::aerospike::value::Codec;
use crate::aerospike::verbs::{AttemptKeywords, Defaults, operations_of};
use crate::arguments::{OptionArgument, text};
use crate::errors::{invalid_argument, type_error, type_name, value_error};

/// The keywords as they were passed.
pub struct QueryOptions<'py> {
    pub filter: Option<Bound<'py, PyAny>>,
    pub bins: Option<Bound<'py, PyAny>>,
    pub index: Option<Bound<'py, PyAny>>,
    pub require_index: bool,
    pub require_hint: bool,
    pub server_filter: bool,
    pub operations: Option<Bound<'py, PyAny>>,
    pub limit: Option<Bound<'py, PyAny>>,
    pub partitions: Option<Bound<'py, PyAny>>,
    pub after: Option<Bound<'py, PyAny>>,
    pub resume: Option<Bound<'py, PyAny>>,
    pub page_size: Option<Bound<'py, PyAny>>,
    pub include_values: bool,
    pub records_per_second: Option<Bound<'py, PyAny>>,
    pub concurrent_nodes: Option<Bound<'py, PyAny>>,
    pub replica: Option<Bound<'py, PyAny>>,
    pub socket_timeout: Option<Bound<'py, PyAny>>,
    pub timeout: Option<Bound<'py, PyAny>>,
    pub retry: AttemptKeywords<'py>,
}

/// A query that has been built but not started.
pub struct QueryCall {
    pub space: Arc<Space>,
    pub plan: QueryPlan,
    /// The specification, for an aggregation of the query.
    pub spec: QuerySpec,
    pub policy: Policy,
    pub codec: Option<Arc<Codec>>,
}

impl QueryCall {
    /// Checks the keywords.
    pub fn compose(
        defaults: &Defaults,
        space: Arc<Space>,
        options: &QueryOptions<'_>,
    ) -> PyResult<Self> {
        let (hint, selected) = match &options.index {
            Some(index) if index.is_instance_of::<PyString>() => {
                (Some(text("index", index)?.to_owned()), None)
            }
            index => (None, index.as_ref()),
        };
        let spec = QuerySpec {
            index_hint: hint,
            require_index: options.require_index,
            require_hint: options.require_hint,
            server_filter: options.server_filter,
            bins: bins(&space, options)?,
            operations: match &options.operations {
                Some(list) => Some(operations(QueryOps::reading(), list)?),
                None => None,
            },
            include_values: options.include_values,
            partitions: options.partitions.as_ref().map(range).transpose()?,
            after: match &options.after {
                Some(key) => Some(Address::within(&space, key)?.digest),
                None => None,
            },
            resume: options.resume.as_ref().map(cursor).transpose()?,
            retry: options.retry.checked()?,
            ..scope(&space, options.filter.as_ref(), selected, |name| match name {
                "limit" => &options.limit,
                "page_size" => &options.page_size,
                "records_per_second" => &options.records_per_second,
                "concurrent_nodes" => &options.concurrent_nodes,
                "replica" => &options.replica,
                "timeout" => &options.timeout,
                "socket_timeout" => &options.socket_timeout,
                _ => &None,
            })?
        };
        let policy = defaults.policy;
        let plan = spec.plan(&policy).map_err(invalid_argument)?;
        Ok(Self { space, plan, spec, policy, codec: defaults.codec.clone() })
    }
}

/// Which records a query or a job covers, and its limits; `get` has the value of a keyword.
pub fn scope<'a, 'py: 'a>(
    space: &Space,
    filter: Option<&Bound<'py, PyAny>>,
    index: Option<&Bound<'py, PyAny>>,
    get: impl Fn(&str) -> &'a Option<Bound<'py, PyAny>>,
) -> PyResult<QuerySpec> {
    let filter = filter.map(expression::query_filter).transpose()?;
    let (filter, source) = filter.map_or_else(Default::default, |(it, source)| (Some(it), source));
    let spec = QuerySpec {
        filter,
        source,
        index: index.map(IndexRange::of).transpose()?,
        ..QuerySpec::new(&*space.namespace, &*space.set)
    };
    Ok(spec.read(|name| Ok(get(name).clone().map(OptionArgument)))?)
}

/// The bins to read; `None` for all of them.
fn bins(space: &Space, options: &QueryOptions<'_>) -> PyResult<Option<QueryOps>> {
    let names = options.bins.as_ref();
    let typed = options.include_values && options.operations.is_none();
    if names.is_none() && !(typed && RecordType::of(space).is_some()) {
        return Ok(None);
    }
    Ok(Some(QueryOps::bins(&selection(space, names)?.1)))
}

/// Adds operations to `ops`.
pub fn operations(mut ops: QueryOps, value: &Bound<'_, PyAny>) -> PyResult<QueryOps> {
    for step in operations_of(value)? {
        let step = step.get();
        let added = ops.push(step.code, &step.bin, step.particle, &step.value);
        added.map_err(invalid_argument)?;
    }
    Ok(ops)
}

fn cursor(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    match value.cast::<PyBytes>() {
        Ok(bytes) => Ok(bytes.as_bytes().to_vec()),
        Err(_) => Err(type_error(format!(
            "resume must be the cursor of a query, which is bytes, not {}",
            type_name(value)
        ))),
    }
}

/// A partition, or a range of partitions: the first one and the count.
fn range(value: &Bound<'_, PyAny>) -> PyResult<(u64, u64)> {
    if let Ok(range) = value.cast::<PyRange>() {
        let (start, stop) = (range.start()?, range.stop()?);
        if range.step()? != 1 {
            return Err(value_error(format!(
                "partitions must be a range without gaps, got {}",
                range.repr()?
            )));
        }
        // A negative number becomes too large, so it is rejected.
        Ok((start as u64, stop.saturating_sub(start).max(0) as u64))
    } else if value.is_instance_of::<pyo3::types::PyInt>() {
        Ok((count("partitions", value, 0, PARTITIONS as u64 - 1)?, 1))
    } else {
        Err(type_error(format!(
            "partitions must be a partition's number or a range of them, not {}",
            type_name(value)
        )))
    }
}
