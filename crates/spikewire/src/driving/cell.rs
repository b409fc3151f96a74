//! The cell in which the outcome of a command waits for its task.

use std::task::{Context, Poll, Waker};

use spikewire_sync::Mutex;
use spikewire_transport::Tick;

/// Shared by a future and its command.
#[derive(Debug)]
pub(crate) struct Cell<T>(Mutex<CellState<T>>);

#[derive(Debug)]
struct CellState<T> {
    state: OutcomeState<T>,
    /// When the reply was delivered, while stages are timed.
    answered: Option<Tick>,
}

#[derive(Debug)]
enum OutcomeState<T> {
    /// The task to wake.
    Waiting(Waker),
    Done(T),
    /// The future took the outcome, or was dropped.
    Gone,
}

impl<T> Cell<T> {
    /// A cell that wakes this task.
    pub fn new(waker: Waker) -> Self {
        Self(Mutex::new(CellState { state: OutcomeState::Waiting(waker), answered: None }))
    }

    /// Takes the outcome, and the time of its delivery if stages are timed; or stores the waker.
    pub fn poll(&self, context: &Context<'_>) -> Poll<(T, Option<Tick>)> {
        let CellState { state, answered } = &mut *self.0.lock();
        match state {
            OutcomeState::Waiting(waker) => {
                waker.clone_from(context.waker());
                Poll::Pending
            }
            OutcomeState::Done(_) => match std::mem::replace(state, OutcomeState::Gone) {
                OutcomeState::Done(outcome) => Poll::Ready((outcome, *answered)),
                _ => Poll::Pending,
            },
            OutcomeState::Gone => Poll::Pending,
        }
    }

    /// The future was dropped; returns the outcome, if it has arrived. A later one is returned by
    /// [`Cell::fill`].
    pub fn abandon(&self) -> Option<T> {
        match std::mem::replace(&mut self.0.lock().state, OutcomeState::Gone) {
            OutcomeState::Done(outcome) => Some(outcome),
            OutcomeState::Waiting(_) | OutcomeState::Gone => None,
        }
    }

    /// Whether the future was dropped.
    #[cfg(feature = "cassandra")]
    pub fn is_gone(&self) -> bool {
        matches!(self.0.lock().state, OutcomeState::Gone)
    }

    /// Records that its reply is about to be delivered, while stages are timed.
    pub fn answered_at(&self, at: Tick) {
        self.0.lock().answered = Some(at);
    }

    /// Delivers the outcome; returns it if nothing needs it any more.
    pub fn fill(&self, outcome: T) -> Option<T> {
        let mut inside = self.0.lock();
        if !matches!(inside.state, OutcomeState::Waiting(_)) {
            return Some(outcome);
        }
        let former = std::mem::replace(&mut inside.state, OutcomeState::Done(outcome));
        drop(inside);
        if let OutcomeState::Waiting(waker) = former {
            waker.wake();
        }
        None
    }
}
