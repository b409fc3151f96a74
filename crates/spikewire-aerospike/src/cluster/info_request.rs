//! One request to one node over a non-blocking socket: connect, send the commands, read the reply,
//! all before a deadline. Nothing here blocks; [`super::poll`] waits for readiness.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::SocketAddr;
use std::os::fd::AsRawFd as _;
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike_protocol::frame::{self, Header, Kind};
use spikewire_aerospike_protocol::info;
use spikewire_aerospike_protocol::manage::Page;
use spikewire_transport::descriptors::{Descriptors, Listed};
use spikewire_transport::dial::{DialError, Opening};
use spikewire_transport::wire::Wire;

use super::Node;
use super::node_error::{self, NodeError};
use super::node_request::ManageRequest;
use crate::clock::Tick;
use crate::framing::Aerospike;
use crate::security::Access;

/// The largest accepted reply.
const MAX_ANSWER: usize = 16 << 20;

/// How long a reused connection may be silent before the request is repeated on a new one: replies
/// may have been lost with what was between, and the node answers on others.
const REUSED: Duration = Duration::from_millis(250);
/// The same for the first new connection; each further one has twice as long.
const RENEWED: Duration = Duration::from_secs(1);

/// An idle connection for info commands.
#[derive(Debug)]
pub(super) struct InfoConnection {
    /// Declared first: unregistered before the connection is closed.
    _listed: Listed,
    wire: Wire,
    /// The connection being opened; `None` once it is ready.
    opening: Option<Opening<Aerospike>>,
    /// Whether the client has sent its user agent.
    introduced: bool,
}

impl Drop for InfoConnection {
    fn drop(&mut self) {
        self.wire.hang_up();
    }
}

impl InfoConnection {
    fn open(
        address: SocketAddr,
        access: &Access,
        until: Tick,
        list: &Arc<Descriptors>,
    ) -> Result<Self, NodeError> {
        let (encryption, framing) = (access.encryption(), Aerospike::new(access));
        let (wire, opening) = Opening::start(address, encryption, framing, until)?;
        let opening = Some(opening);
        let listed = list.list([wire.as_raw_fd()]);
        Ok(Self { _listed: listed, wire, opening, introduced: false })
    }
}

/// The commands to send, the node, and the time limit.
#[derive(Debug, Clone)]
pub(super) struct InfoCommands<'a> {
    pub address: SocketAddr,
    pub access: &'a Access,
    pub commands: &'a [&'a str],
    /// Send the user agent if this connection has not done so yet.
    pub introduce: Option<&'a str>,
    pub within: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Connecting,
    Sending,
    Receiving,
}

/// What answers a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expects {
    /// A frame of this kind.
    One(Kind),
    /// Frames with users or roles, of which the last says that it is.
    Pages,
}

/// A request in flight.
#[derive(Debug)]
pub(super) struct InfoRequest {
    address: SocketAddr,
    access: Access,
    list: Arc<Descriptors>,
    connection: Option<InfoConnection>,
    phase: Phase,
    out: Vec<u8>,
    sent: usize,
    input: Vec<u8>,
    /// The request as a new connection needs it, if it may be repeated on one.
    fresh: Option<Vec<u8>>,
    /// Whether a reused connection is being tried.
    reuses: bool,
    /// How long the connection after this one may be silent.
    renewed: Duration,
    /// When the request is repeated on a new connection.
    renew_at: Tick,
    introduces: bool,
    within: Duration,
    /// Deadline for connecting.
    connect_by: Tick,
    deadline: Tick,
    /// How long the deadline leaves for it, for messages.
    patience: Duration,
    /// What answers it.
    expects: Expects,
    outcome: Option<Result<Vec<u8>, NodeError>>,
}

