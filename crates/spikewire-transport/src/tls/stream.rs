//! An encrypted connection over a non-blocking socket.
//!
//! Reading continues until the caller's buffer is full or the socket is drained, so that no plain
//! bytes are left here while the poller has nothing to report. A write counts bytes as written when
//! the last byte of their record has been accepted by the system: a record sent in part cannot be
//! decrypted, so its contents are not executed.
//!
//! Some servers look for the next request only at the socket, and never find one whose bytes came
//! in the same record as the previous one. For these, each request has its own records, many of
//! which are sent with one system call ([`Encryption::with_units`]).

use std::fmt;
use std::io::{self, Read as _, Write as _};

use mio::net::TcpStream;
use rustix::net::{RecvFlags, recv, send};
use rustls::ClientConnection;

use super::config::Encryption;
use super::outgoing::Outgoing;
use super::{UnitLength, errors};
use crate::socket::NO_WAIT;

/// Plain bytes per record.
const RECORD: usize = 16 << 10;

/// Plain bytes encrypted at a time if units have their own records.
const BURST: usize = 64 << 10;

/// Bytes read from the socket at a time.
const ROOM: usize = 64 << 10;

pub(crate) struct Stream {
    session: ClientConnection,
    /// `sealed[start..end]` has arrived and was not passed to the session yet.
    sealed: Box<[u8]>,
    start: usize,
    end: usize,
    outgoing: Outgoing,
    unit: Option<UnitLength>,
    /// Bytes of the current unit that are not in a record yet.
    unit_left: usize,
    /// Whether the server sends nothing more.
    ended: bool,
    /// An error that follows bytes already passed on.
    error: Option<io::Error>,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("protocol", &self.session.protocol_version())
            .field("unread", &(self.end - self.start))
            .field("committed", &self.outgoing.committed())
            .field("ended", &self.ended)
            .finish_non_exhaustive()
    }
}

impl Stream {
    pub fn new(encryption: Encryption) -> io::Result<Self> {
        let Encryption { config, name, unit } = encryption;
        let session = ClientConnection::new(config, name);
        let session = session.map_err(|error| errors::from_session(&error))?;
        let sealed = vec![0; ROOM].into_boxed_slice();
        Ok(Self {
            session,
            sealed,
            start: 0,
            end: 0,
            outgoing: Outgoing::default(),
            unit,
            unit_left: 0,
            ended: false,
            error: None,
        })
    }

    /// Continues the handshake; returns whether it is finished and completely sent.
    pub fn handshake(&mut self, socket: &TcpStream) -> io::Result<bool> {
        loop {
            let sent = self.send(socket)?;
            if !self.session.is_handshaking() {
                return Ok(sent);
            }
            if self.start == self.end {
                match self.receive(socket, RecvFlags::DONTWAIT) {
                    Ok(0) => return Err(errors::hung_up()),
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                }
            }
            self.take_in(socket)?;
        }
    }

