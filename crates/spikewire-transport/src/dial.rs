//! Opening a connection: socket, TLS, handshake. Nothing here blocks; whatever watches the socket
//! calls [`Dial::advance`] when it is ready.

use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use mio::{Events, Interest, Poll, Token};

use crate::clock::Tick;
use crate::fault::CLIENT_CLOSED;
use crate::pipeline::Inbound;
use crate::protocol::{Framing, HandshakeStep, Malformed};
use crate::shard_route::ShardRoute;
use crate::tls::Encryption;
use crate::wire::Wire;

/// How often a thread that waits for a server checks whether its client was closed.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// A connection being opened. It has its own time limit, independent of any caller's.
#[derive(Debug)]
pub struct Dial {
    started: Tick,
    until: Tick,
    connected: bool,
    secured: bool,
    /// Whether the TLS layer has something to send.
    sends: bool,
    handshake_done: bool,
    out: Vec<u8>,
    written: usize,
}

/// Why a connection could not be opened.
#[derive(Debug)]
pub enum DialError {
    /// The socket failed.
    Io(io::Error),
    /// The server closed the connection during the handshake.
    HungUp,
    /// The server sent bytes that are not valid in the protocol.
    Malformed(Malformed),
    /// The handshake failed for this reason.
    Rejected(String),
    /// The client was closed in the meantime.
    Stopped,
}

impl std::fmt::Display for DialError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::HungUp => f.write_str("the server closed the connection during the handshake"),
            Self::Malformed(error) => write!(f, "invalid bytes: {error}"),
            Self::Rejected(why) => f.write_str(why),
            Self::Stopped => f.write_str(CLIENT_CLOSED),
        }
    }
}

impl std::error::Error for DialError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Malformed(error) => Some(error),
            Self::HungUp | Self::Rejected(_) | Self::Stopped => None,
        }
    }
}

impl From<io::Error> for DialError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<DialError> for io::Error {
    fn from(error: DialError) -> Self {
        match error {
            DialError::Io(error) => error,
            DialError::HungUp => Self::new(io::ErrorKind::UnexpectedEof, error),
            DialError::Malformed(_) => Self::new(io::ErrorKind::InvalidData, error),
            DialError::Rejected(_) => Self::new(io::ErrorKind::PermissionDenied, error),
            DialError::Stopped => Self::new(io::ErrorKind::Interrupted, error),
        }
    }
}

impl Dial {
    /// Starts connecting; must be finished by `until`.
    pub fn start(
        address: SocketAddr,
        encryption: Option<Encryption>,
        until: Tick,
    ) -> io::Result<(Wire, Self)> {
        Ok((Wire::open(address, encryption)?, Self::new(until)))
    }

    /// Like [`Dial::start`], along a route that leads to a shard.
    pub fn start_along(
        route: &ShardRoute,
        encryption: Option<Encryption>,
        until: Tick,
    ) -> io::Result<(Wire, Self)> {
        Ok((Wire::open_along(route, encryption)?, Self::new(until)))
    }

    fn new(until: Tick) -> Self {
        let (connected, secured, sends, handshake_done) = (false, false, false, false);
        let (started, out, written) = (Tick::now(), Vec::new(), 0);
        Self { started, until, connected, secured, sends, handshake_done, out, written }
    }

    /// When it must be finished.
    pub fn until(&self) -> Tick {
        self.until
    }

    /// When it started.
    pub fn started(&self) -> Tick {
        self.started
    }

    /// Whether to wait for the socket to become writable rather than readable.
    pub fn awaits_writing(&self) -> bool {
        !self.connected || self.sends || self.written < self.out.len()
    }

