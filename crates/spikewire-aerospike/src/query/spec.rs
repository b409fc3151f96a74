//! Query parameters in the engine's terms: validation, and conversion to a plan or a job.

use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike_protocol::error_details::DetailLevel;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::query::{ChosenIndex, Index, Query};
use spikewire_options::{Bounds, OptionValue};

use super::range::check_index;
use super::selection::SelectionOptions;
use super::{
    FilterSource, Limits, Partitions, QueryOps, Selection, Tracker, WINDOW, cursor, pauses,
};
use crate::marks;
use crate::model::{Error, Result};
use crate::model::{Policy, ReplicaPolicy};
use crate::model::{RetryOptions, parse};

/// Default limit for the silence of a node and the pause of a reader.
const DEFAULT_SOCKET_TIMEOUT: Duration = Duration::from_secs(30);
/// Minimum number of retries of a query; with a client that never retries, queries do not either.
const MIN_RETRIES: u32 = 8;
/// Allowed window sizes.
const WINDOWS: std::ops::RangeInclusive<usize> = 4096..=1 << 26;

static BOUNDS: Bounds = Bounds {
    counts: &[
        ("limit", (1, u32::MAX as u64)),
        ("page_size", (1, 1_000_000)),
        ("records_per_second", (1, 1 << 31)),
        ("concurrent_nodes", (1, 10_000)),
    ],
    spans: &[],
};

/// Bounds of the number of rows in a batch of columns.
pub const BATCH_ROWS: (u64, u64) = (1, 10_000_000);
/// The default of that.
pub const DEFAULT_BATCH_ROWS: u64 = 65_536;

/// Parameters of a scan or an index query. `None` means not given.
#[derive(Debug, Clone)]
pub struct QuerySpec {
    /// Namespace name, validated.
    pub namespace: String,
    /// Set name, validated; empty: all records of the namespace.
    pub set: String,
    /// The index and its range.
    pub index: Option<Index>,
    /// The filter expression in its wire form.
    pub filter: Option<Vec<u8>>,
    /// What the filter was made from.
    pub source: FilterSource,
    /// The name of the index that nodes should prefer for a filter that is a text.
    pub index_hint: Option<String>,
    /// Fail rather than examine every record.
    pub require_index: bool,
    /// Fail unless the index of the hint can be used.
    pub require_hint: bool,
    /// Whether nodes that can may read a filter that is a text, and choose the index.
    pub server_filter: bool,
    /// Bins to return.
    pub bins: Option<QueryOps>,
    /// Operations whose results to return instead of bins.
    pub operations: Option<QueryOps>,
    /// Whether records include their bins.
    pub include_values: bool,
    /// Maximum number of records.
    pub limit: Option<u64>,
    /// Page size in records.
    pub page_size: Option<u64>,
    /// Records per second and node.
    pub records_per_second: Option<u64>,
    /// First partition and number of partitions.
    pub partitions: Option<(u64, u64)>,
    /// The record to continue after, in its partition.
    pub after: Option<Digest>,
    /// The cursor to resume from.
    pub resume: Option<Vec<u8>>,
    /// Number of nodes read concurrently.
    pub concurrent_nodes: Option<u64>,
    /// The replica to read.
    pub replica: Option<ReplicaPolicy>,
    /// Total time; zero: no limit.
    pub timeout: Option<Duration>,
    /// Retries; `max_retries` counts consecutive failures.
    pub retry: Option<Box<RetryOptions>>,
    /// Longest silence of a node, and longest pause of the reader; zero: no limit.
    pub socket_timeout: Option<Duration>,
    /// Bytes read ahead from each node.
    pub window: Option<usize>,
}

/// A validated query that has not started.
#[derive(Debug)]
pub struct QueryPlan {
    /// The part common to all requests.
    pub query: Arc<Query>,
    /// Its time limits and read options.
    pub limits: Limits,
    /// The partitions to read.
    pub tracker: Tracker,
    /// Records that its limit still allows.
    pub left: Option<u64>,
    /// Page size in records.
    pub page_size: Option<u64>,
    /// Number of operations; `None`: the query returns bins.
    pub operations: Option<usize>,
    /// How its index is chosen.
    pub selection: Selection,
}

