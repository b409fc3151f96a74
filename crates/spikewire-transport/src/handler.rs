//! What a transport asks of a ticket before the end.

use crate::buffer;
use crate::clock::Tick;

/// What a transport completes, as far as it is asked before the end.
pub trait ResponseHandler {
    /// The command is about to be sent, perhaps again. `false` withdraws it: its outcome is then
    /// an error that nothing looks at.
    fn starts(&mut self) -> bool {
        true
    }

    /// Whether it was withdrawn after it had been queued; asked when deadlines are looked after.
    fn is_withdrawn(&self) -> bool {
        false
    }

    /// Whether what would be sent only now is still waited for: a copy of the command, or the
    /// command where it stood in line.
    fn is_wanted(&self) -> bool {
        true
    }

    /// The ticket of another copy of its command. One of a copy that has not begun is dropped when
    /// it is found withdrawn, or when the driver is closed: the others say how it ends.
    fn twin(&mut self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// Takes the request back, which was not executed: the next outcome is the reply that says so.
    /// It can be sent again, as one attempt more or as the same
    /// ([`Attempts::without_latest`](crate::Attempts::without_latest)).
    fn returned(&mut self, request: Vec<u8>) {
        buffer::give(request);
    }

    /// Its reply is about to be handed over, at this time. Told only while stages are timed.
    fn answered_at(&mut self, at: Tick) {
        let _ = at;
    }

    /// Takes the messages of one frame that is not the last; they are whole and back to back.
    fn collect(&mut self, messages: &[u8]) {
        let _ = messages;
    }
}
