//! A round: assigns rows to nodes and composes a request for each node.

use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike_protocol::batch::{ROW_LEN, Writer, flag};
use spikewire_aerospike_protocol::error_details::DetailLevel;
use spikewire_aerospike_protocol::features::Features;
use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::request::server_timeout;
use spikewire_transport::policy::Preference as _;

use super::{Batch, Part, RowKind, RowState};
use crate::clock::Tick;
use crate::cluster::{NamespaceMap, Node, Snapshot};
use crate::command::{Command, Router, Target};
use crate::marks;
use crate::model::Policy;
use crate::model::{Error, Kind, Result};
use crate::transport::buffer;

/// Maximum number of rows in one request. Servers before 8.1 reject more than 5,000.
const MOST_ROWS: usize = 5_000;
/// Bytes of rows after which another request is started, so that no node has to receive all of a
/// large batch before it processes the first row, and no request approaches the server's limit.
const MOST_BYTES: usize = 16 << 20;

impl Batch {
    /// The commands of the next round, at least one for each node that holds pending rows. None
    /// after the deadline.
    pub fn round<T>(
        &mut self,
        router: &Router,
        snapshot: &Snapshot,
        now: Tick,
        start: Tick,
        mut ticket: impl FnMut(Part) -> T,
    ) -> Vec<Box<Command<T>>> {
        self.rounds += 1;
        (self.answered, self.unanswered) = (None, false);
        if let Some(schedule) = &mut self.schedule {
            schedule.begin_round();
        }
        if self.deadline <= start {
            self.time_out();
            return Vec::new();
        }
        let mut groups = Groups::default();
        // Rows of one namespace are usually consecutive.
        let mut latest: Option<(&Arc<str>, &NamespaceMap)> = None;
        // Whether rows can go to other nodes if one does not answer.
        let mut regroups = self.policy.replica.moves_on() && self.has_retries();
        for (index, row) in self.rows.iter_mut().enumerate() {
            if !matches!(row.state, RowState::Pending(_)) {
                continue;
            }
            let kind = &self.kinds[row.kind as usize];
            if !kind.needs.is_empty()
                && let Err(error) = snapshot.check_request(kind.needs, || kind.row.deep_place())
            {
                row.state = RowState::Failed(error);
                continue;
            }
            let map = match latest {
                Some((namespace, map)) if Arc::ptr_eq(namespace, &kind.namespace) => map,
                _ => match snapshot.map(&kind.namespace) {
                    Ok(map) => map,
                    Err(error) if error.kind() == Kind::NoNamespace => {
                        row.state = RowState::Failed(error);
                        continue;
                    }
                    Err(error) => {
                        row.state = RowState::Pending(Some(error));
                        continue;
                    }
                },
            };
            latest = Some((&kind.namespace, map));
            regroups &= map.replicas() > 1;
            let partition = row.digest.partition();
            if let Some(node) = router.holder(map, partition, kind.write, kind.replica, self.step) {
                groups.add(node, index as u32);
            } else {
                let error = snapshot.no_holder(&kind.namespace, partition);
                row.state = RowState::Pending(Some(error));
            }
        }
        let mut commands = Vec::with_capacity(groups.all.len());
        let hedges = self.schedule.is_some() && self.has_other_readers(snapshot);
        let mut parts = Vec::new();
        for (node, rows) in groups.all {
            let mut rest = &rows[..];
            while !rest.is_empty() {
                let (part, after) = rest.split_at(self.part_len(rest));
                rest = after;
                self.parts += 1;
                if hedges {
                    parts.push((self.parts, node.clone(), part.len() > 1));
                }
                let command = self.command((&node, regroups), part, now, start, &mut ticket);
                for row in part {
                    self.rows[*row as usize].state = match &command {
                        Ok(_) => RowState::Sent(self.parts),
                        Err(error) => RowState::Failed(error.clone()),
                    };
                }
                commands.extend(command);
            }
        }
        if !parts.is_empty() {
            self.plan_hedges(&parts, start);
        }
        commands
    }

