//! Consecutive messages, as in a batch reply, and what their fields say about errors; what parses is
//! encoded and parsed again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use spikewire_aerospike_protocol::error_details::{DetailLevel, ErrorDetails, LONGEST};
use spikewire_aerospike_protocol::frame;
use spikewire_aerospike_protocol::message::{Header, Message};
use spikewire_aerospike_protocol::request::Request;
use spikewire_aerospike_protocol::value::Value;

fuzz_target!(|body: &[u8]| {
    let mut rest = body;
    while let Ok((message, used)) = Message::parse(rest) {
        assert_eq!(message.fields().count(), usize::from(message.header.fields));
        assert_eq!(message.ops().count(), usize::from(message.header.ops));
        for op in message.ops() {
            let _ = Value::decode(op.particle, op.value);
        }
        for field in message.fields() {
            details(field.data, message.header.result);
        }
        again(&message);
        rest = &rest[used..];
    }
});

/// What a field would say about an error; what is read is written and read again.
fn details(field: &[u8], code: u8) {
    let Some(details) = ErrorDetails::read(field) else { return };
    let _ = details.brackets(code);
    if let Some(bytes) = details.write(DetailLevel::Trace) {
        assert!(bytes.len() <= LONGEST);
        assert!(ErrorDetails::read(&bytes).is_some(), "our own details");
    }
}

fn again(message: &Message<'_>) {
    let header = message.header;
    let mut out = Vec::new();
    let mut request = Request::begin(&mut out, &Header { fields: 0, ops: 0, ..header });
    for field in message.fields() {
        request.field(field.id, field.data);
    }
    for op in message.ops() {
        let written: Result<(), ()> = request.op_with(op.code, op.name, |out| {
            out.extend_from_slice(op.value);
            Ok(op.particle)
        });
        written.expect("copying does not fail");
    }
    request.finish().expect("it fitted before");
    let (copy, used) = Message::parse(&out[frame::HEADER_LEN..]).expect("our own message");
    assert_eq!((copy.header, used), (header, out.len() - frame::HEADER_LEN));
    assert!(copy.fields().eq(message.fields()));
    assert!(copy.ops().eq(message.ops()));
}