impl InfoRequest {
    /// Starts on `connection`, or on a new connection.
    pub fn start(
        spec: &InfoCommands<'_>,
        connection: Option<InfoConnection>,
        list: &Arc<Descriptors>,
    ) -> Self {
        let fresh = encode(spec.commands, spec.introduce);
        let deadline = Tick::now().after(spec.within);
        let to = (spec.address, spec.access);
        let mut request = Self::new(to, spec.within, deadline, list);
        request.introduces = spec.introduce.is_some();
        if let Some(connection) = connection {
            let introduce = spec.introduce.filter(|_| !connection.introduced);
            request.out = encode(spec.commands, introduce);
            request.connection = Some(connection);
            request.phase = Phase::Sending;
            request.reuses = true;
            request.renew_at = Tick::now().after(REUSED);
            request.fresh = Some(fresh);
            request.advance();
        } else {
            request.dial(fresh.clone());
            request.fresh = Some(fresh);
        }
        request
    }

    /// Sends a message frame on a new connection, with a time limit of `within`.
    pub fn message(
        to: (SocketAddr, &Access),
        frame: &[u8],
        within: Duration,
        deadline: Tick,
        list: &Arc<Descriptors>,
    ) -> Self {
        let mut request = Self::new(to, within, deadline, list);
        request.expects = Expects::One(Kind::Message);
        request.dial(frame.to_vec());
        request
    }

    /// The same for a request about users and roles.
    pub fn manage(
        to: (SocketAddr, &Access),
        manage: &ManageRequest,
        within: Duration,
        list: &Arc<Descriptors>,
    ) -> Self {
        let mut request = Self::new(to, within, manage.deadline, list);
        request.expects =
            if manage.is_question { Expects::Pages } else { Expects::One(Kind::Admin) };
        request.patience = manage.limit;
        request.dial(manage.frame.to_vec());
        request
    }

    fn new(
        (address, access): (SocketAddr, &Access),
        within: Duration,
        deadline: Tick,
        list: &Arc<Descriptors>,
    ) -> Self {
        Self {
            address,
            access: access.clone(),
            list: list.clone(),
            connection: None,
            phase: Phase::Connecting,
            out: Vec::new(),
            sent: 0,
            input: Vec::new(),
            fresh: None,
            reuses: false,
            renewed: RENEWED,
            renew_at: Tick::NEVER,
            introduces: false,
            within,
            connect_by: Tick::now().after(within),
            deadline,
            patience: within,
            expects: Expects::One(Kind::Info),
            outcome: None,
        }
    }

    fn dial(&mut self, request: Vec<u8>) {
        (self.out, self.sent, self.phase) = (request, 0, Phase::Connecting);
        (self.reuses, self.renew_at) = (false, Tick::NEVER);
        self.input.clear();
        match InfoConnection::open(self.address, &self.access, self.deadline, &self.list) {
            Ok(connection) => self.connection = Some(connection),
            Err(error) => self.end(Err(error)),
        }
    }

    pub fn is_over(&self) -> bool {
        self.outcome.is_some()
    }

    pub fn deadline(&self) -> Tick {
        match self.phase {
            Phase::Connecting => self.deadline.min(self.connect_by),
            _ => self.deadline.min(self.renew_at),
        }
    }

    /// Whether all of it has been sent, so that the node may have acted on it.
    pub fn has_left(&self) -> bool {
        self.phase == Phase::Receiving
    }

    /// The connection to wait for, and whether for writability instead of readability.
    pub fn awaits(&self) -> Option<(&Wire, bool)> {
        let connection = self.connection.as_ref().filter(|_| !self.is_over())?;
        let writes = match &connection.opening {
            Some(opening) => opening.awaits_writing(),
            None => self.phase == Phase::Sending,
        };
        Some((&connection.wire, writes))
    }

    /// Makes as much progress as the socket allows; call it when the socket is ready.
    pub fn advance(&mut self) {
        while !self.is_over() {
            match self.step() {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => match &self.fresh {
                    // A reused connection may have been closed long ago, so retry on a new one.
                    Some(request) if self.reuses && error.may_be_stale_connection() => {
                        self.dial(request.clone());
                    }
                    _ => self.end(Err(error)),
                },
            }
        }
    }

