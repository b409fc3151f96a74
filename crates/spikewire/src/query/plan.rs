//! What a query asks for, checked, and what that makes of the request.

use std::ops::{Bound, RangeBounds};
use std::sync::Arc;
use std::time::Duration;

use spikewire_engine::ReplicaPolicy;
use spikewire_engine::command::query::{Limits, Partitions, Tracker, WINDOW, cursor};
use spikewire_engine::command::{CommandDefaults, SetRef, check_bin_name};
use spikewire_protocol::limits::{OPS_PER_COMMAND, PARTITIONS};
use spikewire_protocol::message::{op, write_op};
use spikewire_protocol::query as wire;

use super::found::Shape;
use super::range::IndexRange;
use crate::expression::Expression;
use crate::key::Key;
use crate::operation::Operation;
use crate::options::CallOptions;
use crate::{Error, Result};

/// How long a node may be silent, and a reader pause, where nothing else was said.
const SILENCE: Duration = Duration::from_secs(30);
/// Failures in a row that a query survives; a client that never retries has queries that do not.
const RETRIES: u32 = 8;
/// Most records of a page.
const LARGEST_PAGE: u64 = 1_000_000;

/// What was asked for, as it was given.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub space: Result<Arc<SetRef>>,
    pub options: CallOptions,
    pub filter: Option<Expression>,
    pub index: Option<IndexRange>,
    pub bins: Option<Vec<String>>,
    pub operations: Option<Vec<Operation>>,
    pub include_values: bool,
    pub limit: Option<u64>,
    pub records_per_second: Option<u32>,
    pub partitions: Option<(Bound<u16>, Bound<u16>)>,
    pub after: Option<Key<'static>>,
    pub resume: Option<Vec<u8>>,
    pub concurrent_nodes: Option<usize>,
    pub replica: Option<ReplicaPolicy>,
    pub timeout: Option<Duration>,
    pub socket_timeout: Option<Duration>,
    pub window: Option<usize>,
}

/// A query that was composed and not begun.
#[derive(Debug)]
pub struct Plan {
    pub(super) query: Arc<wire::Query>,
    pub(super) limits: Limits,
    pub(super) tracker: Tracker,
    pub(super) left: Option<u64>,
    pub(super) shape: Shape,
}

impl Choice {
    pub fn new(space: Result<Arc<SetRef>>, options: CallOptions) -> Self {
        Self {
            space,
            options,
            filter: None,
            index: None,
            bins: None,
            operations: None,
            include_values: true,
            limit: None,
            records_per_second: None,
            partitions: None,
            after: None,
            resume: None,
            concurrent_nodes: None,
            replica: None,
            timeout: None,
            socket_timeout: None,
            window: None,
        }
    }

    /// The records one after the other, or in pages of this size.
    pub fn plan(&self, defaults: &CommandDefaults, page: Option<usize>) -> Result<Plan> {
        self.options.check_read()?;
        let space = self.space.as_ref().map_err(Clone::clone)?;
        let mut query = self.scope()?;
        number("limit", self.limit, u64::from(u32::MAX))?;
        number("the size of a page", page.map(|page| page as u64), LARGEST_PAGE)?;
        self.projection(&mut query)?;
        // Nodes count records towards a limit that have none of the wanted bins; then they have
        // to send them, too.
        let counted = self.limit.is_some() || page.is_some();
        query.respond_all_ops = query.op_count > 0 && (self.operations.is_some() || counted);
        query.check()?;
        let limits = self.limits(defaults)?;
        let (tracker, left) = self.start(space, &query)?;
        let shape = Shape::new(&space.set, self.operations.as_ref().map(Vec::len));
        Ok(Plan { query: Arc::new(query), limits, tracker, left, shape })
    }

    /// Which records it is about, and how fast they come: all that concerns jobs and
    /// aggregations.
    pub fn scope(&self) -> Result<wire::Query> {
        let space = self.space.as_ref().map_err(Clone::clone)?;
        number("records_per_second", self.records_per_second.map(u64::from), 1 << 31)?;
        Ok(wire::Query {
            namespace: space.namespace.to_string(),
            set: space.set.clone(),
            filter: self.filter()?,
            index: self.index.as_ref().map(IndexRange::index).transpose()?,
            records_per_second: self.records_per_second.unwrap_or(0),
            ..wire::Query::default()
        })
    }

    /// The query's own filter, or the one that its dataset carries.
    fn filter(&self) -> Result<Option<Vec<u8>>> {
        match &self.filter {
            Some(filter) => filter.filter().map(Some),
            None => Ok(self.options.filter_bytes()?.map(|bytes| bytes.to_vec())),
        }
    }

