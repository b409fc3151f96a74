//! The requests of a connection that are queued or await a reply, in order or by id.

use std::collections::VecDeque;

use crate::clock::Tick;
use crate::keys::OrderKey;
use crate::protocol::RequestKind;

/// How many entries of finished requests are kept, in addition to as many as there are requests.
const SCRAPS: usize = 256;

/// A request in flight, or the gap left by one that was given up.
#[derive(Debug)]
pub struct Slot<C> {
    /// Where it begins in the stream of sent bytes.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// When it was queued.
    pub since: Tick,
    /// What it asks for.
    pub kind: RequestKind,
    /// Whether its reply may consist of several frames.
    pub many: bool,
    /// Frames of its reply that have arrived, not counting the last.
    pub parts: usize,
    /// How much it counts against the connection's depth.
    pub weight: usize,
    /// What it is about, if its order among others is kept.
    pub key: OrderKey,
    /// Whether it was sealed together with others, so that it cannot be removed alone.
    pub sealed: bool,
    /// `None` for an orphan, whose reply is read and dropped.
    pub command: Option<C>,
}

impl<C> Slot<C> {
    /// Whether it is about many records, or its reply has many frames.
    #[inline(always)]
    pub fn is_of_many(&self) -> bool {
        self.many || self.weight > 1
    }
}

/// All requests of a connection.
#[derive(Debug)]
pub enum InFlight<C> {
    /// Replies arrive in the order of the requests.
    InOrder(VecDeque<Slot<C>>),
    /// Replies carry the id of their request.
    ById(ById<C>),
}

/// Requests by id. An orphan keeps its id, so that a late reply cannot be mistaken for another's.
#[derive(Debug)]
pub struct ById<C> {
    /// Grows with use.
    slots: Vec<Option<Slot<C>>>,
    free: Vec<u16>,
    /// Requests that are awaited.
    sent: Sent,
    orphans: Sent,
    ids: Ids,
}

/// The range of valid ids.
#[derive(Debug, Clone, Copy)]
pub struct Ids {
    /// How many there are.
    pub first: u16,
    /// How many.
    pub count: u16,
}

/// Ids in the order of sending, with the position where each request began. Entries of finished
/// requests are dropped when they reach the front, or when there are too many.
type Sent = VecDeque<(u16, u64)>;

impl<C> InFlight<C> {
    /// An empty set of requests; `ids` is the range of ids, `None` for replies in order.
    pub fn new(ids: Option<Ids>) -> Self {
        match ids {
            None => Self::InOrder(VecDeque::new()),
            Some(ids) => Self::ById(ById {
                slots: Vec::new(),
                free: Vec::new(),
                sent: Sent::new(),
                orphans: Sent::new(),
                ids,
            }),
        }
    }

    /// Number of requests, including orphans.
    pub fn len(&self) -> usize {
        match self {
            Self::InOrder(queue) => queue.len(),
            Self::ById(by_id) => by_id.len(),
        }
    }

    /// Whether every id is taken.
    pub fn is_full(&self) -> bool {
        match self {
            Self::InOrder(_) => false,
            Self::ById(by_id) => {
                by_id.free.is_empty() && by_id.slots.len() >= usize::from(by_id.ids.count)
            }
        }
    }

    /// The oldest request, which may be an orphan.
    pub fn front(&self) -> Option<&Slot<C>> {
        match self {
            Self::InOrder(queue) => queue.front(),
            Self::ById(by_id) => by_id.front(),
        }
    }

    /// The oldest request that holds up others; with ids, orphans do not.
    #[inline(always)]
    pub fn oldest(&self) -> Option<&Slot<C>> {
        match self {
            Self::InOrder(queue) => queue.front(),
            Self::ById(by_id) => by_id.oldest(),
        }
    }

    /// All requests, in no particular order.
    pub fn each(&self) -> impl Iterator<Item = &Slot<C>> {
        let (queue, slots) = match self {
            Self::InOrder(queue) => (Some(queue), None),
            Self::ById(by_id) => (None, Some(&by_id.slots)),
        };
        queue.into_iter().flatten().chain(slots.into_iter().flatten().flatten())
    }

    /// Calls `visit` for all awaited requests, and possibly others, in no particular order. Cheaper
    /// than an iterator over either variant.
    #[inline]
    pub fn visit(&self, mut visit: impl FnMut(&Slot<C>)) {
        match self {
            Self::InOrder(queue) => queue.iter().for_each(visit),
            Self::ById(by_id) => by_id.live().for_each(&mut visit),
        }
    }

