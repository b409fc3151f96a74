//! The engine's error type, which the APIs of all languages convert.

use std::fmt;

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::error_details::ErrorDetails;
use spikewire_aerospike_protocol::message::{Header, Message, field};
use spikewire_aerospike_protocol::request::TooLarge;
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_options::InvalidArgument;
use spikewire_transport::CLIENT_CLOSED;
use spikewire_transport::fault::Cause;

/// Shorthand for results of the engine.
pub type Result<T> = std::result::Result<T, Error>;

/// The class of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The command's total deadline passed.
    Timeout,
    /// No connection could be opened, or it failed during the command.
    Connection,
    /// The server rejected the command with this code.
    Server(ResultCode),
    /// The node's replies to a batch ended before that row, at one that failed.
    Unanswered,
    /// No reachable node holds the record's partition now.
    NoNode,
    /// No node of the cluster knows the namespace.
    NoNamespace,
    /// The queue of commands waiting for a connection is full.
    Busy,
    /// It could not be answered in time, given what waits for the node already; it was not sent.
    Overloaded,
    /// The node failed too often recently: its circuit breaker is open.
    CircuitOpen,
    /// The node sent invalid data.
    Malformed,
    /// The request needs a feature that a server does not have; it was not sent.
    Unsupported,
    /// The client is closed.
    Closed,
    /// The query is closed.
    QueryClosed,
    /// A signal interrupted the caller.
    Interrupted,
    /// The reader of a query paused so long that a node gave up.
    Paused,
    /// The transaction is in a state, or of a kind, in which this cannot be done.
    Transaction,
    /// Invalid arguments.
    Invalid,
}

impl Kind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Connection => "connection",
            Self::Server(_) => "server",
            Self::Unanswered => "unanswered",
            Self::NoNode => "no_node",
            Self::NoNamespace => "no_namespace",
            Self::Busy => "busy",
            Self::Overloaded => "overloaded",
            Self::CircuitOpen => "circuit_open",
            Self::Malformed => "malformed",
            Self::Unsupported => "unsupported",
            Self::Paused => "paused",
            Self::Closed | Self::Interrupted => "closed",
            Self::QueryClosed => "query_closed",
            Self::Transaction => "transaction",
            Self::Invalid => "invalid",
        }
    }

    /// The name of its class, for languages that have classes of errors.
    pub fn class_name(self) -> &'static str {
        match self {
            Self::Timeout | Self::Server(ResultCode::TIMEOUT) => "Timeout",
            Self::NoNamespace | Self::Server(ResultCode::NAMESPACE) => "NamespaceNotFound",
            Self::Connection => "ConnectionFailed",
            Self::NoNode | Self::CircuitOpen => "NodeUnavailable",
            Self::Busy => "TooBusy",
            Self::Overloaded => "Overloaded",
            Self::Malformed => "ProtocolError",
            Self::Unsupported => "FeatureUnavailable",
            Self::Paused => "QueryPaused",
            Self::Closed | Self::Interrupted => "ClientClosed",
            Self::QueryClosed => "QueryClosed",
            Self::Server(ResultCode::NOT_FOUND) => "RecordNotFound",
            Self::Server(ResultCode::GENERATION) => "GenerationMismatch",
            Self::Server(ResultCode::RECORD_EXISTS) => "RecordExists",
            Self::Server(ResultCode::BIN_EXISTS) => "BinExists",
            Self::Server(ResultCode::BIN_TYPE) => "BinTypeError",
            Self::Server(ResultCode::RECORD_TOO_BIG) => "RecordTooBig",
            Self::Server(ResultCode::BIN_NOT_FOUND) => "BinNotFound",
            Self::Server(ResultCode::ELEMENT_NOT_FOUND) => "ElementNotFound",
            Self::Server(ResultCode::ELEMENT_EXISTS) => "ElementExists",
            Self::Server(ResultCode::OP_NOT_APPLICABLE) => "OpNotApplicable",
            Self::Server(ResultCode::FILTERED_OUT) => "FilteredOut",
            Self::Server(ResultCode::INVALID_USER) => "UserNotFound",
            Self::Server(ResultCode::USER_EXISTS) => "UserExists",
            Self::Server(ResultCode::INVALID_ROLE) => "RoleNotFound",
            Self::Server(ResultCode::ROLE_EXISTS) => "RoleExists",
            Self::Server(ResultCode::ROLE_VIOLATION) => "PermissionDenied",
            Self::Server(ResultCode::UDF) => "FunctionFailed",
            Self::Server(ResultCode::INDEX_NOT_FOUND) => "IndexNotFound",
            Self::Server(ResultCode::TRANSACTION_BLOCKED) => "RecordLocked",
            Self::Server(ResultCode::TRANSACTION_VERSION) => "RecordChanged",
            Self::Server(ResultCode::TRANSACTION_EXPIRED) => "TransactionExpired",
            Self::Transaction => "TransactionError",
            Self::Server(code) if code.is_of_transaction() => "TransactionError",
            Self::Server(_) | Self::Unanswered | Self::Invalid => "ServerError",
        }
    }

    /// The numeric code: the server's, or a negative client-side one.
    pub fn code(self) -> i32 {
        match self {
            Self::Server(code) => i32::from(code.0),
            Self::Timeout => 9,
            Self::Invalid => -2,
            Self::Closed | Self::QueryClosed | Self::Interrupted => -5,
            Self::Busy | Self::Overloaded => -11,
            Self::NoNode => -8,
            // The code of a server that does not know the namespace.
            Self::NoNamespace => i32::from(ResultCode::NAMESPACE.0),
            Self::Connection => -10,
            Self::Malformed => -1,
            Self::Unsupported | Self::Unanswered => -15,
            Self::Paused => -9,
            Self::CircuitOpen => -14,
            Self::Transaction => -17,
        }
    }
}

