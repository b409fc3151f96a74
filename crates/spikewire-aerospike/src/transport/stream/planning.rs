//! What happens before the first request of a query whose filter is a text: one node says which
//! index the nodes would use, if every node reads such texts.
//!
//! Older servers skip the text without an error and would send every record. So it is asked for, and
//! sent, only where the version of each node says that it is read; whatever a node that joins later
//! gets is decided when its request is written.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike_protocol::error_details::{self, ErrorDetails};
use spikewire_aerospike_protocol::features::Features;
use spikewire_aerospike_protocol::query::{Explain, Plan, PlanReply};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::{Stream, Streams};
use crate::clock::Tick;
use crate::cluster::Node;
use crate::model::{Error, Kind, Result};
use crate::query::rules::AnswerEnd;
use crate::query::{Explanation, IndexWish, Piece, QueryPlan, Selection, task_id};
use crate::transport::node_error;

/// How often a thread that waits for a plan looks whether it still has to.
const PATIENCE: Duration = Duration::from_millis(100);

/// What is known about the plan of a query.
#[derive(Debug)]
pub(super) struct Planning {
    /// What a node is to choose an index for, if one is.
    wish: Option<IndexWish>,
    /// Whether that is still to be asked.
    is_open: bool,
    /// Whether the plan was made again because its index was gone.
    is_second: bool,
    /// Whether only the plan is wanted.
    pub(super) is_alone: bool,
    /// Whether records were taken, in the order of the access that was chosen.
    pub(super) has_records: bool,
    /// Why the filter is compiled here.
    reason: String,
    /// The plan of a node.
    explanation: Option<Explanation>,
}

impl Planning {
    pub(super) fn new(selection: Selection) -> Self {
        let (wish, reason) = match selection {
            Selection::Ask(wish) => (Some(wish), String::new()),
            Selection::Settled(reason) => (None, reason),
        };
        let is_open = wish.is_some();
        Self {
            wish,
            is_open,
            is_second: false,
            is_alone: false,
            has_records: false,
            reason,
            explanation: None,
        }
    }
}

impl Stream {
    /// A query that reads the open partitions of a plan. Sends nothing yet.
    pub fn of_plan(streams: Arc<Streams>, plan: QueryPlan) -> Result<Self> {
        Self::new(streams, plan).map_err(|error| {
            let message = format!("the system gives no poller for a query: {error}");
            Error::new(Kind::Connection, message)
        })
    }

    /// How a query would be executed, without reading records: asks a node if nodes choose the
    /// index. Runs on this thread; fails with [`Kind::Interrupted`] if `interrupted` returns true.
    pub fn explain(
        streams: Arc<Streams>,
        plan: QueryPlan,
        interrupted: &dyn Fn() -> bool,
    ) -> Result<Explanation> {
        let mut stream = Self::of_plan(streams, plan)?;
        stream.planning.is_alone = true;
        while stream.planning.is_open {
            if interrupted() {
                return Err(Error::new(Kind::Interrupted, "the wait for a plan was interrupted"));
            }
            stream.fill(Some(PATIENCE))?;
            stream.take(1, |_| Ok::<_, Error>(()))?;
            stream.check()?;
        }
        stream.close();
        let here = || Explanation::here(&stream.query, &stream.planning.reason);
        Ok(stream.planning.explanation.take().unwrap_or_else(here))
    }

    /// Whether a node is being asked for its plan.
    pub(super) fn is_asking(&self) -> bool {
        self.planning.is_open && self.lines.iter().flatten().any(|line| line.requests_plan)
    }

    /// Whether it is known how the query is executed. Asks a node if it is not.
    pub(super) fn is_planned(&mut self, now: Tick) -> bool {
        if !self.planning.is_open {
            return !self.planning.is_alone;
        }
        if self.is_asking() {
            return false;
        }
        let Some(wish) = self.planning.wish.clone() else { return true };
        let groups = self.groups(now);
        if self.failure.is_some() || groups.is_empty() {
            return false;
        }
        if let Err(error) = self.streams.cluster.snapshot().check_features(Features::TEXT_FILTERS) {
            return match wish.requirement() {
                Some(requirement) => {
                    let message = format!("{requirement}: {}", error.message());
                    self.fail(Error::new(error.kind(), message));
                    false
                }
                None => self.compile_here(error.message().to_owned()),
            };
        }
        let turn = self.retries.failures() as usize % groups.len();
        let Some((node, _)) = groups.into_iter().nth(turn) else { return false };
        if let Err((error, node)) = self.ask_plan(node, &wish, now) {
            node.breaker.record();
            self.retry_or_fail(node_error::unreachable(&node, error), now);
        }
        false
    }

    /// The nodes get the compiled filter and examine every record. Returns whether records may be
    /// requested.
    fn compile_here(&mut self, reason: String) -> bool {
        (self.planning.is_open, self.planning.reason) = (false, reason);
        !self.planning.is_alone
    }

