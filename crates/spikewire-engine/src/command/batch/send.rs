//! A round: rows to nodes, and a request for each node.

use std::sync::Arc;

use spikewire_protocol::batch::{self as wire, Writer, flag};
use spikewire_protocol::key::Digest;
use spikewire_protocol::message::Header;
use spikewire_protocol::request::Request;

use super::{Batch, Part, State};
use crate::clock::Tick;
use crate::cluster::{NamespaceMap, Node, Snapshot};
use crate::command::{Aim, Attempts, Command, Router, Target, route};
use crate::error::Kind;
use crate::options::Policy;
use crate::transport::buffer;

/// Rows in one request to one node. Servers before 8.1 refuse more than 5,000.
const MOST_ROWS: usize = 5_000;

impl Batch {
    /// The commands of the next round, one or more for each node that holds pending rows.
    pub fn round<T>(
        &mut self,
        router: &Router,
        snapshot: &Snapshot,
        now: Tick,
        start: Tick,
        mut ticket: impl FnMut(Part) -> T,
    ) -> Vec<Command<T>> {
        self.rounds += 1;
        let mut groups = Groups::default();
        // Rows of one namespace mostly follow each other.
        let mut latest: Option<(&Arc<str>, &NamespaceMap)> = None;
        for (index, row) in self.rows.iter_mut().enumerate() {
            if !matches!(row.state, State::Pending(_)) {
                continue;
            }
            let kind = &self.kinds[row.kind as usize];
            let map = match latest {
                Some((namespace, map)) if Arc::ptr_eq(namespace, &kind.namespace) => map,
                _ => match snapshot.map(&kind.namespace) {
                    Ok(map) => map,
                    Err(error) if error.kind() == Kind::NoNamespace => {
                        row.state = State::Failed(error);
                        continue;
                    }
                    Err(error) => {
                        row.state = State::Pending(Some(error));
                        continue;
                    }
                },
            };
            latest = Some((&kind.namespace, map));
            let partition = row.digest.partition();
            match router.holder(map, partition, kind.write, kind.replica, self.step) {
                Some(node) => groups.add(node, index as u32),
                None => {
                    row.state = State::Pending(Some(route::nobody(&kind.namespace, partition)));
                }
            }
        }
        let mut commands = Vec::with_capacity(groups.all.len());
        for (node, rows) in groups.all {
            for rows in rows.chunks(MOST_ROWS) {
                self.parts += 1;
                for row in rows {
                    self.rows[*row as usize].state = State::Sent(self.parts);
                }
                commands.push(self.command(&node, rows, now, start, &mut ticket));
            }
        }
        commands
    }

    fn command<T>(
        &self,
        node: &Arc<Node>,
        rows: &[u32],
        now: Tick,
        start: Tick,
        ticket: &mut impl FnMut(Part) -> T,
    ) -> Command<T> {
        let timeout = u32::try_from(self.deadline.since(now).as_millis()).unwrap_or(0);
        let mut bytes = buffer::take();
        let single = rows.len() == 1;
        let mut write = false;
        if let [index] = rows {
            let row = &self.rows[*index as usize];
            let kind = &self.kinds[row.kind as usize];
            write = kind.write;
            encode_single(&mut bytes, &row.digest, &kind.row, timeout);
        } else {
            let flags = flag::INLINE | flag::RESPOND_ALL | flag::REPORT_ERROR;
            let mut batch = Writer::begin(&mut bytes, timeout, flags);
            for index in rows {
                let row = &self.rows[*index as usize];
                let kind = &self.kinds[row.kind as usize];
                write |= kind.write;
                // From 1, so that a refusal of the whole request cannot be taken for a row's.
                batch.row(*index + 1, &row.digest, kind.row.as_bytes(), kind.row.is_repeatable());
            }
            batch.finish();
        }
        let policy = Policy { max_retries: 0, ..self.policy };
        let target = Target { aim: Aim::Node(node.clone()), write };
        let part = Part {
            number: self.parts,
            round: self.rounds,
            node: node.clone(),
            rows: rows.to_vec(),
            single,
            body: buffer::take(),
            sink: self.sink.clone(),
            error: None,
        };
        let attempts = Attempts { made: self.rounds - 1, ..Attempts::default() };
        let command = Command::new(bytes, target, policy, now, ticket(part));
        let (deadline, stream, rows) = (self.deadline, !single, rows.len());
        Command { start, deadline, stream, rows, attempts, ..command }
    }
}

/// Rows by the node they go to.
#[derive(Default)]
struct Groups {
    all: Vec<(Arc<Node>, Vec<u32>)>,
    /// Which of them is a node's, by its slot; numbers from 1.
    of: Vec<u32>,
}

impl Groups {
    fn add(&mut self, node: &Arc<Node>, row: u32) {
        let slot = node.slot as usize;
        if self.of.len() <= slot {
            self.of.resize(slot + 1, 0);
        }
        if self.of[slot] == 0 {
            self.all.push((node.clone(), Vec::new()));
            self.of[slot] = self.all.len() as u32;
        }
        self.all[self.of[slot] as usize - 1].1.push(row);
    }
}

/// A batch of one goes as what it is: a command on one record.
fn encode_single(bytes: &mut Vec<u8>, digest: &Digest, kind: &wire::Kind, timeout: u32) {
    let (header, fields, ops) = kind.parts();
    let mut request = Request::begin(bytes, &Header { timeout, ..header });
    request.encoded_fields(header.fields, fields);
    request.digest(digest);
    request.encoded_ops(header.ops, ops);
    request.finish();
}
