//! Evaluates replies: outcomes of rows, and which rows to retry.

use std::time::Duration;

use spikewire_aerospike_protocol::message::{Header, Message, info3};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::{Batch, Body, Part, Row, RowState};
use crate::clock::Tick;
use crate::model::ReplicaPolicy;
use crate::model::{Error, Kind};
use crate::transport::{MANY, Outcome};
use spikewire_transport::{CommandError as _, RetryBudget};

/// Minimum pause before retrying rows that no node holds: the partition table has to change first.
const UNPLACED_PAUSE: Duration = Duration::from_millis(50);

impl Batch {
    /// Processes the outcome of a part.
    pub fn finish(&mut self, mut part: Part, outcome: Outcome<'_>) {
        part.close(outcome);
        self.settle(part);
    }

    /// Processes a closed part.
    pub fn settle(&mut self, part: Part) {
        if self.schedule.is_some() {
            self.part_ended(part.number, part.is_hedge, part.error.is_none());
        }
        self.answered = self.answered.max(part.answered);
        self.unanswered |= part.answered.is_none();
        if part.left_silent_node() && self.policy.max_retries > 0 {
            // The node may only be slow, and the others worse, as with single reads.
            self.free_rounds = 1;
        }
        let body = self.bodies.len() as u32;
        let mut at = 0;
        let mut has_answers = false;
        while let Some(Ok((message, used))) =
            part.body.get(at..).filter(|rest| !rest.is_empty()).map(Message::parse)
        {
            let index =
                if part.single { part.rows[0] } else { message.header.timeout.wrapping_sub(1) };
            let is_row = part.single || message.header.info3 & info3::LAST == 0;
            // Ignore replies to rows of other parts.
            if is_row
                && let Some(row) = self.rows.get_mut(index as usize)
                && (matches!(row.state, RowState::Sent(number) if number == part.number)
                    || part.is_hedge && part.repeats(index, &row.state))
            {
                row.state = RowState::Answered(body, at..at + used);
                has_answers = true;
            }
            at += used;
        }
        let end = self.end_of(&part).filter(|_| has_answers);
        self.end = self.end.or(end);
        for index in &part.rows {
            // Not those that another node was asked for, too.
            if !matches!(self.rows[*index as usize].state, RowState::Sent(number) if number == part.number)
            {
                continue;
            }
            let other = self.hedge_of(*index);
            let row = &mut self.rows[*index as usize];
            if let Some(other) = other {
                row.state = RowState::Sent(other);
            } else {
                let ended = end.map(|code| ended(code, &part).after(self.rounds, true));
                let error = ended.or_else(|| part.error.clone()).unwrap_or_else(|| {
                    let message = "the server ended the batch without an answer for this row";
                    let error = Error::new(Kind::Malformed, message);
                    error.on(part.node.to_string()).after(self.rounds, true)
                });
                row.doubt |= self.kinds[row.kind as usize].write && error.in_doubt();
                row.state = RowState::Pending(Some(error));
            }
        }
        self.bodies.push(Body { bytes: part.body, node: part.node, attempts: self.rounds });
    }

    /// With which code a row of this part ended the replies to it, if rows may.
    fn end_of(&self, part: &Part) -> Option<ResultCode> {
        match part.error.as_ref()?.kind() {
            Kind::Server(code) if self.policy.flags.ends_at_failure() && !part.single => Some(code),
            _ => None,
        }
    }