    /// Fails if the deadline has passed; is repeated on a new connection after long silence.
    pub fn expire(&mut self, now: Tick) {
        if self.is_over() || now < self.deadline() {
            return;
        }
        if now < self.deadline
            && now >= self.renew_at
            && let Some(request) = self.fresh.clone()
        {
            self.dial(request);
        } else {
            self.end(Err(match self.phase {
                Phase::Connecting => NodeError::NoConnection(self.within),
                _ => NodeError::NoAnswer(self.patience),
            }));
        }
    }

    /// Fails immediately.
    pub fn stop(&mut self) {
        if !self.is_over() {
            self.end(Err(NodeError::Stopped));
        }
    }

    /// Counts its bytes as those of a request of the client's own to this node.
    pub fn count(&self, node: &Node) {
        node.gauges.controls(self.sent, self.input.len());
    }

    /// The text of the reply and the connection it came on.
    pub fn finish(self) -> Result<(String, InfoConnection), NodeError> {
        let (answer, connection) = self.finish_body()?;
        Ok((String::from_utf8_lossy(&answer).into_owned(), connection))
    }

    /// The body of the reply and the connection it came on.
    pub fn finish_body(self) -> Result<(Vec<u8>, InfoConnection), NodeError> {
        let answer = self.outcome.unwrap_or(Err(NodeError::NoAnswer(self.within)))?;
        let mut connection = self.connection.ok_or(NodeError::HungUp)?;
        connection.introduced |= self.introduces;
        Ok((answer, connection))
    }

    fn end(&mut self, outcome: Result<Vec<u8>, NodeError>) {
        if outcome.is_err() {
            self.connection = None;
        }
        self.outcome = Some(outcome);
    }

    /// One step; `false` if the socket is not ready for it.
    fn step(&mut self) -> Result<bool, NodeError> {
        let Some(connection) = &mut self.connection else { return Err(NodeError::HungUp) };
        let wire = &mut connection.wire;
        match self.phase {
            Phase::Connecting => {
                if let Some(opening) = &mut connection.opening {
                    match opening.advance(wire) {
                        Ok(true) => {}
                        Ok(false) => return Ok(false),
                        Err(error) => return Err(self.not_let_in(error)),
                    }
                }
                connection.opening = None;
                self.phase = Phase::Sending;
                if self.fresh.is_some() {
                    self.renew_at = Tick::now().after(self.renewed);
                    self.renewed *= 2;
                }
            }
            Phase::Sending => match wire.write(&self.out[self.sent..]) {
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
                match wire.read(&mut chunk) {
                    Ok(0) => return Err(self.cut_off()),
                    Ok(count) => {
                        self.input.extend_from_slice(&chunk[..count]);
                        if let Some(answer) = answer(&self.input, self.expects)? {
                            self.end(Ok(answer));
                        }
                    }
                    Err(error) => return retry_later(error),
                }
            }
        }
        Ok(true)
    }

    fn not_let_in(&self, error: DialError) -> NodeError {
        match (error, self.access.rejection()) {
            (DialError::Rejected(why), Some(rejection)) if rejection.why == why => {
                NodeError::LoginRejected(rejection)
            }
            (error, _) => error.into(),
        }
    }

    fn cut_off(&self) -> NodeError {
        match self.input.first() {
            Some(&first) if first != frame::VERSION => node_error::guess(&self.input),
            _ => NodeError::HungUp,
        }
    }
}

fn retry_later(error: io::Error) -> Result<bool, NodeError> {
    match error.kind() {
        ErrorKind::WouldBlock => Ok(false),
        ErrorKind::Interrupted => Ok(true),
        _ => Err(error.into()),
    }
}

fn encode(commands: &[&str], introduce: Option<&str>) -> Vec<u8> {
    let all: Vec<&str> = introduce.into_iter().chain(commands.iter().copied()).collect();
    let mut out = Vec::with_capacity(256);
    info::request(&mut out, &all);
    out
}

/// The body of the reply once it is complete.
fn answer(input: &[u8], expects: Expects) -> Result<Option<Vec<u8>>, NodeError> {
    match expects {
        Expects::One(kind) => match first_body(input, kind)? {
            Some((_, rest)) if !rest.is_empty() => twice(),
            body => Ok(body.map(|(body, _)| body.to_vec())),
        },
        Expects::Pages => pages(input),
    }
}

