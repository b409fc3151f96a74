//! Connections that were opened before a command needed them, until one does.

use std::any::Any;
use std::fmt;
use std::time::Duration;

use spikewire_sync::Mutex;

use crate::clock::Tick;
use crate::metrics::Gauges;

/// The connections to one node that were opened ahead. Whichever multiplexer needs one first gets it.
#[derive(Default)]
pub struct ReadyConnections(Mutex<Vec<ReadyConnection>>);

struct ReadyConnection {
    since: Tick,
    /// Nodes do not know the type of their connections.
    connection: Box<dyn Any + Send>,
}

impl ReadyConnections {
    pub(crate) fn keep(&self, connection: impl Any + Send, now: Tick) {
        self.0.lock().push(ReadyConnection { since: now, connection: Box::new(connection) });
    }

    /// One that was not idle for too long and is usable. Its node still counts it as open.
    pub(crate) fn take<C: Any>(
        &self,
        gauges: Option<&Gauges>,
        idle: Duration,
        now: Tick,
        is_usable: impl Fn(&mut C) -> bool,
    ) -> Option<C> {
        loop {
            let ReadyConnection { since, connection } = self.0.lock().pop()?;
            let mut connection = connection.downcast::<C>().ok()?;
            if now < since.after(idle) && is_usable(&mut connection) {
                return Some(*connection);
            }
            gauges.inspect(|gauges| gauges.closes());
        }
    }

    /// Closes those that nobody needed for so long.
    pub fn sweep(&self, gauges: &Gauges, idle: Duration, now: Tick) {
        self.0.lock().retain(|ready| {
            let stays = now < ready.since.after(idle);
            if !stays {
                gauges.closes();
            }
            stays
        });
    }

    /// Closes all, unless another thread uses this: it may have been lost in a fork.
    pub fn close(&self, gauges: &Gauges) {
        if let Some(mut all) = self.0.try_lock() {
            all.drain(..).for_each(|_| gauges.closes());
        }
    }
}

impl fmt::Debug for ReadyConnections {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadyConnections").finish_non_exhaustive()
    }
}
