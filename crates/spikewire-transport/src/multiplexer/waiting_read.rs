//! Waiting in a read instead of with the poller, which saves a system call per reply. It is for a
//! calling thread whose commands all wait for one connection.
//!
//! The poller tells of a connection when something comes, and not again before more comes. That
//! stays true in between: a read here goes on until the socket is drained, as one that the poller
//! asked for does.

use std::io;
use std::time::Duration;

use super::Multiplexer;
use crate::clock::Tick;
use crate::command::ResponseHandler;
use crate::protocol::Protocol;
use crate::reply::Outcome;

/// What is due sooner than this is waited for with the poller, which is punctual: a read may be
/// late by a tick or two of the system's timer.
const SOONEST: Duration = Duration::from_millis(10);

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// The connection that everything in flight waits for, and how long a read from it may take:
    /// until `deadline`, when all commands are over, and `longest` at most. `None` when there is
    /// more to wait for: several connections, room to write, a connection that is being opened, a
    /// retry; and when something is due soon.
    pub(crate) fn awaited(
        &self,
        now: Tick,
        deadline: Tick,
        longest: Duration,
    ) -> Option<(usize, Duration)> {
        let connection = self.connections.get(self.written_last)?.as_ref()?;
        let all_here = connection.pipeline.awaited() == self.in_flight;
        if !all_here || connection.wants_to_write() {
            return None;
        }
        let limit = deadline.min(connection.silence_ends()).since(now).min(longest);
        (limit >= SOONEST).then_some((self.written_last, limit))
    }

    /// Waits up to about `limit` for this connection, and reads. Returns the time at which the
    /// waiting ended; a signal ends it with an error of kind `Interrupted`.
    pub(crate) fn wait_in_read(
        &mut self,
        index: usize,
        limit: Duration,
        deliver: &mut impl FnMut(T, Outcome<'_, P>),
    ) -> (io::Result<()>, Tick) {
        let Some(connection) = &mut self.connections[index] else { return (Ok(()), Tick::now()) };
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