/// An error: what happened, on which node, after how many attempts, and whether a write may
/// nevertheless have been applied.
#[derive(Debug, Clone)]
pub struct Error(Box<Details>);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)?;
        self.0.advice.map_or(Ok(()), |advice| write!(f, " - {advice}"))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_deref().map(|cause| cause as _)
    }
}

/// A node sent invalid data.
impl From<Malformed> for Error {
    #[cold]
    fn from(error: Malformed) -> Self {
        Self::new(Kind::Malformed, error.to_string())
    }
}

#[derive(Debug, Clone)]
struct Details {
    kind: Kind,
    message: String,
    node: Option<String>,
    attempts: u32,
    in_doubt: bool,
    /// The error underneath, such as that of the operating system.
    cause: Option<Cause>,
    /// What the server said beyond its code.
    server: Option<Box<ErrorDetails>>,
    /// What to do about it; `None` where the message is enough.
    advice: Option<&'static str>,
}

/// What a node says of a function whose module or name it does not know, whatever that was.
const FUNCTION_UNKNOWN: &str = "Execution Error 1";
const ADVICE_ON_MODULES: &str =
    "is its module registered? client.modules.list() has those that are";

impl Error {
    /// An error that is not in doubt and has no node.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self(Box::new(Details {
            kind,
            message: message.into(),
            node: None,
            attempts: 0,
            in_doubt: false,
            cause: None,
            server: None,
            advice: None,
        }))
    }

    /// The client is closed.
    pub fn closed() -> Self {
        Self::new(Kind::Closed, CLIENT_CLOSED)
    }

    /// The query is closed.
    pub fn query_closed() -> Self {
        Self::new(Kind::QueryClosed, "the query is closed")
    }

    /// An error for invalid arguments.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Kind::Invalid, message)
    }

    /// An error reply of the server.
    pub fn server(code: ResultCode) -> Self {
        Self::new(Kind::Server(code), code.text())
    }

    /// The error in a reply message, which has at least a header; a failed function includes its
    /// message.
    pub fn replied(message: &[u8]) -> Self {
        let code = Header::result_of(message);
        let first_op =
            || Message::parse(message).ok().and_then(|(message, _)| message.ops().next());
        match first_op().filter(|op| code == ResultCode::UDF && !op.value.is_empty()) {
            Some(op) => {
                let error = Self::new(Kind::Server(code), String::from_utf8_lossy(op.value));
                let is_unknown = error.message().ends_with(FUNCTION_UNKNOWN);
                if is_unknown { error.advised(ADVICE_ON_MODULES) } else { error }
            }
            None => Self::server(code),
        }
        .detailed(message)
    }

    /// The same with what to do about it.
    #[must_use]
    pub fn advised(mut self, advice: &'static str) -> Self {
        self.0.advice = Some(advice);
        self
    }

    /// What to do about it, which the text has behind the message; `None` where that is enough.
    pub fn advice(&self) -> Option<&'static str> {
        self.0.advice
    }

    /// The same with what a reply message says beyond its code, if it says anything.
    #[must_use]
    pub(crate) fn detailed(self, message: &[u8]) -> Self {
        if Header::parse(message).is_ok_and(|header| header.fields == 0) {
            return self;
        }
        let parsed = Message::parse(message).ok();
        let field = parsed.and_then(|(message, _)| message.field(field::ERROR_DETAILS));
        self.with_details(field.and_then(ErrorDetails::read))
    }

    /// The same with what the server said beyond its code. The text has it in brackets.
    #[must_use]
    pub(crate) fn with_details(mut self, details: Option<ErrorDetails>) -> Self {
        if let (Kind::Server(_), Some(details)) = (self.kind(), details) {
            self.0.server = Some(Box::new(details));
            self.0.message = self.explained(&self.0.message);
        }
        self
    }

    /// The same with what the server said according to another error, whose text this one has.
    #[must_use]
    pub(crate) fn with_details_of(mut self, other: &Self) -> Self {
        self.0.server.clone_from(&other.0.server);
        self
    }

    /// A message for this error, with what the server said in brackets behind it; for hosts that
    /// know more about the call than [`message`](Self::message) says.
    pub fn explained(&self, message: &str) -> String {
        match (self.kind(), self.details()) {
            (Kind::Server(code), Some(details)) => {
                format!("{message} {}", details.brackets(code.0))
            }
            _ => message.to_owned(),
        }
    }

    /// A value from a server that is not valid.
    #[cold]
    pub fn unreadable(error: &Malformed) -> Self {
        let message = format!("the server sent a value this client cannot read: {error}");
        Self::new(Kind::Malformed, message)
    }

    /// Sets the node.
    #[must_use]
    pub fn on(mut self, node: impl Into<String>) -> Self {
        self.0.node = Some(node.into());
        self
    }

    /// Adds the error underneath, which [`source`](std::error::Error::source) returns.
    #[must_use]
    pub fn because(mut self, cause: Option<Cause>) -> Self {
        self.0.cause = cause;
        self
    }

    /// Adds to the message.
    #[must_use]
    pub(crate) fn with_note(mut self, note: &str) -> Self {
        self.0.message.push_str(note);
        self
    }

    /// Sets the number of attempts and whether the command may have been applied.
    #[must_use]
    pub fn after(mut self, attempts: u32, in_doubt: bool) -> Self {
        self.0.attempts = attempts;
        self.0.in_doubt = in_doubt;
        self
    }

    /// What the server said beyond its code, if it was asked for it; see
    /// [`RetryOptions::error_details`](super::RetryOptions::error_details).
    pub fn details(&self) -> Option<&ErrorDetails> {
        self.0.server.as_deref()
    }

    /// A number that says more than the server's code, if the server sent one.
    pub fn subcode(&self) -> Option<u32> {
        self.details().and_then(|details| details.subcode)
    }

    /// What that number is called.
    pub fn subcode_name(&self) -> Option<&'static str> {
        match self.kind() {
            Kind::Server(code) => self.details().and_then(|details| details.name(code.0)),
            _ => None,
        }
    }

    /// The class of this error.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// The message.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The node's name and address, if one was involved.
    pub fn node(&self) -> Option<&str> {
        self.0.node.as_deref()
    }

    /// The number of attempts.
    pub fn attempts(&self) -> u32 {
        self.0.attempts
    }

    /// Whether a write may have been applied although it failed.
    pub fn in_doubt(&self) -> bool {
        self.0.in_doubt
    }
}

impl From<InvalidArgument> for Error {
    fn from(error: InvalidArgument) -> Self {
        Self::invalid(error.message())
    }
}

impl From<TooLarge> for Error {
    fn from(error: TooLarge) -> Self {
        Self::invalid(error.to_string())
    }
}
