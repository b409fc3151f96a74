//! Waiting in reads instead of with the poller, which saves a system call per reply. It is for a
//! calling thread that has nothing else to do until all of its commands are over: it takes one
//! connection after the other, and as nodes work at the same time, most replies are there already
//! when their turn comes.
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

/// A connection whose reply is waited for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Awaited {
    index: usize,
    /// How long a read may take.
    limit: Duration,
    /// Whether nothing is in flight elsewhere.
    pub is_only: bool,
}

impl<P: Protocol, T: ResponseHandler> Multiplexer<P, T> {
    /// A connection to wait for: until `deadline`, when all commands are over, and `longest` at
    /// most. `None` when there is more to wait for than replies: room to write, a connection that
    /// is being opened, a retry; and when something is due soon.
    pub(crate) fn awaited(&self, now: Tick, deadline: Tick, longest: Duration) -> Option<Awaited> {
        let (mut first, mut others, mut due) = (None, 0, deadline);
        // A copy that is to begin; what else is delayed is in flight, and waited for otherwise.
        if let Some(next) = self.delayed.peek() {
            due = due.min(next.at);
        }
        for (index, connection) in self.connections.iter().enumerate() {
            let Some(connection) = connection else { continue };
            if P::LANES && connection.dial.is_some() {
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
        // Of a command and its copy nothing is known but that one of them is slow.
        if self.copied && others > 0 {
            return None;
        }
        let limit = due.since(now).min(longest);
        let is_all = here + others == self.in_flight;
        (is_all && limit >= SOONEST).then_some(Awaited { index, limit, is_only: others == 0 })
    }

    /// Waits for a connection up to about its limit, and reads. Returns the time at which the
    /// waiting ended; a signal ends it with an error of kind `Interrupted`.
    pub(crate) fn wait_in_read(
        &mut self,
        awaited: Awaited,
        deliver: &mut impl FnMut(T, Outcome<'_, P>),
    ) -> (io::Result<()>, Tick) {
        let Awaited { index, limit, .. } = awaited;
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
