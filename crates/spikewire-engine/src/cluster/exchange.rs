//! One question to one node over a non-blocking socket: connect, send the commands, take the
//! answer, all before a deadline. Nothing here waits; [`super::poll`] says when to go on.

use std::io::{ErrorKind, Read as _};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use socket2::{Domain, Socket, Type};
use spikewire_protocol::frame::{self, Header, Kind};
use spikewire_protocol::info;

use super::build;
use super::descriptors::{Descriptors, Listed};
use super::trouble::{self, Trouble};
use crate::clock::Tick;

/// The largest answer that is taken.
const MAX_ANSWER: usize = 16 << 20;

/// A peer that went away is an error, not a signal to the whole process. Where this flag does not
/// exist the socket is made so from the start.
#[cfg(any(target_os = "linux", target_os = "android", target_os = "freebsd"))]
const NO_SIGNAL: libc::c_int = libc::MSG_NOSIGNAL;
#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "freebsd")))]
const NO_SIGNAL: libc::c_int = 0;

/// An idle connection for info commands.
#[derive(Debug)]
pub(super) struct Line {
    socket: Listed,
    /// Whether the server has been told who we are.
    introduced: bool,
}

impl Line {
    fn open(address: SocketAddr, list: &Arc<Descriptors>) -> Result<Self, Trouble> {
        let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
        socket.set_nonblocking(true)?;
        socket.set_tcp_nodelay(true)?;
        match socket.connect(&address.into()) {
            Ok(()) => {}
            Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(Self { socket: Listed::new(socket, list.clone()), introduced: false })
    }
}

/// What is asked, of whom, and for how long.
#[derive(Debug, Clone)]
pub(super) struct Question<'a> {
    pub address: SocketAddr,
    pub commands: &'a [&'a str],
    /// Tell the server who we are if this connection has not yet.
    pub introduce: bool,
    pub within: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Connecting,
    Sending,
    Receiving,
}

/// A question under way.
#[derive(Debug)]
pub(super) struct Exchange {
    address: SocketAddr,
    list: Arc<Descriptors>,
    line: Option<Line>,
    phase: Phase,
    out: Vec<u8>,
    sent: usize,
    input: Vec<u8>,
    /// The request for a fresh connection, while an old one is being tried.
    again: Option<Vec<u8>>,
    introduces: bool,
    within: Duration,
    deadline: Tick,
    outcome: Option<Result<String, Trouble>>,
}

impl Exchange {
    /// Starts a question on `line`, or on a new connection.
    pub fn start(question: &Question<'_>, line: Option<Line>, list: &Arc<Descriptors>) -> Self {
        let fresh = request(question.commands, question.introduce);
        let mut exchange = Self {
            address: question.address,
            list: list.clone(),
            line: None,
            phase: Phase::Connecting,
            out: Vec::new(),
            sent: 0,
            input: Vec::new(),
            again: None,
            introduces: question.introduce,
            within: question.within,
            deadline: Tick::now().after(question.within),
            outcome: None,
        };
        match line {
            Some(line) => {
                let introduce = question.introduce && !line.introduced;
                exchange.out = request(question.commands, introduce);
                exchange.again = Some(fresh);
                exchange.line = Some(line);
                exchange.phase = Phase::Sending;
                exchange.advance();
            }
            None => exchange.dial(fresh),
        }
        exchange
    }

    fn dial(&mut self, request: Vec<u8>) {
        (self.out, self.sent, self.phase) = (request, 0, Phase::Connecting);
        self.input.clear();
        match Line::open(self.address, &self.list) {
            Ok(line) => self.line = Some(line),
            Err(trouble) => self.end(Err(trouble)),
        }
    }

    pub fn is_over(&self) -> bool {
        self.outcome.is_some()
    }

    pub fn deadline(&self) -> Tick {
        self.deadline
    }

    /// The socket to wait for, and whether for room to write rather than for bytes to read.
    pub fn awaits(&self) -> Option<(&Socket, bool)> {
        let line = self.line.as_ref().filter(|_| !self.is_over())?;
        Some((&line.socket, self.phase != Phase::Receiving))
    }

    /// Goes as far as the socket allows; to be called when it is ready.
    pub fn advance(&mut self) {
        while !self.is_over() {
            match self.step() {
                Ok(true) => {}
                Ok(false) => return,
                Err(trouble) => match self.again.take() {
                    // An old connection may have been cut long ago: the node gets a fair chance.
                    Some(request) if trouble.is_worth_a_fresh_connection() => self.dial(request),
                    _ => self.end(Err(trouble)),
                },
            }
        }
    }

    /// Gives up if the deadline has passed.
    pub fn expire(&mut self, now: Tick) {
        if !self.is_over() && now >= self.deadline {
            self.end(Err(match self.phase {
                Phase::Connecting => Trouble::NoConnection(self.within),
                _ => Trouble::NoAnswer(self.within),
            }));
        }
    }

