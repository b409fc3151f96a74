//! Watches the descriptors of queries, for executors without I/O support: one thread wakes the
//! waiting tasks, which do the reading.

use std::collections::HashMap;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;
use std::{io, thread};

use mio::unix::SourceFd;
use mio::{Events, Interest, Registry, Token};
use spikewire_sync::Mutex;

use spikewire_aerospike::clock::Tick;

const WAKER: Token = Token(usize::MAX);

/// The thread; it stops when this is dropped.
#[derive(Debug)]
pub(super) struct Watcher(Arc<WatcherShared>);

#[derive(Debug)]
struct WatcherShared {
    registry: Registry,
    waker: mio::Waker,
    state: Mutex<WatcherState>,
}

#[derive(Debug)]
struct WatcherState {
    slots: HashMap<usize, Slot>,
    next: usize,
    /// When the thread checks without an event.
    next_check: Tick,
    ended: bool,
}

/// The state of one descriptor.
#[derive(Debug)]
struct Slot {
    /// The waiting task.
    waker: Option<Waker>,
    /// Whether there was an event since the task last checked.
    ready: bool,
    /// When the task has to check in any case.
    until: Tick,
}

impl Watcher {
    pub fn start() -> io::Result<Self> {
        let poll = mio::Poll::new()?;
        let state =
            WatcherState { slots: HashMap::new(), next: 0, next_check: Tick::NEVER, ended: false };
        let shared = Arc::new(WatcherShared {
            registry: poll.registry().try_clone()?,
            waker: mio::Waker::new(poll.registry(), WAKER)?,
            state: Mutex::new(state),
        });
        let watching = shared.clone();
        thread::Builder::new()
            .name("spikewire-query".into())
            .spawn(move || run(poll, &watching))?;
        Ok(Self(shared))
    }

    /// Watches a descriptor until the result is dropped, which must happen before it is closed.
    pub fn watch(&self, descriptor: RawFd) -> io::Result<Watch> {
        let shared = self.0.clone();
        let token = {
            let mut state = shared.state.lock();
            let token = state.next;
            state.next += 1;
            state.slots.insert(token, Slot { waker: None, ready: true, until: Tick::NEVER });
            token
        };
        let watch = Watch { shared, token, descriptor };
        let mut source = SourceFd(&descriptor);
        watch.shared.registry.register(&mut source, Token(token), Interest::READABLE)?;
        Ok(watch)
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.0.state.lock().ended = true;
        let _ = self.0.waker.wake();
    }
}

/// A watched descriptor.
#[derive(Debug)]
pub(super) struct Watch {
    shared: Arc<WatcherShared>,
    token: usize,
    descriptor: RawFd,
}

impl Watch {
    /// Ready when there was an event, or `wait` has passed, since the last time it was ready.
    pub fn poll(&self, context: &Context<'_>, wait: Duration) -> Poll<()> {
        let until = Tick::now().after(wait);
        let mut state = self.shared.state.lock();
        let WatcherState { slots, next_check, .. } = &mut *state;
        let Some(slot) = slots.get_mut(&self.token) else { return Poll::Ready(()) };
        if std::mem::take(&mut slot.ready) {
            return Poll::Ready(());
        }
        match &mut slot.waker {
            Some(waker) => waker.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        slot.until = until;
        let early = until < *next_check;
        if early {
            *next_check = until;
        }
        drop(state);
        if early {
            let _ = self.shared.waker.wake();
        }
        Poll::Pending
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.shared.registry.deregister(&mut SourceFd(&self.descriptor));
        self.shared.state.lock().slots.remove(&self.token);
    }
}

/// The main loop of the thread.
fn run(mut poll: mio::Poll, shared: &WatcherShared) {
    let mut events = Events::with_capacity(256);
    let mut wakers = Vec::new();
    loop {
        let wait = {
            let mut state = shared.state.lock();
            if state.ended {
                return;
            }
            let waiting = state.slots.values().filter(|slot| slot.waker.is_some());
            state.next_check = waiting.map(|slot| slot.until).min().unwrap_or(Tick::NEVER);
            (state.next_check != Tick::NEVER).then(|| state.next_check.since(Tick::now()))
        };
        if poll.poll(&mut events, wait).is_err() {
            // Most likely a signal.
            events.clear();
        }
        let now = Tick::now();
        {
            let mut state = shared.state.lock();
            for event in &events {
                if let Some(slot) = state.slots.get_mut(&event.token().0) {
                    slot.ready = true;
                    wakers.extend(slot.waker.take());
                }
            }
            for slot in state.slots.values_mut() {
                if slot.waker.is_some() && slot.until <= now {
                    slot.ready = true;
                    wakers.extend(slot.waker.take());
                }
            }
        }
        wakers.drain(..).for_each(Waker::wake);
    }
}
