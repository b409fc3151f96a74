//! How far each partition was read, and who reads it now.
//!
//! A partition waits, is read by one [`Piece`] at a time, and is done when a piece that had it
//! ended well. A piece that broke gives its partitions back, each with the last record that was
//! taken from it; the next piece goes on strictly after that one. So no record comes twice and
//! none is left out, whichever nodes do the reading.

use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::limits::PARTITIONS;
use spikewire_aerospike_protocol::query::Point;

use super::Partitions;

/// The number of a request that reads some partitions on one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piece(pub u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Not wanted.
    Out,
    /// To be read.
    Waiting,
    /// Being read.
    Reading(Piece),
    /// Read to its end.
    Done,
}

#[derive(Debug, Clone, Copy)]
struct Partition {
    state: State,
    point: Option<Point>,
    /// Replicas to move on by for the next attempt.
    step: u32,
}

/// Every partition of one query.
#[derive(Debug, Clone)]
pub struct Tracker {
    partitions: Box<[Partition]>,
    /// Partitions that are wanted and not done.
    open: usize,
    /// Of those, the ones that no request reads.
    waiting: usize,
}

impl Tracker {
    /// Nothing was read yet.
    pub fn new(wanted: &Partitions) -> Self {
        let mut tracker = Self::empty();
        for pid in wanted.ids() {
            tracker.want(pid, wanted.start().map(|digest| Point { digest, value: 0 }));
        }
        tracker
    }

    /// No partition is wanted.
    pub(super) fn empty() -> Self {
        let out = Partition { state: State::Out, point: None, step: 0 };
        Self { partitions: vec![out; PARTITIONS].into(), open: 0, waiting: 0 }
    }

    /// Adds a partition, to be read after `point`.
    pub(super) fn want(&mut self, pid: u16, point: Option<Point>) {
        let partition = &mut self.partitions[usize::from(pid)];
        debug_assert_eq!(partition.state, State::Out, "partition {pid} is wanted already");
        *partition = Partition { state: State::Waiting, point, step: 0 };
        self.open += 1;
        self.waiting += 1;
    }

    /// Whether every partition was read to its end.
    pub fn is_done(&self) -> bool {
        self.open == 0
    }

    /// Whether there are partitions that no request reads.
    pub fn has_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// The partitions that no request reads, each with the replicas that its attempts moved on by.
    pub fn waiting(&self) -> impl Iterator<Item = (u16, u32)> + '_ {
        let numbered = self.partitions.iter().zip(0..);
        numbered.filter(|(it, _)| it.state == State::Waiting).map(|(it, pid)| (pid, it.step))
    }

    /// The partitions that are not done, each with the last record taken from it.
    pub fn unread(&self) -> impl Iterator<Item = (u16, Option<Point>)> + '_ {
        let numbered = self.partitions.iter().zip(0..);
        numbered
            .filter(|(it, _)| matches!(it.state, State::Waiting | State::Reading(_)))
            .map(|(it, pid)| (pid, it.point))
    }

    /// Gives a waiting partition to a piece; tells where it goes on.
    pub fn assign(&mut self, pid: u16, piece: Piece) -> Option<Point> {
        let partition = &mut self.partitions[usize::from(pid)];
        debug_assert_eq!(partition.state, State::Waiting);
        partition.state = State::Reading(piece);
        self.waiting -= 1;
        partition.point
    }

    /// Takes in a record of a piece. Tells where its partition stood before, or `None` when the
    /// piece does not read that partition (any more).
    #[allow(clippy::option_option)] // not ours; from the start; after a record
    pub fn advance(&mut self, piece: Piece, point: Point) -> Option<Option<Point>> {
        let partition = &mut self.partitions[usize::from(point.digest.partition())];
        if partition.state != State::Reading(piece) {
            return None;
        }
        partition.step = 0;
        Some(partition.point.replace(point))
    }

    /// Takes a record back that [`Tracker::advance`] took in and that was not handed out: the latest
    /// of its partition first. `before` is where the partition stood.
    pub fn take_back(&mut self, digest: Digest, before: Option<Point>) {
        let partition = &mut self.partitions[usize::from(digest.partition())];
        partition.point = before;
        if partition.state == State::Done {
            partition.state = State::Waiting;
            self.open += 1;
            self.waiting += 1;
        }
    }

    /// A node could not read this partition: another one has to. Whether the piece had it.
    pub fn unavailable(&mut self, piece: Piece, pid: u16) -> bool {
        let Some(partition) = self.partitions.get_mut(usize::from(pid)) else { return false };
        let had = partition.state == State::Reading(piece);
        if had {
            partition.state = State::Waiting;
            partition.step += 1;
            self.waiting += 1;
        }
        had
    }

    /// A piece ended well. When it ended because it had sent as many records as it was allowed to
    /// (`cut`), it is unknown which of its partitions are read to the end, and all of them go on.
    pub fn finish(&mut self, piece: Piece, cut: bool) {
        for partition in self.partitions.iter_mut().filter(|it| it.state == State::Reading(piece)) {
            if cut {
                partition.state = State::Waiting;
                self.waiting += 1;
            } else {
                partition.state = State::Done;
                self.open -= 1;
            }
        }
    }

    /// Every piece broke: all partitions wait.
    pub fn lost_all(&mut self) {
        for partition in &mut self.partitions {
            if matches!(partition.state, State::Reading(_)) {
                partition.state = State::Waiting;
                self.waiting += 1;
            }
        }
    }

    /// A piece broke: its partitions go on elsewhere.
    pub fn lost(&mut self, piece: Piece) {
        for partition in self.partitions.iter_mut().filter(|it| it.state == State::Reading(piece)) {
            partition.state = State::Waiting;
            partition.step += 1;
            self.waiting += 1;
        }
    }
}

#[cfg(test)]
mod tests;
