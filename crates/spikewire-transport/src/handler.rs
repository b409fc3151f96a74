//! What the transport needs from a ticket before it is completed.

use crate::buffer;
use crate::clock::Tick;

/// What the transport calls on a ticket before it is completed.
pub trait ResponseHandler {
    /// The command is about to be sent, perhaps again. `false` withdraws it: its outcome is then an
    /// error that nothing looks at.
    fn starts(&mut self) -> bool {
        true
    }

    /// Whether it was withdrawn after it was queued; checked whenever deadlines are.
    fn is_withdrawn(&self) -> bool {
        false
    }

    /// Whether it was withdrawn because another copy was answered
    /// ([`ticket_for_copy`](Self::ticket_for_copy)).
    fn is_superseded(&self) -> bool {
        false
    }

    /// Whether a request that has not been sent yet is still wanted: a copy of the command, or a
    /// command that waited in a queue.
    fn is_needed(&self) -> bool {
        true
    }

    /// The ticket for another copy of its command. The ticket of a copy that has not started is
    /// dropped when it turns out to be withdrawn, or when the driver is closed; the other tickets
    /// then determine the outcome.
    fn ticket_for_copy(&mut self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// Returns the request, which was not executed; the next outcome is the reply that says so. It
    /// can be sent again, either as a further attempt or as the same one
    /// ([`Attempts::without_latest`](crate::Attempts::without_latest)).
    fn returned(&mut self, request: Vec<u8>) {
        buffer::give(request);
    }

    /// Its reply is about to be delivered, at this time. Called only while stages are timed.
    fn answered_at(&mut self, at: Tick) {
        let _ = at;
    }

    /// Takes the messages of one frame that is not the last; they are complete and contiguous.
    fn collect(&mut self, messages: &[u8]) {
        let _ = messages;
    }
}
