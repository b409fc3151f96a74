//! The first preparation of a text: of all requests that need it at once, one asks a node.

use std::sync::{Arc, OnceLock, Weak};

use rustc_hash::FxHashMap;
use spikewire_sync::Mutex;
use spikewire_transport::Tick;

use super::lease::Lease;
use super::prepared::{Name, Prepared};
use crate::error::Result;

type FirstByName = Mutex<FxHashMap<Name, Weak<First>>>;

/// The first preparations of a session that are under way. Those that no request is for are removed.
#[derive(Debug, Default)]
pub(super) struct FirstPreparations(Arc<FirstByName>);

/// A first preparation.
#[derive(Debug)]
struct First {
    name: Name,
    all: Arc<FirstByName>,
    lease: Lease,
    outcome: OnceLock<Result<Arc<Prepared>>>,
}

/// A request's part in a first preparation.
#[derive(Debug, Clone)]
pub(crate) struct FirstShare {
    first: Arc<First>,
    turn: Option<Arc<FirstTurn>>,
}

/// The turn of a request to ask a node. It ends with the request, so that another one takes over if
/// it has failed or nobody waits for it any more.
#[derive(Debug)]
struct FirstTurn {
    first: Arc<First>,
    until: u64,
}

impl FirstPreparations {
    /// Takes part in the first preparation of a text.
    pub fn join(&self, name: &Name, now: Tick) -> FirstShare {
        let mut all = self.0.lock();
        let under_way = all.get(name).and_then(Weak::upgrade);
        let first = under_way.unwrap_or_else(|| {
            let (name, of) = (name.clone(), self.0.clone());
            let (lease, outcome) = (Lease::default(), OnceLock::new());
            let first = Arc::new(First { name, all: of, lease, outcome });
            all.insert(first.name.clone(), Arc::downgrade(&first));
            first
        });
        drop(all);
        let mut share = FirstShare { first, turn: None };
        share.begin(now);
        share
    }
}

impl FirstShare {
    /// Takes it on to ask a node; `false` if another request does.
    pub fn begin(&mut self, now: Tick) -> bool {
        let first = &self.first;
        let turn = first.lease.take(now).map(|until| FirstTurn { first: first.clone(), until });
        self.turn = turn.map(Arc::new);
        self.has_turn()
    }

    /// Whether it is this request that asks a node.
    pub fn has_turn(&self) -> bool {
        self.turn.is_some()
    }

    /// What a node has answered.
    pub fn outcome(&self) -> Option<&Result<Arc<Prepared>>> {
        self.first.outcome.get()
    }

    /// Tells the others what a node has answered. Requests that come later ask again.
    pub fn settle(&self, outcome: Result<Arc<Prepared>>) {
        let _ = self.first.outcome.set(outcome);
        self.first.leave();
    }
}

impl First {
    /// Makes room for the next first preparation of its text.
    fn leave(&self) {
        let mut all = self.all.lock();
        let is_own = |it: &Weak<Self>| std::ptr::eq(it.as_ptr(), self);
        if all.get(&self.name).is_some_and(is_own) {
            all.remove(&self.name);
        }
    }
}

impl Drop for First {
    fn drop(&mut self) {
        self.leave();
    }
}

impl Drop for FirstTurn {
    fn drop(&mut self) {
        self.first.lease.give_back(self.until);
    }
}

#[cfg(test)]
mod tests {
    use super::super::lease::RELIANCE;
    use super::*;
    use crate::error::{Error, Kind};

    fn name(text: &str) -> Name {
        (None, text.into())
    }

    #[test]
    fn another_one_takes_over_when_the_first_is_gone() {
        let (all, now) = (FirstPreparations::default(), Tick::now());
        let (first, mut second) = (all.join(&name("a"), now), all.join(&name("a"), now));
        let mut third = all.join(&name("a"), now);
        assert!(first.has_turn() && !second.has_turn() && !third.has_turn());
        assert!(all.join(&name("b"), now).has_turn(), "another text");
        let copy = first.clone();
        drop(first);
        assert!(!second.begin(now), "a copy of the request is still there");
        drop(copy);
        assert!(second.begin(now) && !third.begin(now));
        // One that takes long is relied on for a while only, and has no say in it afterwards.
        let later = now.after(RELIANCE);
        assert!(third.begin(later));
        drop(second);
        assert!(!all.join(&name("a"), later).has_turn());
    }

    #[test]
    fn an_outcome_is_for_those_that_wait_and_not_for_later_ones() {
        let (all, now) = (FirstPreparations::default(), Tick::now());
        let (first, second) = (all.join(&name("a"), now), all.join(&name("a"), now));
        first.settle(Err(Error::new(Kind::Server, "syntax")));
        assert!(second.outcome().is_some_and(std::result::Result::is_err));
        let later = all.join(&name("a"), now);
        assert!(later.has_turn() && later.outcome().is_none());
        drop((first, second));
        assert!(!all.join(&name("a"), now).has_turn(), "the later one is still there");
        drop(later);
        assert!(all.0.lock().is_empty(), "nothing is kept");
    }
}
