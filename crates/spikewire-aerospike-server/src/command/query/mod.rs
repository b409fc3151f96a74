//! Scans, index queries and background jobs: requests for partitions instead of records.
//!
//! | module | what it holds |
//! |---|---|
//! | [`scan`] | the reply: records in order, a slice at a time |
//! | [`aggregate`] | the reply: what a function makes of the records |
//! | [`partition_cursor`] | going through one partition |
//! | [`record_sender`] | which records are sent, and how each goes out |
//! | [`background`] | jobs that change records |
//! | [`projection`] | what of a record is sent |
//! | [`text`] | filters that are text: the plan of a query |

pub mod aggregate;
pub mod background;
pub mod partition_cursor;
pub mod projection;
pub mod record_sender;
pub mod scan;
pub mod text;

use std::sync::Arc;
use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::limits::PARTITIONS;
use spikewire_aerospike_protocol::message::{Message, field};
use spikewire_aerospike_protocol::query::text::flag;
use spikewire_aerospike_protocol::query::{NodeQuery, PlanReply, Work};
use spikewire_aerospike_protocol::result_code::ResultCode;

use self::aggregate::Aggregate;
use self::projection::Projection;
use self::record_sender::{IndexRange, RecordSender, Selection, SetFilter};
use self::scan::{Part, Scan};
use super::function::FunctionCall;
use super::reply::Reply;
use super::request::Request;
use super::stream::{SEND_TIMEOUT, StreamedReply};
use super::{Context, features};
use crate::expression::Program;
use crate::index::definition::is_plain_context;
use crate::index::query_range::QueryRange;
use crate::job::{Job, JobKind, JobOptions};
use crate::reason;
use crate::security::permission::Permissions;
use crate::storage::namespace::Namespace;

/// Default time limit of a short query.
const SHORT: Duration = Duration::from_secs(1);

impl Context {
    /// Starts the query in `body`, or appends the reply that rejects it.
    pub(super) fn query(
        &mut self,
        node: usize,
        namespace: usize,
        body: &[u8],
        out: &mut Vec<u8>,
    ) -> Option<Box<dyn StreamedReply>> {
        match self.explain_query(node, namespace, body) {
            Ok(None) => {}
            Ok(Some(reply)) => {
                reply.write(out);
                return None;
            }
            Err(code) => {
                self.reject_with_last(Reply::begin(out), code);
                return None;
            }
        }
        match self.start_query(node, namespace, body) {
            Ok(Some(stream)) => return Some(stream),
            // A background job was started; the reply does not wait for it.
            Ok(None) => Reply::begin(out).last(ResultCode::OK),
            Err(code) => self.reject(Reply::begin(out), code.into()),
        }
        None
    }

    /// The plan of a query, if that is what a request asks for.
    fn explain_query(
        &mut self,
        node: usize,
        at: usize,
        body: &[u8],
    ) -> Result<Option<PlanReply>, ResultCode> {
        let (message, _) = Message::parse(body).map_err(|_| ResultCode::PARAMETER)?;
        let features = self.state.nodes[node].features;
        let text_filter = match text::of_request(features, &message)? {
            Some(text_filter) if text_filter.flags & flag::EXPLAIN != 0 => text_filter,
            _ => return Ok(None),
        };
        let state = self.state.clone();
        let namespace = &state.namespaces[at];
        let set = message.field(field::SET).unwrap_or_default();
        if !self.permits(|| Permissions::QUERY, namespace.options.name.as_bytes(), set) {
            return Err(ResultCode::ROLE_VIOLATION);
        }
        let hint = message.field(field::INDEX_NAME);
        let plan = text::plan(namespace, namespace.sets.find(set), &text_filter, hint)?;
        Ok(Some(PlanReply::Plan(plan)))
    }

    fn start_query(
        &mut self,
        node: usize,
        at: usize,
        body: &[u8],
    ) -> Result<Option<Box<dyn StreamedReply>>, ResultCode> {
        let (message, _) = Message::parse(body).map_err(|_| ResultCode::PARAMETER)?;
        let query = NodeQuery::parse(&message)?;
        let permissions = || match query.work {
            Work::Send => Permissions::QUERY,
            Work::Aggregate | Work::Function { .. } => Permissions::UDF_QUERY,
            Work::Operations => Permissions::OPS_QUERY,
        };
        let features = self.state.nodes[node].features;
        features::check_filter(features, query.filter)?;
        features::check_arguments(features, message.field(field::UDF_ARGUMENTS))?;
        let text = text::of_request(features, &message)?;
        if text.is_some() && query.work != Work::Send {
            return Err(ResultCode::PARAMETER);
        }
        let mut operations = message.ops();
        operations.try_for_each(|it| features::check_operation(features, &it))?;
        let namespace = self.state.namespaces[at].options.name.as_bytes();
        if !self.permits(permissions, namespace, query.set) {
            return Err(ResultCode::ROLE_VIOLATION);
        }
        match query.work {
            Work::Send => {
                let filter = match (query.filter, text) {
                    (Some(bytes), _) => Some(self.filters.read(bytes)?),
                    (None, Some(text)) => Some(text::filter(text.text)?),
                    (None, None) => None,
                };
                self.start_scan(node, at, &message, query, filter).map(Some)
            }
            Work::Aggregate => self.start_aggregate(node, at, body, &query).map(Some),
            Work::Operations | Work::Function { .. } => {
                self.start_background(node, at, &message, &query)?;
                Ok(None)
            }
        }
    }

