//! The cell in which the outcome of a command waits for its task.

use std::task::{Context, Poll, Waker};

use spikewire_sync::Mutex;
use spikewire_transport::Tick;

/// Shared by a future and its command.
#[derive(Debug)]
pub(crate) struct Cell<T>(Mutex<Inside<T>>);

#[derive(Debug)]
struct Inside<T> {
    state: State<T>,
    /// When the reply was delivered, while stages are timed.
    answered: Option<Tick>,
}

#[derive(Debug)]
enum State<T> {
    /// The task to wake.
    Waiting(Waker),
    Done(T),
    /// The future took the outcome, or was dropped.
    Gone,
}

impl<T> Cell<T> {
    /// A cell that wakes this task.
    pub fn new(waker: Waker) -> Self {
        Self(Mutex::new(Inside { state: State::Waiting(waker), answered: None }))
    }

    /// Takes the outcome, and the time of its delivery if stages are timed; or stores the waker.
    pub fn poll(&self, context: &Context<'_>) -> Poll<(T, Option<Tick>)> {
        let Inside { state, answered } = &mut *self.0.lock();
        match state {
            State::Waiting(waker) => {
                waker.clone_from(context.waker());
                Poll::Pending
            }
            State::Done(_) => match std::mem::replace(state, State::Gone) {
                State::Done(outcome) => Poll::Ready((outcome, *answered)),
                _ => Poll::Pending,
            },
            State::Gone => Poll::Pending,
        }
    }

    /// The future was dropped; returns the outcome, if it has arrived. A later one is returned by
    /// [`Cell::fill`].
    pub fn abandon(&self) -> Option<T> {
        match std::mem::replace(&mut self.0.lock().state, State::Gone) {
            State::Done(outcome) => Some(outcome),
            State::Waiting(_) | State::Gone => None,
        }
    }

    /// Whether the future was dropped.
    #[cfg(feature = "cassandra")]
    pub fn is_gone(&self) -> bool {
        matches!(self.0.lock().state, State::Gone)
    }

    /// Records that its reply is about to be delivered, while stages are timed.
    pub fn answered_at(&self, at: Tick) {
        self.0.lock().answered = Some(at);
    }

    /// Delivers the outcome; returns it if nothing needs it any more.
    pub fn fill(&self, outcome: T) -> Option<T> {
        let mut inside = self.0.lock();
        if !matches!(inside.state, State::Waiting(_)) {
            return Some(outcome);
        }
        let former = std::mem::replace(&mut inside.state, State::Done(outcome));
        drop(inside);
        if let State::Waiting(waker) = former {
            waker.wake();
        }
        None
    }
}
