//! Envelopes and segments of a connection, what they mean to their requests, and its handshake.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use spikewire_cql::consistency::Consistency;
use spikewire_cql::dialect::{Dialect, Extensions, TabletRouting};
use spikewire_cql::envelope::{EVENT_STREAM, Extras, HEADER_LEN, Header, Opcode};
use spikewire_cql::request::{self, Parameters, RequestError, Startup, Values};
use spikewire_cql::response::{Message, Response, Retry, ServerError, Supported};
use spikewire_cql::sealing::Sealing;
use spikewire_cql::sharding::Sharding;
use spikewire_cql::version::Version;
use spikewire_sync::Mutex;
use spikewire_transport::protocol::{
    Answers, Disposition, Frame, Framing, HandshakeStep, Malformed, OpenResult, ReplyKind,
    RequestInfo,
};

use crate::authenticator::{Authenticator, Conversation};
use crate::shards::Shards;
use crate::text::quoted;

/// Parameters of the handshakes of a session's connections.
#[derive(Debug)]
pub struct Handshake {
    /// The protocol version.
    pub version: Version,
    /// Whether output is compressed.
    pub compression: bool,
    /// How to log in.
    pub authenticator: Option<Arc<dyn Authenticator>>,
    /// The keyspace that every new connection uses.
    pub keyspace: Mutex<Option<Arc<str>>>,
    /// Further entries of the STARTUP message.
    pub application: Vec<(String, String)>,
    /// Whether the server has shards or extensions: connections to nodes then send OPTIONS first.
    pub nodes_have_options: AtomicBool,
    /// What the first control connection agreed on: requests are composed accordingly.
    pub extensions: OnceLock<Extensions>,
    /// The reason why the server last rejected a connection.
    pub last_error: Mutex<Option<HandshakeError>>,
}

impl Handshake {
    /// From now on, new connections use this keyspace.
    pub fn set_keyspace(&self, name: &str) {
        *self.keyspace.lock() = Some(name.into());
    }

    /// How requests are composed.
    pub fn dialect(&self) -> Dialect {
        self.agreed().dialect(self.version)
    }

    /// The extensions of the session.
    pub fn agreed(&self) -> Extensions {
        self.extensions.get().copied().unwrap_or_default()
    }
}

/// Why a handshake failed.
#[derive(Debug)]
pub enum HandshakeError {
    /// The server returned this error.
    Server(ServerError),
    /// It requires a login of this class, and there are no credentials.
    NoCredentials(String),
}

/// The protocol of one connection.
#[derive(Debug)]
pub struct Cassandra {
    handshake: Arc<Handshake>,
    /// The address of its node.
    node: SocketAddr,
    state: HandshakeState,
    sealing: Sealing,
    /// The shards of its node; `None` for the control connection.
    shards: Option<Arc<Shards>>,
    /// The shard that it leads to.
    shard: Option<u16>,
    /// The extensions that it uses.
    extensions: Extensions,
    /// The dialect of its requests, if the node lacks extensions of the session.
    translates_to: Option<Dialect>,
}

/// What the handshake waits for.
#[derive(Debug)]
enum HandshakeState {
    Connected,
    AwaitingOptions,
    Started,
    LoggingIn(Box<dyn Conversation>),
    UsingKeyspace,
    Over,
}

impl Cassandra {
    /// The protocol of a new control connection.
    pub fn control(handshake: Arc<Handshake>, node: SocketAddr) -> Self {
        Self::new(handshake, node, None)
    }

    /// The protocol of a new connection to a node with these shards.
    pub fn to_node(handshake: Arc<Handshake>, node: SocketAddr, shards: Arc<Shards>) -> Self {
        Self::new(handshake, node, Some(shards))
    }

    fn new(handshake: Arc<Handshake>, node: SocketAddr, shards: Option<Arc<Shards>>) -> Self {
        let sealing = Sealing::during_startup(handshake.version, handshake.compression);
        Self {
            handshake,
            node,
            state: HandshakeState::Connected,
            sealing,
            shards,
            shard: None,
            extensions: Extensions::default(),
            translates_to: None,
        }
    }

    /// The shard that it leads to, if the server said so.
    pub fn shard(&self) -> Option<u16> {
        self.shard
    }

