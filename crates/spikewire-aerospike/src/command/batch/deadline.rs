//! Reads with a deadline: rows without a reply by then are late, and rows of nodes that are slow to
//! answer are sent to other nodes before.
//!
//! A round ends when no row of it awaits a reply, although requests for its rows may be in flight.
//! They are withdrawn then.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

use spikewire_options::OptionValue;
use spikewire_transport::policy::Preference as _;

use super::{Batch, Part, RowState};
use crate::clock::Tick;
use crate::cluster::{Node, Snapshot};
use crate::command::{Command, InvalidArgument, Router};
use crate::model::{Error, Hedging, Kind};

/// The shortest time after which rows are sent to another node: less is noise of schedulers.
const SHORTEST_WAIT: Duration = Duration::from_millis(1);

/// The same for a node of which nothing is known.
const WITHOUT_HISTORY: Duration = Duration::from_millis(30);

/// The result code of late rows, for the codes of a batch.
pub const LATE: i32 = -16;

/// Whether a round is over, so that nothing in flight of it is needed. Shared by its parts.
#[derive(Debug, Clone, Default)]
pub struct Withdrawal(Arc<AtomicBool>);

impl Withdrawal {
    /// Whether the round is over.
    #[inline(always)]
    pub fn is_over(&self) -> bool {
        self.0.load(Relaxed)
    }
}

/// What a batch with a deadline knows of its requests in flight.
#[derive(Debug)]
pub(super) struct Schedule {
    /// The deadline, as the caller gave it.
    deadline: Duration,
    /// Of the parts of this round.
    withdrawal: Withdrawal,
    /// Parts whose rows have been sent to no other node.
    awaited: Vec<AwaitedPart>,
    /// Nodes that are slow to answer in this round, by slot.
    slow: Vec<u32>,
    /// Rows that were sent to another node and not answered there.
    hedges: Vec<HedgedRows>,
    /// How many requests were sent with them, and how many of these were answered first.
    sent: u32,
    won: u32,
}

#[derive(Debug)]
struct AwaitedPart {
    number: u32,
    slot: u32,
    /// When its rows are sent to other nodes.
    until: Tick,
}

#[derive(Debug)]
struct HedgedRows {
    /// The number of the part that has them.
    number: u32,
    rows: Vec<u32>,
}

/// The deadline of a batch when a host says: a time, and not zero.
pub fn deadline_of<V: OptionValue>(value: &V) -> Result<Duration, V::Error> {
    let deadline = value.span("deadline")?;
    if deadline.is_zero() {
        let text = value.describe_span();
        return Err(
            InvalidArgument::of_value(format!("deadline must be positive, got {text}")).into()
        );
    }
    Ok(deadline)
}

impl Batch {
    /// Returns what has come by this time from now, instead of failing rows that have not. Only for
    /// rows that read, and not beyond the timeout.
    pub fn set_deadline(&mut self, deadline: Duration) -> Result<(), InvalidArgument> {
        let timeout = self.policy.timeout;
        let reject = |why: String| Err(InvalidArgument::of_value(why));
        if deadline.is_zero() {
            return reject("deadline must be positive".to_owned());
        }
        if !timeout.is_zero() && deadline > timeout {
            let (deadline, timeout) = (deadline.as_secs_f64(), timeout.as_secs_f64());
            return reject(format!(
                "deadline must not be longer than timeout: {deadline} s is longer than {timeout} s"
            ));
        }
        if let Some(row) = self.rows.iter().position(|row| self.kinds[row.kind as usize].write) {
            return reject(format!(
                "deadline and writes exclude each other: only reads may be late, and row {row} \
                 writes"
            ));
        }
        self.deadline = self.deadline.min(Tick::now().after(deadline));
        self.schedule = Some(Box::new(Schedule::new(deadline)));
        Ok(())
    }

