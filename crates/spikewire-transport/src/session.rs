//! A connection for one thread that sends one request at a time and receives events. Clients use it
//! to learn about a cluster.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::os::fd::{AsRawFd as _, RawFd};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use mio::{Events, Poll, Token, Waker};

use crate::clock::Tick;
use crate::dial::{DialError, LOOK, establish};
use crate::fault::CLIENT_CLOSED;
use crate::pipeline::Inbound;
use crate::protocol::{Answers, Framing, Malformed};
use crate::tls::Encryption;
use crate::wire::Wire;

/// Token of the waker.
const WAKER: Token = Token(1);

/// The longest single wait in the system's poll, since some systems do not support longer ones.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// Maximum number of events before a reply; no sane server sends more.
const MOST_EVENTS: usize = 10_000;

/// A connection for one thread. No call waits longer than it was asked to. After a failure or a
/// timeout the session cannot be used any more.
#[derive(Debug)]
pub struct Session<F> {
    wire: Wire,
    framing: F,
    inbound: Inbound<F>,
    poll: Poll,
    polled: Events,
    /// Events that arrived while a reply was awaited.
    events: VecDeque<Vec<u8>>,
    woken: bool,
    over: bool,
    /// Set when no reply is wanted any more.
    closed: Option<Arc<AtomicBool>>,
}

/// Why a session ended.
#[derive(Debug)]
pub enum SessionError {
    /// The socket failed.
    Io(io::Error),
    /// The server closed the connection.
    HungUp,
    /// The server sent bytes that are not valid in the protocol.
    Malformed(Malformed),
    /// The server ended the connection for this reason.
    Ended(String),
    /// No reply arrived in time.
    TimedOut,
    /// The session had failed before.
    Over,
    /// The client was closed in the meantime.
    Stopped,
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::HungUp => f.write_str("the server closed the connection"),
            Self::Malformed(error) => write!(f, "invalid bytes: {error}"),
            Self::Ended(why) => write!(f, "the server ended the connection: {why}"),
            Self::TimedOut => f.write_str("no answer came in time"),
            Self::Over => f.write_str("the connection failed before"),
            Self::Stopped => f.write_str(CLIENT_CLOSED),
        }
    }
}

impl std::error::Error for SessionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Malformed(error) => Some(error),
            _ => None,
        }
    }
}

impl From<io::Error> for SessionError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl<F: Framing> Session<F> {
    /// Connects and completes the handshake, within this time.
    pub fn open(
        address: SocketAddr,
        encryption: Option<Encryption>,
        framing: F,
        within: Duration,
    ) -> Result<Self, DialError> {
        Self::start(address, encryption, framing, within, None)
    }

    /// Like [`Session::open`], for a client that may be closed meanwhile: once `closed` is set,
    /// neither this nor any request waits for the server any longer.
    pub fn open_until_closed(
        address: SocketAddr,
        encryption: Option<Encryption>,
        framing: F,
        within: Duration,
        closed: &Arc<AtomicBool>,
    ) -> Result<Self, DialError> {
        Self::start(address, encryption, framing, within, Some(closed.clone()))
    }

    fn start(
        address: SocketAddr,
        encryption: Option<Encryption>,
        mut framing: F,
        within: Duration,
        closed: Option<Arc<AtomicBool>>,
    ) -> Result<Self, DialError> {
        let until = Tick::now().after(within);
        let (mut inbound, mut poll) = (Inbound::default(), Poll::new()?);
        let stop = closed.as_deref();
        let wire =
            establish(address, encryption, &mut framing, &mut inbound, &mut poll, until, stop)?;
        let (polled, events) = (Events::with_capacity(4), VecDeque::new());
        let (woken, over) = (false, false);
        Ok(Self { wire, framing, inbound, poll, polled, events, woken, over, closed })
    }

    /// The protocol state, including what was negotiated.
    pub fn framing(&self) -> &F {
        &self.framing
    }

    /// The addresses of the server and of this end.
    pub fn addresses(&self) -> io::Result<(SocketAddr, SocketAddr)> {
        self.wire.addresses()
    }

    /// Its open file descriptors: the socket and the poll.
    pub fn descriptors(&self) -> [RawFd; 2] {
        [self.wire.as_raw_fd(), self.poll.as_raw_fd()]
    }

    /// A handle with which another thread makes the current or next [`Session::wait`] return at
    /// once. There can be only one.
    pub fn waker(&self) -> io::Result<Waker> {
        Waker::new(self.poll.registry(), WAKER)
    }