/// A body, and what follows its frame.
type Parts<'a> = (&'a [u8], &'a [u8]);

/// The body of the first frame, which is of this kind, and what follows the frame.
fn first_body(input: &[u8], kind: Kind) -> Result<Option<Parts<'_>>, NodeError> {
    let Some(header) = Header::parse(input).map_err(|_| node_error::guess(input))? else {
        return Ok(None);
    };
    if header.kind != kind || header.len == 0 || header.len > MAX_ANSWER {
        return Err(NodeError::Unusable(format!(
            "answered a request with {} bytes of kind {:?}",
            header.len, header.kind
        )));
    }
    Ok(input[frame::HEADER_LEN..].split_at_checked(header.len))
}

/// The bodies of all pages of a list, back to back.
fn pages(input: &[u8]) -> Result<Option<Vec<u8>>, NodeError> {
    if input.len() > MAX_ANSWER {
        return Err(NodeError::Unusable(format!("answered with more than {MAX_ANSWER} bytes")));
    }
    let (mut all, mut rest) = (Vec::new(), input);
    while let Some((body, more)) = first_body(rest, Kind::Admin)? {
        all.extend_from_slice(body);
        rest = more;
        let page = Page::parse(body).map_err(|error| NodeError::Unusable(error.to_string()))?;
        if page.end.is_some() {
            return if rest.is_empty() { Ok(Some(all)) } else { twice() };
        }
    }
    Ok(None)
}

fn twice<T>() -> Result<T, NodeError> {
    Err(NodeError::Unusable("answered a request twice".to_owned()))
}

#[cfg(test)]
mod tests {
    use spikewire_aerospike_protocol::manage::{Row, UserRow};
    use spikewire_aerospike_protocol::result_code::ResultCode;

    use super::*;

    #[test]
    fn an_answer_is_complete_or_not_used() {
        let info = Expects::One(Kind::Info);
        let mut bytes = Vec::new();
        let start = frame::begin(&mut bytes, Kind::Info);
        bytes.extend_from_slice(b"node\tA1\n");
        frame::finish(&mut bytes, start);
        for cut in 0..bytes.len() {
            assert_eq!(answer(&bytes[..cut], info), Ok(None));
        }
        assert_eq!(answer(&bytes, info), Ok(Some(b"node\tA1\n".to_vec())));
        bytes.push(2);
        assert!(matches!(answer(&bytes, info), Err(NodeError::Unusable(_))));
        assert!(matches!(answer(b"HTTP/1.1 ", info), Err(NodeError::NotThisProtocol(_))));
        assert!(matches!(answer(&[2, 3, 0, 0, 0, 0, 0, 9], info), Err(NodeError::Unusable(_))));
    }

    #[test]
    fn a_paged_reply_ends_with_its_last_page() {
        let (mut bytes, mut bodies) = (Vec::new(), Vec::new());
        for (name, end) in [("a", None), ("b", None), ("c", Some(ResultCode::QUERY_END))] {
            let user = UserRow { name: name.to_owned(), ..UserRow::default() };
            let start = bytes.len() + frame::HEADER_LEN;
            Page { rows: vec![Row::User(user)], end }.encode(&mut bytes);
            bodies.extend_from_slice(&bytes[start..]);
        }
        for cut in 0..bytes.len() {
            assert_eq!(answer(&bytes[..cut], Expects::Pages), Ok(None), "{cut}");
        }
        assert_eq!(answer(&bytes, Expects::Pages), Ok(Some(bodies)));
        bytes.push(2);
        assert!(matches!(answer(&bytes, Expects::Pages), Err(NodeError::Unusable(_))));
    }

    #[test]
    fn the_user_agent_is_sent_before_other_commands() {
        let plain = encode(&["node"], None);
        let introduced = encode(&["node"], Some(&super::super::build::user_agent(None)));
        assert_eq!(&plain[8..], b"node\n");
        assert!(introduced[8..].starts_with(b"user-agent-set:value="));
        assert!(introduced.ends_with(b"\nnode\n"));
    }
}
