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
use crate::uv::handle::HandleCallbacks;

/// Something to wait for. It must keep its descriptor open as long as it lives.
pub trait Wakeable {
    /// The descriptor that becomes readable when there is something to do.
    fn descriptor(&self) -> RawFd;
    /// Called when there may be something to do.
    fn woken(&self, env: Env<'_>);
}

/// Watches a descriptor; set up on the first wait.
#[derive(Default)]
pub struct Waiter(RefCell<Option<Watch>>);

enum Watch {
    Uv(Rc<Handles<WatchOwner>>),
    Thread(WatcherThread),
}

/// Receives the loop's callbacks. Kept until the loop has released the descriptor.
struct WatchOwner {
    environment: Rc<Environment>,
    target: Rc<dyn Wakeable>,
    handles: RefCell<Weak<Handles<Self>>>,
}

impl Waiter {
    /// Wakes `target` when its descriptor is readable, or after `patience`.
    pub fn begin(
        &self,
        env: Env<'_>,
        environment: &Rc<Environment>,
        target: &Rc<dyn Wakeable>,
        patience: Duration,
    ) -> Result<()> {
        let mut place = self.0.borrow_mut();
        let watch = match &mut *place {
            Some(watch) => watch,
            None => place.insert(Watch::start(env, environment, target)?),
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
    fn start(
        env: Env<'_>,
        environment: &Rc<Environment>,
        target: &Rc<dyn Wakeable>,
    ) -> Result<Self> {
        let failed = |error: io::Error| {
            let message = format!("the event loop cannot watch the query: {error}");
            Error::new(Kind::Connection, message)
        };
        let Some(on) = &environment.uv else {
            return WatcherThread::start(env, environment, target, failed).map(Self::Thread);
        };
        let owner = Rc::new(WatchOwner {
            environment: environment.clone(),
            target: target.clone(),
            handles: RefCell::default(),
        });
        let handles = Handles::watch_on(on, target.descriptor(), owner.clone()).map_err(failed)?;
        *owner.handles.borrow_mut() = Rc::downgrade(&handles);
        Ok(Self::Uv(handles))
    }
}

impl HandleCallbacks for WatchOwner {
    fn readable(&self) {
        if let Some(handles) = self.handles.borrow().upgrade() {
            handles.watch(false);
            handles.keep_alive(false);
        }
        let Some(context) = self.environment.context() else { return };
        context.run_on_loop(|env| self.target.woken(env));
    }

    fn timed_out(&self) {
        self.readable();
    }
}

/// A thread that watches a descriptor on request.
struct WatcherThread {
    /// Requests: the longest time to wait.
    requests: Option<Sender<Duration>>,
    thread: Option<JoinHandle<()>>,
    waker: Arc<Waker>,
    keeps_alive: Rc<Cell<bool>>,
}

impl WatcherThread {
    fn start(
        env: Env<'_>,
        environment: &Rc<Environment>,
        target: &Rc<dyn Wakeable>,
        failed: impl Fn(io::Error) -> Error,
    ) -> Result<Self> {
        let keeps_alive = Rc::new(Cell::new(false));
        let place: Rc<RefCell<std::sync::Weak<Waker>>> = Rc::default();
        let woken = {
            let (environment, target) = (Rc::downgrade(environment), Rc::downgrade(target));
            let (keeps_alive, place) = (keeps_alive.clone(), place.clone());
            move |env: Env<'_>| {
                let Some(environment) = environment.upgrade() else { return };
                if environment.is_ending() {
                    return;
                }
                let waker = place.borrow().upgrade();
                if let Some(waker) = waker
                    && keeps_alive.replace(false)
                {
                    waker.keep_alive(env, false);
                }
                if let Some(target) = target.upgrade() {
                    target.woken(env);
                }
            }
        };
        let waker = Arc::new(Waker::new(env, "spikewire.query", woken)?);
        *place.borrow_mut() = Arc::downgrade(&waker);
        let (sender, requests) = mpsc::channel();
        let poll = Poll::new().map_err(&failed)?;
        let (descriptor, wake) = (target.descriptor(), waker.clone());
        let thread = std::thread::Builder::new().name("spikewire-query".to_owned());
        let thread = thread.spawn(move || watch(poll, descriptor, &requests, &wake));
        let thread = Some(thread.map_err(failed)?);
        Ok(Self { requests: Some(sender), thread, waker, keeps_alive })
    }

    fn begin(&self, env: Env<'_>, patience: Duration) {
        if !self.keeps_alive.replace(true) {
            self.waker.keep_alive(env, true);
        }
        if let Some(requests) = &self.requests {
            let _ = requests.send(patience);
        }
    }
}

impl Drop for WatcherThread {
    /// Waits for the thread, which the end of the query wakes.
    fn drop(&mut self) {
        drop(self.requests.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Watches a descriptor until the channel of requests is closed.
fn watch(mut poll: Poll, descriptor: RawFd, requests: &Receiver<Duration>, waker: &Waker) {
    let mut events = Events::with_capacity(1);
    while let Ok(patience) = requests.recv() {
        // Registered each time, so that a descriptor that is already readable is reported.
        let mut source = SourceFd(&descriptor);
        if poll.registry().register(&mut source, Token(0), Interest::READABLE).is_ok() {
            let _ = poll.poll(&mut events, Some(patience));
            let _ = poll.registry().deregister(&mut source);
        }
        waker.wake();
    }
}
