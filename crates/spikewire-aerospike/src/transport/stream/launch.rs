//! Assigns partitions to nodes, sends the requests, and handles failures.

use std::io;
use std::sync::Arc;

use mio::{Interest, Token};
use rustc_hash::FxHashMap;
use spikewire_aerospike_protocol::error_details;
use spikewire_aerospike_protocol::features::Features;
use spikewire_aerospike_protocol::query::Share;
use spikewire_transport::dial::Opening;

use super::Stream;
use super::line::Line;
use crate::clock::Tick;
use crate::cluster::Node;
use crate::framing::Aerospike;
use crate::model::{Error, Kind};
use crate::query::rules::share_of;
use crate::query::{Piece, task_id};
use crate::transport::node_error;

/// Default number of nodes read concurrently.
const NODES: usize = 64;

impl Stream {
    /// Requests the partitions that no request is reading, if that is due.
    pub(super) fn launch(&mut self, now: Tick) {
        let budget = self.wants();
        if budget == 0 || !self.tracker.has_waiting() || now < self.again {
            return;
        }
        if !self.is_planned(now) {
            return;
        }
        let room = usize::try_from(budget).unwrap_or(usize::MAX).min(self.room());
        if room == 0 {
            return;
        }
        let groups = self.groups(now);
        let count = groups.len().min(room) as u64;
        for ((node, pids), number) in groups.into_iter().zip(0..count) {
            // Each node is asked for its share of the remaining records, the first ones for the
            // remainder.
            let cap = match budget {
                u64::MAX => 0,
                budget => share_of(budget, count, number),
            };
            if let Err((error, node)) = self.ask(node, &pids, cap, now) {
                node.breaker.record();
                self.retry_or_fail(node_error::unreachable(&node, error), now);
            }
        }
    }

    /// How many more nodes may be read now.
    pub(super) fn room(&self) -> usize {
        let most = if self.limits.nodes == 0 { NODES } else { self.limits.nodes };
        most.saturating_sub(self.lines.iter().flatten().count())
    }

    /// How many records may be requested now; the maximum value if there is no limit.
    pub(super) fn wants(&self) -> u64 {
        let budget = self.left.unwrap_or(u64::MAX).min(self.page.unwrap_or(u64::MAX));
        if budget == u64::MAX {
            return budget;
        }
        let requested = self.lines.iter().flatten().map(|line| line.cap.saturating_sub(line.got));
        budget.saturating_sub(requested.sum())
    }

    /// The waiting partitions by node. If some have none, the query retries or fails.
    pub(super) fn groups(&mut self, now: Tick) -> Vec<(Arc<Node>, Vec<u16>)> {
        let (groups, unplaced) = self.group();
        match unplaced {
            Some(error) if matches!(error.kind(), Kind::NoNamespace | Kind::Unsupported) => {
                self.fail(error);
                return Vec::new();
            }
            Some(error) => self.retry_or_fail(error, now),
            None => {}
        }
        groups
    }

    /// The waiting partitions by node, and why some have none.
    #[allow(clippy::type_complexity)] // a list with a remark
    fn group(&self) -> (Vec<(Arc<Node>, Vec<u16>)>, Option<Error>) {
        let snapshot = self.streams.cluster.snapshot();
        let mut groups: Vec<(Arc<Node>, Vec<u16>)> = Vec::new();
        let checked = snapshot.check_request(self.query.needs(), || self.query.deep_place());
        if let Err(error) = checked {
            return (groups, Some(error));
        }
        // Looked up once, since there are thousands of partitions.
        let map = match snapshot.map(&self.query.namespace) {
            Ok(map) => map,
            Err(error) => return (groups, Some(error)),
        };
        let mut places = FxHashMap::default();
        let mut unplaced = None;
        for (pid, step) in self.tracker.waiting() {
            let Some(node) = self.router.holder(map, pid, false, self.limits.replica, step) else {
                unplaced =
                    unplaced.or_else(|| Some(snapshot.no_holder(&self.query.namespace, pid)));
                continue;
            };
            if node.breaker.is_open() {
                unplaced = Some(node_error::circuit_open(node));
                continue;
            }
            let place = *places.entry(node.slot).or_insert_with(|| {
                groups.push((node.clone(), Vec::new()));
                groups.len() - 1
            });
            groups[place].1.push(pid);
        }
        (groups, unplaced)
    }

    /// Sends one node its request.
    fn ask(
        &mut self,
        node: Arc<Node>,
        pids: &[u16],
        cap: u64,
        now: Tick,
    ) -> Result<(), (io::Error, Arc<Node>)> {
        let piece = Piece(self.pieces);
        let (index, mut line) = self.open_line(node, piece, now)?;
        self.pieces += 1;
        self.tally.parts += 1;
        line.cap = cap;
        let (mut whole, mut points) = (Vec::with_capacity(pids.len()), Vec::new());
        for pid in pids {
            match self.tracker.assign(*pid, piece) {
                Some(point) => points.push(point),
                None => whole.push(*pid),
            }
        }
        let patience = u32::try_from(self.limits.socket_timeout.as_millis()).unwrap_or(u32::MAX);
        let share =
            Share { id: task_id(), patience, partitions: &whole, points: &points, limit: cap };
        // Validated when the query was planned.
        let features = line.node.features;
        if let Err(error) = self.query.write_for(features, &share, line.request()) {
            return Err((io::Error::other(error), line.node));
        }
        if line.node.features.has(Features::ERROR_DETAILS) {
            error_details::ask(line.request(), self.limits.details);
        }
        self.begin_line(index, line)
    }

    /// A line to a node, and its place; its request is still to be written.
    pub(super) fn open_line(
        &mut self,
        node: Arc<Node>,
        piece: Piece,
        now: Tick,
    ) -> Result<(usize, Line), (io::Error, Arc<Node>)> {
        let (wire, opening) = if let Some(wire) = self.streams.take(&node) {
            (wire, None)
        } else {
            let until = now.after(self.streams.cluster.options().connect_timeout);
            let (encryption, framing) = (node.access.encryption(), Aerospike::new(&node.access));
            match Opening::start(node.address, encryption, framing, until) {
                Ok((wire, opening)) => (wire, Some(opening)),
                Err(error) => return Err((error, node)),
            }
        };
        let index = self.lines.iter().position(Option::is_none).unwrap_or_else(|| {
            self.lines.push(None);
            self.lines.len() - 1
        });
        let mut line = Line::new(node, wire, opening, piece, self.limits.window, now);
        let both = Interest::READABLE | Interest::WRITABLE;
        if let Err(error) = self.poll.registry().register(&mut line.wire, Token(index), both) {
            return Err((error, line.node));
        }
        Ok((index, line))
    }

    /// Sends the request of a line.
    pub(super) fn begin_line(
        &mut self,
        index: usize,
        mut line: Line,
    ) -> Result<(), (io::Error, Arc<Node>)> {
        // On a reused connection the poller may not report anything before this.
        let written = if line.opening.is_none() { line.write() } else { Ok(()) };
        let node = line.node.clone();
        self.lines[index] = Some(line);
        written.map_err(|error| {
            self.drop_line(index);
            (error, node)
        })
    }

    /// Handles a retryable failure: pauses, or fails the query after too many retries.
    pub(super) fn retry_or_fail(&mut self, error: Error, now: Tick) {
        self.streams.cluster.tend_soon();
        match self.retries.failed(&self.limits) {
            Some(pause) => {
                self.tally.retries += 1;
                self.again = now.after(pause);
            }
            None => self.fail(error),
        }
    }
}