    /// Calls `visit` for the requests queued since this position in the stream of sent bytes, in no
    /// particular order.
    pub fn visit_since(&mut self, start: u64, mut visit: impl FnMut(&mut Slot<C>)) {
        match self {
            Self::InOrder(queue) => {
                queue.iter_mut().rev().take_while(|slot| slot.start >= start).for_each(visit);
            }
            Self::ById(by_id) => {
                for at in (0..by_id.sent.len()).rev() {
                    let (id, began) = by_id.sent[at];
                    if began < start {
                        break;
                    }
                    let slot = by_id.slot_mut(id).and_then(Option::as_mut);
                    slot.filter(|slot| slot.start == began).into_iter().for_each(&mut visit);
                }
            }
        }
    }

    /// Calls `visit` for each request in the order of sending, and replaces the request with the
    /// result.
    pub fn rebuild(&mut self, mut visit: impl FnMut(Slot<C>) -> Option<Slot<C>>) {
        match self {
            Self::InOrder(queue) => {
                for slot in std::mem::take(queue) {
                    queue.extend(visit(slot));
                }
            }
            Self::ById(by_id) => {
                let mut all = Vec::from(std::mem::take(&mut by_id.sent));
                all.extend(std::mem::take(&mut by_id.orphans));
                all.sort_unstable_by_key(|(_, start)| *start);
                for (id, start) in all {
                    let Some(slot) = by_id.slot_mut(id) else { continue };
                    let Some(slot) = slot.take_if(|slot| slot.start == start) else { continue };
                    match visit(slot) {
                        Some(slot) => by_id.put(id, slot),
                        None => by_id.free.push(id),
                    }
                }
            }
        }
    }
}

impl<C> ById<C> {
    /// Adds a request and returns its id.
    #[inline(always)]
    pub fn push(&mut self, slot: Slot<C>) -> u16 {
        let id = self.free.pop().unwrap_or_else(|| {
            self.slots.push(None);
            self.ids.first + (self.slots.len() - 1) as u16
        });
        self.put(id, slot);
        id
    }

    /// The request with this id.
    #[inline(always)]
    pub fn answered(&mut self, id: u16) -> Option<&mut Slot<C>> {
        self.slot_mut(id)?.as_mut()
    }

    /// Removes that request and frees its id.
    #[inline(always)]
    pub fn remove(&mut self, id: u16) -> Option<Slot<C>> {
        let slot = self.slot_mut(id)?.take()?;
        self.free.push(id);
        self.trim();
        Some(slot)
    }

    fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    fn slot(&self, id: u16) -> Option<&Slot<C>> {
        self.slots.get(usize::from(id.checked_sub(self.ids.first)?))?.as_ref()
    }

    #[inline]
    fn slot_mut(&mut self, id: u16) -> Option<&mut Option<Slot<C>>> {
        self.slots.get_mut(usize::from(id.checked_sub(self.ids.first)?))
    }

    fn put(&mut self, id: u16, slot: Slot<C>) {
        let entry = (id, slot.start);
        let is_orphan = slot.command.is_none();
        if let Some(place) = self.slot_mut(id) {
            *place = Some(slot);
        }
        if is_orphan {
            return self.orphans.push_back(entry);
        }
        // One slow reply must not keep the entries of all later requests.
        if self.sent.len() > SCRAPS + 2 * self.len() {
            let sent = std::mem::take(&mut self.sent);
            self.sent = sent.into_iter().filter(|entry| self.is_current(*entry)).collect();
        }
        self.sent.push_back(entry);
    }

    fn oldest(&self) -> Option<&Slot<C>> {
        self.live().find(|slot| slot.command.is_some())
    }

    fn front(&self) -> Option<&Slot<C>> {
        let first = |sent: &Sent| self.slot(sent.front()?.0);
        match (first(&self.sent), first(&self.orphans)) {
            (Some(live), Some(orphan)) if orphan.start < live.start => Some(orphan),
            (live, orphan) => live.or(orphan),
        }
    }

    fn is_current(&self, (id, start): (u16, u64)) -> bool {
        self.slot(id).is_some_and(|slot| slot.start == start)
    }

    fn trim(&mut self) {
        while self.sent.front().is_some_and(|entry| !self.is_current(*entry)) {
            self.sent.pop_front();
        }
        while self.orphans.front().is_some_and(|entry| !self.is_current(*entry)) {
            self.orphans.pop_front();
        }
    }

