//! Commands that wait for their turn: interactive ones first, in order of arrival.
//!
//! Every [`TURNS`]th turn is a background command's, so that they get on however many interactive
//! ones there are. A command never overtakes another one about the same record if one of them writes.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::command::Command;
use crate::keys::OrderKey;
use crate::limiter::{HEAVIEST, Limiter};
use crate::policy::Priority;
use crate::topology::Target;

/// Of this many turns one is a background command's.
const TURNS: u8 = 10;

/// What a queue needs to know about a command.
pub(crate) trait Waits {
    /// What it is about.
    fn order(&self) -> OrderKey;
    /// Whether it writes.
    fn writes(&self) -> bool;
    /// Its priority.
    fn priority(&self) -> Priority;
    /// How busy it keeps a node.
    fn weight(&self) -> usize;
}

impl<K: Target, R, T> Waits for Box<Command<K, R, T>> {
    fn order(&self) -> OrderKey {
        self.target.order()
    }

    fn writes(&self) -> bool {
        self.target.writes()
    }

    fn priority(&self) -> Priority {
        self.policy.priority
    }

    fn weight(&self) -> usize {
        self.rows.clamp(1, HEAVIEST)
    }
}

/// A queue with two priorities.
#[derive(Debug)]
pub(crate) struct WaitingCommands<C: Waits> {
    interactive: VecDeque<C>,
    background: VecDeque<C>,
    /// How many background commands there are with each key, and how many of them write.
    keys: FxHashMap<OrderKey, (u32, u32)>,
    /// Turns since the last one of a background command.
    turns: u8,
    /// What counts them, once the node has a limit.
    limiter: Option<Arc<Limiter>>,
}

impl<C: Waits> Default for WaitingCommands<C> {
    fn default() -> Self {
        let (interactive, background) = (VecDeque::new(), VecDeque::new());
        Self { interactive, background, keys: FxHashMap::default(), turns: 0, limiter: None }
    }
}

impl<C: Waits> Drop for WaitingCommands<C> {
    fn drop(&mut self) {
        self.forget_limiter();
    }
}

impl<C: Waits> WaitingCommands<C> {
    pub fn len(&self) -> usize {
        self.interactive.len() + self.background.len()
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.interactive.is_empty() && self.background.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &C> {
        self.interactive.iter().chain(&self.background)
    }

    /// The node's limiter counts what waits here, until nothing does.
    pub fn count_in(&mut self, limiter: &Arc<Limiter>) {
        if self.limiter.is_none() {
            limiter.has_queue(true);
            for command in &self.interactive {
                limiter.waits(false, command.weight() as u32, true);
            }
            for command in &self.background {
                limiter.waits(true, command.weight() as u32, true);
            }
            self.limiter = Some(limiter.clone());
        }
    }

    fn forget_limiter(&mut self) {
        let Some(limiter) = self.limiter.take() else { return };
        for command in &self.interactive {
            limiter.waits(false, command.weight() as u32, false);
        }
        for command in &self.background {
            limiter.waits(true, command.weight() as u32, false);
        }
        limiter.has_queue(false);
    }

    pub fn push_back(&mut self, command: C) {
        let key = command.order();
        let follows = || {
            let ahead = if self.keys.is_empty() { None } else { self.keys.get(&key) };
            ahead.is_some_and(|(_, writes)| *writes > 0 || command.writes())
        };
        let background = command.priority() == Priority::Background || follows();
        if let Some(limiter) = &self.limiter {
            limiter.waits(background, command.weight() as u32, true);
        }
        if background {
            if key.is_some() {
                let (all, writes) = self.keys.entry(key).or_default();
                *all += 1;
                *writes += u32::from(command.writes());
            }
            self.background.push_back(command);
        } else {
            self.interactive.push_back(command);
        }
    }

    fn is_turn_of_background(&self) -> bool {
        !self.background.is_empty() && (self.interactive.is_empty() || self.turns + 1 >= TURNS)
    }

    /// The next command.
    pub fn front(&self) -> Option<&C> {
        let queue = if self.is_turn_of_background() { &self.background } else { &self.interactive };
        queue.front()
    }

    pub fn pop_front(&mut self) -> Option<C> {
        let background = self.is_turn_of_background();
        let command = if background {
            self.turns = 0;
            let command = self.background.pop_front()?;
            self.leaves(&command);
            command
        } else {
            self.turns = if self.background.is_empty() { 0 } else { self.turns + 1 };
            self.interactive.pop_front()?
        };
        if let Some(limiter) = &self.limiter {
            limiter.waits(background, command.weight() as u32, false);
        }
        if self.is_empty() {
            self.forget_limiter();
        }
        Some(command)
    }

    fn leaves(&mut self, command: &C) {
        if let Some((all, writes)) = self.keys.get_mut(&command.order()) {
            *all -= 1;
            *writes -= u32::from(command.writes());
            if *all == 0 {
                self.keys.remove(&command.order());
            }
        }
    }

    /// Removes all commands.
    pub fn take_all(&mut self) -> Vec<C> {
        self.forget_limiter();
        self.keys.clear();
        let interactive = std::mem::take(&mut self.interactive);
        interactive.into_iter().chain(std::mem::take(&mut self.background)).collect()
    }

    /// Removes the commands for which this is so.
    pub fn take_if(&mut self, goes: impl Fn(&C) -> bool) -> Vec<C> {
        if !self.iter().any(&goes) {
            return Vec::new();
        }
        let limiter = self.limiter.clone();
        let (gone, rest): (Vec<_>, Vec<_>) = self.take_all().into_iter().partition(goes);
        if let Some(limiter) = limiter.filter(|_| !rest.is_empty()) {
            self.count_in(&limiter);
        }
        rest.into_iter().for_each(|command| self.push_back(command));
        gone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq)]
    struct Item(u32, Priority, OrderKey, bool);

