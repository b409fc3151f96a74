//! Batches for blocking callers: the calling threads do all the work.
//!
//! | file | how a round is sent |
//! |---|---|
//! | [`crowd`] | small parts: over connections that all callers share, one of whom reads for all |
//! | [`alone`] | large parts, or records that are taken as they come: over connections of its own |
//! | `caller` | how a caller of a crowd hears of its parts |

mod alone;
mod caller;
mod crowd;

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use self::alone::Alone;
use self::crowd::Crowd;
use super::{LARGE, MANY};
use crate::clock::Tick;
use crate::cluster::{Cluster, Janitor};
use crate::command::batch::{Batch, Part};
use crate::command::{Command, Router};
use crate::error::{Error, Kind, Result};

/// How often a caller that can be interrupted looks whether it was.
const GLANCE: Duration = Duration::from_millis(50);

/// Says whether the caller wants to give up.
type Interrupted<'a> = Option<&'a dyn Fn() -> bool>;

/// What sends the batches of blocking callers.
#[derive(Debug)]
pub struct Batches {
    cluster: Arc<Cluster>,
    router: Router,
    alone: Alone,
    crowd: Crowd,
}

impl Batches {
    /// Without connections; they are opened when batches need them.
    pub fn new(cluster: Arc<Cluster>) -> Arc<Self> {
        let router = Router::new(cluster.options().racks.clone());
        let (alone, crowd) = (Alone::new(cluster.clone()), Crowd::new(cluster.clone()));
        let batches = Arc::new(Self { cluster, router, alone, crowd });
        let weak = Arc::downgrade(&batches);
        batches.cluster.add_janitor(weak);
        batches
    }

    /// Runs a batch to its end. Rows fail each on their own; this fails as a whole only when the
    /// caller was interrupted or no descriptor is left.
    pub fn run(&self, batch: &mut Batch, interrupted: Interrupted<'_>) -> Result<()> {
        let mut at = Tick::now();
        loop {
            let commands = {
                let snapshot = self.cluster.snapshot();
                batch.round(&self.router, &snapshot, at, at, |part| part)
            };
            if batch.has_sink() || commands.iter().any(is_large) {
                self.alone.round(commands, batch, at, interrupted)?;
            } else if !commands.is_empty() {
                self.crowd.round(commands, batch, interrupted)?;
            }
            let now = Tick::now();
            let Some(next) = batch.again(now, self.cluster.is_closed()) else { return Ok(()) };
            pause(next, interrupted)?;
            at = Tick::now();
        }
    }

    /// Ends the connections; callers of a crowd get an error at once.
    pub fn close(&self) {
        self.alone.close();
        self.crowd.close();
    }
}

impl Janitor for Batches {
    fn sweep(&self, now: Tick) {
        self.alone.sweep(now);
        self.crowd.sweep(now);
    }
}

fn is_large(command: &Command<Part>) -> bool {
    command.rows > MANY || command.bytes.len() > LARGE
}

/// Sleeps until then, or until the caller is interrupted.
fn pause(until: Tick, interrupted: Interrupted<'_>) -> Result<()> {
    loop {
        let left = until.since(Tick::now());
        if left.is_zero() {
            return Ok(());
        }
        thread::sleep(if interrupted.is_some() { left.min(GLANCE) } else { left });
        if interrupted.is_some_and(|interrupted| interrupted()) {
            return Err(interruption());
        }
    }
}

fn interruption() -> Error {
    Error::new(Kind::Interrupted, "a signal interrupted the batch")
}

fn no_descriptor(error: &std::io::Error) -> Error {
    Error::new(Kind::Connection, format!("the system gives no poller for a batch: {error}"))
}