    /// The awaited requests, in the order of sending.
    fn live(&self) -> impl Iterator<Item = &Slot<C>> {
        let current = self.sent.iter().filter(|entry| self.is_current(**entry));
        current.filter_map(|(id, _)| self.slot(*id))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Answers;

    fn slot(start: u64) -> Slot<u64> {
        let (since, kind, many, weight, sealed) = (Tick(start), RequestKind::Data, false, 1, false);
        let (key, command) = (OrderKey::NONE, Some(start));
        Slot { start, end: start + 1, since, kind, many, parts: 0, weight, key, sealed, command }
    }

    fn starts(all: &InFlight<u64>) -> Vec<u64> {
        let mut starts: Vec<_> = all.each().map(|slot| slot.start).collect();
        starts.sort_unstable();
        starts
    }

    #[test]
    fn ids_are_used_again_in_whatever_order_they_become_free() {
        let mut all = InFlight::new(Some(Ids { first: 0, count: 3 }));
        let ids: Vec<u16> = (0..3).map(|at| all.push(slot(at))).collect();
        assert!(all.is_full());
        assert_eq!(all.remove(Answers::Id(ids[1])).unwrap().start, 1);
        assert_eq!((all.push(slot(3)), all.len()), (ids[1], 3));
        assert_eq!(all.remove(Answers::Id(ids[0])).unwrap().start, 0);
        assert_eq!(all.front().unwrap().start, 2);
        assert_eq!(starts(&all), [2, 3]);
        assert!(all.remove(Answers::Id(ids[0])).is_none(), "not in use");
        assert!(all.answered(Answers::Id(9)).is_none(), "never used");
    }

    #[test]
    fn an_orphan_keeps_its_id_and_is_not_the_oldest() {
        let mut all = InFlight::new(Some(Ids { first: 0, count: 3 }));
        let first = all.push(slot(0));
        all.push(slot(1));
        all.rebuild(|slot| {
            let command = slot.command.filter(|_| slot.start > 0);
            Some(Slot { command, ..slot })
        });
        assert_eq!((all.len(), all.oldest().unwrap().start), (2, 1));
        assert_eq!(all.push(slot(2)), 2);
        assert!(all.is_full());
        assert_eq!((all.front().unwrap().start, starts(&all).len()), (0, 3));
        assert!(all.remove(Answers::Id(first)).unwrap().command.is_none());
        assert_eq!(all.front().unwrap().start, 1);
    }

    #[test]
    fn rebuild_moves_or_drops_commands() {
        for ids in [None, Some(Ids { first: 1, count: 8 })] {
            let mut all = InFlight::new(ids);
            (0..4).for_each(|at| {
                all.push(slot(10 + at));
            });
            all.rebuild(|slot| (slot.start != 11).then(|| Slot { start: slot.start - 10, ..slot }));
            assert_eq!(starts(&all), [0, 2, 3]);
            assert_eq!(all.len(), 3);
        }
    }

    #[test]
    fn ids_below_the_first_are_never_used() {
        let mut all = InFlight::new(Some(Ids { first: 1, count: u16::MAX }));
        let ids: Vec<u16> = (0..u64::from(u16::MAX)).map(|at| all.push(slot(at))).collect();
        assert!(ids.into_iter().eq(1..=u16::MAX) && all.is_full());
        assert!(all.answered(Answers::Id(0)).is_none());
        assert_eq!(all.remove(Answers::Id(1)).unwrap().start, 0);
    }

    #[test]
    fn one_slow_answer_keeps_nothing_of_those_behind_it() {
        let mut all = InFlight::new(Some(Ids { first: 0, count: 100 }));
        all.push(slot(0));
        for at in 1..10_000 {
            let id = all.push(slot(at));
            all.remove(Answers::Id(id)).unwrap();
        }
        assert_eq!(all.oldest().unwrap().start, 0);
        let InFlight::ById(by_id) = &all else { panic!("by id") };
        assert!(by_id.sent.len() < 1000, "{}", by_id.sent.len());
    }

    #[test]
    fn lately_queued_commands_are_looked_up() {
        for ids in [None, Some(Ids { first: 0, count: 8 })] {
            let mut all = InFlight::new(ids);
            (0..6).for_each(|at| {
                all.push(slot(at));
            });
            let mut seen = Vec::new();
            all.visit_since(4, |slot| seen.push(slot.start));
            seen.sort_unstable();
            assert_eq!(seen, [4, 5]);
        }
    }
}