    /// Whether it has a deadline of its own, besides the timeout.
    pub fn has_deadline(&self) -> bool {
        self.schedule.is_some()
    }

    /// Whether row `index` is late: no reply came by the deadline.
    pub fn is_late(&self, index: usize) -> bool {
        matches!(self.rows[index].state, RowState::Late)
    }

    /// The late rows.
    pub fn late(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(|index| self.is_late(*index))
    }

    /// It is complete: counts its late rows, and the requests that repeated rows of slow nodes.
    #[inline]
    pub(in crate::command) fn count_late(&self, hedging: &Hedging) {
        if let Some(schedule) = &self.schedule {
            hedging.note_rows(schedule.sent, schedule.won, self.late().count() as u64);
        }
    }

    /// The error of a late row, for callers that take records only.
    pub(super) fn late_error(&self) -> Error {
        let deadline = self.schedule.as_ref().map_or(0.0, |it| it.deadline.as_secs_f64());
        let message = format!("the row is late: no reply came by the deadline of {deadline} s");
        Error::new(Kind::Timeout, message)
    }

    /// When [`Self::hedge`] is due in this round; never without a deadline.
    #[inline]
    pub fn hedges_at(&self) -> Tick {
        let Some(schedule) = &self.schedule else { return Tick::NEVER };
        schedule.awaited.iter().map(|part| part.until).min().unwrap_or(Tick::NEVER)
    }

    /// Whether every row of this round has its outcome, although parts may be in flight; for
    /// batches with a deadline.
    pub fn is_round_over(&self) -> bool {
        !self.rows.iter().any(|row| matches!(row.state, RowState::Sent(_)))
    }

    /// What withdraws the parts of this round, if it has a deadline.
    pub(in crate::command) fn withdrawal(&self) -> Option<Withdrawal> {
        self.schedule.as_ref().map(|schedule| schedule.withdrawal.clone())
    }

    /// Withdraws what is in flight of this round.
    pub fn end_round(&mut self) {
        if let Some(schedule) = &mut self.schedule {
            schedule.withdrawal.0.store(true, Relaxed);
            schedule.awaited.clear();
            schedule.hedges.clear();
        }
    }

    /// The commands for rows of nodes that have not answered for longer than usual, to other nodes.
    /// Nodes that are slow themselves get none: if all are, more requests make it worse.
    pub fn hedge<T>(
        &mut self,
        router: &Router,
        snapshot: &Snapshot,
        now: Tick,
        mut ticket: impl FnMut(Part) -> T,
    ) -> Vec<Box<Command<T>>> {
        let Some(mut schedule) = self.schedule.take() else { return Vec::new() };
        let numbers = schedule.take_due(now);
        let mut groups = super::send::Groups::default();
        for (index, row) in self.rows.iter().enumerate() {
            let kind = &self.kinds[row.kind as usize];
            let RowState::Sent(number) = row.state else { continue };
            if !numbers.contains(&number) {
                continue;
            }
            let Ok(map) = snapshot.map(&kind.namespace) else { continue };
            let is_quick = |node: &Node| !schedule.slow.contains(&node.slot);
            let partition = row.digest.partition();
            if let Some(node) = router.other_reader(map, partition, kind.replica, is_quick) {
                groups.add(node, index as u32);
            }
        }
        self.schedule = Some(schedule);
        let mut commands = Vec::with_capacity(groups.all.len());
        for (node, rows) in groups.all {
            let mut rest = &rows[..];
            while !rest.is_empty() {
                let (part, after) = rest.split_at(self.part_len(rest));
                rest = after;
                self.parts += 1;
                let Ok(command) =
                    self.command((&node, false), part, now, now, &mut |mut part: Part| {
                        part.is_hedge = true;
                        ticket(part)
                    })
                else {
                    continue;
                };
                commands.push(command);
                if let Some(schedule) = &mut self.schedule {
                    schedule.sent += 1;
                    schedule.hedges.push(HedgedRows { number: self.parts, rows: part.to_vec() });
                }
            }
        }
        commands
    }

