//! Aerospike's frames, as far as opening a connection needs them.

use spikewire_aerospike_protocol::frame::{HEADER_LEN, Header, Kind};
use spikewire_transport::protocol::{Answers, Frame, Framing, Malformed};

/// Aerospike's protocol: replies come in the order of the requests, and a connection is ready as
/// soon as it is there.
#[derive(Debug, Clone, Copy, Default)]
pub struct Aerospike {
    /// Whether the frame that was cut last answers an info request.
    pub(crate) info: bool,
}

impl Framing for Aerospike {
    #[inline]
    fn cut(&mut self, bytes: &[u8]) -> Result<Option<Frame>, Malformed> {
        let header = Header::parse(bytes).map_err(|error| Malformed(error.to_string().into()))?;
        let Some(header) = header else { return Ok(None) };
        self.info = match header.kind {
            Kind::Message => false,
            Kind::Info => true,
            _ => return Err(Malformed("the reply is not a message".into())),
        };
        let len = HEADER_LEN + header.len;
        Ok(Some(Frame { header: HEADER_LEN, len, answers: Answers::Oldest }))
    }
}
