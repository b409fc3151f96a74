//! Encoding requests and decoding replies, without any I/O.

use std::hint::black_box;

use spikewire_aerospike_protocol::batch::{self, Kind};
use spikewire_aerospike_protocol::frame;
use spikewire_aerospike_protocol::key::{Digest, UserKey, digest};
use spikewire_aerospike_protocol::message::{self, Header, Message, Walk, field, info1, info2, op};
use spikewire_aerospike_protocol::query::{Answer, Point, Row};
use spikewire_aerospike_protocol::request::{Request, address};
use spikewire_aerospike_protocol::value::Value;
use spikewire_columns::arrow::TableBuilder;
use spikewire_columns::fixed::{Cell, CellKind, Field};
use spikewire_columns::{ExtraColumns, WireValue};

use crate::{Benchmark, repeat};

/// The benchmarks of this file.
pub const BENCHMARKS: &[Benchmark] = &[
    Benchmark { name: "digest", run: key },
    Benchmark { name: "encode get", run: encode_get },
    Benchmark { name: "decode get", run: decode_get },
    Benchmark { name: "encode put", run: encode_put },
    Benchmark { name: "decode put", run: decode_put },
    Benchmark { name: "encode batch row", run: encode_batch_row },
    Benchmark { name: "encode put_many row", run: encode_put_many_row },
    Benchmark { name: "decode batch row", run: decode_batch_row },
    Benchmark { name: "decode fixed-size row", run: decode_fixed_size_row },
    Benchmark { name: "decode Arrow row", run: decode_arrow_row },
    Benchmark { name: "decode query row", run: decode_query_row },
];

const TIMES: u64 = 1000;
const ROWS: u32 = 100;

/// The bins of every record here: an integer, a string, and a list of integers.
fn bins() -> [(&'static [u8], Value); 3] {
    let scores = (0..8).map(|score| Value::Int(score * 1000)).collect();
    [
        (b"age", Value::Int(28)),
        (b"name", Value::Str("Alice of the looking glass".into())),
        (b"scores", Value::List(scores)),
    ]
}

/// The record's bins as encoded in a reply.
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

/// Decodes every bin into a caller's representation.
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

/// Each row has bins of its own.
fn encode_put_many_row() -> u64 {
    let (address, bins) = (address("test", "users"), bins());
    let header = Header { info2: info2::WRITE, ..Header::default() };
    let mut out = Vec::new();
    let batches = repeat(TIMES / 10, || {
        out.clear();
        let rows = (0..ROWS).map(|index| {
            let mut kind = Kind::new(black_box(&header), &address);
            for (name, value) in black_box(&bins) {
                let written: Result<(), ()> =
                    kind.op_with(op::WRITE, name, |out| Ok(value.encode(out)));
                written.expect("nothing is refused");
            }
            kind.finish().expect("it is within the limits");
            (index, digest("users", &UserKey::Int(index.into())), kind)
        });
        let rows: Vec<_> = rows.collect();
        let mut batch = batch::Writer::begin(&mut out, 1000, batch::flag::RESPOND_ALL);
        for (index, digest, kind) in &rows {
            batch.row(*index, digest, kind.as_bytes(), kind.is_repeatable());
        }
        batch.finish().expect("it is within the limits");
        black_box(&out);
    });
    batches * u64::from(ROWS)
}

/// Into the memory of a structured array.
fn decode_fixed_size_row() -> u64 {
    let (mut reply, ops) = (Vec::new(), encoded_bins());
    append_reply(&mut reply, 0, &ops);
    let field =
        |name: &str, offset: usize, mask: usize, kind, size: usize, shape: &[usize]| Field {
            name: name.to_owned(),
            type_name: String::new(),
            offset,
            mask,
            cell: Cell { kind, size, swapped: false },
            shape: shape.to_vec(),
            count: shape.iter().product(),
        };
    let fields = [
        field("age", 0, 0, CellKind::Int, 8, &[]),
        field("name", 8, 1, CellKind::Bytes, 32, &[]),
        field("scores", 40, 2, CellKind::Int, 8, &[8]),
    ];
    let (mut data, mut mask) = ([0; 104], [0; 10]);
    repeat(TIMES, || {
        mask.fill(1);
        let (_, mut walk) = Walk::begin(black_box(&reply)).expect("it is sound");
        for field in black_box(&fields) {
            let op = walk.next().expect("it is sound").expect("all bins are there");
            let value = WireValue::of_bin(op.particle, op.value).expect("it is sound");
            field.write(&value, &mut data, &mut mask).expect("it fits");
        }
        black_box((&data, &mask));
    })
}

/// Into columns, including the resulting arrays.
fn decode_arrow_row() -> u64 {
    let (mut reply, ops) = (Vec::new(), encoded_bins());
    append_reply(&mut reply, 0, &ops);
    let tables = repeat(TIMES / 100, || {
        let extra = ExtraColumns::default();
        let table = TableBuilder::new(None, &extra, false, None);
        let mut table = table.expect("nothing is wrong with it");
        for row in 0..10 * ROWS as usize {
            let (header, walk) = Walk::begin(black_box(&reply)).expect("it is sound");
            table.row(&header, walk, None, row).expect("it fits");
        }
        black_box(table.finish(10 * ROWS as usize).expect("all columns are as long"));
    });
    tables * 10 * u64::from(ROWS)
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