    /// Whether there are rows that more than one node may answer.
    pub(super) fn has_other_readers(&self, snapshot: &Snapshot) -> bool {
        self.kinds.iter().any(|kind| {
            let map = snapshot.map(&kind.namespace);
            kind.replica.moves_on() && map.is_ok_and(|map| map.replicas() > 1)
        })
    }

    /// The requests of a round have been composed: decides when their rows are sent elsewhere.
    pub(super) fn plan_hedges(&mut self, parts: &[(u32, Arc<Node>, bool)], now: Tick) {
        let left = self.deadline.since(now);
        let Some(schedule) = &mut self.schedule else { return };
        let usual = |(_, node, many): &(u32, Arc<Node>, bool)| node.health.usual_silence(*many);
        let quickest = parts.iter().filter_map(usual).min();
        schedule.awaited = parts
            .iter()
            .map(|part| {
                let wait = wait_before_hedge(usual(part), quickest, left);
                AwaitedPart { number: part.0, slot: part.1.slot, until: now.after(wait) }
            })
            .collect();
    }

    /// A part has ended.
    pub(super) fn part_ended(&mut self, number: u32, is_hedge: bool, won: bool) {
        let Some(schedule) = &mut self.schedule else { return };
        if is_hedge {
            schedule.won += u32::from(won);
            schedule.hedges.retain(|hedge| hedge.number != number);
        } else {
            schedule.awaited.retain(|part| part.number != number);
        }
    }

    /// The part that still has this row, after another one failed.
    pub(super) fn hedge_of(&self, row: u32) -> Option<u32> {
        let schedule = self.schedule.as_ref()?;
        let has_it = |hedge: &&HedgedRows| hedge.rows.binary_search(&row).is_ok();
        schedule.hedges.iter().find(has_it).map(|hedge| hedge.number)
    }
}

impl Schedule {
    fn new(deadline: Duration) -> Self {
        let (awaited, slow, hedges) = (Vec::new(), Vec::new(), Vec::new());
        let withdrawal = Withdrawal::default();
        Self { deadline, withdrawal, awaited, slow, hedges, sent: 0, won: 0 }
    }

    /// A round begins.
    pub fn begin_round(&mut self) {
        self.withdrawal = Withdrawal::default();
        self.awaited.clear();
        self.slow.clear();
        self.hedges.clear();
    }

    /// Takes the numbers of the parts that have been awaited long enough; their nodes are slow.
    fn take_due(&mut self, now: Tick) -> Vec<u32> {
        let (mut numbers, slow) = (Vec::new(), &mut self.slow);
        self.awaited.retain(|part| {
            let is_due = part.until <= now;
            if is_due {
                numbers.push(part.number);
                slow.push(part.slot);
            }
            !is_due
        });
        numbers
    }
}

