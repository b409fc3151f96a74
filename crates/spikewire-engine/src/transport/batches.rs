//! Batches for blocking callers: the calling thread turns a multiplexer of its own until every
//! part is answered.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use spikewire_sync::Mutex;

use super::Multiplexer;
use crate::clock::Tick;
use crate::cluster::{Cluster, Janitor};
use crate::command::Router;
use crate::command::batch::{Batch, Part};
use crate::error::{Error, Kind, Result};

/// Multiplexers kept for the next batches; more callers at once make their own.
const KEEP: usize = 64;
/// How often a caller that can be interrupted looks whether it was.
const GLANCE: Duration = Duration::from_millis(50);

/// The multiplexers that batches of blocking callers use, one caller at a time.
#[derive(Debug)]
pub struct Batches {
    cluster: Arc<Cluster>,
    router: Router,
    idle: Mutex<Vec<Multiplexer<Part>>>,
}

impl Batches {
    /// None yet; they are made when batches need them.
    pub fn new(cluster: Arc<Cluster>) -> Arc<Self> {
        let router = Router::new(cluster.options().racks.clone());
        let batches = Arc::new(Self { cluster, router, idle: Mutex::default() });
        let weak = Arc::downgrade(&batches);
        batches.cluster.add_janitor(weak);
        batches
    }

    /// Runs a batch to its end. Rows fail each on their own; this fails as a whole only when the
    /// caller was interrupted or no descriptor is left.
    pub fn run(&self, batch: &mut Batch, interrupted: Option<&dyn Fn() -> bool>) -> Result<()> {
        let spare = self.idle.lock().pop();
        let mut multiplexer = match spare {
            Some(multiplexer) => multiplexer,
            None => Multiplexer::new(self.cluster.clone()).map_err(no_descriptor)?,
        };
        let mut at = Tick::now();
        loop {
            self.round(&mut multiplexer, batch, at, interrupted)?;
            let now = Tick::now();
            let Some(next) = batch.again(now, self.cluster.is_closed()) else { break };
            thread::sleep(next.since(now));
            at = Tick::now();
        }
        let mut idle = self.idle.lock();
        if idle.len() < KEEP && !self.cluster.is_closed() {
            idle.push(multiplexer);
        }
        Ok(())
    }

    fn round(
        &self,
        multiplexer: &mut Multiplexer<Part>,
        batch: &mut Batch,
        now: Tick,
        interrupted: Option<&dyn Fn() -> bool>,
    ) -> Result<()> {
        let commands = {
            let snapshot = self.cluster.snapshot();
            batch.round(&self.router, &snapshot, now, now, |part| part)
        };
        for command in commands {
            multiplexer.submit(command, now);
        }
        let mut finish = |part, outcome: super::Outcome<'_>| batch.finish(part, outcome);
        multiplexer.flush(now, &mut finish);
        while multiplexer.in_flight() > 0 {
            let now = Tick::now();
            if multiplexer.alarm() <= now {
                multiplexer.expire(now, &mut finish);
                continue;
            }
            let wait = multiplexer.alarm().since(now).min(GLANCE);
            multiplexer.turn(Some(wait), &mut finish).map_err(no_descriptor)?;
            if interrupted.is_some_and(|interrupted| interrupted()) {
                return Err(Error::new(Kind::Interrupted, "a signal interrupted the batch"));
            }
        }
        Ok(())
    }

    /// Closes the connections that no batch uses.
    pub fn close(&self) {
        self.idle.lock().clear();
    }
}

impl Janitor for Batches {
    fn sweep(&self, now: Tick) {
        for multiplexer in self.idle.lock().iter_mut() {
            if multiplexer.alarm() <= now {
                multiplexer.expire(now, &mut |_, _| {});
            }
        }
    }
}

fn no_descriptor(error: std::io::Error) -> Error {
    Error::new(Kind::Connection, format!("the system gives no poller for a batch: {error}"))
}
