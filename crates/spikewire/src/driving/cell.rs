//! Where the outcome of a command waits for the task that asked for it.

use std::task::{Context, Poll, Waker};

use spikewire_sync::Mutex;
use spikewire_transport::Tick;

/// Shared between a future and the command it waits for.
#[derive(Debug)]
pub(crate) struct Cell<T>(Mutex<Inside<T>>);

#[derive(Debug)]
struct Inside<T> {
    state: State<T>,
    /// When the reply was handed over, while stages are timed.
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

    /// Takes the outcome, and when its reply was handed over if stages are timed; or remembers whom to
    /// wake.
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

    /// The future is gone; the outcome, if it has come. One that comes later comes back from
    /// [`Cell::fill`].
    pub fn abandon(&self) -> Option<T> {
        match std::mem::replace(&mut self.0.lock().state, State::Gone) {
            State::Done(outcome) => Some(outcome),
            State::Waiting(_) | State::Gone => None,
        }
    }

    /// Whether the future is gone.
    #[cfg(feature = "cassandra")]
    pub fn is_gone(&self) -> bool {
        matches!(self.0.lock().state, State::Gone)
    }

    /// Its reply is about to be handed over, while stages are timed.
    pub fn answered_at(&self, at: Tick) {
        self.0.lock().answered = Some(at);
    }

    /// Hands the outcome over; it comes back where there is no use for it.
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
