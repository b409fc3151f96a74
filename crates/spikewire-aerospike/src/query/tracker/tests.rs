use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::vec;
use proptest::prelude::*;
use spikewire_aerospike_protocol::query::Query;

use super::*;
use crate::query::cursor;

/// The digest of a record in partitions 0 to 7, and a number that distinguishes records of a
/// partition.
fn record(pid: u16, number: u8) -> Digest {
    let mut digest = Digest([number; 20]);
    digest.0[..2].copy_from_slice(&pid.to_le_bytes());
    digest
}

fn point(digest: Digest) -> Point {
    Point { digest, value: u64::from(digest.0[5]) + 7 }
}

#[derive(Debug, Clone)]
enum Event {
    /// Assign the waiting partitions with even or odd ids to a new piece with this record limit.
    Launch(bool, u8),
    /// The piece at this index returns a record of its partition at this index.
    Bring(usize, usize),
    /// It ends successfully if it has nothing left to return.
    Finish(usize),
    Lose(usize),
    Unavailable(usize, usize),
    /// Another process resumes from a cursor, which does not include the latest records.
    Resume(usize),
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = prop_oneof![
        3 => (any::<bool>(), 0u8..6).prop_map(|(odd, cap)| Event::Launch(odd, cap)),
        12 => (0usize..4, 0usize..8).prop_map(|(piece, pid)| Event::Bring(piece, pid)),
        2 => (0usize..4).prop_map(Event::Finish),
        1 => (0usize..4).prop_map(Event::Lose),
        1 => (0usize..4, 0usize..8).prop_map(|(piece, pid)| Event::Unavailable(piece, pid)),
        1 => (0usize..4).prop_map(Event::Resume),
    ];
    vec(event, 0..200)
}

/// Simulates the nodes: the records of each partition in order, and the running pieces with their
/// partitions and remaining limits.
struct World {
    records: BTreeMap<u16, Vec<Digest>>,
    tracker: Tracker,
    running: Vec<Running>,
    pieces: u32,
    /// What the caller received: record and previous position of its partition.
    got: Vec<(Point, Option<Point>)>,
    /// How much of it was consumed by earlier processes and is final.
    seen: usize,
}

struct Running {
    piece: Piece,
    /// Partition, and how many of its records were returned or skipped.
    at: Vec<(u16, usize)>,
    cap: Option<u8>,
}

impl World {
    fn launch(&mut self, odd: bool, cap: u8) {
        let piece = Piece(self.pieces);
        self.pieces += 1;
        let pids: Vec<u16> = self.tracker.waiting().map(|(pid, _)| pid).collect();
        let mut at = Vec::new();
        for pid in pids.into_iter().filter(|pid| pid % 2 == u16::from(odd)) {
            let point = self.tracker.assign(pid, piece);
            let records = &self.records[&pid];
            let skipped = point.map_or(0, |point| {
                1 + records.iter().position(|record| *record == point.digest).unwrap()
            });
            at.push((pid, skipped));
        }
        if !at.is_empty() {
            self.running.push(Running { piece, at, cap: (cap > 0).then_some(cap) });
        }
    }

    fn bring(&mut self, rank: usize, partition: usize) {
        let Some(running) = self.running.get_mut(rank) else { return };
        let count = running.at.len();
        let (pid, next) = &mut running.at[partition % count];
        let Some(record) = self.records[pid].get(*next) else { return };
        if running.cap == Some(0) {
            return;
        }
        *next += 1;
        if let Some(cap) = &mut running.cap {
            *cap -= 1;
        }
        if let Some(before) = self.tracker.advance(running.piece, point(*record)) {
            self.got.push((point(*record), before));
        }
    }

    fn finish(&mut self, rank: usize) {
        let Some(running) = self.running.get(rank) else { return };
        let dry = running.at.iter().all(|(pid, next)| *next == self.records[pid].len());
        let cut = running.cap == Some(0);
        if dry || cut {
            self.tracker.finish(running.piece, cut);
            self.running.remove(rank);
        }
    }

    fn lose(&mut self, rank: usize) {
        if rank < self.running.len() {
            self.tracker.lost(self.running.remove(rank).piece);
        }
    }

    fn unavailable(&mut self, rank: usize, partition: usize) {
        let Some(running) = self.running.get_mut(rank) else { return };
        let (pid, _) = running.at.remove(partition % running.at.len());
        assert!(self.tracker.unavailable(running.piece, pid));
        if running.at.is_empty() {
            self.tracker.finish(self.running.remove(rank).piece, false);
        }
    }

    fn resume(&mut self, undelivered: usize) {
        let keep = self.got.len().saturating_sub(undelivered).max(self.seen);
        let undelivered = self.got.split_off(keep);
        for (point, before) in undelivered.iter().rev() {
            self.tracker.take_back(point.digest, *before);
        }
        let query = Query::default();
        let bytes = cursor::encode(&query, &self.tracker, None);
        (self.tracker, ..) = cursor::decode(&query, &bytes).unwrap();
        self.running.clear();
        self.seen = self.got.len();
    }
}

