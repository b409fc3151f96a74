//! Compressed messages: bodies of any bytes, and streams around messages of any bytes. What is
//! announced bounds what is written.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_aerospike_protocol::compression::{Packer, Unpacker, inner_len};
use spikewire_aerospike_protocol::frame::{self, HEADER_LEN, Header, Kind};

/// More than this is not allocated here: the engine has little memory.
const MOST: usize = 64 << 20;

fuzz_target!(|body: &[u8]| {
    if let Ok(len) = inner_len(body) {
        assert!(len <= frame::MAX_BODY && len <= body.len() * 1032);
        let mut message = vec![0; len.min(MOST)];
        if Unpacker::default().unpack(body, &mut message).is_ok() {
            let header = Header { kind: Kind::Message, len: message.len() - HEADER_LEN };
            assert_eq!(Header::parse(&message), Ok(Some(header)));
        }
    }

    // The input as a message: what is compressed comes back, and one changed byte is no panic.
    let mut message = Vec::new();
    let start = frame::begin(&mut message, Kind::Message);
    message.extend_from_slice(body);
    message.resize(message.len().max(HEADER_LEN + 22), 0);
    frame::finish(&mut message, start);
    let mut packed = Vec::new();
    if !Packer::default().pack(&message, 0, &mut packed) {
        assert!(packed.is_empty());
        return;
    }
    assert!(packed.len() < message.len());
    let mut inner = packed.split_off(HEADER_LEN);
    let mut again = vec![0; inner_len(&inner).expect("our own")];
    let mut unpacker = Unpacker::default();
    unpacker.unpack(&inner, &mut again).expect("our own");
    assert_eq!(again, message);
    if let [.., at, change] = *body {
        let at = usize::from(at) % inner.len();
        inner[at] ^= change;
        if let Ok(len) = inner_len(&inner) {
            let _ = unpacker.unpack(&inner, &mut vec![0; len.min(MOST)]);
        }
    }
});