    fn start_scan(
        &mut self,
        node: usize,
        at: usize,
        message: &Message<'_>,
        query: NodeQuery<'_>,
        filter: Option<Arc<Program>>,
    ) -> Result<Box<dyn StreamedReply>, ResultCode> {
        let projection = Projection::new(message, &query)?;
        let state = self.state.clone();
        let selection = select(&state.namespaces[at], &query, filter)?;
        let options = self.options(at, &query, &selection, JobKind::Basic);
        let parts: Vec<Part> = query
            .partitions
            .iter()
            .map(|pid| Part { pid: *pid, after: None })
            .chain(
                query
                    .points
                    .iter()
                    .map(|point| Part { pid: point.digest.partition(), after: Some(*point) }),
            )
            .collect();
        let deadline = query.short.then(|| match message.header.timeout {
            0 => Instant::now() + SHORT,
            millis => Instant::now() + Duration::from_millis(u64::from(millis)),
        });
        let jobs = &state.nodes[node].jobs;
        // Short queries are not listed and not limited.
        let job = match deadline {
            Some(_) => Arc::new(Job::new(options, parts.len())),
            None => jobs.start(options, parts.len())?,
        };
        let limit = (query.limit > 0).then_some(query.limit);
        let sender = RecordSender::new(job.clone(), selection, projection, limit);
        let scan = Scan::new((node, at), job, parts, sender, deadline);
        Ok(Box::new(scan))
    }

    fn start_aggregate(
        &mut self,
        node: usize,
        at: usize,
        body: &[u8],
        query: &NodeQuery<'_>,
    ) -> Result<Box<dyn StreamedReply>, ResultCode> {
        if query.filter.is_some() {
            return Err(ResultCode::UNSUPPORTED_FEATURE);
        }
        let request = Request::parse(body).map_err(|_| ResultCode::PARAMETER)?;
        let call = FunctionCall::of(&request)?;
        let state = self.state.clone();
        if !state.namespaces[at].sets.is_known(query.set, node) {
            return Err(ResultCode::NOT_FOUND);
        }
        let selection = select(&state.namespaces[at], query, None)?;
        let options = self.options(at, query, &selection, JobKind::Aggregation);
        let job = state.nodes[node].jobs.start(options, PARTITIONS)?;
        let library = state.modules.read().clone();
        let aggregate = Aggregate::new((node, at), job, library, call, selection);
        Ok(Box::new(aggregate))
    }

    fn options(
        &self,
        at: usize,
        query: &NodeQuery<'_>,
        selection: &Selection,
        kind: JobKind,
    ) -> JobOptions {
        let send_timeout = match query.patience {
            None => Some(SEND_TIMEOUT),
            Some(0) => None,
            Some(millis) => Some(Duration::from_millis(u64::from(millis))),
        };
        JobOptions {
            id: query.id,
            kind,
            namespace: self.state.namespaces[at].options.name.clone(),
            set: String::from_utf8_lossy(query.set).into_owned(),
            index: selection.by_index.as_ref().map(|by_index| by_index.index.name()),
            requested: (query.partitions.len(), query.points.len()),
            rate: query.records_per_second,
            send_timeout,
            from: self.peer,
        }
    }
}

/// Which records a query selects.
fn select(
    namespace: &Namespace,
    query: &NodeQuery<'_>,
    filter: Option<Arc<Program>>,
) -> Result<Selection, ResultCode> {
    let set = namespace.sets.find(query.set);
    let mut set_filter = match set {
        Some(0) => SetFilter::All,
        Some(set) => SetFilter::Set(set),
        None => SetFilter::Nothing,
    };
    let Some(index) = &query.index else {
        let of_set = set.and_then(|set| namespace.indexes.all_of(set));
        return Ok(Selection { set_filter, by_index: None, of_set, filter });
    };
    check_context(index.context.as_deref())?;
    let range = QueryRange::new(&index.range)?;
    let index = namespace.indexes.choose(set, index).map_err(|code| match code {
        ResultCode::INDEX_NOT_FOUND => {
            reason::saying(code, || "no index fits the query".to_owned())
        }
        code => code,
    })?;
    if index.definition.kind != range.kind {
        set_filter = SetFilter::Nothing;
    }
    Ok(Selection {
        set_filter,
        by_index: Some(Arc::new(IndexRange { index, range })),
        of_set: None,
        filter,
    })
}

/// Rejects a path that creates containers or is not in its shortest encoding.
fn check_context(context: Option<&[u8]>) -> Result<(), ResultCode> {
    match context.map(is_plain_context) {
        None | Some(Ok(true)) => Ok(()),
        Some(_) => Err(ResultCode::PARAMETER),
    }
}