proptest! {
    #[test]
    fn each_record_comes_once_whatever_happens(
        sizes in vec(0u8..12, 8),
        events in events(),
    ) {
        let records: BTreeMap<u16, Vec<Digest>> = (0u16..)
            .zip(&sizes)
            .map(|(pid, size)| (pid, (0..*size).map(|number| record(pid, number)).collect()))
            .collect();
        let mut world = World {
            records: records.clone(),
            tracker: Tracker::new(&Partitions::range(0, 8).unwrap()),
            running: Vec::new(),
            pieces: 0,
            got: Vec::new(),
            seen: 0,
        };
        for event in events {
            match event {
                Event::Launch(odd, cap) => world.launch(odd, cap),
                Event::Bring(rank, partition) => world.bring(rank, partition),
                Event::Finish(rank) => world.finish(rank),
                Event::Lose(rank) => world.lose(rank),
                Event::Unavailable(rank, partition) => world.unavailable(rank, partition),
                Event::Resume(undelivered) => world.resume(undelivered),
            }
        }
        // No more failures from here on.
        while !world.tracker.is_done() {
            world.launch(false, 0);
            world.launch(true, 0);
            while !world.running.is_empty() {
                (0..8).for_each(|partition| (0..12).for_each(|_| world.bring(0, partition)));
                world.finish(0);
            }
        }
        let seen: BTreeSet<Digest> = world.got.iter().map(|(point, _)| point.digest).collect();
        prop_assert_eq!(seen.len(), world.got.len(), "a record came twice");
        prop_assert_eq!(seen, records.into_values().flatten().collect::<BTreeSet<_>>());
    }
}

#[test]
fn records_of_others_are_not_accepted() {
    let mut tracker = Tracker::new(&Partitions::range(3, 1).unwrap());
    assert_eq!(tracker.waiting().collect::<Vec<_>>(), [(3, 0)]);
    tracker.assign(3, Piece(0));
    assert_eq!(tracker.advance(Piece(0), point(record(4, 1))), None);
    assert_eq!(tracker.advance(Piece(0), point(record(3, 1))), Some(None));
    tracker.lost(Piece(0));
    assert_eq!(tracker.advance(Piece(0), point(record(3, 2))), None, "it was given back");
    assert_eq!(tracker.waiting().collect::<Vec<_>>(), [(3, 1)], "the next replica");
    assert!(!tracker.unavailable(Piece(0), 3));
}

#[test]
fn cursors_are_checked() {
    let query = Query { namespace: "test".into(), set: "a".into(), ..Query::default() };
    let mut tracker = Tracker::new(&Partitions::ALL);
    tracker.assign(9, Piece(0));
    tracker.advance(Piece(0), point(record(9, 1)));
    let bytes = cursor::encode(&query, &tracker, Some(12));
    let (copy, left, chosen) = cursor::decode(&query, &bytes).unwrap();
    assert_eq!(chosen, None);
    assert_eq!(left, Some(12));
    assert!(copy.unread().eq(tracker.unread()));
    let decode_error = |query: &Query, bytes: &[u8]| cursor::decode(query, bytes).unwrap_err();
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        decode_error(&query, &damaged);
        decode_error(&query, &bytes[..at]);
    }
    let other = Query { set: "b".into(), ..query.clone() };
    assert!(decode_error(&other, &bytes).message().contains("another query"));
    let paced = Query { records_per_second: 10, ..query };
    assert!(cursor::decode(&paced, &bytes).is_ok(), "the pace may change");
}

#[test]
fn a_cursor_has_the_index_that_a_node_has_chosen() {
    use spikewire_aerospike_protocol::query::{ChosenIndex, Collection, Range};
    let named = |name: &str| ChosenIndex::new(name, Collection::Value, "age", &Range::Int(1, 9));
    let query = Query { namespace: "test".to_owned(), filter: Some(vec![1]), ..Query::default() };
    let chosen = Query {
        text: Some("$.age > 0".to_owned()),
        chosen: Some(named("by_age")),
        ..query.clone()
    };
    let mut tracker = Tracker::new(&Partitions::ALL);
    assert!(!tracker.is_started());
    tracker.assign(3, Piece(1));
    tracker.advance(Piece(1), point(record(3, 1)));
    assert!(tracker.is_started());
    let bytes = cursor::encode(&chosen, &tracker, Some(12));
    // Who resumes has not asked for a plan.
    let (copy, left, known) = cursor::decode(&query, &bytes).unwrap();
    assert_eq!((left, known), (Some(12), Some(named("by_age"))));
    assert!(copy.unread().eq(tracker.unread()));
    for at in [0, 4, 5, 13, 23, 30, bytes.len() - 1] {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        assert!(cursor::decode(&query, &damaged).is_err(), "byte {at}");
    }
    tracker.finish_all();
    assert!(tracker.is_done() && !tracker.is_started());
}
