//! Aerospike's frames: where they end, what they mean to the requests that they answer, and the
//! handshake.

use spikewire_aerospike_protocol::compression::inner_len;
use spikewire_aerospike_protocol::frame::{HEADER_LEN, Header, Kind, VERSION};
use spikewire_aerospike_protocol::manage::Page;
use spikewire_aerospike_protocol::message::{self, info3};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::{auth, info};
use spikewire_transport::protocol::{
    Answers, Disposition, Frame, Framing, HandshakeStep, Malformed, ReplyKind, RequestInfo,
    RequestKind,
};

use crate::security::{Access, LoginHandshake};
use crate::{compression, marks};

/// Aerospike's protocol: replies come in the order of requests. A connection is ready once it is
/// established and, if the client logs in, the node has accepted the login.
#[derive(Debug, Clone, Default)]
pub struct Aerospike {
    /// Whether the frame that was cut last is no message: it answers an info request, or one about
    /// users and roles.
    is_service_frame: bool,
    /// Whether that frame is one of security.
    security: bool,
    /// Whether the client logs in.
    logs_in: bool,
    /// The handshake before the first command; `None` once done.
    handshake: Option<Box<LoginHandshake>>,
    /// Whether the frame that was cut last is compressed.
    packed: bool,
    /// Requests longer than this may be compressed; `None` if the node knows no compression.
    compression: Option<usize>,
    /// Whether the node says more about errors if it is asked for it.
    details: bool,
}

impl Aerospike {
    /// The state of a new connection.
    pub(crate) fn new(access: &Access) -> Self {
        let handshake = access.handshake();
        Self { logs_in: handshake.is_some(), handshake, ..Self::default() }
    }

    /// The same for requests that may be compressed if they are longer than this.
    #[must_use]
    pub(crate) fn with_compression(self, threshold: Option<usize>) -> Self {
        Self { compression: threshold, ..self }
    }

    /// The same for a node that says more about errors if it is asked for it, or one that does not.
    #[must_use]
    pub(crate) fn with_details(self, details: bool) -> Self {
        Self { details, ..self }
    }

    /// Appends a request for data as the node takes it.
    #[inline(always)]
    pub(crate) fn write_data(&self, request: &[u8], out: &mut Vec<u8>) {
        if marks::are_in(request) {
            marks::write(request, self.compression, self.details, out);
        } else {
            out.extend_from_slice(request);
        }
    }
}

impl Framing for Aerospike {
    fn next_handshake_step(&mut self, frame: Option<&[u8]>, out: &mut Vec<u8>) -> HandshakeStep {
        let Some(handshake) = &mut self.handshake else { return HandshakeStep::Ready };
        let step = handshake.advance(frame, out);
        if step == HandshakeStep::Ready {
            self.handshake = None;
        }
        step
    }

    #[inline]
    fn cut(&mut self, bytes: &[u8]) -> Result<Option<Frame>, Malformed> {
        let header = Header::parse(bytes).map_err(|error| malformed(&error.to_string(), bytes))?;
        let Some(header) = header else { return begun(bytes) };
        self.is_service_frame = match header.kind {
            Kind::Message => false,
            Kind::Info => self.on_service_frame(false),
            Kind::Admin => self.on_service_frame(true),
            Kind::Compressed => self.on_compressed_frame()?,
        };
        let len = HEADER_LEN + header.len;
        Ok(Some(Frame { header: HEADER_LEN, len, answers: Answers::Oldest }))
    }

    #[inline(always)]
    fn is_packed(&self) -> bool {
        self.packed
    }

    fn unpacked_len(&self, body: &[u8]) -> Result<usize, Malformed> {
        inner_len(body).map_err(|error| Malformed(error.to_string().into()))
    }

    fn unpack(&mut self, body: &[u8], out: &mut [u8]) -> Result<(), Malformed> {
        self.packed = false;
        compression::unpack(body, out).map_err(|error| Malformed(error.to_string().into()))
    }