    /// Whether another round is due, and when. Afterwards every row has a reply, is pending for
    /// that round, or has failed permanently. `closed`: the client was closed, which becomes the
    /// error of rows that lost their node because of that. `budget`: how often rows that a node
    /// rejected are sent again.
    pub fn next_round(&mut self, now: Tick, closed: bool, budget: &RetryBudget) -> Option<Tick> {
        if self.rows.iter().all(|row| self.is_settled(row)) {
            self.leave_near_cache();
            return None;
        }
        let mut pending = false;
        let rotates = self.policy.replica != ReplicaPolicy::Master;
        let at_once = rotates && self.step == 0;
        let pause = || self.policy.pause(self.rounds, self.step);
        let mut at = if at_once { now } else { now.after(pause()) };
        if self.rows.iter().any(Row::is_unplaced) {
            at = at.max(now.after(UNPLACED_PAUSE));
        }
        let last = !self.has_retries() || self.deadline <= at;
        let is_late = self.schedule.is_some() && self.deadline <= at;
        for row in &mut self.rows {
            let write = self.kinds[row.kind as usize].write;
            let error = match &row.state {
                RowState::Pending(Some(error)) if closed && is_symptom(error.kind()) => {
                    Error::new(Kind::Closed, "the client was closed")
                }
                RowState::Pending(Some(error)) => error.clone(),
                RowState::Answered(body, range) => {
                    let body = &self.bodies[*body as usize];
                    let code = Header::result_of(&body.bytes[range.start..]);
                    if !code.is_retryable() {
                        continue;
                    }
                    // The server's own timeout does not say whether it wrote.
                    row.doubt |= write && code == ResultCode::TIMEOUT;
                    Error::replied(&body.bytes[range.clone()]).on(body.node.to_string())
                }
                _ => continue,
            };
            if is_late && can_be_late(error.kind()) {
                row.state = RowState::Late;
                continue;
            }
            let error = error.after(self.rounds, row.doubt);
            let hopeless = match error.kind() {
                Kind::Server(code) => !code.is_retryable(),
                Kind::Closed
                | Kind::Timeout
                | Kind::Invalid
                | Kind::Malformed
                | Kind::Unanswered => true,
                _ => false,
            };
            if last || hopeless || row.doubt && !self.policy.flags.in_doubt() {
                row.state = RowState::Failed(error);
            } else {
                row.state = RowState::Pending(Some(error));
                pending = true;
            }
        }
        if pending {
            pending = self.spend_retries(now, budget);
        }
        if !pending {
            self.leave_near_cache();
            return None;
        }
        self.step += u32::from(rotates);
        Some(at)
    }
}

impl Batch {
    /// Whether rows without a reply may be sent once more.
    pub(super) fn has_retries(&self) -> bool {
        self.rounds <= self.policy.max_retries.saturating_add(self.free_rounds)
    }

    /// Whether no other round can change what became of a row.
    #[inline(always)]
    fn is_settled(&self, row: &Row) -> bool {
        match &row.state {
            RowState::Answered(body, range) => {
                let reply = &self.bodies[*body as usize].bytes[range.start..];
                !Header::result_of(reply).is_retryable()
            }
            state => !matches!(state, RowState::Pending(_)),
        }
    }

    /// Takes the retries of rows that nodes rejected from the client's budget, one for as many rows
    /// as share a connection. Rows for which there is none fail. Returns whether any is left.
    fn spend_retries(&mut self, now: Tick, budget: &RetryBudget) -> bool {
        let (mut left, mut spent, mut is_denied) = (false, 0, false);
        for row in &mut self.rows {
            let RowState::Pending(Some(error)) = &row.state else { continue };
            if !matches!(error.kind(), Kind::Server(_)) {
                left = true;
                continue;
            }
            if spent % MANY == 0 && !is_denied {
                is_denied = !budget.spend(now);
            }
            spent += 1;
            if is_denied {
                row.state = RowState::Failed(error.clone().without_budget());
            } else {
                left = true;
            }
        }
        left
    }
}

/// Whether a row with this error would have been answered with more time, as far as is known.
fn can_be_late(kind: Kind) -> bool {
    !matches!(kind, Kind::Closed | Kind::Invalid | Kind::Malformed | Kind::Unanswered)
}

/// The error of a row that has no reply because another one failed with this code. The node has run
/// it all the same.
fn ended(code: ResultCode, part: &Part) -> Error {
    let error = if code.is_retryable() {
        Error::server(code)
    } else {
        let message = format!(
            "no reply: the node's replies ended at a row that failed, since respond_all_keys is \
             off ({code})"
        );
        Error::new(Kind::Unanswered, message)
    };
    error.on(part.node.to_string())
}

/// Whether a command in flight fails with this kind when the client is closed.
fn is_symptom(kind: Kind) -> bool {
    matches!(kind, Kind::NoNode | Kind::Connection | Kind::CircuitOpen)
}