/// How long a node is waited for before its rows are sent elsewhere: a little longer than it usually
/// needs, a few times what the quickest does, and never so long that another node has no time left.
fn wait_before_hedge(
    own: Option<Duration>,
    quickest: Option<Duration>,
    left: Duration,
) -> Duration {
    let own = own.map_or(WITHOUT_HISTORY.min(left / 3), |own| own + own / 2);
    let others = quickest.map_or(Duration::MAX, |quickest| quickest * 8);
    own.min(others).max(SHORTEST_WAIT).min(left / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::batch::{RowContents, RowKind, RowOutcome};
    use crate::model::{Policy, ReplicaPolicy};
    use crate::transport::ResponseHandler as _;
    use spikewire_aerospike_protocol::batch as wire;
    use spikewire_aerospike_protocol::features::Features;
    use spikewire_aerospike_protocol::key::Digest;
    use spikewire_aerospike_protocol::message::Header;
    use spikewire_aerospike_protocol::result_code::ResultCode;
    use spikewire_transport::RetryBudget;

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    fn kind(write: bool) -> RowKind {
        let row = wire::Kind::new(&Header::default(), &[]);
        let (replica, needs) = (ReplicaPolicy::Sequence, Features::NONE);
        RowKind { row, namespace: "test".into(), write, replica, needs }
    }

    /// A batch of rows of these kinds, with a deadline of 8 ms and a timeout of a second.
    fn batch(writes: &[bool]) -> Batch {
        let kinds = writes.iter().map(|write| kind(*write)).collect();
        let rows = (0..writes.len()).map(|row| (Digest([row as u8; 20]), row as u32));
        let policy = Policy { timeout: ms(1000), max_retries: 2, ..Policy::default() };
        Batch::new(kinds, rows, policy, Tick::now())
    }

    fn node(slot: u32) -> Arc<Node> {
        Arc::new(Node::new(slot, format!("N{slot}"), ([127, 0, 0, 1], 3000).into(), None))
    }

    /// The part with this number and these rows, of a node that answered those with a code.
    fn part(of: &Batch, number: u32, is_hedge: bool, rows: &[(u32, Option<ResultCode>)]) -> Part {
        let mut body = Vec::new();
        for (row, code) in rows {
            if let Some(code) = code {
                let header = Header { result: code.0, timeout: row + 1, ..Header::default() };
                body.extend(header.to_bytes());
            }
        }
        let is_whole = rows.iter().all(|(_, code)| code.is_some());
        Part {
            number,
            round: 1,
            node: node(number),
            rows: rows.iter().map(|(row, _)| *row).collect(),
            single: false,
            body,
            sink: None,
            error: (!is_whole).then(|| Error::new(Kind::Connection, "no answer")),
            answered: None,
            is_hedge,
            withdrawal: of.withdrawal(),
        }
    }

    /// Rows 0 and 1 were sent in part 1, and then again in parts 2 and 3.
    fn hedged() -> Batch {
        let mut batch = batch(&[false, false]);
        batch.set_deadline(ms(8)).unwrap();
        batch.rounds = 1;
        for row in &mut batch.rows {
            row.state = RowState::Sent(1);
        }
        let schedule = batch.schedule.as_mut().unwrap();
        schedule.hedges.push(HedgedRows { number: 2, rows: vec![0] });
        schedule.hedges.push(HedgedRows { number: 3, rows: vec![1] });
        batch
    }

    #[test]
    fn only_reads_within_their_timeout_have_one() {
        let rejected = |batch: &mut Batch, deadline| {
            batch.set_deadline(deadline).unwrap_err().message().to_owned()
        };
        assert!(rejected(&mut batch(&[false]), ms(0)).contains("must be positive"));
        let beyond = rejected(&mut batch(&[false]), ms(1001));
        assert!(beyond.contains("deadline") && beyond.contains("timeout"), "{beyond}");
        let writes = rejected(&mut batch(&[false, true]), ms(8));
        assert!(writes.contains("deadline and writes") && writes.contains("row 1"), "{writes}");
        let mut reads = batch(&[false]);
        reads.set_deadline(ms(1000)).unwrap();
        assert!(reads.has_deadline() && reads.deadline() < Tick::NEVER);
    }

    #[test]
    fn the_first_answer_to_a_row_counts() {
        let mut batch = hedged();
        let ok = Some(ResultCode::OK);
        batch.settle(part(&batch, 2, true, &[(0, ok)]));
        assert!(!batch.is_round_over());
        batch.settle(part(&batch, 1, false, &[(0, Some(ResultCode::NOT_FOUND)), (1, ok)]));
        assert!(batch.is_round_over(), "the last part is not needed");
        assert_eq!(batch.codes().collect::<Vec<_>>(), [0, 0]);
        let hedging = Hedging::new(10);
        batch.count_late(&hedging);
        assert_eq!((hedging.sent(), hedging.won(), hedging.late()), (0, 1, 0));
        let late = part(&batch, 3, true, &[(1, Some(ResultCode::NOT_FOUND))]);
        assert!(!late.is_withdrawn());
        batch.end_round();
        assert!(late.is_withdrawn());
    }

    #[test]
    fn a_failed_part_leaves_its_rows_to_the_others() {
        let mut batch = hedged();
        batch.settle(part(&batch, 1, false, &[(0, None), (1, None)]));
        assert!(!batch.is_round_over());
        batch.settle(part(&batch, 2, true, &[(0, Some(ResultCode::OK))]));
        assert!(!batch.is_round_over());
        batch.settle(part(&batch, 3, true, &[(1, None)]));
        assert!(batch.is_round_over(), "no other has it");
        assert!(
            batch.next_round(Tick(0), false, &RetryBudget::new(None)).is_some(),
            "there is time for another round"
        );
        assert!(matches!(batch.rows[1].state, RowState::Pending(Some(_))));
    }

    #[test]
    fn a_failed_hedge_changes_nothing() {
        let mut batch = hedged();
        batch.settle(part(&batch, 2, true, &[(0, None)]));
        batch.settle(part(&batch, 3, true, &[(1, Some(ResultCode::OK))]));
        assert!(matches!(batch.rows[0].state, RowState::Sent(1)));
        batch.settle(part(&batch, 1, false, &[(0, Some(ResultCode::OK)), (1, None)]));
        assert!(batch.is_round_over());
        assert_eq!(batch.codes().collect::<Vec<_>>(), [0, 0]);
    }

    #[test]
    fn rows_without_a_reply_by_the_deadline_are_late() {
        let mut batch = hedged();
        batch.settle(part(&batch, 2, true, &[(0, Some(ResultCode::NOT_FOUND))]));
        batch.settle(part(&batch, 3, true, &[(1, None)]));
        batch.settle(part(&batch, 1, false, &[(0, None), (1, None)]));
        assert_eq!(batch.next_round(batch.deadline(), false, &RetryBudget::new(None)), None);
        assert_eq!(batch.late().collect::<Vec<_>>(), [1]);
        assert_eq!((batch.failures().count(), batch.record_count()), (0, 0));
        assert_eq!(batch.codes().collect::<Vec<_>>(), [2, LATE]);
        assert_eq!(batch.outcome(1), RowOutcome::Late);
        assert!(matches!(batch.contents(1), RowContents::Late));
        let error = batch.record(1).unwrap_err();
        assert!(error.kind() == Kind::Timeout && error.message().contains("0.008 s"), "{error}");
    }

    #[test]
    fn what_is_known_by_the_deadline_is_not_late() {
        for (closed, kind) in [(true, Kind::Connection), (false, Kind::Malformed)] {
            let mut batch = batch(&[false]);
            batch.set_deadline(ms(8)).unwrap();
            batch.rows[0].state = RowState::Pending(Some(Error::new(kind, "")));
            assert_eq!(batch.next_round(batch.deadline(), closed, &RetryBudget::new(None)), None);
            assert!(batch.is_failure(0) && !batch.is_late(0), "{kind:?}");
        }
    }

    #[test]
    fn a_node_is_waited_for_a_little_longer_than_usual() {
        let wait = |own: Option<u64>, quickest: Option<u64>| {
            wait_before_hedge(own.map(ms), quickest.map(ms), ms(100))
        };
        assert_eq!(wait(None, None), WITHOUT_HISTORY);
        assert_eq!(wait(Some(4), Some(4)), ms(6));
        assert_eq!(wait(Some(0), Some(0)), SHORTEST_WAIT);
        assert_eq!(wait(Some(40), Some(2)), ms(16), "it is slower than the others");
        assert_eq!(wait(Some(90), Some(90)), ms(50), "others need time to answer");
        assert_eq!(wait_before_hedge(None, None, ms(1)), ms(1) / 2);
    }
}