    #[inline]
    fn classify(&mut self, body: &[u8], request: RequestInfo) -> Result<Disposition, Malformed> {
        if self.is_service_frame
            != (matches!(request.kind, RequestKind::Accounts | RequestKind::Info))
        {
            return Err(Malformed("a message in answer to an info request, or the reverse".into()));
        }
        if self.is_service_frame {
            return self.classify_service_reply(body, request);
        }
        if body.len() < message::HEADER_LEN {
            return Err(Malformed("a reply shorter than its header".into()));
        }
        let code = message::Header::result_of(body);
        if code == ResultCode::OK && !request.many {
            return Ok(Disposition { outcome: ReplyKind::Done, closes: false });
        }
        if request.many && !is_last(body) && !refuses_all(body) {
            // Each contains at least one row.
            if request.parts >= request.rows {
                return Err(Malformed("a batch's reply of more messages than it has rows".into()));
            }
            return Ok(Disposition { outcome: ReplyKind::More, closes: false });
        }
        let outcome = if code.is_retryable() && !request.many {
            ReplyKind::Retry { doubtful: is_doubtful(code) }
        } else {
            ReplyKind::Done
        };
        Ok(Disposition { outcome, closes: code.closes_connection() })
    }
}

impl Aerospike {
    /// What follows from a reply that is no message.
    #[cold]
    fn classify_service_reply(
        &self,
        body: &[u8],
        request: RequestInfo,
    ) -> Result<Disposition, Malformed> {
        if self.security != (request.kind == RequestKind::Accounts) {
            return Err(Malformed("an answer to another kind of request".into()));
        }
        let needs_login = if self.security {
            let end = security_end(body, request.many)?;
            if end.is_none() {
                return Ok(Disposition { outcome: ReplyKind::More, closes: false });
            }
            end.is_some_and(ResultCode::needs_login)
        } else {
            info_needs_login(body)
        };
        if self.logs_in && needs_login {
            let outcome = ReplyKind::Retry { doubtful: false };
            return Ok(Disposition { outcome, closes: true });
        }
        Ok(Disposition { outcome: ReplyKind::Done, closes: false })
    }

    /// A compressed frame has come. It is no service frame, because only messages are compressed.
    #[cold]
    fn on_compressed_frame(&mut self) -> Result<bool, Malformed> {
        if self.compression.is_none() || self.handshake.is_some() {
            return Err(Malformed("the reply is compressed, which nobody asked for".into()));
        }
        self.packed = true;
        Ok(false)
    }

    /// A frame has come that is no message.
    #[cold]
    fn on_service_frame(&mut self, security: bool) -> bool {
        self.security = security;
        if let Some(handshake) = &mut self.handshake {
            handshake.security_frame = security;
        }
        true
    }
}

/// How a reply about users and roles ends; `None`: with a further frame.
fn security_end(body: &[u8], many: bool) -> Result<Option<ResultCode>, Malformed> {
    let malformed =
        |error: spikewire_aerospike_protocol::Malformed| Malformed(error.to_string().into());
    if many {
        return Page::parse(body).map(|page| page.end).map_err(malformed);
    }
    auth::Reply::parse(body).map(|reply| Some(reply.result)).map_err(malformed)
}

/// Whether this info reply means that the connection is not, or no longer, logged in.
#[cold]
fn info_needs_login(body: &[u8]) -> bool {
    let answer = String::from_utf8_lossy(body);
    info::error_codes(&answer).any(|code| ResultCode(code).needs_login())
}

/// Whether a reply message has the flag of the last of several.
fn is_last(body: &[u8]) -> bool {
    body[3] & info3::LAST != 0
}

/// Whether a frame of a batch reply without the last flag rejects the whole batch. Rows are
/// numbered from 1 on the wire, so it is not the reply to one of them.
fn refuses_all(body: &[u8]) -> bool {
    message::Header::result_of(body) != ResultCode::OK && body[14..18] == [0; 4]
}

/// The server's own timeout does not say whether it wrote.
pub(crate) fn is_doubtful(code: ResultCode) -> bool {
    code == ResultCode::TIMEOUT
}

/// Less than a header has arrived. If it is not the start of one, the rest may never come.
#[cold]
fn begun(bytes: &[u8]) -> Result<Option<Frame>, Malformed> {
    match bytes.first() {
        Some(first) if *first != VERSION => Err(malformed("no header begins so", bytes)),
        _ => Ok(None),
    }
}

#[cold]
fn malformed(why: &str, bytes: &[u8]) -> Malformed {
    Malformed(format!("{why}{}", stranger(bytes)).into())
}

/// Guesses what the peer is from its first bytes, which are not this protocol.
pub(crate) fn stranger(bytes: &[u8]) -> &'static str {
    let starts = |with: &[u8]| bytes.starts_with(with);
    if starts(b"HTTP/") || starts(b"<") {
        " (an HTTP server?)"
    } else if starts(&[0x15, 3]) || starts(&[0x16, 3]) {
        " (a TLS port?)"
    } else if starts(b"-ERR") {
        " (a Redis server?)"
    } else if starts(b"SSH-") {
        " (an SSH server?)"
    } else {
        ""
    }
}