    /// Sends a request, one complete plain frame, and waits for its reply; returns the reply's
    /// body. `answers` says how the reply refers to the request. Events that arrive before it are
    /// kept for [`Session::wait`].
    pub fn ask(
        &mut self,
        request: &[u8],
        answers: Answers,
        until: Tick,
    ) -> Result<Vec<u8>, SessionError> {
        self.attempt(|session| {
            session.send(request, until)?;
            loop {
                let frame = session.next_frame(until, false)?;
                let (kind, body) = frame.ok_or(SessionError::TimedOut)?;
                if kind == answers {
                    return Ok(body);
                }
                if kind != Answers::Event {
                    return Err(malformed("a reply that nobody asked for"));
                }
                if session.events.len() >= MOST_EVENTS {
                    return Err(malformed("too many events before a reply"));
                }
                session.events.push_back(body);
            }
        })
    }

    /// The body of the next event; `None` if none arrives in time, or if the waker was used.
    pub fn wait(&mut self, until: Tick) -> Result<Option<Vec<u8>>, SessionError> {
        if let Some(event) = self.events.pop_front() {
            return Ok(Some(event));
        }
        self.attempt(|session| match session.next_frame(until, true)? {
            Some((Answers::Event, body)) => Ok(Some(body)),
            Some(_) => Err(malformed("a reply that nobody asked for")),
            None => Ok(None),
        })
    }

    fn attempt<T>(
        &mut self,
        what: impl FnOnce(&mut Self) -> Result<T, SessionError>,
    ) -> Result<T, SessionError> {
        if self.over {
            return Err(SessionError::Over);
        }
        let outcome = what(self);
        self.over = outcome.is_err();
        outcome
    }

    fn send(&mut self, request: &[u8], until: Tick) -> Result<(), SessionError> {
        let mut out = request.to_vec();
        if F::SEALS && self.framing.seals() {
            self.framing.seal(&mut out, 0);
        }
        let mut rest = &out[..];
        while !rest.is_empty() {
            match self.wire.write(rest) {
                Ok(0) => return Err(io::Error::from(io::ErrorKind::WriteZero).into()),
                Ok(size) => rest = &rest[size..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.look()?;
                    if !self.poll(until, self.longest())? {
                        return Err(SessionError::TimedOut);
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// The next frame; `None` if none arrives in time, or, if `wakes`, if the waker was used.
    fn next_frame(
        &mut self,
        until: Tick,
        wakes: bool,
    ) -> Result<Option<(Answers, Vec<u8>)>, SessionError> {
        loop {
            let frame = self.inbound.next(&mut self.framing).map_err(SessionError::Malformed)?;
            if let Some((range, answers)) = frame {
                let body = self.inbound.body(range);
                if answers == Answers::Connection {
                    return Err(SessionError::Ended(self.framing.close_reason(body)));
                }
                return Ok(Some((answers, body.to_vec())));
            }
            match self.inbound.fill(&mut self.wire, &mut self.framing) {
                Ok((0, _)) => return Err(SessionError::HungUp),
                Ok(_) => continue,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Err(error.into()),
            }
            let longest = if wakes {
                LONGEST_WAIT
            } else {
                self.look()?;
                self.longest()
            };
            if (wakes && std::mem::take(&mut self.woken)) || !self.poll(until, longest)? {
                return Ok(None);
            }
        }
    }

    /// Fails if the client was closed.
    fn look(&self) -> Result<(), SessionError> {
        match &self.closed {
            Some(closed) if closed.load(Relaxed) => Err(SessionError::Stopped),
            _ => Ok(()),
        }
    }

    /// How long to wait until the next check.
    fn longest(&self) -> Duration {
        if self.closed.is_some() { LOOK } else { LONGEST_WAIT }
    }

    /// Waits until something happens, at most `longest`; returns `false` if `until` has passed.
    fn poll(&mut self, until: Tick, longest: Duration) -> io::Result<bool> {
        let now = Tick::now();
        if until <= now {
            return Ok(false);
        }
        match self.poll.poll(&mut self.polled, Some(until.since(now).min(longest))) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
        self.woken |= self.polled.iter().any(|event| event.token() == WAKER);
        Ok(true)
    }
}

impl<F> Drop for Session<F> {
    fn drop(&mut self) {
        self.wire.hang_up();
    }
}

fn malformed(why: &'static str) -> SessionError {
    SessionError::Malformed(Malformed(why.into()))
}
