//! The requests of a connection that are queued or wait for an answer: in order or by id.

use std::collections::VecDeque;

use crate::clock::Tick;
use crate::protocol::Answers;

/// A request in flight, or the gap that it left when it was given up.
#[derive(Debug)]
pub struct Slot<C> {
    /// Where it begins in the stream of sent bytes.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// When it was queued here.
    pub since: Tick,
    /// Whether its answer may be several frames.
    pub many: bool,
    /// Frames of its answer that have come and were not the last one.
    pub parts: usize,
    /// How much it counts against the connection's depth.
    pub weight: usize,
    /// Whether it was wrapped together with others, so that it cannot be taken out alone.
    pub sealed: bool,
    /// `None`: an orphan; its answer is read and dropped.
    pub command: Option<C>,
}

/// All of a connection, in either form.
#[derive(Debug)]
pub enum InFlight<C> {
    /// Answers come in the order of the requests.
    InOrder(VecDeque<Slot<C>>),
    /// Answers name the id of their request.
    ById(ById<C>),
}

/// Requests by id. An orphan keeps its id, so that a late answer cannot be taken for another's.
#[derive(Debug)]
pub struct ById<C> {
    slots: Vec<Option<Slot<C>>>,
    free: Vec<u16>,
    /// Ids in the order of sending, with the place where each request began; entries of requests
    /// that are over are dropped when they come to the front.
    sent: VecDeque<(u16, u64)>,
    limit: u16,
}

impl<C> InFlight<C> {
    /// Empty; `ids` is the number of ids, `None` for answers in order.
    pub fn new(ids: Option<u16>) -> Self {
        match ids {
            None => Self::InOrder(VecDeque::new()),
            Some(limit) => Self::ById(ById {
                slots: Vec::new(),
                free: Vec::new(),
                sent: VecDeque::new(),
                limit,
            }),
        }
    }

    /// Requests, orphans included.
    pub fn len(&self) -> usize {
        match self {
            Self::InOrder(queue) => queue.len(),
            Self::ById(by_id) => by_id.slots.len() - by_id.free.len(),
        }
    }

    /// Whether every id is taken.
    pub fn is_full(&self) -> bool {
        match self {
            Self::InOrder(_) => false,
            Self::ById(by_id) => {
                by_id.free.is_empty() && by_id.slots.len() >= usize::from(by_id.limit)
            }
        }
    }

    /// Adds a request and gives it an id (0 in order). There must be room.
    // Inlined, for a command is large: it is moved once instead of through every return.
    #[inline(always)]
    pub fn push(&mut self, slot: Slot<C>) -> u16 {
        match self {
            Self::InOrder(queue) => {
                queue.push_back(slot);
                0
            }
            Self::ById(by_id) => {
                let id = by_id.free.pop().unwrap_or_else(|| {
                    by_id.slots.push(None);
                    (by_id.slots.len() - 1) as u16
                });
                by_id.put(id, slot);
                id
            }
        }
    }

    /// The request that a frame answers.
    #[inline(always)]
    pub fn answered(&mut self, answers: Answers) -> Option<&mut Slot<C>> {
        match (self, answers) {
            (Self::InOrder(queue), Answers::Oldest) => queue.front_mut(),
            (Self::ById(by_id), Answers::Id(id)) => by_id.slots.get_mut(usize::from(id))?.as_mut(),
            _ => None,
        }
    }

    /// Takes that request out, its id free again.
    #[inline(always)]
    pub fn remove(&mut self, answers: Answers) -> Option<Slot<C>> {
        match (self, answers) {
            (Self::InOrder(queue), Answers::Oldest) => queue.pop_front(),
            (Self::ById(by_id), Answers::Id(id)) => {
                let slot = by_id.slots.get_mut(usize::from(id))?.take()?;
                by_id.free.push(id);
                by_id.trim();
                Some(slot)
            }
            _ => None,
        }
    }

    /// The oldest request, orphan or not.
    pub fn front(&self) -> Option<&Slot<C>> {
        match self {
            Self::InOrder(queue) => queue.front(),
            Self::ById(by_id) => by_id.slots[usize::from(by_id.sent.front()?.0)].as_ref(),
        }
    }

    /// The oldest request that stands in the way of others: by id, no orphan does.
    #[inline]
    pub fn oldest(&self) -> Option<&Slot<C>> {
        match self {
            Self::InOrder(queue) => queue.front(),
            Self::ById(by_id) => by_id.oldest(),
        }
    }