    impl Waits for Item {
        fn order(&self) -> OrderKey {
            self.2
        }

        fn writes(&self) -> bool {
            self.3
        }

        fn priority(&self) -> Priority {
            self.1
        }

        fn weight(&self) -> usize {
            1
        }
    }

    fn drain(queue: &mut WaitingCommands<Item>) -> Vec<u32> {
        std::iter::from_fn(|| queue.pop_front()).map(|item| item.0).collect()
    }

    #[test]
    fn interactive_commands_go_first_and_background_ones_get_on() {
        let mut queue = WaitingCommands::default();
        let limiter = Arc::new(Limiter::default());
        queue.count_in(&limiter);
        for number in 0..40 {
            let background = number < 4;
            let priority = if background { Priority::Background } else { Priority::Usual };
            queue.push_back(Item(number, priority, OrderKey::NONE, false));
        }
        assert_eq!((queue.len(), limiter.stats().waiting), (40, 40));
        assert_eq!(queue.front().unwrap().0, 4);
        let order = drain(&mut queue);
        let places: Vec<_> =
            (0..4).map(|number| order.iter().position(|other| *other == number).unwrap()).collect();
        assert_eq!(places, [9, 19, 29, 39]);
        assert!(order.iter().filter(|number| **number >= 4).is_sorted(), "in order of arrival");
        assert_eq!(limiter.stats().waiting, 0);
    }

    #[test]
    fn nothing_overtakes_what_is_about_the_same_record() {
        let mut queue = WaitingCommands::default();
        let (one, other) = (OrderKey::of(7), OrderKey::of(8));
        queue.push_back(Item(0, Priority::Background, one, true));
        queue.push_back(Item(1, Priority::Interactive, one, false));
        queue.push_back(Item(2, Priority::Interactive, other, true));
        assert_eq!(drain(&mut queue), [2, 0, 1]);
        queue.push_back(Item(3, Priority::Background, one, false));
        queue.push_back(Item(4, Priority::Interactive, one, false));
        queue.push_back(Item(5, Priority::Interactive, one, true));
        assert_eq!(drain(&mut queue), [4, 3, 5], "reads do not wait for reads");
    }

    #[test]
    fn taking_some_leaves_the_others_counted() {
        let mut queue = WaitingCommands::default();
        let limiter = Arc::new(Limiter::default());
        for number in 0..6 {
            queue.push_back(Item(number, Priority::Usual, OrderKey::NONE, false));
        }
        queue.count_in(&limiter);
        assert_eq!(limiter.stats().waiting, 6);
        assert_eq!(queue.take_if(|item| item.0 % 2 == 0).len(), 3);
        assert_eq!(limiter.stats().waiting, 3);
        drop(queue);
        assert_eq!(limiter.stats().waiting, 0);
    }
}
