//! The keywords of `query`, checked, and what they make of the request.

use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyRange, PyRangeMethods, PyTuple};

use spikewire_engine::Policy;
use spikewire_engine::command::query::{Limits, Partitions, Tracker, WINDOW, cursor};
use spikewire_protocol::limits::PARTITIONS;
use spikewire_protocol::message::{op, write_op};
use spikewire_protocol::query::Query;

use super::index::IndexRange;
use crate::arguments::{self, count, seconds};
use crate::errors::{too_large, type_error, type_name, value_error};
use crate::operation::Operation;
use crate::space::{Address, Space};
use crate::value::Codec;
use crate::verbs::Defaults;

/// How long a node may be silent, and a reader pause, where nothing else was said.
const SILENCE: Duration = Duration::from_secs(30);
/// Failures in a row that a query survives; a client that never retries has queries that do not.
const RETRIES: u32 = 8;
/// Most records of a page.
const LARGEST_PAGE: u64 = 1_000_000;

/// The keywords as they were given.
pub struct QueryOptions<'py> {
    pub filter: Option<Bound<'py, PyAny>>,
    pub bins: Option<Bound<'py, PyAny>>,
    pub index: Option<Bound<'py, PyAny>>,
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
}

/// A query that was composed and not begun.
pub struct QueryCall {
    pub space: Arc<Space>,
    pub query: Arc<Query>,
    pub limits: Limits,
    pub tracker: Tracker,
    pub left: Option<u64>,
    pub page_size: Option<u64>,
    /// How many operations were asked for; none: bins.
    pub operations: Option<usize>,
    /// The keyword that makes it less than all records of a set or an index range, whole.
    pub partial: Option<&'static str>,
    pub codec: Option<Arc<Codec>>,
}

impl QueryCall {
    /// Checks the keywords.
    pub fn compose(
        defaults: &Defaults,
        space: Arc<Space>,
        options: &QueryOptions<'_>,
    ) -> PyResult<Self> {
        let mut query = Query {
            namespace: space.namespace.to_string(),
            set: space.set.clone(),
            filter: arguments::filter(options.filter.as_ref())?.map(|bytes| bytes.to_vec()),
            no_bins: !options.include_values,
            ..Query::default()
        };
        query.index = options.index.as_ref().map(IndexRange::of).transpose()?;
        let number = |what, value: &Option<Bound<'_, PyAny>>, most| {
            value.as_ref().map(|value| count(what, value, 1, most)).transpose()
        };
        let limit = number("limit", &options.limit, u64::from(u32::MAX))?;
        let page_size = number("page_size", &options.page_size, LARGEST_PAGE)?;
        let pace = number("records_per_second", &options.records_per_second, 1 << 31)?;
        query.records_per_second = pace.unwrap_or(0) as u32;
        let operations = projection(&mut query, options)?;
        // Nodes count records towards a limit that have none of the wanted bins; then they have to
        // send them, too.
        query.respond_all_ops =
            query.op_count > 0 && (operations.is_some() || limit.or(page_size).is_some());
        query.check().map_err(too_large)?;
        let nodes = number("concurrent_nodes", &options.concurrent_nodes, 10_000)?;
        let base = Policy { timeout: Duration::ZERO, ..defaults.policy };
        let policy = arguments::policy(&base, options.timeout.as_ref(), options.replica.as_ref())?;
        let limits = Limits {
            timeout: policy.timeout,
            socket_timeout: match &options.socket_timeout {
                Some(timeout) => seconds("socket_timeout", timeout)?,
                None if policy.socket_timeout.is_zero() => SILENCE,
                None => policy.socket_timeout,
            },
            max_retries: match policy.max_retries {
                0 => 0,
                retries => retries.max(RETRIES),
            },
            replica: policy.replica,
            nodes: nodes.unwrap_or(0) as usize,
            window: WINDOW,
        };
        let (tracker, left) = start(&space, &query, options, limit)?;
        let partial = partial(options);
        let (query, codec) = (Arc::new(query), defaults.codec.clone());
        Ok(Self { space, query, limits, tracker, left, page_size, operations, partial, codec })
    }
}