    /// Refuses what leaves out records, or says how they are read.
    pub fn check_whole(&self, what: &str) -> Result<()> {
        let given = [
            ("bins", self.bins.is_some()),
            ("operations", self.operations.is_some()),
            ("include_values", !self.include_values),
            ("limit", self.limit.is_some()),
            ("partitions", self.partitions.is_some()),
            ("after", self.after.is_some()),
            ("resume", self.resume.is_some()),
            ("concurrent_nodes", self.concurrent_nodes.is_some()),
            ("replica", self.replica.is_some()),
            ("window", self.window.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((name, _)) => Err(Error::invalid(format!("{name} does not apply to {what}"))),
            None => Ok(()),
        }
    }

    pub fn limits(&self, defaults: &CommandDefaults) -> Result<Limits> {
        let policy = &defaults.policy;
        number("concurrent_nodes", self.concurrent_nodes.map(|nodes| nodes as u64), 10_000)?;
        let window = self.window.unwrap_or(WINDOW);
        if !(4096..=1 << 26).contains(&window) {
            return Err(Error::invalid(format!(
                "window must be from 4096 to {} bytes, got {window}",
                1 << 26
            )));
        }
        Ok(Limits {
            timeout: self.timeout.or(self.options.timeout).unwrap_or_default(),
            socket_timeout: match self.socket_timeout {
                Some(limit) => limit,
                None if policy.socket_timeout.is_zero() => SILENCE,
                None => policy.socket_timeout,
            },
            max_retries: match policy.max_retries {
                0 => 0,
                retries => retries.max(RETRIES),
            },
            replica: self.replica.unwrap_or(policy.replica),
            nodes: self.concurrent_nodes.unwrap_or(0),
            window,
        })
    }

    /// What comes back of each record.
    fn projection(&self, query: &mut wire::Query) -> Result<()> {
        exclusive(&[
            ("bins", self.bins.is_some()),
            ("operations", self.operations.is_some()),
            ("include_values(false)", !self.include_values),
        ])?;
        query.no_bins = !self.include_values;
        if let Some(bins) = &self.bins {
            check_count(bins.len(), "bins")?;
            for name in bins {
                check_bin_name(name)?;
                query.op(op::READ, name);
            }
            query.no_bins = bins.is_empty();
        }
        let Some(operations) = &self.operations else { return Ok(()) };
        if operations.is_empty() {
            return Err(Error::invalid("operations must not be empty"));
        }
        check_count(operations.len(), "operations")?;
        for (at, step) in operations.iter().enumerate() {
            if !step.as_sent()?.reads() {
                return Err(Error::invalid(format!("operation {at} writes; a query only reads")));
            }
            if step.bin.is_none() {
                return Err(Error::invalid(format!(
                    "operation {at} reads every bin; leave operations out for that"
                )));
            }
            append(query, step)?;
        }
        Ok(())
    }

    /// Where reading begins, and how many records there may be.
    fn start(&self, space: &SetRef, query: &wire::Query) -> Result<(Tracker, Option<u64>)> {
        exclusive(&[
            ("partitions", self.partitions.is_some()),
            ("after", self.after.is_some()),
            ("resume", self.resume.is_some()),
        ])?;
        if let Some(bytes) = &self.resume {
            let (tracker, left) = cursor::decode(query, bytes)?;
            return Ok((tracker, left.or(self.limit)));
        }
        let wanted = match (&self.after, self.partitions) {
            (Some(_), _) if self.index.is_some() => {
                return Err(Error::invalid(
                    "after and index exclude each other: an index query does not read in the \
                     order of keys; resume it from a cursor",
                ));
            }
            (Some(key), _) => Partitions::after(match key.user() {
                Ok(user) => space.digest(&user),
                Err(digest) => digest,
            }),
            (None, Some(range)) => partitions(range)?,
            (None, None) => Partitions::ALL,
        };
        Ok((Tracker::new(&wanted), self.limit))
    }
}

/// Adds an operation to those that every record gets.
pub(super) fn append(query: &mut wire::Query, step: &Operation) -> Result<()> {
    let step = step.as_sent()?;
    write_op(&mut query.ops, step.code, step.bin.as_bytes(), step.particle, step.value);
    query.op_count += 1;
    Ok(())
}

pub(super) fn check_count(count: usize, what: &str) -> Result<()> {
    if count > OPS_PER_COMMAND {
        return Err(Error::invalid(format!("more than {OPS_PER_COMMAND} {what} in one query")));
    }
    Ok(())
}

fn partitions(range: (Bound<u16>, Bound<u16>)) -> Result<Partitions> {
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
    Partitions::range(first, end.saturating_sub(first))
}

fn number(what: &str, given: Option<u64>, most: u64) -> Result<()> {
    match given {
        Some(number) if !(1..=most).contains(&number) => {
            Err(Error::invalid(format!("{what} must be from 1 to {most}, got {number}")))
        }
        _ => Ok(()),
    }
}

fn exclusive(given: &[(&str, bool)]) -> Result<()> {
    let names: Vec<&str> = given.iter().filter(|(_, is)| *is).map(|(name, _)| *name).collect();
    match names[..] {
        [first, second, ..] => {
            Err(Error::invalid(format!("{first} and {second} exclude each other")))
        }
        _ => Ok(()),
    }
}