    /// How many of these rows go into one request; at least one.
    pub(super) fn part_len(&self, rows: &[u32]) -> usize {
        let mut bytes = 0;
        let mut last = None;
        let fits = rows.iter().take(MOST_ROWS).take_while(|index| {
            let number = self.rows[**index as usize].kind;
            let kind = &self.kinds[number as usize].row;
            bytes += ROW_LEN + 1;
            // A repeated kind takes no additional space.
            if last != Some(number) || !kind.is_repeatable() {
                bytes += kind.as_bytes().len();
            }
            last = Some(number);
            bytes <= MOST_BYTES
        });
        fits.count().max(1)
    }

    /// Sets the error of rows that are not sent because the deadline has passed.
    fn time_out(&mut self) {
        let limit = self.policy.timeout.as_secs_f64();
        for row in &mut self.rows {
            if let RowState::Pending(error @ None) = &mut row.state {
                let message = format!(
                    "the command's total timeout of {limit} s passed: it was still waiting to be \
                     sent"
                );
                *error = Some(Error::new(Kind::Timeout, message));
            }
        }
    }

    pub(super) fn command<T>(
        &self,
        (node, regroups): (&Arc<Node>, bool),
        rows: &[u32],
        now: Tick,
        start: Tick,
        ticket: &mut impl FnMut(Part) -> T,
    ) -> Result<Box<Command<T>>> {
        let timeout = match self.deadline {
            Tick::NEVER => 0,
            deadline => server_timeout(deadline.since(now)).max(1),
        };
        let mut bytes = buffer::take();
        let single = rows.len() == 1;
        let details = marks::details(&self.policy);
        let write = if let [index] = rows {
            let row = &self.rows[*index as usize];
            let kind = &self.kinds[row.kind as usize];
            kind.row.request(&mut bytes, &row.digest, timeout)?;
            kind.write
        } else if details == DetailLevel::Off || !node.features.has(Features::ERROR_DETAILS) {
            self.write_rows(&mut bytes, timeout, rows, plain_row)?
        } else {
            self.write_rows(&mut bytes, timeout, rows, row_with_details(details))?
        };
        if self.policy.flags.marks_requests() {
            marks::set(&mut bytes, &self.policy);
        }
        let mut policy = Policy { max_retries: 0, ..self.policy };
        if self.schedule.is_some() {
            // A node that is known to be mute is waited for: its rows are late, and do not fail.
            policy.timeout = Duration::MAX;
        }
        let target = Target::node(node.clone(), write).regrouping(regroups);
        let part = Part {
            number: self.parts,
            round: self.rounds,
            node: node.clone(),
            rows: rows.to_vec(),
            single,
            body: buffer::take(),
            sink: self.sink.clone(),
            error: None,
            answered: None,
            is_hedge: false,
            withdrawal: self.withdrawal(),
        };
        let mut command = Command::new(bytes, target, policy, now, ticket(part));
        (command.start, command.deadline) = (start, self.deadline);
        (command.stream, command.rows) = (!single, rows.len());
        command.attempts.count = self.rounds - 1;
        Ok(command)
    }

