//! What the transport asks of a database's protocol.

use std::fmt;
use std::time::Duration;

use crate::command::Command;
use crate::fault::CLIENT_CLOSED;
pub use crate::fault::Malformed;
use crate::metrics::About;
use crate::topology::Topology;

/// What opening a connection takes: where frames end, and the handshake.
///
/// A protocol may wrap its frames in something else, in segments with checksums for example, or
/// compress them. What is sent is then sealed, what comes is opened, and [`Framing::cut`] sees
/// plain frames only. Whether that is so is known at build time ([`Framing::SEALS`],
/// [`Framing::OPENS`]) and, for those that may, at run time ([`Framing::seals`],
/// [`Framing::opens`]), as a handshake can begin without it.
pub trait Framing: fmt::Debug {
    /// Whether [`Framing::seal`] may do anything.
    const SEALS: bool = false;

    /// Whether [`Framing::open`] may do anything.
    const OPENS: bool = false;

    /// The next step of the handshake. Called once without a frame when the socket is connected,
    /// then with each frame that comes, until it is ready. What goes to `out` is sent.
    fn greet(&mut self, heard: Option<&[u8]>, out: &mut Vec<u8>) -> Greeting {
        let _ = (heard, out);
        Greeting::Ready
    }

    /// The frame that begins with these bytes, as soon as its header is there; its end need not
    /// be.
    fn cut(&mut self, bytes: &[u8]) -> Result<Option<Frame>, Malformed>;

    /// What a frame says that ends the connection ([`Answers::Connection`]): the reason, in the
    /// server's words.
    fn verdict(&self, body: &[u8]) -> String {
        let _ = body;
        "it gave no reason".to_owned()
    }

    /// Whether what is sent from now on has to be sealed. Asked when something is about to be
    /// sent, if [`Framing::SEALS`]; may change during the handshake only.
    fn seals(&self) -> bool {
        Self::SEALS
    }

    /// Wraps what is about to be sent, `out[from..]`: whole frames, the requests of a turn or what
    /// a step of the handshake wrote.
    fn seal(&mut self, out: &mut Vec<u8>, from: usize) {
        let _ = (out, from);
    }

    /// Whether the bytes that are not looked at yet have to be opened. Asked whenever the next
    /// frame is looked for, if [`Framing::OPENS`]: a step of the handshake may turn it on, and
    /// nothing turns it off.
    fn opens(&self) -> bool {
        Self::OPENS
    }

    /// Appends what the first unit of `sealed` holds to `plain`: whole frames, or a piece of one.
    /// Called again when `plain` holds no whole frame. How the next unit is to be read may change
    /// with a frame of the handshake, so only one unit is opened at a time.
    fn open(&mut self, sealed: &[u8], plain: &mut Vec<u8>) -> Result<Opened, Malformed> {
        let _ = (sealed, plain);
        Err(Malformed("bytes of a protocol that seals nothing".into()))
    }
}

/// What came of opening bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opened {
    /// So many bytes made a whole unit, at least one.
    Took(usize),
    /// The first unit is not all there; it has so many bytes in all, 0 if that is not known yet.
    Awaits(usize),
}