    fn go_on(&mut self, frame: Option<&[u8]>, out: &mut Vec<u8>) -> Result<HandshakeStep, String> {
        let Some(frame) = frame else {
            // If there is nothing to ask for, that saves a round trip.
            let needs_options =
                self.shards.is_none() || self.handshake.nodes_have_options.load(Relaxed);
            return if needs_options { self.ask(out) } else { self.start(out) };
        };
        let response = Response::read(frame).map_err(|error| error.to_string())?;
        match (std::mem::replace(&mut self.state, HandshakeState::Over), response.message) {
            (_, Message::Error(error)) => {
                let why = error.to_string();
                *self.handshake.last_error.lock() = Some(HandshakeError::Server(error));
                Err(why)
            }
            (HandshakeState::AwaitingOptions, Message::Supported(supported)) => {
                self.on_supported(&supported);
                self.start(out)
            }
            (HandshakeState::Started, Message::Ready) => {
                self.agree();
                self.use_keyspace(out)
            }
            (HandshakeState::Started, Message::Authenticate(class)) => {
                self.agree();
                self.log_in(class, out)
            }
            (HandshakeState::LoggingIn(mut login), Message::AuthChallenge(challenge)) => {
                let answer = login.answer(challenge)?;
                self.answer(login, &answer, out)
            }
            (HandshakeState::LoggingIn(mut login), Message::AuthSuccess(token)) => {
                login.succeeded(token)?;
                self.use_keyspace(out)
            }
            (HandshakeState::UsingKeyspace, Message::Result(_)) => Ok(HandshakeStep::Ready),
            (_, message) => {
                Err(format!("an unexpected {} in the handshake", message.opcode().name()))
            }
        }
    }

    /// Asks what the server supports.
    fn ask(&mut self, out: &mut Vec<u8>) -> Result<HandshakeStep, String> {
        self.state = HandshakeState::AwaitingOptions;
        request::options(out, self.handshake.version).map_err(|error| error.to_string())?;
        Ok(HandshakeStep::Wait)
    }

    fn on_supported(&mut self, supported: &Supported<'_>) {
        let (sharding, offered) = (Sharding::of(supported), supported.extensions());
        let agreed = match &self.shards {
            None => *self.handshake.extensions.get_or_init(|| offered),
            Some(_) => self.handshake.agreed(),
        };
        self.extensions = usable(offered, agreed);
        match &self.shards {
            None => {
                let have_options = sharding.is_some() || agreed != Extensions::default();
                self.handshake.nodes_have_options.store(have_options, Relaxed);
            }
            Some(shards) => {
                shards.learn(sharding, &self.extensions);
                self.shard = sharding.map(|sharding| sharding.shard);
            }
        }
    }

    fn start(&mut self, out: &mut Vec<u8>) -> Result<HandshakeStep, String> {
        self.state = HandshakeState::Started;
        let (ours, dialect) =
            (self.handshake.dialect(), self.extensions.dialect(self.handshake.version));
        self.translates_to = (dialect != ours).then_some(dialect);
        self.put_startup(out).map_err(|error| error.to_string())?;
        Ok(HandshakeStep::Wait)
    }

    fn put_startup(&self, out: &mut Vec<u8>) -> Result<(), RequestError> {
        let Handshake { version, compression, application, .. } = &*self.handshake;
        let extensions = self.extensions.startup();
        let extensions = extensions.iter().map(|(key, value)| (*key, value.as_str()));
        let named = application.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let extras: Vec<_> = named.chain(extensions).collect();
        let startup = Startup {
            lz4: *compression,
            throw_on_overload: true,
            driver: Some(("Spikewire", env!("CARGO_PKG_VERSION"))),
            extras: &extras,
        };
        request::startup(out, *version, &startup)
    }

    /// From here on, both sides seal their output as negotiated.
    fn agree(&mut self) {
        self.sealing = Sealing::after_startup(self.handshake.version, self.handshake.compression);
    }

    fn log_in(&mut self, class: &str, out: &mut Vec<u8>) -> Result<HandshakeStep, String> {
        let Some(authenticator) = &self.handshake.authenticator else {
            let why =
                format!("the server asks for a login ({class}), and there are no credentials");
            *self.handshake.last_error.lock() = Some(HandshakeError::NoCredentials(why.clone()));
            return Err(why);
        };
        let mut login = authenticator.begin_at(class, self.node)?;
        let answer = login.answer(None)?;
        self.answer(login, &answer, out)
    }

