//! Commands that nobody waits for any more, and connections that are given up.

use std::time::Duration;

use super::in_flight::Slot;
use super::{AbandonedCommand, Pipeline};
use crate::clock::Tick;
use crate::protocol::Protocol;

impl<P: Protocol, C> Pipeline<P, C> {
    /// Marks `bytes` after the written ones as irrevocable: a part of them may have been sent, in a
    /// form that the server cannot use without the rest.
    pub fn commit(&mut self, bytes: usize) {
        self.committed = bytes;
    }

    /// Removes the commands that are `over`, which gets each with the time since which it is here.
    /// Returns unsent ones that were queued behind a request
    /// given up half sent; they must be sent elsewhere.
    pub fn expire(
        &mut self,
        over: impl Fn(&C, Tick) -> bool,
        mut take: impl FnMut(AbandonedCommand<C>),
    ) -> Vec<C> {
        let mut displaced = Vec::new();
        let is_over =
            |slot: &Slot<C>| slot.command.as_ref().is_some_and(|command| over(command, slot.since));
        if !self.in_flight.each().any(is_over) {
            return displaced;
        }
        let begun = self.total_written + self.committed as u64;
        let Self { in_flight, out, written, total_written, weight, .. } = self;
        let Self { unanswered, orphans, draining, .. } = self;
        let mut withdrawn = 0;
        // Sealed requests are sent together: none of them can be removed alone.
        let half_sent =
            |slot: &Slot<C>, total: u64| slot.end > total && (slot.start < begun || slot.sealed);
        let drains = in_flight.each().any(|slot| is_over(slot) && half_sent(slot, *total_written));
        *draining |= drains;
        in_flight.rebuild(|mut slot| {
            slot.start -= withdrawn;
            slot.end -= withdrawn;
            let over = is_over(&slot);
            if slot.end <= *total_written {
                if over && let Some(command) = slot.command.take() {
                    *orphans += 1;
                    // Nobody waits for it: a silent connection must not hold on to its record.
                    unanswered.remove(std::mem::take(&mut slot.key));
                    take(AbandonedCommand { command, sent: true });
                }
                return Some(slot);
            }
            if !over && !drains {
                return Some(slot);
            }
            *weight -= slot.weight;
            unanswered.remove(slot.key);
            if !drains {
                let at = *written + (slot.start - *total_written) as usize;
                let len = (slot.end - slot.start) as usize;
                out.drain(at..at + len);
                withdrawn += len as u64;
            }
            match slot.command {
                Some(command) if over => take(AbandonedCommand { command, sent: false }),
                command => displaced.extend(command),
            }
            None
        });
        self.withdrawn += withdrawn;
        if drains {
            self.forget_written();
        }
        displaced
    }

    /// When the connection must be given up if nothing arrives: after the limit of the oldest
    /// command (`None` for no limit), or after some time for the reply to an orphan.
    #[inline(always)]
    pub fn silence_ends(&self, limit: impl Fn(&C) -> Option<Duration>) -> Tick {
        let Some(front) = self.in_flight.front() else { return Tick::NEVER };
        let limit_of = |slot: &Slot<C>| slot.command.as_ref().map_or(Some(P::PATIENCE), &limit);
        let ends = self.silence_of(front, limit_of(front));
        if P::IDS.is_some()
            && front.command.is_none()
            && let Some(oldest) = self.in_flight.oldest()
        {
            // It does not wait for the orphan's reply, and may have a shorter limit.
            return ends.min(self.silence_of(oldest, limit_of(oldest)));
        }
        ends
    }

    /// When the silence since the oldest request becomes longer than replies usually take.
    pub fn silence_lasts_long(&self) -> Tick {
        let Some(front) = self.in_flight.front() else { return Tick::NEVER };
        let limit = self.reply_times.limit(front.is_of_many());
        self.silence_of(front, Some(limit))
    }

    #[inline(always)]
    fn silence_of(&self, slot: &Slot<C>, limit: Option<Duration>) -> Tick {
        // The system accepts bytes long before they arrive: what took long to send may take as long
        // to get there.
        let is_sent = slot.end <= self.total_written;
        let (start, first, last) = self.upload;
        let uploaded = is_sent && slot.start == start;
        let on_its_way = if uploaded { last.since(first) } else { Duration::ZERO };
        let since = self.last_progress.max(slot.since);
        limit.map_or(Tick::NEVER, |limit| since.after(limit.saturating_add(on_its_way)))
    }

    /// The earliest time that `of` returns for a command in flight and the time since which it is.
    pub fn earliest(&self, of: impl Fn(&C, Tick) -> Tick) -> Tick {
        let mut earliest = Tick::NEVER;
        self.in_flight.visit(|slot| {
            if let Some(command) = &slot.command {
                earliest = earliest.min(of(command, slot.since));
            }
        });
        earliest
    }

    /// Empties the pipeline of a connection that is given up.
    pub fn abandon(&mut self) -> Vec<AbandonedCommand<C>> {
        let mut all = Vec::new();
        let written = self.total_written;
        self.in_flight.rebuild(|slot| {
            let sent = slot.end <= written;
            all.extend(slot.command.map(|command| AbandonedCommand { command, sent }));
            None
        });
        (self.weight, self.orphans) = (0, 0);
        self.unanswered.clear();
        all
    }
}