    /// All of them, in the order of sending.
    pub fn each(&self) -> impl Iterator<Item = &Slot<C>> {
        let (queue, by_id) = match self {
            Self::InOrder(queue) => (Some(queue), None),
            Self::ById(by_id) => (None, Some(by_id)),
        };
        queue.into_iter().flatten().chain(by_id.into_iter().flat_map(ById::live))
    }

    /// Shows all of them, in the order of sending: cheaper than an iterator that could be either.
    #[inline]
    pub fn visit(&self, visit: impl FnMut(&Slot<C>)) {
        match self {
            Self::InOrder(queue) => queue.iter().for_each(visit),
            Self::ById(by_id) => by_id.live().for_each(visit),
        }
    }

    /// All of them, in no order.
    pub fn each_mut(&mut self) -> impl Iterator<Item = &mut Slot<C>> {
        let (queue, slots) = match self {
            Self::InOrder(queue) => (Some(queue), None),
            Self::ById(by_id) => (None, Some(&mut by_id.slots)),
        };
        queue.into_iter().flatten().chain(slots.into_iter().flatten().flatten())
    }

    /// Shows each request in the order of sending; it is kept as what `visit` returns.
    pub fn rebuild(&mut self, mut visit: impl FnMut(Slot<C>) -> Option<Slot<C>>) {
        match self {
            Self::InOrder(queue) => {
                for slot in std::mem::take(queue) {
                    queue.extend(visit(slot));
                }
            }
            Self::ById(by_id) => {
                for (id, start) in std::mem::take(&mut by_id.sent) {
                    let slot = &mut by_id.slots[usize::from(id)];
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
    fn put(&mut self, id: u16, slot: Slot<C>) {
        self.sent.push_back((id, slot.start));
        self.slots[usize::from(id)] = Some(slot);
    }

    fn oldest(&self) -> Option<&Slot<C>> {
        self.live().find(|slot| slot.command.is_some())
    }

    fn is_current(&self, (id, start): (u16, u64)) -> bool {
        self.slots[usize::from(id)].as_ref().is_some_and(|slot| slot.start == start)
    }

    fn trim(&mut self) {
        while self.sent.front().is_some_and(|entry| !self.is_current(*entry)) {
            self.sent.pop_front();
        }
    }

    fn live(&self) -> impl Iterator<Item = &Slot<C>> {
        let current = self.sent.iter().filter(|entry| self.is_current(**entry));
        current.filter_map(|(id, _)| self.slots[usize::from(*id)].as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(start: u64) -> Slot<u64> {
        let (since, many, weight, sealed) = (Tick(start), false, 1, false);
        let command = Some(start);
        Slot { start, end: start + 1, since, many, parts: 0, weight, sealed, command }
    }

    #[test]
    fn ids_are_used_again_in_whatever_order_they_become_free() {
        let mut all = InFlight::new(Some(3));
        let ids: Vec<u16> = (0..3).map(|at| all.push(slot(at))).collect();
        assert!(all.is_full());
        assert_eq!(all.remove(Answers::Id(ids[1])).unwrap().start, 1);
        assert_eq!((all.push(slot(3)), all.len()), (ids[1], 3));
        assert_eq!(all.remove(Answers::Id(ids[0])).unwrap().start, 0);
        assert_eq!(all.front().unwrap().start, 2);
        assert_eq!(all.each().map(|slot| slot.start).collect::<Vec<_>>(), [2, 3]);
        assert!(all.remove(Answers::Id(ids[0])).is_none(), "not in use");
        assert!(all.answered(Answers::Id(9)).is_none(), "never used");
    }

    #[test]
    fn an_orphan_keeps_its_id_and_is_not_the_oldest() {
        let mut all = InFlight::new(Some(3));
        let first = all.push(slot(0));
        all.push(slot(1));
        all.answered(Answers::Id(first)).unwrap().command = None;
        assert_eq!((all.len(), all.oldest().unwrap().start), (2, 1));
        assert_eq!(all.push(slot(2)), 2);
        assert!(all.is_full());
    }

    #[test]
    fn rebuilding_moves_and_drops() {
        for ids in [None, Some(8)] {
            let mut all = InFlight::new(ids);
            (0..4).for_each(|at| {
                all.push(slot(10 + at));
            });
            all.rebuild(|slot| (slot.start != 11).then(|| Slot { start: slot.start - 10, ..slot }));
            assert_eq!(all.each().map(|slot| slot.start).collect::<Vec<_>>(), [0, 2, 3]);
            assert_eq!(all.len(), 3);
        }
    }
}
