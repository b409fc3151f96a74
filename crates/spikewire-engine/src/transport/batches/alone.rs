//! A multiplexer for each caller.

use std::sync::Arc;

use spikewire_sync::Mutex;

use super::{GLANCE, Interrupted, interruption, no_descriptor};
use crate::clock::Tick;
use crate::cluster::Cluster;
use crate::command::Command;
use crate::command::batch::{Batch, Part};
use crate::error::Result;
use crate::transport::{Multiplexer, Outcome};

/// Multiplexers kept for the next batches; more callers at once make their own.
const KEEP: usize = 64;

/// The multiplexers that batches use, one caller at a time.
#[derive(Debug)]
pub(super) struct Alone {
    cluster: Arc<Cluster>,
    idle: Mutex<Vec<Multiplexer<Part>>>,
}

impl Alone {
    pub fn new(cluster: Arc<Cluster>) -> Self {
        Self { cluster, idle: Mutex::default() }
    }

    /// Sends a round and takes what comes of it. A caller that gives up takes its connections
    /// along.
    pub fn round(
        &self,
        commands: Vec<Command<Part>>,
        batch: &mut Batch,
        mut now: Tick,
        interrupted: Interrupted<'_>,
    ) -> Result<()> {
        let spare = self.idle.lock().pop();
        let mut multiplexer = match spare {
            Some(multiplexer) => multiplexer,
            None => {
                Multiplexer::new(self.cluster.clone()).map_err(|error| no_descriptor(&error))?
            }
        };
        for command in commands {
            multiplexer.submit(command, now);
        }
        let mut finish = |part, outcome: Outcome<'_>| batch.finish(part, outcome);
        multiplexer.flush(now, &mut finish);
        let mut looked = now;
        while multiplexer.in_flight() > 0 {
            if multiplexer.alarm() <= now {
                multiplexer.expire(now, &mut finish);
                continue;
            }
            let wait = multiplexer.alarm().since(now).min(GLANCE);
            multiplexer.turn(Some(wait), &mut finish).map_err(|error| no_descriptor(&error))?;
            now = Tick::now();
            if let Some(interrupted) = interrupted
                && looked.after(GLANCE) <= now
            {
                looked = now;
                if interrupted() {
                    return Err(interruption());
                }
            }
        }
        let mut idle = self.idle.lock();
        if idle.len() < KEEP && !self.cluster.is_closed() {
            idle.push(multiplexer);
        }
        Ok(())
    }

    pub fn sweep(&self, now: Tick) {
        for multiplexer in self.idle.lock().iter_mut() {
            if multiplexer.alarm() <= now {
                multiplexer.expire(now, &mut |_, _| {});
            }
        }
    }

    /// Closes the connections that no batch uses.
    pub fn close(&self) {
        self.idle.lock().clear();
    }
}