    /// Reads until the buffer is full or the socket is drained. `flags` apply to the first read of
    /// the socket; later ones do not wait. If the buffer is not full, the socket is drained.
    pub fn read(
        &mut self,
        socket: &TcpStream,
        out: &mut [u8],
        mut flags: RecvFlags,
    ) -> io::Result<usize> {
        let (mut filled, mut drained) = (0, false);
        loop {
            filled += self.take_plain(&mut out[filled..]);
            if filled == out.len() || self.ended || self.error.is_some() {
                break;
            }
            if self.start == self.end {
                if drained && filled > 0 {
                    break;
                }
                match self.receive(socket, flags) {
                    Ok(0) => self.ended = true,
                    Ok(size) => drained = size < ROOM,
                    Err(error) if filled == 0 => return Err(error),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) => self.error = Some(error),
                }
                flags = RecvFlags::DONTWAIT;
            }
            if let Err(error) = self.take_in(socket) {
                self.error = Some(error);
            }
        }
        match self.error.take_if(|_| filled == 0) {
            Some(error) => {
                self.ended = true;
                Err(error)
            }
            None => Ok(filled),
        }
    }

    /// Writes bytes, returning how many are in records that were sent completely, or fails with
    /// `WouldBlock` if there are none yet. The next call must then begin with the same bytes. If the
    /// socket fails after it took some records, the next call returns the error.
    pub fn write(&mut self, socket: &TcpStream, bytes: &[u8]) -> io::Result<usize> {
        if self.committed() == 0 {
            if !self.send(socket)? {
                return Err(io::ErrorKind::WouldBlock.into());
            }
            self.seal(bytes)?;
        }
        debug_assert!(self.committed() <= bytes.len(), "bytes were taken back");
        self.collect()?;
        self.outgoing.send_records(|bytes| send(socket, bytes, NO_WAIT))
    }

    /// Encrypts these bytes into records, as many as are sent at a time.
    fn seal(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut rest = bytes;
        while !rest.is_empty() && self.committed() < BURST {
            let mut size = rest.len().min(RECORD);
            if let Some(length) = self.unit {
                if self.unit_left == 0 {
                    self.unit_left = length(rest);
                }
                // If the length is not known yet, all bytes belong to the unit.
                size = if self.unit_left == 0 { size } else { size.min(self.unit_left) };
            }
            let size = self.session.writer().write(&rest[..size])?;
            self.session.write_tls(self.outgoing.buffer())?;
            self.outgoing.commit(size);
            self.unit_left = self.unit_left.saturating_sub(size);
            rest = &rest[size..];
            if self.unit.is_none() {
                break;
            }
        }
        Ok(())
    }

    /// Sends the session's own output, as far as the socket accepts it. A record that was not
    /// completely written stays: its writer continues with it or gives up.
    pub fn flush(&mut self, socket: &TcpStream) -> io::Result<()> {
        if self.has_unsent() {
            self.send(socket)?;
        }
        Ok(())
    }

    /// Bytes of the next write that cannot be changed any more.
    pub fn committed(&self) -> usize {
        self.outgoing.committed()
    }

    /// Whether [`Stream::flush`] has something to send.
    pub fn has_unsent(&self) -> bool {
        self.committed() == 0 && (self.outgoing.is_pending() || self.session.wants_write())
    }

    /// Whether a read returns something, even if only the end, although the poller may be silent.
    pub fn has_more(&self) -> bool {
        self.ended || self.start < self.end || self.error.is_some()
    }

    /// Tells the server that nothing more will be sent, unless a record was given up half sent,
    /// which is never finished.
    pub fn hang_up(&mut self, socket: &TcpStream) {
        if self.committed() == 0 && !self.session.is_handshaking() {
            self.session.send_close_notify();
            let _ = self.send(socket);
        }
    }

    fn receive(&mut self, socket: &TcpStream, flags: RecvFlags) -> io::Result<usize> {
        let (size, _) = recv(socket, &mut *self.sealed, flags)?;
        (self.start, self.end) = (0, size);
        Ok(size)
    }

    /// Takes plain bytes that are already decrypted.
    fn take_plain(&mut self, out: &mut [u8]) -> usize {
        if out.is_empty() {
            return 0;
        }
        match self.session.reader().read(out) {
            Ok(0) => self.ended = true,
            Ok(size) => return size,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) => self.error = Some(error),
        }
        0
    }

    /// Passes received bytes to the session; all plain bytes before them have been taken.
    fn take_in(&mut self, socket: &TcpStream) -> io::Result<()> {
        if self.start == self.end {
            return Ok(());
        }
        let mut rest = &self.sealed[self.start..self.end];
        self.session.read_tls(&mut rest)?;
        self.start = self.end - rest.len();
        let result = self.session.process_new_packets();
        // Sends the session's response or alert. Reading shows whether the connection broke.
        let _ = self.flush(socket);
        result.map(drop).map_err(|error| errors::from_session(&error))
    }

    /// Sends encrypted output; returns whether everything was sent.
    fn send(&mut self, socket: &TcpStream) -> io::Result<bool> {
        self.collect()?;
        let all = self.outgoing.send(|bytes| send(socket, bytes, NO_WAIT))?;
        if all {
            self.outgoing.clear();
        }
        Ok(all)
    }

    /// Takes the session's output.
    fn collect(&mut self) -> io::Result<()> {
        while self.session.wants_write() {
            self.session.write_tls(self.outgoing.buffer())?;
        }
        Ok(())
    }
}