impl QuerySpec {
    /// A query for all records of a set (empty: of the namespace), with all their bins.
    pub fn new(namespace: impl Into<String>, set: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            set: set.into(),
            index: None,
            filter: None,
            source: FilterSource::Compiled,
            index_hint: None,
            require_index: false,
            require_hint: false,
            server_filter: true,
            bins: None,
            operations: None,
            include_values: true,
            limit: None,
            page_size: None,
            records_per_second: None,
            partitions: None,
            after: None,
            resume: None,
            concurrent_nodes: None,
            replica: None,
            timeout: None,
            retry: None,
            socket_timeout: None,
            window: None,
        }
    }

    /// The same query with the numbers, times and words among a host's options; `get` has the value
    /// of an option.
    pub fn read<V: OptionValue>(
        self,
        get: impl Fn(&str) -> std::result::Result<Option<V>, V::Error>,
    ) -> std::result::Result<Self, V::Error> {
        let count = |name| get(name)?.map(|value| BOUNDS.count(name, &value)).transpose();
        let span = |name| get(name)?.map(|value| value.span(name)).transpose();
        let replica = get("replica")?.map(|value| value.text("replica")).transpose()?;
        Ok(Self {
            limit: count("limit")?,
            page_size: count("page_size")?,
            records_per_second: count("records_per_second")?,
            concurrent_nodes: count("concurrent_nodes")?,
            replica: replica.map(|word| parse::replica(&word)).transpose()?,
            timeout: span("timeout")?,
            socket_timeout: span("socket_timeout")?,
            ..self
        })
    }

    /// Validates the parameters; `policy` has the client's defaults.
    pub fn plan(&self, policy: &Policy) -> Result<QueryPlan> {
        let mut query = self.scope()?;
        check_count("limit", self.limit)?;
        check_count("page_size", self.page_size)?;
        self.project(&mut query)?;
        query.check()?;
        let limits = self.limits(policy)?;
        let (tracker, left, chosen) = self.start(&query)?;
        // Records come in the order of an index: what was begun with one goes on with it.
        let chosen = chosen.filter(|_| tracker.is_started());
        let selection = self.selection(tracker.is_started())?;
        if chosen.is_some() {
            if let (FilterSource::Text(text), true) = (&self.source, self.server_filter) {
                query.text = Some(text.clone());
            }
            query.chosen = chosen;
        }
        let operations = self.operations.as_ref().map(QueryOps::len);
        let (query, page_size) = (Arc::new(query), self.page_size);
        Ok(QueryPlan { query, limits, tracker, left, page_size, operations, selection })
    }

    /// How its index is chosen. `fixed`: what was read before has settled how the rest is read.
    fn selection(&self, fixed: bool) -> Result<Selection> {
        let options = SelectionOptions {
            source: &self.source,
            has_range: self.index.is_some(),
            hint: self.index_hint.as_deref(),
            require_index: self.require_index,
            require_hint: self.require_hint,
            server_filter: self.server_filter,
            fixed,
        };
        options.selection()
    }

    /// Which records to process, and at which rate: the part that jobs and aggregations share.
    pub fn scope(&self) -> Result<Query> {
        let pace = self.records_per_second;
        check_count("records_per_second", pace)?;
        self.index.as_ref().map_or(Ok(()), check_index)?;
        Ok(Query {
            namespace: self.namespace.clone(),
            set: self.set.clone(),
            filter: self.filter.clone(),
            index: self.index.clone(),
            records_per_second: pace.unwrap_or(0) as u32,
            ..Query::default()
        })
    }

    /// The name of an option that is set and excludes records or parts of them, or affects how they
    /// are read, besides filter and index.
    pub fn partial(&self) -> Option<&'static str> {
        let options = [
            ("bins", self.bins.is_some()),
            ("operations", self.operations.is_some()),
            ("include_values", !self.include_values),
            ("limit", self.limit.is_some()),
            ("partitions", self.partitions.is_some()),
            ("after", self.after.is_some()),
            ("page_size", self.page_size.is_some()),
            ("resume", self.resume.is_some()),
            ("concurrent_nodes", self.concurrent_nodes.is_some()),
            ("replica", self.replica.is_some()),
            ("window", self.window.is_some()),
            ("the name of an index", self.index_hint.is_some()),
            ("require_index", self.require_index),
            ("require_hint", self.require_hint),
            ("server_filter", !self.server_filter),
        ];
        options.iter().find(|(_, is_set)| *is_set).map(|(name, _)| *name)
    }

    /// Rejects such options for operations on whole sets and index ranges, such as "an
    /// aggregation".
    pub fn check_whole(&self, what: &str) -> Result<()> {
        match self.partial() {
            Some(name) => Err(Error::invalid(format!("{name} does not apply to {what}"))),
            None => Ok(()),
        }
    }

    /// Its time limits and read options.
    pub fn limits(&self, policy: &Policy) -> Result<Limits> {
        check_count("concurrent_nodes", self.concurrent_nodes)?;
        let policy = self.policy(policy)?;
        let own_retries = self.retry.as_ref().and_then(|retry| retry.max_retries);
        let window = self.window.unwrap_or(WINDOW);
        if !WINDOWS.contains(&window) {
            let (least, most) = (WINDOWS.start(), WINDOWS.end());
            let message = format!("window must be from {least} to {most} bytes, got {window}");
            return Err(Error::invalid(message));
        }
        Ok(Limits {
            timeout: self.timeout.unwrap_or_default(),
            socket_timeout: match self.socket_timeout {
                Some(limit) => limit,
                None if policy.socket_timeout.is_zero() => DEFAULT_SOCKET_TIMEOUT,
                None => policy.socket_timeout.into(),
            },
            max_retries: match policy.max_retries {
                0 => 0,
                retries if own_retries.is_some() => retries,
                retries => retries.max(MIN_RETRIES),
            },
            pauses: pauses(&policy),
            replica: self.replica.unwrap_or(policy.replica),
            nodes: self.concurrent_nodes.unwrap_or(0) as usize,
            window,
            details: marks::details(&policy),
        })
    }

    /// How much nodes are to say about errors.
    pub fn details(&self, policy: &Policy) -> Result<DetailLevel> {
        Ok(marks::details(&self.policy(policy)?))
    }

    /// The client's policy with the query's own retries.
    fn policy(&self, policy: &Policy) -> Result<Policy> {
        let mut policy = *policy;
        if let Some(retry) = &self.retry {
            retry.check().map_err(|error| Error::invalid(error.message()))?;
            retry.apply(&mut policy);
        }
        Ok(policy)
    }

    /// Sets what each record returns.
    fn project(&self, query: &mut Query) -> Result<()> {
        check_exclusive(&[
            ("bins", self.bins.is_some()),
            ("operations", self.operations.is_some()),
            ("include_values", !self.include_values),
        ])?;
        query.no_bins = !self.include_values;
        if let Some(bins) = &self.bins {
            query.no_bins = bins.is_empty();
            bins.add_to(query);
        }
        if let Some(operations) = &self.operations {
            operations.check_some()?;
            operations.add_to(query);
        }
        // Nodes count records without any of the requested bins towards a limit; then they have to
        // return them, too.
        let is_counted = self.limit.or(self.page_size).is_some();
        query.respond_all_ops = query.op_count > 0 && (self.operations.is_some() || is_counted);
        Ok(())
    }

    /// Where reading starts, the maximum number of records, and the index that a node has chosen
    /// before.
    fn start(&self, query: &Query) -> Result<(Tracker, Option<u64>, Option<ChosenIndex>)> {
        check_exclusive(&[
            ("partitions", self.partitions.is_some()),
            ("after", self.after.is_some()),
            ("resume", self.resume.is_some()),
        ])?;
        if let Some(bytes) = &self.resume {
            let decoded = cursor::decode(query, bytes);
            let (tracker, left, chosen) =
                decoded.map_err(|error| Error::invalid(format!("resume: {}", error.message())))?;
            return Ok((tracker, left.or(self.limit), chosen));
        }
        let partitions = match (self.after, self.partitions) {
            (Some(_), _) if self.index.is_some() => {
                return Err(Error::invalid(
                    "after and index exclude each other: an index query does not read in the \
                     order of keys; resume it from a cursor",
                ));
            }
            (Some(digest), _) => Partitions::after(digest),
            (None, Some((first, count))) => Partitions::range(first, count)?,
            (None, None) => Partitions::ALL,
        };
        Ok((Tracker::new(&partitions), self.limit, None))
    }
}

