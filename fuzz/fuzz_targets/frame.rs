//! A byte stream as a socket delivers it: frames, and the bodies that the other targets do not
//! cover.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_aerospike_protocol::frame::{self, HEADER_LEN, Kind};
use spikewire_aerospike_protocol::message::Message;
use spikewire_aerospike_protocol::{auth, info, manage};

fuzz_target!(|stream: &[u8]| {
    let mut rest = stream;
    while let Ok(Some((frame, used))) = frame::split(rest) {
        assert_eq!(used, HEADER_LEN + frame.body.len());
        // One byte less is not a frame.
        assert_eq!(frame::split(&rest[..used - 1]), Ok(None));
        let mut again = vec![0xee];
        let start = frame::begin(&mut again, frame.kind);
        again.extend_from_slice(frame.body);
        frame::finish(&mut again, start);
        assert_eq!(&again[1..], &rest[..used]);
        match frame.kind {
            Kind::Info => info::commands(frame.body).for_each(|command| {
                assert!(command.line.starts_with(command.name));
                assert!(command.line.ends_with(command.params));
            }),
            Kind::Admin => security(frame.body),
            Kind::Message => {
                if let Ok((_, used)) = Message::parse(frame.body) {
                    assert!(used <= frame.body.len());
                }
            }
            Kind::Compressed => {}
        }
        rest = &rest[used..];
    }
});

fn security(body: &[u8]) {
    let mut out = Vec::new();
    if let Ok(request) = auth::Request::parse(body) {
        request.encode(&mut out);
        assert_eq!(auth::Request::parse(&out[HEADER_LEN..]), Ok(request));
    }
    if let Ok(reply) = auth::Reply::parse(body) {
        out.clear();
        reply.encode(&mut out);
        assert_eq!(auth::Reply::parse(&out[HEADER_LEN..]), Ok(reply));
    }
    if let Ok(Some(request)) = manage::Request::parse(body) {
        out.clear();
        request.encode(&mut out);
        assert_eq!(manage::Request::parse(&out[HEADER_LEN..]), Ok(Some(request)));
    }
    if let Ok(page) = manage::Page::parse(body) {
        out.clear();
        page.encode(&mut out);
        assert_eq!(manage::Page::parse(&out[HEADER_LEN..]), Ok(page));
    }
}