    /// Writes the request for several rows, each with `put`; returns whether one of them writes.
    fn write_rows(
        &self,
        bytes: &mut Vec<u8>,
        timeout: u32,
        rows: &[u32],
        mut put: impl FnMut(&mut Writer<'_>, u32, &Digest, &RowKind),
    ) -> Result<bool> {
        let (in_memory, on_devices) = self.policy.flags.inline();
        let mut flags = flag::REPORT_ERROR;
        flags |= if in_memory { flag::INLINE } else { 0 };
        flags |= if on_devices { flag::INLINE_ON_DEVICES } else { 0 };
        if !self.policy.flags.ends_at_failure() {
            flags |= flag::RESPOND_ALL;
        }
        let mut batch = Writer::begin(bytes, timeout, flags);
        let mut write = false;
        for index in rows {
            let row = &self.rows[*index as usize];
            let kind = &self.kinds[row.kind as usize];
            write |= kind.write;
            // Numbered from 1, so that an error for the whole request cannot be mistaken for that of
            // a row.
            put(&mut batch, *index + 1, &row.digest, kind);
        }
        batch.finish()?;
        Ok(write)
    }
}

fn plain_row(batch: &mut Writer<'_>, number: u32, digest: &Digest, kind: &RowKind) {
    batch.row(number, digest, kind.row.as_bytes(), kind.row.is_repeatable());
}

/// Writes rows of which those that read ask for details of errors; for others the flags of the whole
/// request do.
fn row_with_details(level: DetailLevel) -> impl FnMut(&mut Writer<'_>, u32, &Digest, &RowKind) {
    let mut asking = Vec::new();
    move |batch, number, digest, kind| {
        if kind.write {
            return plain_row(batch, number, digest, kind);
        }
        kind.row.ask(level, &mut asking);
        batch.row(number, digest, &asking, kind.row.is_repeatable());
    }
}

/// Rows grouped by node.
#[derive(Default)]
pub(super) struct Groups {
    pub all: Vec<(Arc<Node>, Vec<u32>)>,
    /// Index of a node's group by slot, counted from 1.
    of: Vec<u32>,
}

impl Groups {
    pub fn add(&mut self, node: &Arc<Node>, row: u32) {
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

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;
    use crate::model::ReplicaPolicy;
    use spikewire_aerospike_protocol::batch as wire;
    use spikewire_aerospike_protocol::message::Header;
    use spikewire_aerospike_protocol::message::op;
    use spikewire_aerospike_protocol::request;
    use spikewire_aerospike_protocol::value::particle;

    fn kind(bytes: usize) -> RowKind {
        let mut row = wire::Kind::new(&Header::default(), &request::address("test", "s"));
        let written: std::result::Result<(), Infallible> = row.op_with(op::WRITE, b"b", |out| {
            out.resize(out.len() + bytes, 0);
            Ok(particle::BLOB)
        });
        written.unwrap();
        row.finish().unwrap();
        let (replica, needs) = (ReplicaPolicy::Master, Features::NONE);
        RowKind { row, namespace: "test".into(), write: true, replica, needs }
    }

    fn parts(kinds: Vec<RowKind>, rows: &[u32]) -> Vec<usize> {
        let rows = rows.iter().map(|kind| (Digest([7; 20]), *kind));
        let batch = Batch::new(kinds, rows, Policy::default(), Tick::now());
        let all: Vec<u32> = (0..batch.len() as u32).collect();
        let mut rest = &all[..];
        let mut lengths = Vec::new();
        while !rest.is_empty() {
            lengths.push(batch.part_len(rest));
            rest = &rest[lengths[lengths.len() - 1]..];
        }
        lengths
    }

    #[test]
    fn small_rows_are_split_by_their_number() {
        assert_eq!(parts(vec![kind(0)], &vec![0; 12_000]), [5_000, 5_000, 2_000]);
    }

    #[test]
    fn large_rows_are_split_by_their_bytes() {
        let kinds = (0..10).map(|_| kind(6 << 20)).collect();
        assert_eq!(parts(kinds, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), [2, 2, 2, 2, 2]);
    }

    #[test]
    fn rows_that_repeat_a_large_kind_cost_little() {
        assert_eq!(parts(vec![kind(6 << 20)], &[0; 100]), [100]);
    }

    #[test]
    fn a_row_larger_than_a_part_goes_by_itself() {
        let kinds = vec![kind(1), kind(20 << 20), kind(1)];
        assert_eq!(parts(kinds, &[0, 1, 2]), [1, 1, 1]);
    }
}
