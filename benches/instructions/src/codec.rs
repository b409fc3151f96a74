//! Encoding requests and decoding replies, without any I/O.

use std::hint::black_box;

use spikewire_protocol::batch::{self, Kind};
use spikewire_protocol::frame;
use spikewire_protocol::key::{Digest, UserKey, digest};
use spikewire_protocol::message::{self, Header, Message, Walk, field, info1, info2, op};
use spikewire_protocol::query::{Answer, Point, Row};
use spikewire_protocol::request::{Request, address};
use spikewire_protocol::value::Value;

use crate::{Benchmark, repeat};

/// The benchmarks of this file.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "digest", run: key },
    Benchmark { name: "encode get", run: encode_get },
    Benchmark { name: "decode get", run: decode_get },
    Benchmark { name: "encode put", run: encode_put },
    Benchmark { name: "decode put", run: decode_put },
    Benchmark { name: "encode batch row", run: encode_batch_row },
    Benchmark { name: "decode batch row", run: decode_batch_row },
    Benchmark { name: "decode query row", run: decode_query_row },
];

const TIMES: u64 = 1000;
const ROWS: u32 = 100;

/// The bins of every record here: a number, a text, and a list of numbers.
fn bins() -> [(&'static [u8], Value); 3] {
    let scores = (0..8).map(|score| Value::Int(score * 1000)).collect();
    [
        (b"age", Value::Int(28)),
        (b"name", Value::Str("Alice of the looking glass".into())),
        (b"scores", Value::List(scores)),
    ]
}

/// The record's bins as a reply has them.
fn encoded_bins() -> Vec<u8> {
    let mut out = Vec::new();
    for (name, value) in bins() {
        let start = message::begin_op(&mut out, op::READ, name);
        let particle = value.encode(&mut out);
        message::finish_op(&mut out, start, particle);
    }
    out
}

/// One message of a reply: `index` is the number of a batch's row.
fn append_reply(out: &mut Vec<u8>, index: u32, ops: &[u8]) {
    let header = Header { generation: 3, timeout: index, fields: 1, ops: 3, ..Header::default() };
    out.extend_from_slice(&header.to_bytes());
    message::write_field(out, field::DIGEST, &[7; 20]);
    out.extend_from_slice(ops);
}

/// Reads every bin into what a caller would hold.
fn decode_bins(mut walk: Walk<'_>) -> usize {
    let mut held = 0;
    while let Some(op) = walk.next().expect("it is sound") {
        black_box(Value::decode(op.particle, op.value).expect("it is sound"));
        held += op.name.len();
    }
    held
}

fn key() -> u64 {
    repeat(TIMES, || {
        black_box(digest("users", &UserKey::Str(black_box("user-00000042"))));
    })
}

fn encode_get() -> u64 {
    let address = address("test", "users");
    let header = Header { info1: info1::READ | info1::GET_ALL, timeout: 1000, ..Header::default() };
    let mut out = Vec::new();
    repeat(TIMES, || {
        out.clear();
        let mut request = Request::begin(&mut out, black_box(&header));
        request.encoded_fields(2, &address);
        request.digest(black_box(&Digest([7; 20])));
        request.finish().expect("it is within the limits");
        black_box(&out);
    })
}

fn encode_put() -> u64 {
    let address = address("test", "users");
    let header = Header { info2: info2::WRITE, timeout: 1000, ..Header::default() };
    let bins = bins();
    let mut out = Vec::new();
    repeat(TIMES, || {
        out.clear();
        let mut request = Request::begin(&mut out, black_box(&header));
        request.encoded_fields(2, &address);
        request.digest(black_box(&Digest([7; 20])));
        for (name, value) in black_box(&bins) {
            let written: Result<(), ()> =
                request.op_with(op::WRITE, name, |out| Ok(value.encode(out)));
            written.expect("nothing is refused");
        }
        request.finish().expect("it is within the limits");
        black_box(&out);
    })
}

fn decode_get() -> u64 {
    let mut reply = Vec::new();
    let start = frame::begin(&mut reply, frame::Kind::Message);
    append_reply(&mut reply, 0, &encoded_bins());
    frame::finish(&mut reply, start);
    repeat(TIMES, || {
        let (frame, _) = frame::split(black_box(&reply)).expect("sound").expect("whole");
        let (header, walk) = Walk::begin(frame.body).expect("it is sound");
        black_box((header, decode_bins(walk)));
    })
}

fn decode_put() -> u64 {
    let mut reply = Vec::new();
    let start = frame::begin(&mut reply, frame::Kind::Message);
    reply.extend_from_slice(&Header { generation: 3, ..Header::default() }.to_bytes());
    frame::finish(&mut reply, start);
    repeat(TIMES, || {
        let (frame, _) = frame::split(black_box(&reply)).expect("sound").expect("whole");
        black_box(Message::parse(frame.body).expect("it is sound"));
    })
}

fn encode_batch_row() -> u64 {
    let header = Header { info1: info1::READ | info1::GET_ALL, ..Header::default() };
    let mut kind = Kind::new(&header, &address("test", "users"));
    kind.finish().expect("it is within the limits");
    let mut out = Vec::new();
    let batches = repeat(TIMES / 10, || {
        out.clear();
        let mut batch = batch::Writer::begin(&mut out, 1000, batch::flag::RESPOND_ALL);
        for index in 0..ROWS {
            let digest = black_box(Digest([index as u8; 20]));
            batch.row(index, &digest, kind.as_bytes(), kind.is_repeatable());
        }
        batch.finish().expect("it is within the limits");
        black_box(&out);
    });
    batches * u64::from(ROWS)
}

fn decode_batch_row() -> u64 {
    let (mut reply, ops) = (Vec::new(), encoded_bins());
    (0..ROWS).for_each(|index| append_reply(&mut reply, index, &ops));
    let batches = repeat(TIMES / 10, || {
        let mut rest = black_box(&reply[..]);
        while !rest.is_empty() {
            let (header, walk) = Walk::begin(rest).expect("it is sound");
            black_box((header.timeout, decode_bins(walk.clone())));
            rest = &rest[walk.finish().expect("it is sound")..];
        }
    });
    batches * u64::from(ROWS)
}

fn decode_query_row() -> u64 {
    let (mut reply, ops) = (Vec::new(), encoded_bins());
    for index in 0..ROWS {
        let row = Row {
            point: Point { digest: Digest([index as u8; 20]), value: 0 },
            set: b"users",
            key: Some(b"\x03user-00000042"),
            generation: 3,
            void_time: 0,
            op_count: 3,
            ops: &ops,
        };
        row.write(b"test", false, false, &mut reply);
    }
    let frames = repeat(TIMES / 10, || {
        let mut rest = black_box(&reply[..]);
        while !rest.is_empty() {
            let (answer, used) = Answer::parse(rest).expect("it is sound");
            let Answer::Row(row) = answer else { panic!("only rows were written") };
            black_box((row.point, decode_bins(Walk::over(row.ops, row.op_count))));
            rest = &rest[used..];
        }
    });
    frames * u64::from(ROWS)
}
