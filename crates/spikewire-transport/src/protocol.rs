//! What the transport needs from a database's protocol.

use std::fmt;
use std::ops::Range;
use std::time::Duration;

use crate::command::Command;
use crate::fault::CLIENT_CLOSED;
pub use crate::fault::Malformed;
use crate::limiter::Tolerance;
use crate::metrics::{About, Subject};
pub use crate::request_kind::RequestKind;
use crate::topology::Topology;

/// The frames of a connection: where they end, what they mean to the requests that they answer, and
/// the handshake. It does without a topology, which is not known before there is a connection.
///
/// A protocol may wrap its frames, for example in segments with checksums, or compress them. Output
/// is then sealed and input opened, so that [`Framing::cut`] sees only plain frames. Whether a
/// protocol can do this is known at compile time ([`Framing::SEALS`], [`Framing::OPENS`]); whether
/// it currently does, at run time ([`Framing::seals`], [`Framing::opens`]), since a handshake may
/// begin without it.
pub trait Framing: fmt::Debug {
    /// Whether [`Framing::seal`] may do anything.
    const SEALS: bool = false;

    /// Whether [`Framing::open`] may do anything.
    const OPENS: bool = false;

    /// The next step of the handshake. Called once without a frame when the socket is connected,
    /// then with each frame that arrives, until it returns [`HandshakeStep::Ready`]. What is put into
    /// `out` is sent.
    fn next_handshake_step(&mut self, frame: Option<&[u8]>, out: &mut Vec<u8>) -> HandshakeStep {
        let _ = (frame, out);
        HandshakeStep::Ready
    }

    /// The frame that begins with these bytes, as soon as its header is complete; the rest need not
    /// have arrived.
    fn cut(&mut self, bytes: &[u8]) -> Result<Option<Frame>, Malformed>;

    /// What a frame's body means to the request that it answers. Default: it is the reply, as for a
    /// connection with one request at a time.
    fn classify(&mut self, body: &[u8], request: RequestInfo) -> Result<Disposition, Malformed> {
        let _ = (body, request);
        Ok(Disposition { outcome: ReplyKind::Done, closes: false })
    }

    /// The reason given by a frame that ends the connection ([`Answers::Connection`]), in the
    /// server's words.
    fn close_reason(&self, body: &[u8]) -> String {
        let _ = body;
        "it gave no reason".to_owned()
    }

    /// Whether the frame that was cut last, and has arrived whole, is the packed form of another one,
    /// such as a compressed one: then that is made of it, and stands in its place.
    fn is_packed(&self) -> bool {
        false
    }

    /// The length of the frame that is packed in this one's body. As much is allocated at once.
    fn unpacked_len(&self, body: &[u8]) -> Result<usize, Malformed> {
        let _ = body;
        Err(Malformed("a packed frame of a protocol that packs nothing".into()))
    }

    /// Writes the frame that is packed in this body to `out`, which has its length.
    fn unpack(&mut self, body: &[u8], out: &mut [u8]) -> Result<(), Malformed> {
        let _ = (body, out);
        Ok(())
    }

    /// Whether output must be sealed from now on. Checked before sending if [`Framing::SEALS`]; may
    /// change only during the handshake.
    fn seals(&self) -> bool {
        Self::SEALS
    }

    /// Seals what is about to be sent, `out[from..]`: complete frames, either the requests of a
    /// turn or the output of a handshake step.
    fn seal(&mut self, out: &mut Vec<u8>, from: usize) {
        let _ = (out, from);
    }

    /// Whether bytes that were not processed yet must be opened. Checked whenever the next frame is
    /// looked for, if [`Framing::OPENS`]. A handshake step may turn it on; nothing turns it off.
    fn opens(&self) -> bool {
        Self::OPENS
    }

