//! Encrypted bytes on their way to the socket, and how many of the caller's bytes they complete.

use std::collections::VecDeque;
use std::io;

use rustix::io::Errno;

/// Output of a TLS session.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    /// `bytes[sent..]` has not been sent.
    bytes: Vec<u8>,
    sent: usize,
    /// Records of the caller's bytes that are not completely sent: where they end in `bytes`, and
    /// how many of the caller's bytes they hold.
    records: VecDeque<(usize, usize)>,
    /// How many of the caller's bytes they hold in total.
    committed: usize,
    /// Why nothing more can be sent, until the caller has been told.
    failure: Option<Errno>,
}

impl Outgoing {
    /// Where the session writes its output.
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    /// Notes that the output ends with a record of this many of the caller's bytes.
    pub fn commit(&mut self, size: usize) {
        self.records.push_back((self.bytes.len(), size));
        self.committed += size;
    }

    /// The caller's bytes in records that are not completely sent.
    pub fn committed(&self) -> usize {
        self.committed
    }

    /// Whether something is left to send.
    pub fn is_pending(&self) -> bool {
        self.sent < self.bytes.len()
    }

    /// Sends as far as the socket accepts; returns whether everything was sent. What was accepted
    /// before an error stays counted.
    pub fn send(
        &mut self,
        mut send: impl FnMut(&[u8]) -> Result<usize, Errno>,
    ) -> io::Result<bool> {
        if let Some(failure) = self.failure.take() {
            return Err(failure.into());
        }
        while self.is_pending() {
            match send(&self.bytes[self.sent..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(size) => self.sent += size,
                Err(Errno::WOULDBLOCK) => return Ok(false),
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(true)
    }

    /// Like [`Outgoing::send`], but returns how many of the caller's bytes are in records that were
    /// completed; `WouldBlock` if there are none. If the socket fails after it accepted some, those
    /// are returned: their requests may be executed. The next call returns the error.
    pub fn send_records(
        &mut self,
        send: impl FnMut(&[u8]) -> Result<usize, Errno>,
    ) -> io::Result<usize> {
        let outcome = self.send(send);
        let mut written = 0;
        while let Some(&(end, size)) = self.records.front()
            && end <= self.sent
        {
            self.records.pop_front();
            written += size;
        }
        self.committed -= written;
        if let Ok(true) = outcome {
            self.clear();
        }
        match outcome {
            Err(error) if written == 0 => Err(error),
            Err(error) => {
                self.failure = Some(Errno::from_io_error(&error).unwrap_or(Errno::PIPE));
                Ok(written)
            }
            Ok(_) if written == 0 => Err(io::ErrorKind::WouldBlock.into()),
            Ok(_) => Ok(written),
        }
    }

    /// Forgets what was sent, once everything was.
    pub fn clear(&mut self) {
        debug_assert!(!self.is_pending(), "something is left");
        self.bytes.clear();
        self.sent = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three records: 10 bytes hold 4 of the caller's, the next 10 hold 5, the last 10 hold 6.
    fn three_records() -> Outgoing {
        let mut outgoing = Outgoing::default();
        for size in [4, 5, 6] {
            outgoing.buffer().extend_from_slice(&[0; 10]);
            outgoing.commit(size);
        }
        outgoing
    }

    /// A socket that answers each call from a list.
    fn socket(
        answers: impl IntoIterator<Item = Result<usize, Errno>>,
    ) -> impl FnMut(&[u8]) -> Result<usize, Errno> {
        let mut answers = answers.into_iter();
        move |bytes| {
            let answer = answers.next().expect("one call more than expected");
            assert!(answer.is_err() || answer.is_ok_and(|size| size <= bytes.len()));
            answer
        }
    }

    /// Stands for every loop over a socket: what it achieved is reported before its error.
    #[test]
    fn records_sent_before_an_error_count_as_sent() {
        let mut outgoing = three_records();
        let sent = outgoing.send_records(socket([Ok(3), Ok(20), Err(Errno::CONNRESET)]));
        assert_eq!((sent.unwrap(), outgoing.committed()), (9, 6));
        let error = outgoing.send_records(socket([])).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    }

    #[test]
    fn an_error_before_the_first_complete_record_is_returned_at_once() {
        let mut outgoing = three_records();
        let error = outgoing.send_records(socket([Ok(9), Err(Errno::PIPE)])).unwrap_err();
        assert_eq!((error.kind(), outgoing.committed()), (io::ErrorKind::BrokenPipe, 15));
    }

    #[test]
    fn a_full_socket_is_no_error() {
        let mut outgoing = three_records();
        assert_eq!(outgoing.send_records(socket([Ok(12), Err(Errno::WOULDBLOCK)])).unwrap(), 4);
        let blocked = outgoing.send_records(socket([Err(Errno::INTR), Err(Errno::WOULDBLOCK)]));
        assert_eq!(blocked.unwrap_err().kind(), io::ErrorKind::WouldBlock);
        assert_eq!(outgoing.send_records(socket([Ok(18)])).unwrap(), 11);
        assert!(!outgoing.is_pending() && outgoing.committed() == 0);
    }
}
