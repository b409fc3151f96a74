//! Tracks how far each partition has been read, and which request is reading it.
//!
//! A partition waits, is read by one [`Piece`] at a time, and is done when a piece that includes it
//! has ended successfully. A failed piece returns its partitions, each with the last record
//! received from it; the next piece continues strictly after that one. So no record is delivered
//! twice and none is missed, whichever nodes are read.

use std::fmt;

use spikewire_aerospike_protocol::key::Digest;
use spikewire_aerospike_protocol::limits::PARTITIONS;
use spikewire_aerospike_protocol::query::Point;

use super::Partitions;

/// Identifies a request that reads some partitions on one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piece(pub u32);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PartitionState {
    /// Not part of the query.
    Out,
    /// To be read.
    Waiting,
    /// Being read.
    Reading(Piece),
    /// Read completely.
    Done,
}

#[derive(Debug, Clone, Copy)]
struct Partition {
    state: PartitionState,
    point: Option<Point>,
    /// Number of replicas to skip in the next attempt.
    step: u32,
}

/// All partitions of one query.
#[derive(Clone)]
pub struct Tracker {
    partitions: Box<[Partition]>,
    /// Number of partitions that are not done.
    open: usize,
    /// Number of those that no request is reading.
    waiting: usize,
}

/// Short: there are thousands of partitions.
impl fmt::Debug for Tracker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (open, waiting) = (&self.open, &self.waiting);
        f.debug_struct("Tracker")
            .field("open", open)
            .field("waiting", waiting)
            .finish_non_exhaustive()
    }
}

impl Tracker {
    /// A tracker before the first request.
    pub fn new(range: &Partitions) -> Self {
        let mut tracker = Self::empty();
        for pid in range.ids() {
            tracker.want(pid, range.start().map(|digest| Point { digest, value: 0 }));
        }
        tracker
    }

    /// A tracker without partitions.
    pub(super) fn empty() -> Self {
        let out = Partition { state: PartitionState::Out, point: None, step: 0 };
        Self { partitions: vec![out; PARTITIONS].into(), open: 0, waiting: 0 }
    }

    /// Adds a partition, to be read after `point`.
    pub(super) fn want(&mut self, pid: u16, point: Option<Point>) {
        let partition = &mut self.partitions[usize::from(pid)];
        debug_assert_eq!(partition.state, PartitionState::Out, "partition {pid} is wanted already");
        *partition = Partition { state: PartitionState::Waiting, point, step: 0 };
        self.open += 1;
        self.waiting += 1;
    }

    /// Whether every partition has been read completely.
    pub fn is_done(&self) -> bool {
        self.open == 0
    }

    /// Whether the rest of a partition is to be read whose first part was.
    pub fn is_started(&self) -> bool {
        self.unread().any(|(_, point)| point.is_some())
    }

    /// There is nothing to read in any partition.
    pub fn finish_all(&mut self) {
        for partition in &mut self.partitions {
            if partition.state != PartitionState::Out {
                partition.state = PartitionState::Done;
            }
        }
        (self.open, self.waiting) = (0, 0);
    }

    /// Whether there are partitions that no request is reading.
    pub fn has_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// The partitions that no request is reading, with the number of replicas to skip.
    pub fn waiting(&self) -> impl Iterator<Item = (u16, u32)> + '_ {
        let numbered = self.partitions.iter().zip(0..);
        numbered
            .filter(|(it, _)| it.state == PartitionState::Waiting)
            .map(|(it, pid)| (pid, it.step))
    }

    /// The partitions that are not done, with the last record received from each.
    pub fn unread(&self) -> impl Iterator<Item = (u16, Option<Point>)> + '_ {
        let numbered = self.partitions.iter().zip(0..);
        numbered
            .filter(|(it, _)| {
                matches!(it.state, PartitionState::Waiting | PartitionState::Reading(_))
            })
            .map(|(it, pid)| (pid, it.point))
    }

    /// Assigns a waiting partition to a piece; returns where to continue.
    pub fn assign(&mut self, pid: u16, piece: Piece) -> Option<Point> {
        let partition = &mut self.partitions[usize::from(pid)];
        debug_assert_eq!(partition.state, PartitionState::Waiting);
        partition.state = PartitionState::Reading(piece);
        self.waiting -= 1;
        partition.point
    }

    /// Registers a record of a piece. Returns the previous position of its partition, or `None` if
    /// the piece is not (or no longer) reading that partition.
    #[allow(clippy::option_option)] // not ours; from the start; after a record
    pub fn advance(&mut self, piece: Piece, point: Point) -> Option<Option<Point>> {
        let partition = &mut self.partitions[usize::from(point.digest.partition())];
        if partition.state != PartitionState::Reading(piece) {
            return None;
        }
        partition.step = 0;
        Some(partition.point.replace(point))
    }

    /// Reverts [`Tracker::advance`] for a record that was not delivered, latest first within its
    /// partition. `before` is the previous position of the partition.
    pub fn take_back(&mut self, digest: Digest, before: Option<Point>) {
        let partition = &mut self.partitions[usize::from(digest.partition())];
        partition.point = before;
        if partition.state == PartitionState::Done {
            partition.state = PartitionState::Waiting;
            self.open += 1;
            self.waiting += 1;
        }
    }

    /// A node could not read this partition, so another one has to. Returns whether the piece
    /// included it.
    pub fn unavailable(&mut self, piece: Piece, pid: u16) -> bool {
        let Some(partition) = self.partitions.get_mut(usize::from(pid)) else { return false };
        let had = partition.state == PartitionState::Reading(piece);
        if had {
            partition.state = PartitionState::Waiting;
            partition.step += 1;
            self.waiting += 1;
        }
        had
    }

    /// A piece ended successfully. If it ended because it reached its record limit (`cut`), it is
    /// unknown which of its partitions have been read completely, and all of them continue.
    pub fn finish(&mut self, piece: Piece, cut: bool) {
        for partition in
            self.partitions.iter_mut().filter(|it| it.state == PartitionState::Reading(piece))
        {
            if cut {
                partition.state = PartitionState::Waiting;
                self.waiting += 1;
            } else {
                partition.state = PartitionState::Done;
                self.open -= 1;
            }
        }
    }

    /// Every piece failed: all partitions wait.
    pub fn lost_all(&mut self) {
        for partition in &mut self.partitions {
            if matches!(partition.state, PartitionState::Reading(_)) {
                partition.state = PartitionState::Waiting;
                self.waiting += 1;
            }
        }
    }

    /// A piece failed: its partitions continue elsewhere.
    pub fn lost(&mut self, piece: Piece) {
        for partition in
            self.partitions.iter_mut().filter(|it| it.state == PartitionState::Reading(piece))
        {
            partition.state = PartitionState::Waiting;
            partition.step += 1;
            self.waiting += 1;
        }
    }
}

#[cfg(test)]
mod tests;