    /// Proceeds as far as the socket allows; returns whether the connection is ready for commands.
    /// Bytes from the server that belong to no handshake stay in `inbound`.
    pub fn advance<P: Framing>(
        &mut self,
        wire: &mut Wire,
        protocol: &mut P,
        inbound: &mut Inbound<P>,
    ) -> Result<bool, DialError> {
        if !self.connected {
            if !wire.is_connected()? {
                return Ok(false);
            }
            self.connected = true;
        }
        if !self.secured {
            let secured = wire.secure()?;
            self.sends = wire.has_unsent();
            if !secured {
                return Ok(false);
            }
            self.secured = true;
            self.next_handshake_step(protocol, None)?;
        }
        loop {
            match self.write(wire) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                // A server that rejects a certificate sends an alert and closes the connection; the
                // alert explains more than the write error does.
                Err(error) => match inbound.fill(wire, protocol) {
                    Err(alert) if alert.kind() == io::ErrorKind::InvalidData => {
                        return Err(alert.into());
                    }
                    _ => return Err(error.into()),
                },
            }
            if self.handshake_done {
                return Ok(true);
            }
            match inbound.next(protocol).map_err(DialError::Malformed)? {
                Some((range, _)) => {
                    let frame = inbound.body(range);
                    self.next_handshake_step(protocol, Some(frame))?;
                }
                None => match inbound.fill(wire, protocol) {
                    Ok((0, _)) => return Err(DialError::HungUp),
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(error.into()),
                },
            }
        }
    }

    fn next_handshake_step<P: Framing>(
        &mut self,
        protocol: &mut P,
        frame: Option<&[u8]>,
    ) -> Result<(), DialError> {
        let from = self.out.len();
        let step = protocol.next_handshake_step(frame, &mut self.out);
        if P::SEALS && from < self.out.len() && protocol.seals() {
            protocol.seal(&mut self.out, from);
        }
        match step {
            HandshakeStep::Wait => Ok(()),
            HandshakeStep::Ready => {
                self.handshake_done = true;
                Ok(())
            }
            HandshakeStep::Failed(why) => Err(DialError::Rejected(why)),
        }
    }

    fn write(&mut self, wire: &mut Wire) -> io::Result<bool> {
        while self.written < self.out.len() {
            match wire.write(&self.out[self.written..]) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(size) => self.written += size,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.out.clear();
        self.written = 0;
        Ok(true)
    }
}

/// A connection being opened for one request at a time, with the state of its handshake.
#[derive(Debug)]
pub struct Opening<F> {
    dial: Dial,
    framing: F,
    inbound: Inbound<F>,
}

impl<F: Framing> Opening<F> {
    /// Starts connecting; must be finished by `until`.
    pub fn start(
        address: SocketAddr,
        encryption: Option<Encryption>,
        framing: F,
        until: Tick,
    ) -> io::Result<(Wire, Self)> {
        let (wire, dial) = Dial::start(address, encryption, until)?;
        Ok((wire, Self { dial, framing, inbound: Inbound::default() }))
    }

    /// When it must be finished.
    pub fn until(&self) -> Tick {
        self.dial.until()
    }

    /// The protocol state after the handshake so far.
    pub fn framing(&self) -> &F {
        &self.framing
    }

    /// Whether to wait for the socket to become writable rather than readable.
    pub fn awaits_writing(&self) -> bool {
        self.dial.awaits_writing()
    }

    /// Proceeds as far as the socket allows; returns whether the connection is ready for requests.
    pub fn advance(&mut self, wire: &mut Wire) -> Result<bool, DialError> {
        let ready = self.dial.advance(wire, &mut self.framing, &mut self.inbound)?;
        if ready {
            reject_surplus(&self.inbound)?;
        }
        Ok(ready)
    }
}

/// Opens a connection on the calling thread. It stays registered with the poll, with token 0, for
/// reading and writing. Ends soon after `closed` is set.
pub(crate) fn establish<F: Framing>(
    address: SocketAddr,
    encryption: Option<Encryption>,
    framing: &mut F,
    inbound: &mut Inbound<F>,
    poll: &mut Poll,
    until: Tick,
    closed: Option<&AtomicBool>,
) -> Result<Wire, DialError> {
    let (mut wire, mut dial) = Dial::start(address, encryption, until)?;
    let mut events = Events::with_capacity(4);
    poll.registry().register(&mut wire, Token(0), Interest::READABLE | Interest::WRITABLE)?;
    while !dial.advance(&mut wire, framing, inbound)? {
        let now = Tick::now();
        if until <= now {
            return Err(io::Error::from(io::ErrorKind::TimedOut).into());
        }
        if closed.is_some_and(|closed| closed.load(Relaxed)) {
            return Err(DialError::Stopped);
        }
        let longest = if closed.is_some() { LOOK } else { Duration::MAX };
        match poll.poll(&mut events, Some(until.since(now).min(longest))) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error.into()),
            _ => {}
        }
    }
    Ok(wire)
}

/// Fails if the server sent more than the handshake although nothing was requested yet.
fn reject_surplus<F: Framing>(inbound: &Inbound<F>) -> Result<(), DialError> {
    if inbound.pending() > 0 {
        let why = "more than the handshake asked for";
        return Err(DialError::Malformed(Malformed(why.into())));
    }
    Ok(())
}
