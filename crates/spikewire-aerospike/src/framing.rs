//! Aerospike's framing, as needed for opening a connection.

use spikewire_aerospike_protocol::frame::{HEADER_LEN, Header, Kind, VERSION};
use spikewire_transport::protocol::{Answers, Frame, Framing, HandshakeStep, Malformed};

use crate::security::{Access, LoginHandshake};

/// Aerospike's protocol: replies come in the order of requests. A connection is ready once it is
/// established and, if the client logs in, the node has accepted the login.
#[derive(Debug, Clone, Default)]
pub struct Aerospike {
    /// Whether the frame that was cut last is no message: it answers an info request, or one about
    /// users and roles.
    pub(crate) is_service_frame: bool,
    /// Whether that frame is one of security.
    pub(crate) security: bool,
    /// Whether the client logs in.
    pub(crate) logs_in: bool,
    /// The handshake before the first command; `None` once done.
    handshake: Option<Box<LoginHandshake>>,
}

impl Aerospike {
    /// The state of a new connection.
    pub(crate) fn new(access: &Access) -> Self {
        let handshake = access.handshake();
        Self { is_service_frame: false, security: false, logs_in: handshake.is_some(), handshake }
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
            Kind::Compressed => return Err(no_message()),
        };
        let len = HEADER_LEN + header.len;
        Ok(Some(Frame { header: HEADER_LEN, len, answers: Answers::Oldest }))
    }
}

impl Aerospike {
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

#[cold]
fn no_message() -> Malformed {
    Malformed("the reply is not a message".into())
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