    /// Gives up at once.
    pub fn stop(&mut self) {
        if !self.is_over() {
            self.end(Err(Trouble::Stopped));
        }
    }

    /// What came of it: the answer and the connection it came on.
    pub fn finish(self) -> Result<(String, Line), Trouble> {
        let answer = self.outcome.unwrap_or(Err(Trouble::NoAnswer(self.within)))?;
        let mut line = self.line.ok_or(Trouble::HungUp)?;
        line.introduced |= self.introduces;
        Ok((answer, line))
    }

    fn end(&mut self, outcome: Result<String, Trouble>) {
        if outcome.is_err() {
            self.line = None;
        }
        self.outcome = Some(outcome);
    }

    /// One step; `false` when the socket is not ready for it.
    fn step(&mut self) -> Result<bool, Trouble> {
        let Some(line) = &self.line else { return Err(Trouble::HungUp) };
        let mut socket: &Socket = &line.socket;
        match self.phase {
            Phase::Connecting => {
                if let Some(error) = socket.take_error()? {
                    return Err(error.into());
                }
                if socket.peer_addr().is_err() {
                    return Ok(false);
                }
                self.phase = Phase::Sending;
            }
            Phase::Sending => match socket.send_with_flags(&self.out[self.sent..], NO_SIGNAL) {
                Ok(count) => {
                    self.sent += count;
                    if self.sent == self.out.len() {
                        self.phase = Phase::Receiving;
                    }
                }
                Err(error) => return retry_later(error),
            },
            Phase::Receiving => {
                let mut chunk = [0; 8192];
                match socket.read(&mut chunk) {
                    Ok(0) => return Err(self.cut_off()),
                    Ok(count) => {
                        self.input.extend_from_slice(&chunk[..count]);
                        if let Some(answer) = answer(&self.input)? {
                            self.end(Ok(answer));
                        }
                    }
                    Err(error) => return retry_later(error),
                }
            }
        }
        Ok(true)
    }

    fn cut_off(&self) -> Trouble {
        match self.input.first() {
            Some(&first) if first != frame::VERSION => trouble::guess(&self.input),
            _ => Trouble::HungUp,
        }
    }
}

fn retry_later(error: std::io::Error) -> Result<bool, Trouble> {
    match error.kind() {
        ErrorKind::WouldBlock => Ok(false),
        ErrorKind::Interrupted => Ok(true),
        _ => Err(error.into()),
    }
}

fn request(commands: &[&str], introduce: bool) -> Vec<u8> {
    let user_agent = introduce.then(build::user_agent);
    let all: Vec<&str> =
        user_agent.as_deref().into_iter().chain(commands.iter().copied()).collect();
    let mut out = Vec::with_capacity(256);
    info::request(&mut out, &all);
    out
}

/// The text of the answer once all of it is there.
fn answer(input: &[u8]) -> Result<Option<String>, Trouble> {
    let Some(header) = Header::parse(input).map_err(|_| trouble::guess(input))? else {
        return Ok(None);
    };
    if header.kind != Kind::Info || header.len == 0 || header.len > MAX_ANSWER {
        return Err(Trouble::Unusable(format!(
            "answered an info request with {} bytes of kind {:?}",
            header.len, header.kind
        )));
    }
    let body = &input[frame::HEADER_LEN..];
    if body.len() > header.len {
        return Err(Trouble::Unusable("answered an info request twice".to_owned()));
    }
    Ok((body.len() == header.len).then(|| String::from_utf8_lossy(body).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_taken_whole_or_not_at_all() {
        let mut bytes = Vec::new();
        let start = frame::begin(&mut bytes, Kind::Info);
        bytes.extend_from_slice(b"node\tA1\n");
        frame::finish(&mut bytes, start);
        for cut in 0..bytes.len() {
            assert_eq!(answer(&bytes[..cut]), Ok(None));
        }
        assert_eq!(answer(&bytes), Ok(Some("node\tA1\n".to_owned())));
        bytes.push(2);
        assert!(matches!(answer(&bytes), Err(Trouble::Unusable(_))));
        assert!(matches!(answer(b"HTTP/1.1 "), Err(Trouble::NotThisProtocol(_))));
        assert!(matches!(answer(&[2, 3, 0, 0, 0, 0, 0, 9]), Err(Trouble::Unusable(_))));
    }

    #[test]
    fn the_introduction_comes_first() {
        let plain = request(&["node"], false);
        let introduced = request(&["node"], true);
        assert_eq!(&plain[8..], b"node\n");
        assert!(introduced[8..].starts_with(b"user-agent-set:value="));
        assert!(introduced.ends_with(b"\nnode\n"));
    }
}