    fn answer(
        &mut self,
        login: Box<dyn Conversation>,
        answer: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<HandshakeStep, String> {
        self.state = HandshakeState::LoggingIn(login);
        request::auth_response(out, self.handshake.version, Some(answer))
            .map_err(|error| error.to_string())?;
        Ok(HandshakeStep::Wait)
    }

    fn use_keyspace(&mut self, out: &mut Vec<u8>) -> Result<HandshakeStep, String> {
        let keyspace = self.handshake.keyspace.lock().clone();
        let Some(keyspace) = keyspace else { return Ok(HandshakeStep::Ready) };
        let statement = format!("USE {}", quoted(&keyspace));
        self.state = HandshakeState::UsingKeyspace;
        plain_query(out, self.handshake.version, &statement).map_err(|error| error.to_string())?;
        Ok(HandshakeStep::Wait)
    }
}

/// The extensions that a connection uses to a node that offers some. Those that make requests longer
/// are left out if the session's requests lack their part.
fn usable(offered: Extensions, agreed: Extensions) -> Extensions {
    let tablets = match offered.tablets {
        TabletRouting::V2 if agreed.tablets != TabletRouting::V2 => TabletRouting::V1,
        tablets => tablets,
    };
    let metadata_id = offered.metadata_id && agreed.metadata_id;
    Extensions { metadata_id, tablets, ..offered }
}

/// A statement without values, at a consistency level that any node can answer.
pub fn plain_query(out: &mut Vec<u8>, version: Version, text: &str) -> Result<(), RequestError> {
    let parameters = Parameters { consistency: Consistency::One, ..Parameters::default() };
    request::query(out, version, text, Values::NONE, &parameters, &Extras::default())
}

/// Translates the requests behind `from`, for a node that lacks extensions of the session.
#[cold]
fn translate_all(out: &mut Vec<u8>, from: usize, ours: Dialect, theirs: Dialect) {
    let mut translated = Vec::new();
    let mut rest = &out[from..];
    while let Ok(Some(header)) = Header::read(rest)
        && let Some(request) = rest.get(..header.envelope_len())
        && request::translate(request, ours, theirs, &mut translated).is_ok()
    {
        rest = &rest[request.len()..];
    }
    translated.extend_from_slice(rest);
    out.truncate(from);
    out.append(&mut translated);
}

fn malformed(error: &spikewire_cql::notation::Malformed) -> Malformed {
    Malformed(error.to_string().into())
}

impl Framing for Cassandra {
    const SEALS: bool = true;
    const OPENS: bool = true;

    fn next_handshake_step(&mut self, frame: Option<&[u8]>, out: &mut Vec<u8>) -> HandshakeStep {
        self.go_on(frame, out).unwrap_or_else(HandshakeStep::Failed)
    }

    fn cut(&mut self, bytes: &[u8]) -> Result<Option<Frame>, Malformed> {
        let Some(header) = Header::read(bytes).map_err(|error| malformed(&error))? else {
            return Ok(None);
        };
        let answers = match header.stream {
            EVENT_STREAM => Answers::Event,
            // Requests have ids from 1; a frame with id 0 is about the connection.
            0 if matches!(self.state, HandshakeState::Over) => Answers::Connection,
            stream => Answers::Id(stream as u16),
        };
        Ok(Some(Frame { header: 0, len: HEADER_LEN + header.body, answers }))
    }

    fn close_reason(&self, frame: &[u8]) -> String {
        match Response::read(frame).map(|response| response.message) {
            Ok(Message::Error(error)) => error.to_string(),
            Ok(message) => format!("a {} that nobody asked for", message.opcode().name()),
            Err(error) => error.to_string(),
        }
    }

    /// Nothing is compressed before that is negotiated.
    fn seals(&self) -> bool {
        let is_before = matches!(
            self.state,
            HandshakeState::Connected | HandshakeState::AwaitingOptions | HandshakeState::Started
        );
        (!self.sealing.is_bare() || self.translates_to.is_some()) && !is_before
    }

    fn seal(&mut self, out: &mut Vec<u8>, from: usize) {
        if let Some(dialect) = self.translates_to {
            translate_all(out, from, self.handshake.dialect(), dialect);
        }
        if !self.sealing.is_bare() {
            self.sealing.seal(out, from);
        }
    }

    fn opens(&self) -> bool {
        !self.sealing.is_bare()
    }

    fn open(&mut self, sealed: &[u8], plain: &mut Vec<u8>) -> Result<OpenResult, Malformed> {
        use spikewire_cql::envelope::UnsealResult as SealedInput;
        Ok(match self.sealing.open(sealed, plain).map_err(|error| malformed(&error))? {
            SealedInput::Took(size) => OpenResult::Took(size),
            SealedInput::Awaits(size) => OpenResult::Awaits(size),
        })
    }

    #[inline]
    fn classify(&mut self, frame: &[u8], _: RequestInfo) -> Result<Disposition, Malformed> {
        let outcome = if is_error(frame) { kind_of(&read_error(frame)?) } else { ReplyKind::Done };
        Ok(Disposition { outcome, closes: false })
    }
}

/// What an error means to its request.
fn kind_of(error: &ServerError) -> ReplyKind {
    match error.retry() {
        Retry::Prepare => ReplyKind::Returned,
        Retry::SameNode | Retry::NextNode => ReplyKind::Retry { doubtful: false },
        Retry::SameNodeIfIdempotent | Retry::NextNodeIfIdempotent => {
            ReplyKind::Retry { doubtful: true }
        }
        Retry::Never => ReplyKind::Done,
    }
}

/// Whether a frame is an error.
#[inline]
pub(crate) fn is_error(frame: &[u8]) -> bool {
    frame[4] == Opcode::Error as u8
}

/// The error that a frame is.
pub(crate) fn read_error(frame: &[u8]) -> Result<ServerError, Malformed> {
    match Response::read(frame).map(|response| response.message) {
        Ok(Message::Error(error)) => Ok(error),
        Ok(_) => Err(Malformed("a frame of kind ERROR without an error".into())),
        Err(error) => Err(Malformed(error.to_string().into())),
    }
}

#[cfg(test)]
mod tests;
