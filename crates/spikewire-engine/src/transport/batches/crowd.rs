//! Batches of several threads over shared connections.
//!
//! Whoever finds nobody leading leads: it waits for news of all connections, takes everybody's
//! replies, wakes their owners when they have all of them, and hands the lead on when its own batch
//! is through. The others put their requests on the way themselves, unless the leader is awake and
//! about to, and sleep until their last reply is in. So a batch costs its thread one sleep, and
//! requests that come while a connection waits for replies share the next write.

use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use spikewire_sync::{Mutex, MutexGuard};

use super::caller::{Caller, Ticket};
use super::{GLANCE, Interrupted, interruption, no_descriptor};
use crate::clock::Tick;
use crate::cluster::Cluster;
use crate::command::Command;
use crate::command::batch::{Batch, Part};
use crate::error::Result;
use crate::transport::{Multiplexer, Outcome, Poller};

/// A caller that is overdue and not told looks again after this time.
const NUDGE: Duration = Duration::from_millis(1);

/// Takes what comes of a part.
type Deliver<'a> = &'a mut dyn FnMut(Ticket, Outcome<'_>);

/// The connections that batches of all callers share.
#[derive(Debug)]
pub(super) struct Crowd {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    cluster: Arc<Cluster>,
    /// `None` until there is a caller. Nobody waits for the network with it.
    multiplexer: Mutex<Option<Multiplexer<Ticket>>>,
    /// The leader's as long as it leads.
    poller: Mutex<Option<Poller>>,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    led: bool,
    /// Requests that nobody has submitted yet.
    commands: Vec<Command<Ticket>>,
    /// Everybody who is here, latest last.
    callers: Vec<Arc<Caller>>,
}

impl Crowd {
    pub fn new(cluster: Arc<Cluster>) -> Self {
        let (multiplexer, poller, queue) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { shared: Arc::new(Shared { cluster, multiplexer, poller, queue }) }
    }

    /// Sends a round of parts, at least one, and takes what comes of them.
    pub fn round(
        &self,
        commands: Vec<Command<Part>>,
        batch: &mut Batch,
        interrupted: Interrupted<'_>,
    ) -> Result<()> {
        let shared = &*self.shared;
        let caller = Caller::new(commands.len());
        let ticket = |part| Ticket { part, caller: caller.clone() };
        let leads = {
            let mut queue = shared.queue.lock();
            queue.commands.extend(commands.into_iter().map(|command| command.map(ticket)));
            queue.callers.push(caller.clone());
            !std::mem::replace(&mut queue.led, true)
        };
        if !leads {
            shared.submit();
        }
        let outcome = shared.attend(&caller, leads, batch.deadline(), interrupted);
        if outcome.is_err() {
            caller.leave();
            shared.expire();
        }
        shared.step_back(&caller);
        outcome?;
        caller.take().into_iter().for_each(|part| batch.settle(part));
        Ok(())
    }

    pub fn sweep(&self, now: Tick) {
        if let Some(slot) = self.shared.multiplexer.try_lock() {
            work(slot, |multiplexer, mut deliver| {
                if multiplexer.alarm() <= now {
                    multiplexer.expire(now, &mut deliver);
                }
            });
        }
        self.shared.submit();
    }

    /// Ends the connections; whoever waits gets an error.
    pub fn close(&self) {
        work(self.shared.multiplexer.lock(), |multiplexer, mut deliver| {
            multiplexer.close(&mut deliver);
        });
        self.shared.submit();
    }
}

impl Drop for Crowd {
    /// In the child of a fork a thread of the parent may have been at work in here: what it held
    /// is then left as it was.
    fn drop(&mut self) {
        let Shared { multiplexer, poller, queue, .. } = &*self.shared;
        let held = multiplexer.try_lock().is_none()
            || poller.try_lock().is_none()
            || queue.try_lock().is_none();
        if held {
            std::mem::forget(self.shared.clone());
        }
    }
}

impl Shared {
    /// Sees a caller through, in whatever role.
    fn attend(
        &self,
        caller: &Arc<Caller>,
        leads: bool,
        deadline: Tick,
        interrupted: Interrupted<'_>,
    ) -> Result<()> {
        if leads {
            caller.appoint();
        }
        while !caller.is_done() {
            let looks = if caller.is_appointed() {
                self.lead(caller, interrupted.is_some())?
            } else {
                self.follow(caller, deadline, interrupted.is_some())
            };
            if looks && let Some(interrupted) = interrupted {
                // A signal's handler may take its time, or make a call of its own.
                self.step_back(caller);
                if interrupted() {
                    return Err(interruption());
                }
                let mut queue = self.queue.lock();
                queue.callers.push(caller.clone());
                if !std::mem::replace(&mut queue.led, true) {
                    caller.appoint();
                }
            }
        }
        Ok(())
    }

    /// Waits for everybody's replies until the leader's own are in, or until it is time to look
    /// for signals; says whether that is so.
    fn lead(&self, caller: &Arc<Caller>, minds_signals: bool) -> Result<bool> {
        let mut poller = self.poller.lock();
        let begun = Tick::now();
        loop {
            let (now, wait) = self.turn(&mut poller)?;
            self.submit();
            if caller.is_done() {
                return Ok(false);
            }
            if minds_signals && begun.after(GLANCE) <= now {
                return Ok(true);
            }
            let Some(poller) = &mut *poller else { continue };
            match poller.wait(Some(wait.min(GLANCE))) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                    return Err(no_descriptor(&error));
                }
                Err(_) if minds_signals => return Ok(true),
                _ => {}
            }
        }
    }

    /// Takes what came, sends what is queued, and says when it wants to be called again at the
    /// latest.
    fn turn(&self, poller: &mut Option<Poller>) -> Result<(Tick, Duration)> {
        let mut slot = self.multiplexer.lock();
        if slot.is_none() {
            let new = Multiplexer::new(self.cluster.clone());
            *slot = Some(new.map_err(|error| no_descriptor(&error))?);
        }
        let turned = work(slot, |multiplexer, mut deliver| {
            match poller {
                Some(poller) => multiplexer.handle(poller, &mut deliver),
                none => *none = multiplexer.share(),
            }
            let now = Tick::now();
            if multiplexer.alarm() <= now {
                multiplexer.expire(now, &mut deliver);
            }
            self.take_in(multiplexer, now, deliver);
            (now, multiplexer.alarm().since(now))
        });
        Ok(turned.unwrap_or_default())
    }

    /// Sends what is queued, unless somebody else is at it, who will look again.
    fn submit(&self) {
        while !self.queue.lock().commands.is_empty() {
            let Some(slot) = self.multiplexer.try_lock() else { return };
            if slot.is_none() {
                // The first leader is about to make it.
                return;
            }
            work(slot, |multiplexer, deliver| self.take_in(multiplexer, Tick::now(), deliver));
        }
    }

    fn take_in(&self, multiplexer: &mut Multiplexer<Ticket>, now: Tick, mut deliver: Deliver<'_>) {
        let (commands, callers) = {
            let mut queue = self.queue.lock();
            (std::mem::take(&mut queue.commands), queue.callers.len())
        };
        if !commands.is_empty() {
            multiplexer.shared_by(callers);
            for command in commands {
                multiplexer.submit(command, now);
            }
            multiplexer.flush(now, &mut deliver);
        }
    }

    /// Waits for the leader to have seen to every part, for the lead, or until it is time to look
    /// for signals; says whether that is so.
    fn follow(&self, caller: &Caller, deadline: Tick, minds_signals: bool) -> bool {
        loop {
            if caller.is_done() || caller.is_appointed() {
                return false;
            }
            let now = Tick::now();
            let span = if deadline <= now {
                self.expire();
                NUDGE
            } else {
                deadline.since(now)
            };
            match if minds_signals { span.min(GLANCE) } else { span } {
                Duration::MAX => thread::park(),
                span => thread::park_timeout(span),
            }
            // Signals do not end the wait.
            if minds_signals && now.after(GLANCE) <= Tick::now() {
                return true;
            }
        }
    }

    /// Ends what is overdue or withdrawn.
    fn expire(&self) {
        work(self.multiplexer.lock(), |multiplexer, mut deliver| {
            let now = Tick::now();
            self.take_in(multiplexer, now, deliver);
            multiplexer.expire(now, &mut deliver);
        });
        self.submit();
    }

    /// Takes a caller off the list. If it leads, the latest of those who wait leads next, for that
    /// one will keep the lead for the longest.
    fn step_back(&self, caller: &Arc<Caller>) {
        let mut queue = self.queue.lock();
        queue.callers.retain(|other| !Arc::ptr_eq(other, caller));
        if caller.step_down() {
            let next = queue.callers.iter().rev().find(|other| !other.is_done()).cloned();
            queue.led = next.is_some();
            if let Some(next) = next {
                next.appoint();
                drop(queue);
                next.wake();
            }
        }
    }
}

/// Does something with the multiplexer, lets go of it, and wakes whose parts are all done.
fn work<R>(
    mut slot: MutexGuard<'_, Option<Multiplexer<Ticket>>>,
    work: impl FnOnce(&mut Multiplexer<Ticket>, Deliver<'_>) -> R,
) -> Option<R> {
    let mut done = Vec::new();
    let mut deliver = |ticket: Ticket, outcome: Outcome<'_>| done.extend(ticket.complete(outcome));
    let result = slot.as_mut().map(|multiplexer| work(multiplexer, &mut deliver));
    drop(slot);
    done.iter().for_each(|caller: &Arc<Caller>| caller.wake());
    result
}
