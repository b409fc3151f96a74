//! Waiting in reads instead of in the poller, which saves a system call per reply. For a calling
//! thread that has nothing else to do until all of its commands have ended. It reads from one
//! connection after the other; as the nodes work in parallel, most replies have already arrived
//! when their turn comes.
//!
//! The poller is edge-triggered: it reports a connection when something arrives, and not again
//! before more arrives. This still holds in between, because a read here continues until the socket
//! is drained, just as a read after a poll does.

use std::io;
use std::time::Duration;

use super::Multiplexer;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::connection::Connection;
use crate::protocol::Protocol;
use crate::reply::Outcome;

/// If something is due sooner than this, the poller waits instead, because it is punctual: a read
/// may be late by a tick or two of the system's timer.
const SOONEST: Duration = Duration::from_millis(10);

/// A connection whose reply is awaited.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AwaitedConnection {
    index: usize,
    /// How long a read may wait.
    limit: Duration,
    /// Whether nothing is in flight elsewhere.
    pub is_only: bool,
}

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// A connection to wait for, until `deadline`, when all commands have ended, and for `longest`
    /// at most. `None` if more than replies is awaited (writability, a connection being opened, a
    /// retry) or if something is due soon.
    pub(crate) fn awaited(
        &self,
        now: Tick,
        deadline: Tick,
        longest: Duration,
    ) -> Option<AwaitedConnection> {
        let (mut first, mut others, mut due) = (None, 0, deadline);
        // A copy that is to start. Other delayed commands are in flight, and accounted for below.
        if let Some(next) = self.delayed.peek() {
            due = due.min(next.at);
        }
        for (index, connection) in self.connections.iter().enumerate() {
            let Some(connection) = connection else { continue };
            if P::SHARDS && connection.dial.is_some() {
                return None;
            }
            let here = connection.pipeline.awaited();
            if here == 0 {
                continue;
            }
            if connection.dial.is_some() || connection.wants_to_write() {
                return None;
            }
            match first {
                None => first = Some((index, here)),
                Some(_) => others += here,
            }
            due = due.min(connection.silence_ends());
        }
        let (index, here) = first?;
        // With a copy in flight, it is not known which of the two nodes is slow.
        if self.copied && others > 0 {
            return None;
        }
        let limit = due.since(now).min(longest);
        let is_all = here + others == self.in_flight;
        (is_all && limit >= SOONEST).then_some(AwaitedConnection {
            index,
            limit,
            is_only: others == 0,
        })
    }

    /// Waits for a connection in a read, up to about its limit. Returns the time at which the wait
    /// ended; a signal ends it with an error of kind `Interrupted`.
    pub(crate) fn wait_in_read(
        &mut self,
        awaited: AwaitedConnection,
        deliver: &mut impl FnMut(T, Outcome<'_, P>),
    ) -> (io::Result<()>, Tick) {
        let AwaitedConnection { index, limit, .. } = awaited;
        let Some(connection) = &mut self.connections[index] else {
            return (Ok(()), Tick::now());
        };
        let (filled, now) = connection.wait(limit);
        match filled {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return (Ok(()), now),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return (Err(error), now),
            filled => self.read(index, Some(filled), now, deliver),
        }
        self.flush(now, deliver);
        (Ok(()), now)
    }
}

impl<P: Protocol, T: ResponseHandler> Connection<P, T> {
    /// Waits for bytes in a read, up to about `limit`. Returns the result of the read and the
    /// time.
    fn wait(&mut self, limit: Duration) -> (io::Result<(usize, bool)>, Tick) {
        let mut came = None;
        let filled = self
            .wire
            .waiting(limit)
            .and_then(|mut wire| self.pipeline.fill(&mut wire, || *came.insert(Tick::now())));
        (filled, came.unwrap_or_else(Tick::now))
    }
}