    fn ask_plan(
        &mut self,
        node: Arc<Node>,
        wish: &IndexWish,
        now: Tick,
    ) -> std::result::Result<(), (io::Error, Arc<Node>)> {
        let (index, mut line) = self.open_line(node, Piece(u32::MAX), now)?;
        line.requests_plan = true;
        let patience = u32::try_from(self.limits.socket_timeout.as_millis()).unwrap_or(u32::MAX);
        let explain = Explain {
            namespace: &self.query.namespace,
            set: &self.query.set,
            id: task_id(),
            patience,
            hint: wish.hint.as_deref(),
            flags: wish.flags(),
            text: &wish.text,
        };
        if let Err(error) = explain.write(line.request()) {
            return Err((io::Error::other(error), line.node));
        }
        if line.node.features.has(Features::ERROR_DETAILS) {
            error_details::ask(line.request(), self.limits.details);
        }
        self.begin_line(index, line)
    }

    /// Takes the plan that a line has asked for, if it has arrived.
    pub(super) fn take_plan(&mut self, index: usize) {
        let Some(line) = &mut self.lines[index] else { return };
        let reply = match line.next_plan() {
            Ok(None) => return,
            Ok(Some(reply)) => reply,
            Err(error) => {
                let error = node_error::nonsense(&line.node, error);
                self.drop_line(index);
                return self.fail(error);
            }
        };
        let Some(mut line) = self.lines[index].take() else { return };
        let _ = self.poll.registry().deregister(&mut line.wire);
        let (node, details) = (line.node.to_string(), line.take_details());
        if line.is_reusable() {
            self.streams.give(line.node, line.wire);
        }
        match reply {
            PlanReply::Plan(plan) => self.settle(&plan, node),
            PlanReply::Failed(code) => self.no_plan(code, details, node),
        }
    }

    fn settle(&mut self, plan: &Plan, node: String) {
        let Some(wish) = &self.planning.wish else { return };
        let text = wish.text.clone();
        self.planning.explanation = Some(Explanation::of_plan(&text, plan, node));
        self.planning.is_open = false;
        self.retries.progress();
        let query = Arc::make_mut(&mut self.query);
        query.text = Some(text);
        match plan {
            Plan::Index(chosen) => query.chosen = Some(chosen.clone()),
            Plan::Scan => query.chosen = None,
            Plan::Empty => self.tracker.finish_all(),
        }
    }

    /// A node has no plan.
    fn no_plan(&mut self, code: ResultCode, details: Option<ErrorDetails>, node: String) {
        let Some(wish) = &self.planning.wish else { return };
        let requirement = wish.requirement();
        match code {
            // The text was read here before it was sent: what a server does not read is compiled.
            ResultCode::PARAMETER | ResultCode::UNSUPPORTED_FEATURE if requirement.is_none() => {
                let reason = format!("node {node} does not read the text: {}", code.text());
                self.compile_here(reason);
            }
            ResultCode::INDEX_NOT_FOUND => {
                let message = match (requirement, &wish.hint) {
                    (Some("require_hint"), Some(hint)) => {
                        format!("require_hint: index {hint:?} cannot be used for {}", wish.text)
                    }
                    _ => format!("require_index: no index can be used for {}", wish.text),
                };
                let error = Error::new(Kind::Server(code), message);
                self.fail(error.with_details(details).on(node));
            }
            code => {
                let error = Error::server(code).with_details(details).on(node);
                match AnswerEnd::of(code, false) {
                    AnswerEnd::TryAgain => self.retry_or_fail(error, Tick::now()),
                    _ => self.fail(error),
                }
            }
        }
    }

    /// Whether this end of a reply means that the chosen index is gone, and another one can be
    /// chosen: nothing has been read yet in the order of that one.
    pub(super) fn plans_again(&self, code: ResultCode) -> bool {
        self.is_index_gone(code)
            && self.planning.wish.is_some()
            && !self.planning.is_second
            && !self.planning.has_records
    }

    /// Has the index chosen again.
    pub(super) fn plan_again(&mut self) {
        for index in 0..self.lines.len() {
            self.drop_line(index);
        }
        Arc::make_mut(&mut self.query).chosen = None;
        (self.planning.is_open, self.planning.is_second) = (true, true);
    }

    fn is_index_gone(&self, code: ResultCode) -> bool {
        self.query.chosen.is_some()
            && matches!(code, ResultCode::INDEX_NOT_FOUND | ResultCode::INDEX_NOT_READABLE)
    }

    /// The error of a request that no node will accept.
    pub(super) fn rejection(&self, code: ResultCode) -> Error {
        match &self.query.chosen {
            Some(chosen) if self.is_index_gone(code) => {
                let message = format!(
                    "{}: {:?}, which a node had chosen, and in whose order records were read",
                    code.text(),
                    chosen.name
                );
                Error::new(Kind::Server(code), message)
            }
            _ => Error::server(code),
        }
    }
}
