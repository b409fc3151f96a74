//! Waiting for more records of a query. The environment's own event loop watches the query's
//! descriptor, only while somebody waits. Without such a loop (Bun, Deno) a thread watches it and
//! wakes the environment.

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::RawFd;
use std::rc::{Rc, Weak};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use spikewire_aerospike::{Error, Kind};

use crate::environment::Environment;
use crate::js::wake::Waker;
use crate::js::{Env, Result};
use crate::uv::Handles;
use crate::uv::handle::Called;

/// Something to wait for. It must keep its descriptor open as long as it lives.
pub trait Waited {
    /// The descriptor that becomes readable when there is something to do.
    fn descriptor(&self) -> RawFd;
    /// Called when there may be something to do.
    fn woken(&self, env: Env<'_>);
}

/// Watches a descriptor; set up on the first wait.
#[derive(Default)]
pub struct Waiter(RefCell<Option<Watch>>);

enum Watch {
    Uv(Rc<Handles<Watched>>),
    Thread(Lookout),
}

/// Receives the loop's callbacks. Kept until the loop has released the descriptor.
struct Watched {
    environment: Rc<Environment>,
    waited: Rc<dyn Waited>,
    handles: RefCell<Weak<Handles<Self>>>,
}

impl Waiter {
    /// Wakes `waited` when its descriptor is readable, or after `patience`.
    pub fn begin(
        &self,
        env: Env<'_>,
        environment: &Rc<Environment>,
        waited: &Rc<dyn Waited>,
        patience: Duration,
    ) -> Result<()> {
        let mut place = self.0.borrow_mut();
        let watch = match &mut *place {
            Some(watch) => watch,
            None => place.insert(Watch::start(env, environment, waited)?),
        };
        match watch {
            Watch::Uv(handles) => {
                handles.watch(true);
                handles.keep_alive(true);
                // Whole milliseconds, rounded up: an earlier alarm would find nothing due.
                handles.wake_after(patience.as_micros().div_ceil(1000) as u64);
            }
            Watch::Thread(lookout) => lookout.begin(env, patience),
        }
        Ok(())
    }

    /// Releases the descriptor. Nothing is woken any more.
    pub fn end(&self) {
        match self.0.take() {
            Some(Watch::Uv(handles)) => handles.close(),
            // Joins the thread, so that it ends before the descriptor is closed.
            Some(Watch::Thread(lookout)) => drop(lookout),
            None => {}
        }
    }
}

impl Watch {
    fn start(env: Env<'_>, environment: &Rc<Environment>, waited: &Rc<dyn Waited>) -> Result<Self> {
        let failed = |error: io::Error| {
            let message = format!("the event loop cannot watch the query: {error}");
            Error::new(Kind::Connection, message)
        };
        let Some(on) = &environment.uv else {
            return Lookout::start(env, environment, waited, failed).map(Self::Thread);
        };
        let watched = Rc::new(Watched {
            environment: environment.clone(),
            waited: waited.clone(),
            handles: RefCell::default(),
        });
        let handles =
            Handles::watch_on(on, waited.descriptor(), watched.clone()).map_err(failed)?;
        *watched.handles.borrow_mut() = Rc::downgrade(&handles);
        Ok(Self::Uv(handles))
    }
}

impl Called for Watched {
    fn readable(&self) {
        if let Some(handles) = self.handles.borrow().upgrade() {
            handles.watch(false);
            handles.keep_alive(false);
        }
        let Some(context) = self.environment.context() else { return };
        context.run_on_loop(|env| self.waited.woken(env));
    }

    fn timed_out(&self) {
        self.readable();
    }
}

/// A thread that watches a descriptor on request.
struct Lookout {
    /// Requests: the longest time to wait.
    orders: Option<Sender<Duration>>,
    thread: Option<JoinHandle<()>>,
    waker: Arc<Waker>,
    is_kept: Rc<Cell<bool>>,
}

impl Lookout {
    fn start(
        env: Env<'_>,
        environment: &Rc<Environment>,
        waited: &Rc<dyn Waited>,
        failed: impl Fn(io::Error) -> Error,
    ) -> Result<Self> {
        let is_kept = Rc::new(Cell::new(false));
        let place: Rc<RefCell<std::sync::Weak<Waker>>> = Rc::default();
        let woken = {
            let (environment, waited) = (Rc::downgrade(environment), Rc::downgrade(waited));
            let (is_kept, place) = (is_kept.clone(), place.clone());
            move |env: Env<'_>| {
                let Some(environment) = environment.upgrade() else { return };
                if environment.is_ending() {
                    return;
                }
                let waker = place.borrow().upgrade();
                if let Some(waker) = waker
                    && is_kept.replace(false)
                {
                    waker.keep_alive(env, false);
                }
                if let Some(waited) = waited.upgrade() {
                    waited.woken(env);
                }
            }
        };
        let waker = Arc::new(Waker::new(env, "spikewire.query", woken)?);
        *place.borrow_mut() = Arc::downgrade(&waker);
        let (orders, taken) = mpsc::channel();
        let poll = Poll::new().map_err(&failed)?;
        let (descriptor, wake) = (waited.descriptor(), waker.clone());
        let thread = std::thread::Builder::new().name("spikewire-query".to_owned());
        let thread = thread.spawn(move || watch(poll, descriptor, &taken, &wake));
        let thread = Some(thread.map_err(failed)?);
        Ok(Self { orders: Some(orders), thread, waker, is_kept })
    }

    fn begin(&self, env: Env<'_>, patience: Duration) {
        if !self.is_kept.replace(true) {
            self.waker.keep_alive(env, true);
        }
        if let Some(orders) = &self.orders {
            let _ = orders.send(patience);
        }
    }
}

impl Drop for Lookout {
    /// Waits for the thread, which the end of the query wakes.
    fn drop(&mut self) {
        drop(self.orders.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Watches a descriptor until the channel of requests is closed.
fn watch(mut poll: Poll, descriptor: RawFd, orders: &Receiver<Duration>, waker: &Waker) {
    let mut events = Events::with_capacity(1);
    while let Ok(patience) = orders.recv() {
        // Registered each time, so that a descriptor that is already readable is reported.
        let mut source = SourceFd(&descriptor);
        if poll.registry().register(&mut source, Token(0), Interest::READABLE).is_ok() {
            let _ = poll.poll(&mut events, Some(patience));
            let _ = poll.registry().deregister(&mut source);
        }
        waker.wake();
    }
}