    /// Appends the contents of the first unit of `sealed` to `plain`: complete frames, or a piece
    /// of one. Called again when `plain` holds no complete frame. A handshake frame may change how
    /// the next unit is to be read, so only one unit is opened at a time.
    fn open(&mut self, sealed: &[u8], plain: &mut Vec<u8>) -> Result<OpenResult, Malformed> {
        let _ = (sealed, plain);
        Err(Malformed("bytes of a protocol that seals nothing".into()))
    }
}

/// The result of opening bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OpenResult {
    /// A unit of this many bytes was opened, at least one.
    Took(usize),
    /// The first unit is incomplete; its total length, or 0 if that is not known yet.
    Awaits(usize),
}

/// The protocol of one connection. Each connection has a value of this type, which may hold what
/// the two sides negotiated.
pub trait Protocol: Framing + Sized + 'static {
    /// The topology, which knows the nodes.
    type Topology: Topology;
    /// The result code of a reply.
    type Code: Copy + fmt::Debug;

    /// How many requests may be in flight by id on one connection; `None` if replies arrive in the
    /// order of the requests.
    const IDS: Option<u16> = None;

    /// The lowest id.
    const FIRST_ID: u16 = 0;

    /// How many ids may be held by requests that were given up. With more, the connection gets no
    /// more requests, and is closed once those in flight are answered.
    const ORPHANS: usize = match Self::IDS {
        Some(ids) => ids as usize / 2,
        None => usize::MAX,
    };

    /// How long the reply to such a request may take, while nothing else arrives, before the
    /// connection is given up.
    const PATIENCE: Duration = Duration::from_secs(3);

    /// At most this many commands of an event loop's tasks are written without waiting for the flush
    /// after the tasks, so that nodes start working earlier; fewer if fewer are in flight.
    const BURST: usize = usize::MAX;

    /// Whether nodes may have shards ([`Topology::shard`]).
    const SHARDS: bool = false;

    /// How much later than usual replies are before a node gets fewer commands.
    const TOLERANCE: Tolerance = Tolerance::EVEN;

    /// The message of the error for a command submitted after closing.
    const CLOSED: &'static str = CLIENT_CLOSED;

    /// The protocol of a new connection to this node.
    fn new(topology: &Self::Topology, node: &NodeOf<Self>) -> Self;

    /// The shard that the connection leads to, if the handshake told it.
    fn shard(&self) -> Option<u16> {
        None
    }

    /// The result code in a frame that [`Framing::classify`] accepted.
    fn code(body: &[u8]) -> Self::Code;

    /// The error in such a frame.
    fn server_error(body: &[u8]) -> ErrorOf<Self>;

    /// The error in a frame that ends a command, if it says more with the request at hand. Called
    /// for each such frame.
    fn explain(body: &[u8], request: &[u8]) -> Option<ErrorOf<Self>> {
        let _ = (body, request);
        None
    }

    /// Describes a request about this many rows for the metrics. Called when it ends, if commands
    /// are counted.
    fn about<'a>(
        bytes: &'a [u8],
        target: &'a <Self::Topology as Topology>::Target,
        rows: usize,
        kind: RequestKind,
    ) -> About<'a> {
        let _ = (bytes, target, kind);
        About { operation: "command", namespace: "", records: rows }
    }

    /// What a request is about, for a sample of it; of several records, the one in this place. Called
    /// when it ends, if samples are taken.
    fn subject(bytes: &[u8], kind: RequestKind, row: usize) -> Subject<'_> {
        let _ = (bytes, kind, row);
        Subject::default()
    }

    /// The result of the command that this frame answers, as a label; `ok` if it succeeded.
    fn result(body: &[u8]) -> &'static str {
        if Self::is_server_error(body) { "refused" } else { "ok" }
    }

    /// Whether a frame that ends a command is an error. A command whose earlier attempts failed
    /// then ends with that error, to which [`Topology::conclude`] adds what was recorded of those
    /// attempts.
    fn is_server_error(body: &[u8]) -> bool {
        let _ = body;
        false
    }

    /// Whether a frame that another attempt may get past says that the node has too much to do.
    fn is_overload(body: &[u8]) -> bool {
        let _ = body;
        false
    }

    /// Appends a request to the output, in the form that this connection takes it.
    #[inline(always)]
    fn write_request(&mut self, request: &[u8], kind: RequestKind, out: &mut Vec<u8>) {
        let _ = kind;
        out.extend_from_slice(request);
    }

    /// Completes a request that is about to be queued: sets its id (0 if replies arrive in order)
    /// and its remaining time.
    fn stamp(&mut self, request: &mut [u8], id: u16, left: Duration) {
        let _ = (request, id, left);
    }

    /// The bytes of a request that say how long it may take: requests that differ only there ask for
    /// the same.
    fn time_limit(request: &[u8]) -> Range<usize> {
        let _ = request;
        0..0
    }

    /// Which kind of connection carries a request of this length in bytes, about this many rows.
    fn sharing(len: usize, rows: usize, kind: RequestKind) -> Sharing;
}

