use super::*;

#[test]
fn opcodes_have_their_numbers() {
    for opcode in Opcode::ALL {
        assert_eq!(Opcode::from_number(opcode as u8), Some(opcode));
    }
    assert_eq!(Opcode::ALL.into_iter().filter(|opcode| opcode.is_request()).count(), 8);
    for number in (0x11..=0xff).chain([0x04]) {
        assert_eq!(Opcode::from_number(number), None);
    }
}

#[test]
fn a_header_is_read_when_it_is_whole() {
    let header = Header {
        version: 5,
        is_response: true,
        flags: flag::WARNINGS,
        stream: EVENT_STREAM,
        opcode: Opcode::Event as u8,
        body: 70_000,
    };
    let bytes = header.to_bytes();
    assert_eq!(bytes, [0x85, 0x08, 0xff, 0xff, 0x0c, 0x00, 0x01, 0x11, 0x70]);
    for len in 0..HEADER_LEN {
        assert_eq!(Header::read(&bytes[..len]), Ok(None));
    }
    assert_eq!(Header::read(&bytes), Ok(Some(header)));
    assert_eq!(Header::read(&[&bytes[..], &[1, 2, 3]].concat()), Ok(Some(header)));
    assert_eq!((header.envelope_len(), header.layout()), (70_009, Version::V5));
}

#[test]
fn a_rejection_may_come_in_a_version_that_is_not_ours() {
    let beta = Header::read(&[0x86, 0x10, 0, 0, 0, 0, 0, 0, 9]).unwrap().unwrap();
    assert_eq!((beta.version, beta.layout()), (6, Version::V5));
    let old = Header::read(&[0x83, 0, 0, 0, 0, 0, 0, 0, 9]).unwrap().unwrap();
    assert_eq!((old.version, old.layout()), (3, Version::V4));
}

#[test]
fn another_protocol_is_recognized_by_its_first_byte() {
    for (bytes, guess) in [
        (&b"H"[..], "(HTTP?)"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "(HTTP?): it begins with \"HTTP/1.1 400 Bad\""),
        (&[0x15, 3, 3, 0, 2, 2, 70], "(TLS?)"),
        (&[0x82, 0, 0, 0, 0, 0, 0, 0x67], "(Cassandra before 2.1?)"),
        (b"+PONG\r\n", "protocol: it begins with \"+PONG\\r\\n\""),
    ] {
        let error = Header::read(bytes).unwrap_err().to_string();
        assert!(error.contains(guess), "{error}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "large, and slow there")]
fn a_body_longer_than_any_is_rejected() {
    let header = |body: u32| {
        let mut bytes = [0x84, 0, 0, 1, 8, 0, 0, 0, 0];
        bytes[5..].copy_from_slice(&body.to_be_bytes());
        Header::read(&bytes)
    };
    assert_eq!(header(MAX_BODY as u32).unwrap().unwrap().body, MAX_BODY);
    for body in [MAX_BODY as u32 + 1, u32::MAX] {
        let error = header(body).unwrap_err().to_string();
        assert_eq!(error, format!("an envelope of {body} bytes; 268435456 are allowed"));
    }
    // Untouched zeroes take no memory.
    let mut out = vec![0; HEADER_LEN + MAX_BODY + 1];
    let len = MAX_BODY + 1;
    assert_eq!(finish(&mut out, 0), Err(TooLong { what: "a message", len, most: MAX_BODY }));
    assert_eq!(finish(&mut out[1..], 0), Ok(()));
}

#[test]
fn a_stream_id_is_written_into_an_envelope() {
    let mut out = vec![9; 3];
    let start = begin(&mut out, Version::V4, false, Opcode::Query);
    stamp(&mut out[start..], STREAMS - 1);
    assert_eq!(Header::read(&out[start..]).unwrap().unwrap().stream, i16::MAX);
}
