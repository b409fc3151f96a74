//! Flags of requests that say how connections are to send them, and what replies are to say: those
//! of compression and of details of errors. Commands set them; connections act on them, and take
//! them out where they have no place, because the node does not know them.

use spikewire_aerospike_protocol::error_details::{self, DetailLevel};
use spikewire_aerospike_protocol::frame::HEADER_LEN;
use spikewire_aerospike_protocol::message::{info1, info4};

use crate::compression::{self, INFO1};
use crate::model::Policy;

/// Where a message frame has its fourth info byte.
const INFO4: usize = HEADER_LEN + 4;
/// The flags in the four info bytes, which are read at once.
const MASK: u32 = u32::from_le_bytes([info1::COMPRESS_RESPONSE, 0, 0, info4::ERROR_DETAILS]);

/// Marks a complete message frame as this policy says; for a policy that marks requests.
#[cold]
pub fn set(frame: &mut [u8], policy: &Policy) {
    if policy.flags.compress()
        && let Some(flags) = frame.get_mut(INFO1)
    {
        *flags |= info1::COMPRESS_RESPONSE;
    }
    error_details::ask(frame, details(policy));
}

/// How much requests with this policy ask for.
pub fn details(policy: &Policy) -> DetailLevel {
    DetailLevel::of_number(policy.flags.details())
}

/// Whether a request for data has a mark.
#[inline(always)]
pub fn are_in(request: &[u8]) -> bool {
    let flags = request.get(INFO1..).and_then(|bytes| bytes.first_chunk());
    flags.is_some_and(|flags| u32::from_le_bytes(*flags) & MASK != 0)
}

/// Appends a request with a mark as the node takes it: compressed above a threshold if the node
/// knows compression, and without what the node does not know.
#[inline(never)]
pub fn write(request: &[u8], threshold: Option<usize>, details: bool, out: &mut Vec<u8>) {
    let start = out.len();
    out.extend_from_slice(request);
    if !details {
        out[start + INFO4] &= !info4::ERROR_DETAILS;
    }
    if out[start + INFO1] & info1::COMPRESS_RESPONSE != 0 {
        compression::apply(start, threshold, out);
    }
}

#[cfg(test)]
mod tests {
    use spikewire_aerospike_protocol::message::Header;
    use spikewire_aerospike_protocol::request::Request;

    use super::*;

    fn request(level: DetailLevel) -> Vec<u8> {
        let mut policy = Policy::default();
        policy.flags.set_details(level as u8);
        let mut out = Vec::new();
        let header = Header { info1: info1::READ, info4: info4::LOCKING_ONLY, ..Header::default() };
        Request::begin(&mut out, &header).finish().unwrap();
        assert_eq!(policy.flags.marks_requests(), level != DetailLevel::Off);
        if policy.flags.marks_requests() {
            set(&mut out, &policy);
        }
        out
    }

    #[test]
    fn nodes_that_say_nothing_more_about_errors_get_plain_requests() {
        let plain = request(DetailLevel::Off);
        assert!(!are_in(&plain));
        for level in [DetailLevel::Subcode, DetailLevel::Message, DetailLevel::Trace] {
            let asking = request(level);
            assert!(are_in(&asking));
            let written = |details| {
                let mut out = Vec::new();
                write(&asking, None, details, &mut out);
                out
            };
            assert_eq!(written(false), plain);
            assert_eq!(written(true), asking);
            assert_eq!(asking[12], info4::LOCKING_ONLY | (level as u8) << 5);
        }
    }
}