/// Whether a batch that ended with this code may have executed rows whose replies are missing.
/// Other codes end it before the first row.
pub(super) fn hides_writes(code: ResultCode) -> bool {
    matches!(code, ResultCode::PARAMETER | ResultCode::TIMEOUT | ResultCode::SERVER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::cluster::{Node, Snapshot};
    use crate::command::batch::{RowContents, RowKind};
    use crate::model::Policy;
    use spikewire_aerospike_protocol::batch as wire;
    use spikewire_aerospike_protocol::features::Features;
    use spikewire_aerospike_protocol::key::Digest;
    use spikewire_aerospike_protocol::message::Header;

    fn batch(policy: Policy) -> Batch {
        let row = wire::Kind::new(&Header::default(), &[]);
        let (namespace, replica, needs) = ("test".into(), policy.replica, Features::NONE);
        let kind = RowKind { row, namespace, write: false, replica, needs };
        Batch::new(vec![kind], [(Digest([0; 20]), 0)].into_iter(), policy, Tick(0))
    }

    #[test]
    fn no_round_is_planned_beyond_the_deadline() {
        let second = Duration::from_secs(1);
        let replica = ReplicaPolicy::Master;
        let policy = Policy {
            timeout: second,
            sleep: (2 * second).into(),
            max_retries: 9,
            replica,
            ..Policy::default()
        };
        let mut late = batch(policy);
        let mut early = batch(Policy { sleep: (second / 2).into(), ..policy });
        let rejected = || RowState::Pending(Some(Error::server(ResultCode::PARTITION_UNAVAILABLE)));
        late.rows[0].state = rejected();
        early.rows[0].state = rejected();
        assert_eq!(late.next_round(Tick(0), false, &RetryBudget::new(None)), None);
        assert!(matches!(late.rows[0].state, RowState::Failed(_)));
        assert_eq!(
            early.next_round(Tick(0), false, &RetryBudget::new(None)),
            Some(Tick(0).after(second / 2))
        );
    }

    /// A kind of fault: rows left a mute node for one that paused, left that too, and stayed with the
    /// mute node until their time was over.
    #[test]
    fn leaving_a_silent_node_costs_no_retry_the_first_time() {
        let node = Arc::new(Node::new(0, "N0".to_owned(), ([127, 0, 0, 1], 3000).into(), None));
        let rounds = |max_retries: u32| {
            let mut batch = batch(Policy { max_retries, ..Policy::default() });
            while batch.rounds < 10 {
                batch.rounds += 1;
                batch.rows[0].state = RowState::Sent(1);
                batch.settle(Part {
                    number: 1,
                    round: batch.rounds,
                    node: node.clone(),
                    rows: vec![0],
                    single: true,
                    body: Vec::new(),
                    sink: None,
                    error: Some(Error::new(Kind::Connection, "lost")),
                    answered: None,
                    is_hedge: false,
                    withdrawal: None,
                });
                if batch.next_round(Tick(0), false, &RetryBudget::new(None)).is_none() {
                    break;
                }
            }
            batch.rounds
        };
        assert_eq!(rounds(2), 3, "connections are lost");
        node.health.suspect(Tick(1));
        assert_eq!(rounds(2), 4, "the node is silent");
        node.health.answered_probe(Tick(2));
        assert!(!node.health.is_suspected());
        assert_eq!(rounds(2), 4, "it answers nothing but what the client itself asks");
        assert_eq!(rounds(0), 1, "there are no retries");
        node.health.answered(Tick(3));
        assert_eq!(rounds(2), 3, "it answers");
    }

    #[test]
    fn outcomes_are_counted() {
        let kind = batch(Policy::default()).kinds.remove(0);
        let rows = [(Digest([0; 20]), 0); 4].into_iter();
        let mut batch = Batch::new(vec![kind], rows, Policy::default(), Tick(0));
        let node = Arc::new(Node::new(0, "N0".to_owned(), ([127, 0, 0, 1], 3000).into(), None));
        for (row, code) in
            [ResultCode::OK, ResultCode::NOT_FOUND, ResultCode::SERVER].into_iter().enumerate()
        {
            let bytes = Header { result: code.0, ..Header::default() }.to_bytes().to_vec();
            batch.rows[row].state = RowState::Answered(row as u32, 0..bytes.len());
            batch.bodies.push(Body { bytes, node: node.clone(), attempts: 1 });
        }
        batch.rows[3].state = RowState::Failed(Error::new(Kind::Timeout, "late"));
        batch.rows[3].doubt = true;
        assert_eq!(batch.codes().take(3).collect::<Vec<_>>(), [0, 2, 1]);
        assert_eq!(batch.record_count(), 1);
        assert_eq!(batch.failures().collect::<Vec<_>>(), [2, 3]);
        assert_eq!(batch.doubts().collect::<Vec<_>>(), [3]);
        assert_eq!(batch.failure(2).kind(), Kind::Server(ResultCode::SERVER));
        assert!(matches!(batch.contents(0), RowContents::Record(..)));
        assert!(matches!(batch.contents(1), RowContents::NoRecord));
        assert!(matches!(batch.contents(3), RowContents::Failed));
    }

    #[test]
    fn rows_that_no_node_holds_wait_before_they_are_looked_for_again() {
        let mut batch = batch(Policy { max_retries: 9, ..Policy::default() });
        batch.rows[0].state = RowState::Pending(Some(Snapshot::default().no_holder("test", 0)));
        assert_eq!(
            batch.next_round(Tick(0), false, &RetryBudget::new(None)),
            Some(Tick(0).after(UNPLACED_PAUSE))
        );
    }
}