/// The next step of a handshake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HandshakeStep {
    /// Wait for the next frame of the server.
    Wait,
    /// Finished: commands may be sent.
    Ready,
    /// Failed for this reason.
    Failed(String),
}

/// Where a frame ends and what it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame {
    /// Bytes before the body.
    pub header: usize,
    /// Bytes of header and body.
    pub len: usize,
    /// Which command it answers.
    pub answers: Answers,
}

/// Which command a frame answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// The oldest one in flight.
    Oldest,
    /// The one with this id.
    Id(u16),
    /// None: the server sent it of its own accord.
    Event,
    /// All of them: it says why the server ends the connection ([`Framing::close_reason`]).
    Connection,
}

/// What is known about the request that a frame answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestInfo {
    /// What it asks for.
    pub kind: RequestKind,
    /// Whether its reply may consist of several frames.
    pub many: bool,
    /// How many rows it is about.
    pub rows: usize,
    /// Frames of its reply that arrived before this one.
    pub parts: usize,
}

/// What a frame means to its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disposition {
    /// What happens to the command.
    pub outcome: ReplyKind,
    /// Whether the connection is of no more use afterwards.
    pub closes: bool,
}

/// What a frame is to the command that it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyKind {
    /// A part of the reply.
    More,
    /// The reply, or its end.
    Done,
    /// An error that another attempt may get past.
    Retry {
        /// Whether a write may have been applied nevertheless.
        doubtful: bool,
    },
    /// The node lacks something that the request depends on, and did not execute it. The command
    /// ends with this reply. Before that, its ticket is given the request back
    /// ([`ResponseHandler::returned`](crate::ResponseHandler::returned)), to send it again once the
    /// node has what it lacks.
    Returned,
}

/// Which kind of connection carries a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// One that carries other commands at the same time.
    Shared,
    /// One that carries nothing else at the same time.
    Alone,
    /// Like `Alone`, but on separate connections: for questions to a node, which do not wait for
    /// large requests and are sent even if its circuit breaker is open.
    Control,
}

impl Sharing {
    /// How many kinds of connections there are.
    pub(crate) const KINDS: usize = 3;

    /// All of them, in order.
    pub(crate) const ALL: [Self; Self::KINDS] = [Self::Shared, Self::Alone, Self::Control];
}

/// The node type of a protocol.
pub type NodeOf<P> = <<P as Protocol>::Topology as Topology>::Node;

/// The error type of a protocol.
pub type ErrorOf<P> = <<P as Protocol>::Topology as Topology>::Error;

/// The target type of a protocol.
pub type TargetOf<P> = <<P as Protocol>::Topology as Topology>::Target;

/// How commands of a protocol choose among nodes.
pub type PreferenceOf<P> = <<P as Protocol>::Topology as Topology>::Preference;

/// The commands of a protocol.
pub type CommandOf<P, T> = Box<Command<TargetOf<P>, PreferenceOf<P>, T>>;