/// The first keyword that leaves out records, or parts of them.
fn partial(options: &QueryOptions<'_>) -> Option<&'static str> {
    let keywords = [
        ("where", options.filter.is_some()),
        ("bins", options.bins.is_some()),
        ("operations", options.operations.is_some()),
        ("include_values", !options.include_values),
        ("limit", options.limit.is_some()),
        ("partitions", options.partitions.is_some()),
        ("after", options.after.is_some()),
        ("page_size", options.page_size.is_some()),
        ("resume", options.resume.is_some()),
        ("concurrent_nodes", options.concurrent_nodes.is_some()),
        ("replica", options.replica.is_some()),
    ];
    keywords.iter().find(|(_, given)| *given).map(|(name, _)| *name)
}

/// What comes back of each record; how many operations, if it is results.
fn projection(query: &mut Query, options: &QueryOptions<'_>) -> PyResult<Option<usize>> {
    let chosen = [
        (options.bins.is_some(), "bins"),
        (options.operations.is_some(), "operations"),
        (!options.include_values, "include_values=False"),
    ];
    let chosen: Vec<&str> = chosen.iter().filter(|(is, _)| *is).map(|(_, name)| *name).collect();
    if let [first, second, ..] = chosen[..] {
        return Err(value_error(format!("{first} and {second} exclude each other")));
    }
    if let Some(bins) = &options.bins {
        arguments::bins(bins, |name| query.op(op::READ, name))?;
        query.no_bins = query.op_count == 0;
    }
    let Some(operations) = &options.operations else { return Ok(None) };
    let steps: Vec<Bound<'_, PyAny>> = if let Ok(list) = operations.cast::<PyList>() {
        list.iter().collect()
    } else if let Ok(items) = operations.cast::<PyTuple>() {
        items.iter().collect()
    } else {
        return Err(type_error(format!(
            "operations must be a list or tuple of operations, not {}",
            type_name(operations)
        )));
    };
    if steps.is_empty() {
        return Err(value_error("operations must not be empty"));
    }
    for (at, step) in steps.iter().enumerate() {
        let Ok(step) = step.cast::<Operation>() else {
            return Err(type_error(format!(
                "operations[{at}] must be an operation from spikewire.op, not {}",
                type_name(step)
            )));
        };
        let step = step.get();
        let reads = [op::READ, op::CDT_READ, op::EXP_READ, op::BITS_READ, op::HLL_READ];
        if !reads.contains(&step.code) {
            return Err(value_error(format!("operations[{at}] writes; a query only reads")));
        }
        if step.bin.is_empty() {
            return Err(value_error(format!(
                "operations[{at}] reads every bin; leave operations out for that"
            )));
        }
        write_op(&mut query.ops, step.code, step.bin.as_bytes(), step.particle, &step.value);
        query.op_count += 1;
    }
    Ok(Some(steps.len()))
}

/// Where reading begins, and how many records there may be.
fn start(
    space: &Arc<Space>,
    query: &Query,
    options: &QueryOptions<'_>,
    limit: Option<u64>,
) -> PyResult<(Tracker, Option<u64>)> {
    let (partitions, after) = (&options.partitions, &options.after);
    let given = [(partitions, "partitions"), (after, "after"), (&options.resume, "resume")];
    let given: Vec<&str> =
        given.iter().filter(|(value, _)| value.is_some()).map(|(_, name)| *name).collect();
    if let [first, second, ..] = given[..] {
        return Err(value_error(format!("{first} and {second} exclude each other")));
    }
    if let Some(cursor) = &options.resume {
        let Ok(bytes) = cursor.cast::<PyBytes>() else {
            return Err(type_error(format!(
                "resume must be the cursor of a query, which is bytes, not {}",
                type_name(cursor)
            )));
        };
        let decoded = cursor::decode(query, bytes.as_bytes());
        let (tracker, left) =
            decoded.map_err(|error| value_error(format!("resume: {}", error.message())))?;
        return Ok((tracker, left.or(limit)));
    }
    if let Some(key) = after {
        if query.index.is_some() {
            return Err(value_error(
                "after and index exclude each other: an index query does not read in the order of \
                 keys; resume it from a cursor",
            ));
        }
        let digest = Address::within(space, key)?.digest;
        return Ok((Tracker::new(&Partitions::after(digest)), limit));
    }
    let wanted = partitions.as_ref().map_or(Ok(Partitions::ALL), range)?;
    Ok((Tracker::new(&wanted), limit))
}

/// One partition, or a range of them.
fn range(value: &Bound<'_, PyAny>) -> PyResult<Partitions> {
    let (first, count) = if let Ok(range) = value.cast::<PyRange>() {
        let (start, stop) = (range.start()?, range.stop()?);
        if range.step()? != 1 {
            return Err(value_error(format!(
                "partitions must be a range without gaps, got {}",
                range.repr()?
            )));
        }
        // Whatever is below zero becomes too large.
        (start as u64, stop.saturating_sub(start).max(0) as u64)
    } else if value.is_instance_of::<pyo3::types::PyInt>() {
        (count("partitions", value, 0, PARTITIONS as u64 - 1)?, 1)
    } else {
        return Err(type_error(format!(
            "partitions must be a partition's number or a range of them, not {}",
            type_name(value)
        )));
    };
    Partitions::range(first, count).map_err(|error| value_error(error.message().to_owned()))
}