/// The protocol of one connection. A value of this type belongs to each connection and may keep
/// what the two sides agreed on.
pub trait Protocol: Framing + Sized + 'static {
    /// What knows the nodes.
    type Topology: Topology;
    /// What a reply says about its success.
    type Code: Copy + fmt::Debug;

    /// How many requests may be in flight by id on one connection; `None` where replies come in
    /// the order of the requests.
    const IDS: Option<u16> = None;

    /// The lowest id.
    const FIRST_ID: u16 = 0;

    /// How many ids the answers to requests that were given up may hold. With more of them the
    /// connection gets no more requests, and ends when those that it has are answered.
    const ORPHANS: usize = match Self::IDS {
        Some(ids) => ids as usize / 2,
        None => usize::MAX,
    };

    /// How long such an answer may stay away, and nothing else come, before the connection is
    /// given up.
    const PATIENCE: Duration = Duration::from_secs(3);

    /// So many commands of an event loop's tasks are written without waiting for the flush behind the
    /// tasks, so that nodes are at work meanwhile.
    const BURST: usize = usize::MAX;

    /// Whether nodes may have lanes ([`Topology::lane`]).
    const LANES: bool = false;

    /// What a command is told that comes after the end.
    const CLOSED: &'static str = CLIENT_CLOSED;

    /// The protocol of a new connection to this node.
    fn new(topology: &Self::Topology, node: &NodeOf<Self>) -> Self;

    /// The lane that the connection leads to, as far as the handshake said so.
    fn lane(&self) -> Option<u16> {
        None
    }

    /// What the body of a frame means to the request that it answers.
    fn classify(&mut self, body: &[u8], request: Asked) -> Result<Disposition, Malformed>;

    /// The code in a frame that [`Protocol::classify`] accepted.
    fn code(body: &[u8]) -> Self::Code;

    /// The error that such a frame stands for.
    fn refusal(body: &[u8]) -> ErrorOf<Self>;

    /// What a request of this weight is, to count it by. Asked as it ends, while commands are
    /// counted.
    fn about<'a>(
        bytes: &'a [u8],
        target: &'a <Self::Topology as Topology>::Target,
        weight: usize,
    ) -> About<'a> {
        let _ = (bytes, target);
        About { operation: "command", namespace: "", records: weight }
    }

    /// How a command ended that this frame answers, in a word; `ok` if it did what it should.
    fn result(body: &[u8]) -> &'static str {
        if Self::is_refusal(body) { "refused" } else { "ok" }
    }

    /// Whether a frame that ends a command is a refusal. A command whose earlier attempts failed
    /// then ends with the error, into which [`Topology::conclude`] puts what was noted of those.
    fn is_refusal(body: &[u8]) -> bool {
        let _ = body;
        false
    }

    /// Completes a request that is about to be queued: its id (0 where replies come in order) and
    /// the time that is left for it.
    fn stamp(&mut self, request: &mut [u8], id: u16, left: Duration) {
        let _ = (request, id, left);
    }

    /// Which connection carries a request that is so long (in bytes) and weighs so much.
    fn sharing(len: usize, weight: usize) -> Sharing;
}

/// How a handshake goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Greeting {
    /// With the next frame of the peer.
    Wait,
    /// It is over: commands may be sent.
    Ready,
    /// It came to nothing, for this reason.
    Refused(String),
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
    /// All of them: it says why the server ends the connection ([`Framing::verdict`]).
    Connection,
}

/// What is known of the request that a frame answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// Whether its answer may be several frames.
    pub many: bool,
    /// What it weighs.
    pub weight: usize,
    /// Frames of its answer that came before this one.
    pub parts: usize,
}

/// What a frame means to its command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Disposition {
    /// What becomes of the command.
    pub outcome: ReplyKind,
    /// Whether the connection is of no more use afterwards.
    pub closes: bool,
}

/// What a frame is to the command that it answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyKind {
    /// A part of the answer.
    More,
    /// The answer, or its end.
    Done,
    /// A refusal that another attempt may get past.
    Retry {
        /// A command that writes may have been applied all the same.
        doubtful: bool,
    },
    /// The node lacks something that the request builds on, and did not execute it. The command
    /// ends with this reply; before that its ticket is given the request back
    /// ([`ResponseHandler::returned`](crate::ResponseHandler::returned)), to send it again once
    /// the node has what it lacks.
    Returned,
}

/// Which connection carries a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sharing {
    /// One that carries others at the same time.
    Shared,
    /// One that carries nothing else meanwhile.
    Alone,
    /// The same, and not one of those for `Alone`: questions to a node, which do not wait for large
    /// requests, and are asked although its circuit breaker is open.
    Control,
}

impl Sharing {
    /// How many kinds of connections there are.
    pub(crate) const KINDS: usize = 3;

    /// All of them, in their order.
    pub(crate) const ALL: [Self; Self::KINDS] = [Self::Shared, Self::Alone, Self::Control];
}

/// The node type of a protocol.
pub type NodeOf<P> = <<P as Protocol>::Topology as Topology>::Node;

/// The error type of a protocol.
pub type ErrorOf<P> = <<P as Protocol>::Topology as Topology>::Error;

/// The commands of a protocol.
pub type CommandOf<P, T> = Box<
    Command<
        <<P as Protocol>::Topology as Topology>::Target,
        <<P as Protocol>::Topology as Topology>::Preference,
        T,
    >,
>;