fn check_count(name: &str, count: Option<u64>) -> Result<()> {
    Ok(count.map_or(Ok(()), |count| BOUNDS.check_count(name, count))?)
}

fn check_exclusive(options: &[(&str, bool)]) -> Result<()> {
    let names: Vec<&str> =
        options.iter().filter(|(_, is_set)| *is_set).map(|(name, _)| *name).collect();
    match names[..] {
        [first, second, ..] => {
            Err(Error::invalid(format!("{first} and {second} exclude each other")))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spikewire_aerospike_protocol::message::op;
    use spikewire_aerospike_protocol::query::{Collection, Range, Subject};
    use spikewire_options::Literal;

    fn spec() -> QuerySpec {
        QuerySpec::new("test", "users")
    }

    fn plan(spec: &QuerySpec) -> Result<QueryPlan> {
        spec.plan(&Policy::default())
    }

    fn error_of(spec: &QuerySpec) -> String {
        plan(spec).unwrap_err().message().to_owned()
    }

    fn bins(names: &[&str]) -> QueryOps {
        QueryOps::bins(names)
    }

    fn index() -> Index {
        let (subject, range) = (Subject::Bin("n".to_owned()), Range::Int(1, 2));
        Index { subject, collection: Collection::Value, context: None, range }
    }

    #[test]
    fn a_plain_query_reads_everything() {
        let plan = plan(&spec()).unwrap();
        assert_eq!((&*plan.query.namespace, &*plan.query.set), ("test", "users"));
        assert_eq!((plan.query.op_count, plan.query.no_bins), (0, false));
        assert!(!plan.query.respond_all_ops);
        assert_eq!(plan.tracker.unread().count(), 4096);
        assert_eq!((plan.left, plan.page_size, plan.operations), (None, None, None));
        assert_eq!(plan.limits.timeout, Duration::ZERO);
        assert_eq!(plan.limits.socket_timeout, DEFAULT_SOCKET_TIMEOUT);
        assert_eq!(plan.limits.max_retries, MIN_RETRIES);
    }

    #[test]
    fn timeouts_and_retries_default_to_those_of_the_client() {
        let policy = Policy {
            socket_timeout: Duration::from_secs(7).into(),
            max_retries: 0,
            replica: ReplicaPolicy::Any,
            ..Policy::default()
        };
        let limits = spec().limits(&policy).unwrap();
        assert_eq!((limits.socket_timeout.as_secs(), limits.max_retries), (7, 0));
        assert_eq!(limits.replica, ReplicaPolicy::Any);
        let own = QuerySpec {
            socket_timeout: Some(Duration::ZERO),
            replica: Some(ReplicaPolicy::Master),
            ..spec()
        };
        let limits = own.limits(&Policy { max_retries: 20, ..policy }).unwrap();
        assert_eq!((limits.socket_timeout.as_secs(), limits.max_retries), (0, 20));
        assert_eq!(limits.replica, ReplicaPolicy::Master);
    }

    #[test]
    fn options_of_a_host_are_read_within_their_bounds() {
        let get = |name: &str| {
            Ok(match name {
                "limit" => Some(Literal::from(5)),
                "replica" => Some("any".into()),
                "timeout" => Some(1.5.into()),
                _ => None,
            })
        };
        let read = spec().read(get).unwrap();
        assert_eq!((read.limit, read.replica), (Some(5), Some(ReplicaPolicy::Any)));
        assert_eq!(read.timeout, Some(Duration::from_millis(1500)));
        let zero = |name: &str| Ok((name == "page_size").then(|| Literal::from(0)));
        let error = spec().read(zero).unwrap_err();
        assert_eq!(error.message(), "page_size must be from 1 to 1000000, got 0");
    }

    #[test]
    fn limits_and_pages_request_empty_records_too() {
        let some = QuerySpec { bins: Some(bins(&["a", "b"])), ..spec() };
        let query = plan(&some).unwrap().query;
        assert_eq!((query.op_count, query.respond_all_ops), (2, false));
        let limited = QuerySpec { limit: Some(5), ..some.clone() };
        assert!(plan(&limited).unwrap().query.respond_all_ops);
        let paged = QuerySpec { page_size: Some(5), ..some };
        assert!(plan(&paged).unwrap().query.respond_all_ops);
        let none = QuerySpec { bins: Some(bins(&[])), limit: Some(5), ..spec() };
        let query = plan(&none).unwrap().query;
        assert!(query.no_bins && !query.respond_all_ops);
    }

    #[test]
    fn query_operations_respond_for_all() {
        let mut operations = QueryOps::reading();
        operations.push(op::READ, "a", 0, &[]).unwrap();
        let plan = plan(&QuerySpec { operations: Some(operations), ..spec() }).unwrap();
        assert!(plan.query.respond_all_ops);
        assert_eq!(plan.operations, Some(1));
        let empty = QuerySpec { operations: Some(QueryOps::reading()), ..spec() };
        assert_eq!(error_of(&empty), "operations must not be empty");
    }

    #[test]
    fn conflicting_query_options_are_rejected() {
        let spec = QuerySpec { bins: Some(bins(&["a"])), include_values: false, ..spec() };
        assert_eq!(error_of(&spec), "bins and include_values exclude each other");
        let after = QuerySpec { after: Some(Digest([1; 20])), ..QuerySpec::new("test", "") };
        assert_eq!(plan(&after).unwrap().tracker.unread().count(), 1);
        let both = QuerySpec { partitions: Some((0, 9)), ..after.clone() };
        assert_eq!(error_of(&both), "partitions and after exclude each other");
        let indexed = QuerySpec { index: Some(index()), ..after };
        assert!(error_of(&indexed).starts_with("after and index exclude each other"));
    }

    #[test]
    fn query_numbers_must_be_in_range() {
        for (spec, name) in [
            (QuerySpec { limit: Some(0), ..spec() }, "limit"),
            (QuerySpec { limit: Some(1 << 32), ..spec() }, "limit"),
            (QuerySpec { page_size: Some(1_000_001), ..spec() }, "page_size"),
            (QuerySpec { records_per_second: Some(0), ..spec() }, "records_per_second"),
            (QuerySpec { concurrent_nodes: Some(0), ..spec() }, "concurrent_nodes"),
            (QuerySpec { window: Some(1), ..spec() }, "window"),
            (QuerySpec { partitions: Some((4096, 1)), ..spec() }, "partitions"),
            (QuerySpec { partitions: Some((7, 0)), ..spec() }, "partitions"),
        ] {
            assert!(error_of(&spec).starts_with(name), "{spec:?}");
        }
    }

    #[test]
    fn a_query_goes_on_where_another_stopped() {
        let first = QuerySpec { limit: Some(9), partitions: Some((5, 2)), ..spec() };
        let begun = plan(&first).unwrap();
        let cursor = cursor::encode(&begun.query, &begun.tracker, Some(4));
        let rest = plan(&QuerySpec { resume: Some(cursor.clone()), ..spec() }).unwrap();
        assert_eq!(rest.tracker.unread().map(|(pid, _)| pid).collect::<Vec<_>>(), [5, 6]);
        assert_eq!(rest.left, Some(4), "what was left of the limit");
        let other = QuerySpec { resume: Some(cursor), ..QuerySpec::new("test", "other") };
        assert!(error_of(&other).starts_with("resume: the cursor cannot be used"));
    }

    #[test]
    fn limits_do_not_apply_to_whole_set_commands() {
        spec().check_whole("a job").unwrap();
        let filtered = QuerySpec { filter: Some(vec![1]), index: Some(index()), ..spec() };
        filtered.check_whole("a job").unwrap();
        let error = QuerySpec { limit: Some(1), ..spec() }.check_whole("a job").unwrap_err();
        assert_eq!(error.message(), "limit does not apply to a job");
        assert_eq!(QuerySpec { include_values: false, ..spec() }.partial(), Some("include_values"));
    }
}
